/*
 * net_ws.h: one WebSocket conversation without its socket: bytes go in, bytes come out, and what
 * the server said is told. Opening, frames, pings, the closing handshake and every limit are here,
 * so that a test or a fuzzer can be the server without a network. net_websocket.c puts it on a
 * socket.
 *
 * What the server sends is untrusted. It is never held in more than one message of the allowed size
 * and one answer to a ping; whatever breaks the protocol ends the conversation with the code that
 * RFC 6455 has for it.
 */
#ifndef NET_NET_WS_H
#define NET_NET_WS_H

#include "net_frames.h"
#include "net_upgrade.h"

typedef struct net_ws net_ws;

typedef struct {
    net_upgrade upgrade; /* copied where it is needed for longer */
    const char *origin;  /* "ws://host:port", for sentences; copied */
    size_t max_message;  /* bytes of a message from the server */
} net_ws_options;

/* Called from net_ws_feed only; they may send and close, but not free. */
typedef struct {
    void (*on_open)(void *user);
    void (*on_message)(void *user, const char *data, size_t size, bool binary);
    void *user;
} net_ws_events;

/* Why and how it ended. */
typedef struct {
    base_error error; /* BASE_OK while it has not */
    int close_code; /* the server's, or ours for what it did; NET_CLOSED_ABRUPTLY without a closing;
                       0 when it was never open */
    char reason[NET_MOST_REASON + 1]; /* the server's words; UTF-8, may hold zeros */
    size_t reason_size;
    int http_status; /* of a server that did not open it; else 0 */
} net_ws_end;

typedef enum {
    NET_WS_OPENING,
    NET_WS_OPEN,
    NET_WS_CLOSING, /* a closing of ours is on its way; nothing more is told, nothing may be sent */
    NET_WS_OVER,    /* what net_ws_output still has is to be sent, then the connection can go */
} net_ws_state;

/* A conversation whose request is ready to be sent. NULL: BASE_INVALID for a caller's mistake,
 * BASE_NO_MEMORY, BASE_IO (no random numbers). */
net_ws *net_ws_new(const net_ws_options *options, const net_ws_events *events, base_error *err);

void net_ws_free(net_ws *ws);

/* Takes all of these bytes of the server's. */
void net_ws_feed(net_ws *ws, const char *data, size_t size);

/* The connection is gone: at its end, or with curl's `words` for what broke it. Over after this. */
void net_ws_cut(net_ws *ws, const char *words);

/* Ends it for a reason from outside (a time-out). Over after this, unless it was before. */
void net_ws_give_up(net_ws *ws, const base_error *why);

/* What is to be sent; as net_send_queue_next and net_send_queue_sent. */
size_t net_ws_output(net_ws *ws, const char **data);
void net_ws_sent(net_ws *ws, size_t size);

/* Bytes that wait to be sent. */
size_t net_ws_pending(const net_ws *ws);

/* Queues a message, copied. False when it is not open (the error is then that of its end),
 * BASE_NO_MEMORY, BASE_IO. A text must be UTF-8: BASE_INVALID. */
bool net_ws_send(net_ws *ws, const char *data, size_t size, bool binary, base_error *err);

/* Begins the closing, after what is queued. BASE_INVALID for a code that may not be sent or a
 * reason that is too long or not UTF-8. Nothing happens, and true, when it is closing already; one
 * that is still opening is over at once. */
bool net_ws_close(net_ws *ws, int code, const char *reason, size_t size, base_error *err);

net_ws_state net_ws_state_of(const net_ws *ws);

/* The protocol that the server chose, "" for none. Valid when open. */
const char *net_ws_protocol(const net_ws *ws);

/* What the end was; its error's code is BASE_OK while neither side has ended it. */
const net_ws_end *net_ws_end_of(const net_ws *ws);

/* What the server must answer to our key: for who plays the server. */
const char *net_ws_accept(const net_ws *ws);

#endif
