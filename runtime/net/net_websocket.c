#include "net_websocket.h"

#include "net_internal.h"

#include <stdlib.h>

enum {
    READ_SIZE = 64 * 1024,
    READS = 16, /* in a row, before the loop does other work */
};

struct net_websocket {
    net_multi *multi;
    net_transfer transfer;
    CURLcode connect_code;
    net_ws *ws;
    net_websocket_events events;
    net_url url; /* of the connection that curl makes: http for ws */
    double timeout;
    size_t low_water;
    uv_timer_t soon;  /* calls pump from the loop: callbacks may not run inside a caller's call */
    uv_timer_t limit; /* timeout of opening, then of closing */
    uv_poll_t poll;
    int handles; /* of these that are still on the loop */
    bool connect_done, connected, pumping, paused, closing_timed;
    bool drained_due; /* more than low_water has been queued: on_drain will be called */
    bool unsendable;  /* sending has failed */
    char message[CURL_ERROR_SIZE];
    char buffer[READ_SIZE];
};

/* --- the end ------------------------------------------------------------------------------------
 */

static void free_part(net_websocket *socket)
{
    if (--socket->handles == 0) {
        free(socket);
    }
}

static void soon_closed(uv_handle_t *handle)
{
    free_part(NET_CONTAINER(handle, net_websocket, soon));
}

static void limit_closed(uv_handle_t *handle)
{
    free_part(NET_CONTAINER(handle, net_websocket, limit));
}

static void poll_closed(uv_handle_t *handle)
{
    free_part(NET_CONTAINER(handle, net_websocket, poll));
}

void net_websocket_drop(net_websocket *socket)
{
    if (socket->connected) {
        uv_close((uv_handle_t *) &socket->poll, poll_closed); /* before curl closes the socket */
    }
    if (socket->transfer.easy) {
        net_multi_remove(socket->multi, &socket->transfer);
        socket->multi->curl->easy_cleanup(socket->transfer.easy);
    }
    net_multi_close(socket->multi);
    if (socket->ws) {
        net_ws_free(socket->ws);
    }
    uv_close((uv_handle_t *) &socket->soon, soon_closed);
    uv_close((uv_handle_t *) &socket->limit, limit_closed);
}

static void end(net_websocket *socket)
{
    net_ws_end how = *net_ws_end_of(socket->ws);
    net_websocket_events events = socket->events;
    net_websocket_drop(socket);
    events.on_end(events.user, &how);
}

/* --- bytes --------------------------------------------------------------------------------------
 */

static const char *curl_message(net_websocket *socket, CURLcode code)
{
    return socket->message[0] ? socket->message : socket->multi->curl->easy_strerror(code);
}

/* Sends as much of the queue as the socket accepts. A broken connection is noticed when it is read.
 */
static void flush(net_websocket *socket)
{
    const char *data;
    size_t size;
    while (!socket->unsendable && (size = net_ws_output(socket->ws, &data))) {
        size_t sent = 0;
        CURLcode code = socket->multi->curl->easy_send(socket->transfer.easy, data, size, &sent);
        if (code == CURLE_AGAIN) {
            return;
        }
        if (code != CURLE_OK) {
            socket->unsendable = true;
        } else {
            net_ws_sent(socket->ws, sent);
        }
    }
}

/* After a failed send the connection is read in any case, to its end, where the error says why. */
static bool is_paused(const net_websocket *socket)
{
    return socket->paused && !socket->unsendable;
}

/* Reads available bytes, at most READS times. True if there may be more: TLS may hold decrypted
 * bytes, for which the socket does not become readable. */
static bool fill(net_websocket *socket)
{
    for (int i = 0; i < READS; i++) {
        if (is_paused(socket) || net_ws_state_of(socket->ws) == NET_WS_OVER) {
            return false;
        }
        size_t size = 0;
        CURLcode code =
            socket->multi->curl->easy_recv(socket->transfer.easy, socket->buffer, READ_SIZE, &size);
        if (code == CURLE_AGAIN) {
            return false;
        }
        if (code != CURLE_OK || size == 0) {
            net_ws_cut(socket->ws, code == CURLE_OK ? NULL : curl_message(socket, code));
        } else {
            net_ws_feed(socket->ws, socket->buffer, size);
        }
    }
    return true;
}

static void pump(net_websocket *socket);

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void) status; /* an error is noticed when the socket is read */
    (void) events;
    pump(NET_CONTAINER(poll, net_websocket, poll));
}

