/*
 * net_ws.h: a WebSocket conversation without its socket: bytes go in, bytes come out, and callbacks
 * report what the server has sent. The opening handshake, frames, pings, the closing handshake and
 * all limits are here, so that a test or a fuzzer can play the server without a network.
 * net_websocket.c connects it to a socket.
 *
 * What the server sends is untrusted. At most one message of the permitted size and one pong are
 * held in memory; a violation of the protocol ends the conversation with the close code that RFC
 * 6455 defines for it.
 */
#ifndef NET_NET_WS_H
#define NET_NET_WS_H

#include "net_frames.h"
#include "net_upgrade.h"

typedef struct net_ws net_ws;

typedef struct {
    net_upgrade upgrade; /* what is needed later is copied */
    const char *origin;  /* "ws://host:port", for messages; copied */
    size_t max_message;  /* bytes of a message from the server */
} net_ws_options;

/* Callbacks, called from net_ws_feed only. They may send and close, but not free. */
typedef struct {
    void (*on_open)(void *user);
    void (*on_message)(void *user, const char *data, size_t size, bool binary);
    void *user;
} net_ws_events;

/* Why and how it ended. */
typedef struct {
    base_error error; /* BASE_OK while it has not ended */
    /* The server's, or ours if the server violated the protocol; NET_CLOSED_ABNORMALLY without a
     * close frame; 0 if it was never open. */
    int close_code;
    char reason[NET_MOST_REASON + 1]; /* the server's; UTF-8, may hold zero bytes */
    size_t reason_size;
    int http_status; /* of a server that refused the upgrade; else 0 */
} net_ws_end;

typedef enum {
    NET_WS_OPENING,
    NET_WS_OPEN,
    NET_WS_CLOSING, /* our close frame is queued or sent: no more callbacks, no more messages */
    NET_WS_OVER,    /* send what net_ws_output still has, then close the connection */
} net_ws_state;

/* A new conversation, whose upgrade request is ready to be sent. NULL: BASE_INVALID for a caller's
 * mistake, BASE_NO_MEMORY, BASE_IO (no random numbers). */
net_ws *net_ws_new(const net_ws_options *options, const net_ws_events *events, base_error *err);

void net_ws_free(net_ws *ws);

/* Processes bytes that the server has sent. */
void net_ws_feed(net_ws *ws, const char *data, size_t size);

/* To be called when the connection has ended; `message` is curl's error message if it broke, else
 * NULL. The state is NET_WS_OVER after this. */
void net_ws_cut(net_ws *ws, const char *message);

/* Ends it for a reason from outside (a timeout). The state is NET_WS_OVER after this. */
void net_ws_give_up(net_ws *ws, const base_error *why);

/* The bytes to send; as net_send_queue_next and net_send_queue_sent. */
size_t net_ws_output(net_ws *ws, const char **data);
void net_ws_sent(net_ws *ws, size_t size);

/* Bytes in the send queue. */
size_t net_ws_pending(const net_ws *ws);

/* Queues a copy of a message. False if it is not open (the error is then that of its end);
 * BASE_INVALID for a text that is not UTF-8, BASE_NO_MEMORY, BASE_IO. */
bool net_ws_send(net_ws *ws, const char *data, size_t size, bool binary, base_error *err);

/* Queues a close frame after the messages in the queue. BASE_INVALID for a code that may not be
 * sent, or a reason that is too long or not UTF-8. True without effect if it is closing already; if
 * it is still opening, it is over at once. */
bool net_ws_close(net_ws *ws, int code, const char *reason, size_t size, base_error *err);

net_ws_state net_ws_state_of(const net_ws *ws);

/* The subprotocol that the server has chosen, "" for none. Valid when open. */
const char *net_ws_protocol(const net_ws *ws);

/* How it ended; error.code is BASE_OK while neither side has ended it. */
const net_ws_end *net_ws_end_of(const net_ws *ws);

/* The Sec-WebSocket-Accept value that the server must send; for tests that play the server. */
const char *net_ws_accept(const net_ws *ws);

#endif
