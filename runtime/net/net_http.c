#include "net_internal.h"

#include <stdlib.h>

static void unlink_ready(net_request *request)
{
    if (!request->link_ready) {
        return;
    }
    *request->link_ready = request->next_ready;
    if (request->next_ready) {
        request->next_ready->link_ready = request->link_ready;
    }
    request->link_ready = NULL;
}

static void unlink_request(net_request *request)
{
    unlink_ready(request);
    *request->link = request->next;
    if (request->next) {
        request->next->link = request->link;
    }
}

static void link_request(net_request *request)
{
    net_http *http = request->http;
    request->next = http->requests;
    request->link = &http->requests;
    if (request->next) {
        request->next->link = &request->next;
    }
    http->requests = request;
}

static void detach(net_request *request)
{
    net_http *http = request->http;
    net_multi_remove(http->multi, &request->transfer);
    unlink_request(request);
    net_multi_hold(http->multi, http->requests != NULL);
}

static void finish(net_request *request, net_result *result)
{
    detach(request);
    net_request_result(request, result);
    request->callbacks.on_done(request->callbacks.user, result);
    net_request_free(request);
}

/* Passes received data to on_data. The list is read again after each call, because the callback may
 * end any request, also its own. */
static void deliver(void *user)
{
    net_http *http = user;
    while (http->ready) {
        net_request *request = http->ready;
        net_buffer data = request->body;
        request->body = (net_buffer){0};
        unlink_ready(request);
        request->callbacks.on_data(request->callbacks.user, net_request_status(request), data.data,
                                   data.size);
        net_buffer_free(&data);
    }
}

static void on_transfer_done(net_transfer *transfer, CURLcode code)
{
    net_request *request = NET_CONTAINER(transfer, net_request, transfer);
    net_result result = {0};
    net_explain(request, code, &result);
    finish(request, &result);
}

net_http *net_http_open(uv_loop_t *loop, base_error *err)
{
    net_http *http = calloc(1, sizeof *http);
    if (!http) {
        base_fail(err, BASE_NO_MEMORY, "no memory for an HTTP client");
        return NULL;
    }
    http->multi = net_multi_open(loop, deliver, http, err);
    if (!http->multi) {
        free(http);
        return NULL;
    }
    http->curl = http->multi->curl;
    http->loop = loop;
    return http;
}

void net_http_close(net_http *http)
{
    if (!http) {
        return;
    }
    while (http->requests) {
        net_request *request = http->requests;
        detach(request);
        net_request_free(request);
    }
    net_multi_close(http->multi);
    free(http);
}

/* After a delay of the process the loop runs its timers before it reads bytes that arrived
 * meanwhile. So when the stall timeout passes, such bytes get a little more time to be read. */
enum { LAST_LOOK = 20 /* ms */ };

static void on_stall(uv_timer_t *timer)
{
    net_request *request = NET_CONTAINER(timer, net_request, stall);
    uint64_t limit = (uint64_t) (request->stall_timeout * 1000);
    uint64_t quiet = uv_now(request->http->loop) - request->last_byte;
    bool server_thinks = request->piece == request->piece_count && request->received == 0;
    if (quiet < limit || server_thinks) {
        uv_timer_start(timer, on_stall, quiet < limit ? limit - quiet : limit, 0);
        return;
    }
    if (!request->nearly_stalled) {
        request->nearly_stalled = true;
        uv_timer_start(timer, on_stall, LAST_LOOK, 0);
        return;
    }
    net_result result = {.timeout = NET_TIMEOUT_STALL};
    base_fail(&result.error, BASE_TIMED_OUT, "%s stalled: not a byte for %g s", request->url.origin,
              request->stall_timeout);
    finish(request, &result);
}

net_request *net_http_start(net_http *http, const net_options *options,
                            const net_callbacks *callbacks, base_error *err)
{
    uv_update_time(http->loop); /* the caller may have run for a while, without the loop */
    net_request *request = net_request_new(http, options, callbacks, err);
    if (!request) {
        return NULL;
    }
    request->transfer.on_done = on_transfer_done;
    if (!net_multi_add(http->multi, &request->transfer, err)) {
        net_request_free(request);
        return NULL;
    }
    link_request(request);
    net_multi_hold(http->multi, true);
    if (request->stall_timeout > 0) {
        uv_timer_start(&request->stall, on_stall, (uint64_t) (request->stall_timeout * 1000), 0);
    }
    return request;
}

void net_http_end(net_request *request)
{
    net_result result = {0};
    finish(request, &result);
}

void net_http_cancel(net_request *request)
{
    net_result result = {0};
    base_fail(&result.error, BASE_CANCELLED, "the request to %s was cancelled",
              request->url.origin);
    finish(request, &result);
}