static void watch(net_websocket *socket)
{
    const char *data;
    bool waiting = !socket->unsendable && net_ws_output(socket->ws, &data);
    int events = (is_paused(socket) ? 0 : UV_READABLE) | (waiting ? UV_WRITABLE : 0);
    if (events) {
        uv_poll_start(&socket->poll, events, on_poll);
    } else {
        uv_poll_stop(&socket->poll);
    }
}

static void on_soon(uv_timer_t *timer);

static void call_soon(net_websocket *socket)
{
    uv_timer_start(&socket->soon, on_soon, 0, 0);
}

static void start_limit(net_websocket *socket, double seconds);

static bool is_over(net_websocket *socket)
{
    const char *data;
    if (net_ws_state_of(socket->ws) != NET_WS_OVER) {
        return false;
    }
    bool broken = net_ws_end_of(socket->ws)->close_code == NET_CLOSED_ABNORMALLY;
    return broken || socket->unsendable || net_ws_output(socket->ws, &data) == 0;
}

/* Reads, sends, and calls callbacks. Called from the loop only; `socket` may be freed by it. */
static void pump(net_websocket *socket)
{
    socket->pumping = true;
    flush(socket);
    bool more = fill(socket);
    flush(socket);
    socket->pumping = false;
    if (is_over(socket)) {
        end(socket);
        return;
    }
    if (net_ws_state_of(socket->ws) > NET_WS_OPEN && !socket->closing_timed) {
        socket->closing_timed = true;
        start_limit(socket, NET_CLOSING_TIME);
    }
    watch(socket);
    if (more) {
        call_soon(socket);
    }
    if (socket->drained_due && net_ws_pending(socket->ws) <= socket->low_water) {
        socket->drained_due = false;
        socket->events.on_drain(socket->events.user);
    }
}

static void on_limit(uv_timer_t *timer)
{
    net_websocket *socket = NET_CONTAINER(timer, net_websocket, limit);
    base_error error;
    if (net_ws_state_of(socket->ws) == NET_WS_OPENING) {
        base_fail(&error, BASE_TIMED_OUT, "no WebSocket to %s within %g s", socket->url.origin,
                  socket->timeout);
    } else {
        base_fail(&error, BASE_TIMED_OUT, "%s did not close within %d s", socket->url.origin,
                  NET_CLOSING_TIME);
    }
    net_ws_give_up(socket->ws, &error);
    end(socket);
}

static void start_limit(net_websocket *socket, double seconds)
{
    uv_update_time(socket->multi->loop);
    uv_timer_start(&socket->limit, on_limit, (uint64_t) (seconds * 1000) + 1, 0);
}

/* --- the connection -----------------------------------------------------------------------------
 */

static void on_connected(net_transfer *transfer, CURLcode code)
{
    net_websocket *socket = NET_CONTAINER(transfer, net_websocket, transfer);
    socket->connect_done = true;
    socket->connect_code = code;
    call_soon(socket); /* not now: this is called from inside curl */
}

static void explain(net_websocket *socket, base_error *err)
{
    net_explain_connection(socket->multi->curl, socket->transfer.easy, socket->connect_code,
                           &socket->url, socket->message, err);
}

static bool connect_poll(net_websocket *socket)
{
    base_error err;
    curl_socket_t number = CURL_SOCKET_BAD;
    if (socket->connect_code != CURLE_OK) {
        explain(socket, &err);
        net_ws_give_up(socket->ws, &err);
        return false;
    }
    socket->multi->curl->easy_getinfo(socket->transfer.easy, CURLINFO_ACTIVESOCKET, &number);
    int code = number == CURL_SOCKET_BAD
                   ? UV_EBADF
                   : uv_poll_init_socket(socket->multi->loop, &socket->poll, number);
    if (code != 0) {
        base_fail(&err, BASE_IO, "the connection to %s cannot be watched: %s", socket->url.origin,
                  uv_strerror(code));
        net_ws_give_up(socket->ws, &err);
        return false;
    }
    socket->poll.data = NULL;
    socket->connected = true;
    socket->handles++;
    return true;
}

static void on_soon(uv_timer_t *timer)
{
    net_websocket *socket = NET_CONTAINER(timer, net_websocket, soon);
    if (!socket->connected) {
        if (net_ws_state_of(socket->ws) == NET_WS_OVER ||
            (socket->connect_done && !connect_poll(socket))) {
            end(socket);
            return;
        }
        if (!socket->connected) {
            return;
        }
    }
    pump(socket);
}

