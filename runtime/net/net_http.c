#include "net_internal.h"

#include <stdlib.h>
#include <string.h>

/* One watched socket of curl's. */
typedef struct {
    uv_poll_t poll;
    net_http *http;
    curl_socket_t socket;
} net_watch;

static void unlink_ready(net_request *request)
{
    if (!request->link_ready)
        return;
    *request->link_ready = request->next_ready;
    if (request->next_ready)
        request->next_ready->link_ready = request->link_ready;
    request->link_ready = NULL;
}

static void unlink_request(net_request *request)
{
    unlink_ready(request);
    *request->link = request->next;
    if (request->next)
        request->next->link = request->link;
}

static void link_request(net_request *request)
{
    net_http *http = request->http;
    request->next = http->requests;
    request->link = &http->requests;
    if (request->next)
        request->next->link = &request->next;
    http->requests = request;
}

/* An idle connection must not keep the program from ending. */
static void hold_loop(net_http *http)
{
    if (http->requests)
        uv_ref((uv_handle_t *) &http->timer);
    else
        uv_unref((uv_handle_t *) &http->timer);
}

static void detach(net_request *request)
{
    net_http *http = request->http;
    http->curl->multi_remove_handle(http->multi, request->easy);
    unlink_request(request);
    hold_loop(http);
}

static void finish(net_request *request, net_result *result)
{
    detach(request);
    net_request_result(request, result);
    request->callbacks.on_done(request->callbacks.user, result);
    net_request_free(request);
}

/* Hands over what has come for streaming requests. Lists are read afresh each time, because the
 * callback may end any request, its own included. */
static void deliver(net_http *http)
{
    while (http->ready) {
        net_request *request = http->ready;
        net_buffer data = request->body;
        memset(&request->body, 0, sizeof request->body);
        unlink_ready(request);
        request->callbacks.on_data(request->callbacks.user, data.data, data.size);
        free(data.data);
    }
}

static void collect(net_http *http)
{
    int left;
    CURLMsg *message;
    while ((message = http->curl->multi_info_read(http->multi, &left))) {
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result;
        char *private = NULL;
        http->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        net_request *request = (net_request *) private;
        net_result result = {0};
        net_explain(request, code, &result);
        finish(request, &result);
    }
}

static void step(net_http *http, curl_socket_t socket, int events)
{
    int running;
    http->curl->multi_socket_action(http->multi, socket, events, &running);
    deliver(http);
    collect(http);
}

static void on_timer(uv_timer_t *timer)
{
    step(NET_CONTAINER(timer, net_http, timer), CURL_SOCKET_TIMEOUT, 0);
}

static int set_timer(CURLM *multi, long milliseconds, void *user)
{
    (void) multi;
    net_http *http = user;
    if (milliseconds < 0)
        uv_timer_stop(&http->timer);
    else
        uv_timer_start(&http->timer, on_timer, (uint64_t) milliseconds, 0);
    return 0;
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    net_watch *watch = NET_CONTAINER(poll, net_watch, poll);
    int flags = status < 0 ? CURL_CSELECT_ERR : 0;
    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    step(watch->http, watch->socket, flags); /* `watch` may be gone after this */
}

static void free_watch(uv_handle_t *handle)
{
    free(NET_CONTAINER(handle, net_watch, poll));
}

static net_watch *watch_open(net_http *http, curl_socket_t socket)
{
    net_watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return NULL;
    watch->http = http;
    watch->socket = socket;
    if (uv_poll_init_socket(http->loop, &watch->poll, socket) != 0) {
        free(watch);
        return NULL;
    }
    watch->poll.data = NULL;
    http->curl->multi_assign(http->multi, socket, watch);
    return watch;
}

static int set_socket(CURL *easy, curl_socket_t socket, int what, void *user, void *socket_user)
{
    (void) easy;
    net_http *http = user;
    net_watch *watch = socket_user;
    if (what == CURL_POLL_REMOVE) {
        if (watch)
            uv_close((uv_handle_t *) &watch->poll, free_watch);
        http->curl->multi_assign(http->multi, socket, NULL);
        return 0;
    }
    if (!watch)
        watch = watch_open(http, socket);
    if (!watch)
        return -1;
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return uv_poll_start(&watch->poll, events, on_event) == 0 ? 0 : -1;
}

net_http *net_http_open(uv_loop_t *loop, desk_error *err)
{
    const curl_api *curl = curl_api_open(err);
    if (!curl)
        return NULL;
    net_http *http = calloc(1, sizeof *http);
    CURLM *multi = http ? curl->multi_init() : NULL;
    if (!multi) {
        free(http);
        desk_fail(err, DESK_NO_MEMORY, "no memory for an HTTP client");
        return NULL;
    }
    http->curl = curl;
    http->loop = loop;
    http->multi = multi;
    uv_timer_init(loop, &http->timer);
    http->timer.data = NULL;
    hold_loop(http);
    curl->multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, set_socket);
    curl->multi_setopt(multi, CURLMOPT_SOCKETDATA, http);
    curl->multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl->multi_setopt(multi, CURLMOPT_TIMERDATA, http);
    return http;
}

static void free_http(uv_handle_t *handle)
{
    free(NET_CONTAINER(handle, net_http, timer));
}

void net_http_close(net_http *http)
{
    if (!http)
        return;
    while (http->requests) {
        net_request *request = http->requests;
        detach(request);
        net_request_free(request);
    }
    http->curl->multi_cleanup(http->multi); /* takes its sockets off the loop */
    uv_close((uv_handle_t *) &http->timer, free_http);
}

static void on_stall(uv_timer_t *timer)
{
    net_request *request = NET_CONTAINER(timer, net_request, stall);
    uint64_t limit = (uint64_t) (request->stall_timeout * 1000);
    uint64_t quiet = uv_now(request->http->loop) - request->last_byte;
    if (quiet < limit) {
        uv_timer_start(timer, on_stall, limit - quiet, 0);
        return;
    }
    net_result result = {.timeout = NET_TIMEOUT_STALL};
    desk_fail(&result.error, DESK_TIMED_OUT, "%s stalled: not a byte for %g s", request->url.origin,
              request->stall_timeout);
    finish(request, &result);
}

net_request *net_http_start(net_http *http, const net_options *options,
                            const net_callbacks *callbacks, desk_error *err)
{
    net_request *request = net_request_new(http, options, callbacks, err);
    if (!request)
        return NULL;
    link_request(request);
    hold_loop(http);
    if (http->curl->multi_add_handle(http->multi, request->easy) != CURLM_OK) {
        unlink_request(request);
        hold_loop(http);
        net_request_free(request);
        desk_fail(err, DESK_NO_MEMORY, "no memory for a request");
        return NULL;
    }
    if (request->stall_timeout > 0)
        uv_timer_start(&request->stall, on_stall, (uint64_t) (request->stall_timeout * 1000), 0);
    return request;
}

void net_http_cancel(net_request *request)
{
    net_result result = {0};
    desk_fail(&result.error, DESK_CANCELLED, "the request to %s was cancelled",
              request->url.origin);
    finish(request, &result);
}
