#include "net_ws.h"

#include "base/utf8.h"
#include "net_send_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct net_ws {
    net_ws_events events;
    net_ws_state state;
    net_ws_end end;
    char origin[288];
    char accept[NET_UPGRADE_ACCEPT];
    char **protocols; /* one allocation */
    size_t protocol_count;
    int protocol;
    net_buffer head; /* of the server's answer, until it is complete */
    net_frame_reader reader;
    bool broken; /* the server violated the protocol: further bytes are ignored */
    net_send_queue queue;
};

/* --- ending -------------------------------------------------------------------------------------
 */

/* Stores how it ended. Only the first call counts. */
static void set_end(net_ws *ws, const base_error *error, int close_code)
{
    if (ws->end.error.code != BASE_OK) {
        return;
    }
    ws->end.error = *error;
    ws->end.close_code = close_code;
}

/* Queues a close frame. Without memory none is sent, which for the server is like a broken
 * connection. */
static void queue_closing(net_ws *ws, int code, const char *reason, size_t size)
{
    char body[NET_MOST_CONTROL] = {(char) (code >> 8), (char) code};
    if (size) {
        memcpy(body + 2, reason, size);
    }
    base_error ignored;
    net_send_queue_add(&ws->queue, NET_CLOSE, body, code == NET_CLOSED_NO_CODE ? 0 : 2 + size,
                       &ignored);
}

/* Ends it because the server violated the protocol. Messages that are queued already are sent. */
static void fail(net_ws *ws, int code, const base_error *what)
{
    base_error error;
    base_fail(&error, what->code, "%.100s %.200s", ws->origin, what->message);
    set_end(ws, &error, code);
    queue_closing(ws, code, "", 0);
    ws->state = NET_WS_CLOSING;
    ws->broken = true;
}

static void refuse(net_ws *ws, const base_error *what)
{
    base_error error;
    base_fail(&error, what->code, "%.100s %.200s", ws->origin, what->message);
    set_end(ws, &error, 0);
    net_send_queue_clear(&ws->queue);
    ws->state = NET_WS_OVER;
}

void net_ws_cut(net_ws *ws, const char *message)
{
    base_error error;
    if (ws->state == NET_WS_OPENING) {
        base_fail(&error, BASE_IO, "the connection to %.100s ended before it answered%s%.150s",
                  ws->origin, message ? ": " : "", message ? message : "");
    } else {
        base_fail(&error, BASE_IO, "the connection to %.100s broke%s%.150s", ws->origin,
                  message ? ": " : "", message ? message : " off without a close frame");
    }
    set_end(ws, &error, ws->state == NET_WS_OPENING ? 0 : NET_CLOSED_ABNORMALLY);
    ws->state = NET_WS_OVER;
}

void net_ws_give_up(net_ws *ws, const base_error *why)
{
    set_end(ws, why, ws->state == NET_WS_OPENING ? 0 : NET_CLOSED_ABNORMALLY);
    ws->state = NET_WS_OVER;
}

bool net_ws_close(net_ws *ws, int code, const char *reason, size_t size, base_error *err)
{
    if (!net_close_code_valid(code)) {
        return base_fail(err, BASE_INVALID, "a WebSocket may not be closed with the code %d", code);
    }
    if (size > NET_MOST_REASON || base_utf8_check(reason, size) != size) {
        return base_fail(err, BASE_INVALID, "the reason must be UTF-8 of at most %d bytes",
                         NET_MOST_REASON);
    }
    if (ws->state > NET_WS_OPEN) {
        return true;
    }
    bool open = ws->state == NET_WS_OPEN;
    base_error error;
    base_fail(&error, BASE_CANCELLED, "the WebSocket to %.100s was closed by this side",
              ws->origin);
    set_end(ws, &error, open ? code : 0);
    if (open) {
        queue_closing(ws, code, reason, size);
    } else {
        net_send_queue_clear(&ws->queue);
    }
    ws->state = open ? NET_WS_CLOSING : NET_WS_OVER;
    return true;
}

/* --- bytes from the server ----------------------------------------------------------------------
 */