/* --- sending and closing ------------------------------------------------------------------------
 */

static void on_open(void *user)
{
    net_websocket *socket = user;
    uv_timer_stop(&socket->limit);
    socket->events.on_open(socket->events.user);
}

static void on_message(void *user, const char *data, size_t size, bool binary)
{
    net_websocket *socket = user;
    socket->events.on_message(socket->events.user, data, size, binary);
}

/* Sends at once if possible; callbacks are called later from the loop. */
static void push(net_websocket *socket)
{
    if (net_ws_pending(socket->ws) > socket->low_water) {
        socket->drained_due = true;
    }
    if (!socket->connected || socket->pumping) {
        return;
    }
    const char *data;
    flush(socket);
    if (net_ws_output(socket->ws, &data) || socket->drained_due) {
        call_soon(socket);
    }
}

bool net_websocket_send(net_websocket *socket, const char *data, size_t size, bool binary,
                        base_error *err)
{
    if (!net_ws_send(socket->ws, data, size, binary, err)) {
        return false;
    }
    push(socket);
    return true;
}

size_t net_websocket_pending(const net_websocket *socket)
{
    return net_ws_pending(socket->ws);
}

bool net_websocket_close(net_websocket *socket, int code, const char *reason, size_t size,
                         base_error *err)
{
    if (!net_ws_close(socket->ws, code, reason, size, err)) {
        return false;
    }
    socket->paused = false; /* to read the server's close frame */
    call_soon(socket);
    return true;
}

void net_websocket_pause(net_websocket *socket, bool pause)
{
    if (socket->paused == pause || net_ws_state_of(socket->ws) > NET_WS_OPEN) {
        return;
    }
    socket->paused = pause;
    call_soon(socket);
}

const char *net_websocket_protocol(const net_websocket *socket)
{
    return net_ws_protocol(socket->ws);
}

/* --- opening ------------------------------------------------------------------------------------
 */

static bool set_up(net_websocket *socket, const net_websocket_options *options,
                   const net_ws_url *where, base_error *err)
{
    net_ws_options talk = {
        .upgrade = {.host = where->host,
                    .target = where->target,
                    .headers = options->headers,
                    .header_count = options->header_count,
                    .protocols = options->protocols,
                    .protocol_count = options->protocol_count},
        .origin = where->connection.origin,
        .max_message = options->max_message,
    };
    net_ws_events events = {on_open, on_message, socket};
    socket->ws = net_ws_new(&talk, &events, err);
    if (!socket->ws) {
        return false;
    }
    const curl_api *curl = socket->multi->curl;
    CURL *easy = curl->easy_init();
    if (!easy) {
        return base_fail(err, BASE_NO_MEMORY, "no memory for a WebSocket");
    }
    net_set_connection(curl, easy, &socket->url, options->ca_file, socket->message);
    curl->easy_setopt(easy, CURLOPT_URL, where->curl_url);
    curl->easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
    curl->easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl->easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long) (options->timeout * 1000) + 1000);
    socket->transfer = (net_transfer){easy, on_connected};
    if (net_multi_add(socket->multi, &socket->transfer, err)) {
        return true;
    }
    curl->easy_cleanup(easy);
    socket->transfer.easy = NULL;
    return false;
}

net_websocket *net_websocket_open(uv_loop_t *loop, const net_websocket_options *options,
                                  const net_websocket_events *events, base_error *err)
{
    net_ws_url where;
    if (!net_ws_url_parse(options->url, &where, err)) {
        return NULL;
    }
    net_websocket *socket = calloc(1, sizeof *socket);
    if (socket) {
        socket->multi = net_multi_open(loop, NULL, NULL, err);
    } else {
        base_fail(err, BASE_NO_MEMORY, "no memory for a WebSocket");
    }
    if (!socket || !socket->multi) {
        free(socket);
        return NULL;
    }
    socket->events = *events;
    socket->url = where.connection;
    socket->timeout = options->timeout;
    socket->low_water = options->low_water;
    uv_timer_init(loop, &socket->soon);
    uv_timer_init(loop, &socket->limit);
    socket->soon.data = socket->limit.data = NULL;
    socket->handles = 2;
    if (!set_up(socket, options, &where, err)) {
        net_websocket_drop(socket);
        return NULL;
    }
    start_limit(socket, options->timeout);
    return socket;
}
