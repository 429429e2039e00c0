/*
 * net_websocket.h: WebSockets (ws and wss, RFC 6455) on the program's one event loop. libcurl makes
 * the connection, proxy and verified TLS included, as it does for HTTP; what is said over it is
 * net_ws.h's. One thread, no waiting: whoever opened it is called back from the loop, never from
 * inside a call of his own, and may send, close and open others from there.
 *
 * Times are in seconds, sizes in bytes. All of it belongs to the loop's thread.
 */
#ifndef NET_NET_WEBSOCKET_H
#define NET_NET_WEBSOCKET_H

#include "net_ws.h"

#include <uv.h>

typedef struct net_websocket net_websocket;

enum { NET_CLOSING_TIME = 2 }; /* seconds that a closing may take */

typedef struct {
    const char *url; /* ws or wss; without user, password and fragment */
    const net_header *headers;
    size_t header_count;
    const char *const *protocols;
    size_t protocol_count;
    double timeout;      /* until it is open */
    size_t max_message;  /* from the server */
    size_t low_water;    /* on_drain is called when what waits to be sent has come down to this */
    const char *ca_file; /* PEM file of trusted authorities instead of the system's, or NULL */
} net_websocket_options;

typedef struct {
    void (*on_open)(void *user);
    /* `data` is only borrowed. Not after net_websocket_close. */
    void (*on_message)(void *user, const char *data, size_t size, bool binary);
    void (*on_drain)(void *user);
    /* Exactly once, whether it was ever open or not; the last thing that is called. The pointer to
     * it is no good after this. */
    void (*on_end)(void *user, const net_ws_end *end);
    void *user;
} net_websocket_events;

/* Begins to open one. What comes of it is told by on_open or on_end, later. NULL when it could not
 * begin, and nobody is called: BASE_INVALID for a caller's mistake, BASE_UNAVAILABLE (no libcurl),
 * BASE_NO_MEMORY, BASE_IO. Everything in `options` is copied. */
net_websocket *net_websocket_open(uv_loop_t *loop, const net_websocket_options *options,
                                  const net_websocket_events *events, base_error *err);

/* Queues a message; as net_ws_send. `net_websocket_pending` says what waits to be sent. */
bool net_websocket_send(net_websocket *socket, const char *data, size_t size, bool binary,
                        base_error *err);
size_t net_websocket_pending(const net_websocket *socket);

/* Begins the closing; as net_ws_close. on_end comes when it is done or NET_CLOSING_TIME is over. */
bool net_websocket_close(net_websocket *socket, int code, const char *reason, size_t size,
                         base_error *err);

/* Stops reading, so that a server that is too fast has to wait; pings are not answered meanwhile. A
 * few messages that have come already may still be told. */
void net_websocket_pause(net_websocket *socket, bool pause);

/* The protocol that the server chose, "" for none. */
const char *net_websocket_protocol(const net_websocket *socket);

/* Ends it at once and calls nobody. Not from a callback. */
void net_websocket_drop(net_websocket *socket);

#endif
