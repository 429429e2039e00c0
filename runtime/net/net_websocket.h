/*
 * net_websocket.h: WebSockets (ws and wss, RFC 6455) on the program's one event loop. libcurl makes
 * the connection, with a proxy and verified TLS as for HTTP; net_ws.h has the protocol. There is no
 * thread and nothing blocks. Callbacks are called from the loop, never from inside a call of this
 * module, and may send, close and open WebSockets.
 *
 * Times are in seconds, sizes in bytes. All functions are for the loop's thread.
 */
#ifndef NET_NET_WEBSOCKET_H
#define NET_NET_WEBSOCKET_H

#include "net_ws.h"

#include <uv.h>

typedef struct net_websocket net_websocket;

enum { NET_CLOSING_TIME = 2 }; /* seconds: timeout of the closing handshake */

typedef struct {
    const char *url; /* ws or wss; without user, password and fragment */
    const net_header *headers;
    size_t header_count;
    const char *const *protocols;
    size_t protocol_count;
    double timeout;      /* until it is open */
    size_t max_message;  /* longest message from the server */
    size_t low_water;    /* on_drain is called when the send queue has shrunk to this */
    const char *ca_file; /* PEM file of trusted authorities instead of the system's, or NULL */
} net_websocket_options;

typedef struct {
    void (*on_open)(void *user);
    /* `data` is valid only during the call. Not called after net_websocket_close. */
    void (*on_message)(void *user, const char *data, size_t size, bool binary);
    void (*on_drain)(void *user);
    /* Called exactly once, also if it was never open, after all other callbacks. The socket's
     * pointer is invalid after this. */
    void (*on_end)(void *user, const net_ws_end *end);
    void *user;
} net_websocket_events;

/* Starts to open a WebSocket. on_open or on_end is called later. NULL, without any callback, if it
 * could not start: BASE_INVALID for a caller's mistake, BASE_UNAVAILABLE (no libcurl),
 * BASE_NO_MEMORY, BASE_IO. Everything in `options` is copied. */
net_websocket *net_websocket_open(uv_loop_t *loop, const net_websocket_options *options,
                                  const net_websocket_events *events, base_error *err);

/* Queues a message; as net_ws_send. net_websocket_pending returns the bytes in the send queue. */
bool net_websocket_send(net_websocket *socket, const char *data, size_t size, bool binary,
                        base_error *err);
size_t net_websocket_pending(const net_websocket *socket);

/* Starts the closing handshake; as net_ws_close. on_end is called when it is done, at the latest
 * after NET_CLOSING_TIME. */
bool net_websocket_close(net_websocket *socket, int code, const char *reason, size_t size,
                         base_error *err);

/* Stops (or resumes) reading, so that TCP's flow control holds back a server that sends too fast.
 * Meanwhile pings are not answered. Messages that have been read already are still reported. */
void net_websocket_pause(net_websocket *socket, bool pause);

/* The subprotocol that the server has chosen, "" for none. */
const char *net_websocket_protocol(const net_websocket *socket);

/* Ends it at once without any callback. May not be called from a callback. */
void net_websocket_drop(net_websocket *socket);

#endif