static void on_message(void *user, const char *data, size_t size, bool binary)
{
    net_ws *ws = user;
    if (ws->state == NET_WS_OPEN) {
        ws->events.on_message(ws->events.user, data, size, binary);
    }
}

static void on_ping(void *user, const char *data, size_t size)
{
    net_ws *ws = user;
    base_error ignored; /* without the pong the server will end the connection */
    if (ws->state == NET_WS_OPEN) {
        net_send_queue_add(&ws->queue, NET_PONG, data, size, &ignored);
    }
}

static void on_close(void *user, int code, const char *reason, size_t size)
{
    net_ws *ws = user;
    char clean[2 * NET_MOST_REASON];
    base_utf8_clean(clean, sizeof clean, reason, size);
    base_error error;
    base_fail(&error, BASE_UNAVAILABLE, "%.100s closed the WebSocket (%d%s%.150s)", ws->origin,
              code, *clean ? ": " : "", clean);
    set_end(ws, &error, code);
    if (ws->end.error.code == BASE_UNAVAILABLE) {
        memcpy(ws->end.reason, reason, size);
        ws->end.reason_size = size;
    }
    if (ws->state == NET_WS_OPEN) {
        queue_closing(ws, code, "", 0);
    }
    ws->state = NET_WS_OVER;
}

static void take_frames(net_ws *ws, const char *data, size_t size)
{
    base_error err;
    int code = net_frames_feed(&ws->reader, data, size, &err);
    if (code && ws->state == NET_WS_OPEN) {
        fail(ws, code, &err);
    } else if (code) {
        ws->state = NET_WS_OVER; /* our close frame was answered with a malformed one */
    }
}

