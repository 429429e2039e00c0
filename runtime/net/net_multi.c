#include "net_multi.h"

#include <stdlib.h>

/* A socket of curl's that the loop watches. */
typedef struct {
    uv_poll_t poll;
    net_multi *multi;
    curl_socket_t socket;
} net_watch;

static void collect(net_multi *multi)
{
    int left;
    CURLMsg *message;
    while ((message = multi->curl->multi_info_read(multi->multi, &left))) {
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        CURLcode code = message->data.result;
        char *private = NULL;
        multi->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        net_transfer *transfer = (net_transfer *) private;
        transfer->on_done(transfer, code);
    }
}

static void step(net_multi *multi, curl_socket_t socket, int events)
{
    int running;
    multi->curl->multi_socket_action(multi->multi, socket, events, &running);
    if (multi->on_step) {
        multi->on_step(multi->user);
    }
    collect(multi);
}

static void on_timer(uv_timer_t *timer)
{
    step(NET_CONTAINER(timer, net_multi, timer), CURL_SOCKET_TIMEOUT, 0);
}

static int set_timer(CURLM *handle, long milliseconds, void *user)
{
    (void) handle;
    net_multi *multi = user;
    if (milliseconds < 0) {
        uv_timer_stop(&multi->timer);
    } else {
        uv_timer_start(&multi->timer, on_timer, (uint64_t) milliseconds, 0);
    }
    return 0;
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    net_watch *watch = NET_CONTAINER(poll, net_watch, poll);
    int flags = status < 0 ? CURL_CSELECT_ERR : 0;
    if (events & UV_READABLE) {
        flags |= CURL_CSELECT_IN;
    }
    if (events & UV_WRITABLE) {
        flags |= CURL_CSELECT_OUT;
    }
    step(watch->multi, watch->socket, flags); /* `watch` may have been freed after this */
}

static void free_watch(uv_handle_t *handle)
{
    free(NET_CONTAINER(handle, net_watch, poll));
}

static net_watch *watch_open(net_multi *multi, curl_socket_t socket)
{
    net_watch *watch = calloc(1, sizeof *watch);
    if (!watch) {
        return NULL;
    }
    watch->multi = multi;
    watch->socket = socket;
    if (uv_poll_init_socket(multi->loop, &watch->poll, socket) != 0) {
        free(watch);
        return NULL;
    }
    watch->poll.data = NULL;
    multi->curl->multi_assign(multi->multi, socket, watch);
    return watch;
}

static int set_socket(CURL *easy, curl_socket_t socket, int what, void *user, void *socket_user)
{
    (void) easy;
    net_multi *multi = user;
    net_watch *watch = socket_user;
    if (what == CURL_POLL_REMOVE) {
        if (watch) {
            uv_close((uv_handle_t *) &watch->poll, free_watch);
        }
        multi->curl->multi_assign(multi->multi, socket, NULL);
        return 0;
    }
    if (!watch) {
        watch = watch_open(multi, socket);
    }
    if (!watch) {
        return -1;
    }
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return uv_poll_start(&watch->poll, events, on_event) == 0 ? 0 : -1;
}

net_multi *net_multi_open(uv_loop_t *loop, void (*on_step)(void *user), void *user, base_error *err)
{
    const curl_api *curl = curl_api_open(err);
    if (!curl) {
        return NULL;
    }
    net_multi *multi = calloc(1, sizeof *multi);
    CURLM *handle = multi ? curl->multi_init() : NULL;
    if (!handle) {
        free(multi);
        base_fail(err, BASE_NO_MEMORY, "no memory for a network client");
        return NULL;
    }
    *multi =
        (net_multi){.curl = curl, .loop = loop, .multi = handle, .on_step = on_step, .user = user};
    uv_timer_init(loop, &multi->timer);
    multi->timer.data = NULL;
    net_multi_hold(multi, false);
    curl->multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, set_socket);
    curl->multi_setopt(handle, CURLMOPT_SOCKETDATA, multi);
    curl->multi_setopt(handle, CURLMOPT_TIMERFUNCTION, set_timer);
    curl->multi_setopt(handle, CURLMOPT_TIMERDATA, multi);
    return multi;
}

static void free_multi(uv_handle_t *handle)
{
    free(NET_CONTAINER(handle, net_multi, timer));
}

void net_multi_close(net_multi *multi)
{
    multi->curl->multi_cleanup(multi->multi); /* removes its sockets from the loop */
    uv_close((uv_handle_t *) &multi->timer, free_multi);
}

bool net_multi_add(net_multi *multi, net_transfer *transfer, base_error *err)
{
    multi->curl->easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
    if (multi->curl->multi_add_handle(multi->multi, transfer->easy) == CURLM_OK) {
        return true;
    }
    return base_fail(err, BASE_NO_MEMORY, "no memory for a connection");
}

void net_multi_remove(net_multi *multi, net_transfer *transfer)
{
    multi->curl->multi_remove_handle(multi->multi, transfer->easy);
}

void net_multi_hold(net_multi *multi, bool hold)
{
    if (hold) {
        uv_ref((uv_handle_t *) &multi->timer);
    } else {
        uv_unref((uv_handle_t *) &multi->timer);
    }
}
