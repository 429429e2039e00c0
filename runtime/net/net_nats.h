/*
 * net_nats.h: a connection to NATS servers for the program's one event loop. libnats may block
 * wherever it sends, connects or closes, so one thread of ours makes all its calls, in the order in
 * which they were asked for (linux/net_nats_thread.c); what it and libnats's own threads have to
 * say is told from the loop. libnats's reading stays on its own thread and not on the loop
 * (natsLibuv_Attach), so that the server's pings are answered while Lua computes.
 *
 * Once it is open, it connects again for as long as it takes; what is published meanwhile is kept
 * by libnats (8 MB) and sent then. Times are in seconds, sizes in bytes. All functions are for the
 * loop's thread.
 */
#ifndef NET_NET_NATS_H
#define NET_NET_NATS_H

#include "base/error.h"
#include "net_http.h" /* net_header */

#include <stddef.h>
#include <uv.h>

typedef struct net_nats net_nats;

typedef struct {
    const char **servers; /* nats://host:port, tls://host:port */
    int server_count;
    const char *name; /* what the server's monitoring calls this client */
    double timeout;   /* for one attempt at one server */
    bool tls;         /* wanted also without files for it */
    /* The rest may be NULL. */
    const char *user, *password, *token;
    const char *credentials_file; /* JWT and seed, as NATS's tools write them */
    const char *ca_file;          /* PEM; with it, TLS is wanted whatever the address says */
    const char *cert_file, *key_file;
    const char *tls_name; /* the name that the server's certificate must have */
} net_nats_options;

typedef struct {
    const char *subject, *reply; /* `reply` may be NULL */
    const char *data;
    size_t size;
    const net_header *headers;
    size_t header_count;
} net_nats_message;

typedef enum {
    NET_NATS_LOST,    /* the connection was lost; it is being made again */
    NET_NATS_BACK,    /* it is there again, with all subscriptions */
    NET_NATS_TROUBLE, /* something was refused or not sent: the server's or libnats's words */
} net_nats_change;

typedef struct {
    /* It is open; `max_payload` is what the server takes of data and headers together. */
    void (*on_open)(void *user, size_t max_payload);
    /* For the subscription of that id. The message is valid only during the call. */
    void (*on_message)(void *user, unsigned id, const net_nats_message *message);
    void (*on_change)(void *user, net_nats_change change, const char *words);
    /* Called exactly once, also if it was never open, after all others; BASE_CANCELLED: it was
     * closed. The pointer is invalid after this. */
    void (*on_end)(void *user, const base_error *err);
    void *user;
} net_nats_events;

enum {
    NET_NATS_MOST_WAITING = 64 << 20, /* bytes of messages, for each direction */
    NET_NATS_MOST_SUBJECT = 1024,
    NET_NATS_MOST_SERVERS = 64,
};

/* Starts to connect. on_open or on_end is called later. NULL, without any callback, if it could not
 * start: BASE_INVALID (a file of keys or certificates that cannot be used), BASE_UNAVAILABLE (no
 * libnats), BASE_NO_MEMORY, BASE_IO. Everything in `options` is copied. */
net_nats *net_nats_open(uv_loop_t *loop, const net_nats_options *options,
                        const net_nats_events *events, base_error *err);

/* Queues a message, which is copied. BASE_INVALID for a subject or header that NATS does not have,
 * BASE_UNAVAILABLE if too much is waiting. */
bool net_nats_publish(net_nats *nats, const net_nats_message *message, base_error *err);

/* Begins and ends a subscription, whose `id` is the caller's. A subject may have wildcards. */
bool net_nats_subscribe(net_nats *nats, unsigned id, const char *subject, base_error *err);
bool net_nats_unsubscribe(net_nats *nats, unsigned id, base_error *err);

/* Sends what is queued, then ends; on_end is called. */
void net_nats_close(net_nats *nats);

/* Ends it without any callback, and waits for that. May not be called from a callback. */
void net_nats_drop(net_nats *nats);

#endif