/* The offset after the empty line that ends the head; 0 if it has not arrived yet. */
static size_t head_end(const net_buffer *head, size_t from)
{
    for (size_t i = from < 3 ? 3 : from; i < head->size; i++) {
        if (memcmp(head->data + i - 3, "\r\n\r\n", 4) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static bool check_answer(net_ws *ws, size_t size)
{
    net_upgrade upgrade = {.protocols = (const char *const *) ws->protocols,
                           .protocol_count = ws->protocol_count};
    int status;
    base_error err;
    if (net_upgrade_check_answer(&upgrade, ws->accept, ws->head.data, size, &ws->protocol, &status,
                                 &err)) {
        return true;
    }
    if (err.code == BASE_REFUSED) {
        ws->end.http_status = status;
    }
    refuse(ws, &err);
    return false;
}

static void take_head(net_ws *ws, const char *data, size_t size)
{
    static const char START[] = "HTTP/1.";
    base_error err;
    size_t before = ws->head.size, capacity = NET_MOST_HEAD - before;
    size_t taken = size < capacity ? size : capacity;
    if (!net_buffer_append(&ws->head, data, taken)) {
        base_fail(&err, BASE_NO_MEMORY, "answered, and there is no memory for it");
        refuse(ws, &err);
        return;
    }
    size_t known = ws->head.size < strlen(START) ? ws->head.size : strlen(START);
    size_t end = head_end(&ws->head, before);
    if (memcmp(ws->head.data, START, known) != 0) {
        base_fail(&err, BASE_BAD_PROTOCOL, "answered in something else than HTTP");
        refuse(ws, &err);
    } else if (end == 0 && ws->head.size == NET_MOST_HEAD) {
        base_fail(&err, BASE_BAD_PROTOCOL, "answered with headers of more than %d bytes",
                  NET_MOST_HEAD);
        refuse(ws, &err);
    } else if (end && check_answer(ws, end)) {
        size_t used = end - before;
        net_buffer_free(&ws->head);
        ws->state = NET_WS_OPEN;
        ws->events.on_open(ws->events.user);
        if (size > used) {
            take_frames(ws, data + used, size - used);
        }
    }
}

void net_ws_feed(net_ws *ws, const char *data, size_t size)
{
    if (size == 0 || ws->state == NET_WS_OVER) {
        return;
    }
    if (ws->state == NET_WS_OPENING) {
        take_head(ws, data, size);
    } else if (!ws->broken) {
        take_frames(ws, data, size);
    }
}

/* --- beginning ----------------------------------------------------------------------------------
 */

static bool copy_protocols(net_ws *ws, const net_upgrade *upgrade)
{
    size_t count = upgrade->protocol_count, size = 0;
    for (size_t i = 0; i < count; i++) {
        size += strlen(upgrade->protocols[i]) + 1;
    }
    ws->protocols = malloc(count * sizeof *ws->protocols + size + 1);
    if (!ws->protocols) {
        return false;
    }
    char *text = (char *) (ws->protocols + count);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(upgrade->protocols[i]) + 1;
        ws->protocols[i] = memcpy(text, upgrade->protocols[i], length);
        text += length;
    }
    ws->protocol_count = count;
    return true;
}

static bool queue_request(net_ws *ws, const net_upgrade *upgrade, base_error *err)
{
    uint8_t random[16];
    char key[NET_UPGRADE_KEY];
    if (!net_random(random, sizeof random, err)) {
        return false;
    }
    net_upgrade_key(key, random);
    net_upgrade_accept(ws->accept, key);
    size_t size = 0;
    char *request = net_upgrade_request(upgrade, key, &size);
    bool queued = request ? net_send_queue_add_bytes(&ws->queue, request, size, err)
                          : base_fail(err, BASE_NO_MEMORY, "no memory for a WebSocket");
    free(request);
    return queued;
}

net_ws *net_ws_new(const net_ws_options *options, const net_ws_events *events, base_error *err)
{
    static const net_frame_events reading = {
        .on_message = on_message, .on_ping = on_ping, .on_close = on_close};
    if (!net_upgrade_check(&options->upgrade, err)) {
        return NULL;
    }
    net_ws *ws = calloc(1, sizeof *ws);
    if (!ws) {
        base_fail(err, BASE_NO_MEMORY, "no memory for a WebSocket");
        return NULL;
    }
    net_frame_events frame_events = reading;
    frame_events.user = ws;
    net_frames_open(&ws->reader, options->max_message, &frame_events);
    ws->events = *events;
    net_send_queue_open(&ws->queue);
    ws->protocol = -1;
    snprintf(ws->origin, sizeof ws->origin, "%s", options->origin);
    if (!copy_protocols(ws, &options->upgrade)) {
        base_fail(err, BASE_NO_MEMORY, "no memory for a WebSocket");
    } else if (queue_request(ws, &options->upgrade, err)) {
        return ws;
    }
    net_ws_free(ws);
    return NULL;
}

void net_ws_free(net_ws *ws)
{
    net_send_queue_close(&ws->queue);
    net_buffer_free(&ws->head);
    net_frames_close(&ws->reader);
    free(ws->protocols);
    free(ws);
}

bool net_ws_send(net_ws *ws, const char *data, size_t size, bool binary, base_error *err)
{
    if (ws->state != NET_WS_OPEN) {
        if (ws->state == NET_WS_OPENING) {
            return base_fail(err, BASE_INVALID, "the WebSocket to %.100s is not open yet",
                             ws->origin);
        }
        *err = ws->end.error;
        return false;
    }
    if (!binary && base_utf8_check(data, size) != size) {
        return base_fail(err, BASE_INVALID, "a text must be UTF-8; send other bytes as binary");
    }
    return net_send_queue_add(&ws->queue, binary ? NET_BINARY : NET_TEXT, data, size, err);
}

size_t net_ws_output(net_ws *ws, const char **data)
{
    return net_send_queue_next(&ws->queue, data);
}

void net_ws_sent(net_ws *ws, size_t size)
{
    net_send_queue_sent(&ws->queue, size);
}

size_t net_ws_pending(const net_ws *ws)
{
    return net_send_queue_pending(&ws->queue);
}

net_ws_state net_ws_state_of(const net_ws *ws)
{
    return ws->state;
}

const char *net_ws_protocol(const net_ws *ws)
{
    return ws->protocol < 0 ? "" : ws->protocols[ws->protocol];
}

const net_ws_end *net_ws_end_of(const net_ws *ws)
{
    return &ws->end;
}

const char *net_ws_accept(const net_ws *ws)
{
    return ws->accept;
}
