/*
 * net_nats_internal.h: what the loop's side of a connection (net_nats.c) and the thread's
 * (net_nats_thread.c) share. Everything below `lock` is used only while that is held.
 *
 * The memory is counted: the loop's side has one reference, and each thing that libnats may still
 * call back for has one (the connection until its closed callback, a subscription until it is
 * complete). Whoever gives the last one back frees it.
 */
#ifndef NET_LINUX_NET_NATS_INTERNAL_H
#define NET_LINUX_NET_NATS_INTERNAL_H

#include "nats_api.h"
#include "net/net_nats.h"

typedef enum { NATS_PUBLISH, NATS_SUBSCRIBE, NATS_UNSUBSCRIBE } nats_order_kind;

/* What the thread is asked to do. */
typedef struct nats_order {
    struct nats_order *next;
    nats_order_kind kind;
    natsMsg *message; /* NATS_PUBLISH */
    size_t size;
    unsigned id;
    char subject[]; /* NATS_SUBSCRIBE */
} nats_order;

typedef enum { NATS_OPENED, NATS_MESSAGE, NATS_CHANGE, NATS_ENDED } nats_event_kind;

/* What the loop is told. */
typedef struct nats_event {
    struct nats_event *next;
    nats_event_kind kind;
    unsigned id;
    natsMsg *message; /* NATS_MESSAGE */
    size_t size;      /* of it; or the maximum payload */
    net_nats_change change;
    base_error err; /* of NATS_ENDED, and the words of a change */
} nats_event;

typedef struct nats_subscription {
    struct nats_subscription *next;
    struct net_nats *nats;
    natsSubscription *subscription;
    unsigned id;
    int references; /* below the connection's lock */
} nats_subscription;

struct net_nats {
    const nats_api *api;
    natsOptions *options;
    /* The loop's alone. */
    net_nats_events events;
    uv_thread_t thread;
    /* The thread's alone. */
    natsConnection *connection;
    nats_subscription *subscriptions;
    nats_event *ended; /* made beforehand, so that it can always be told; until it is posted */

    uv_mutex_t lock;
    uv_cond_t changed;
    int references;
    uv_async_t *wake; /* NULL once the loop listens no more */
    nats_order *first_order, **last_order;
    nats_event *first_event, **last_event;
    size_t waiting_out, waiting_in; /* bytes of messages in these */
    bool stopping;                  /* the thread is to end when the orders are done */
    bool hurry;                     /* or at once */
    base_error end;                 /* why libnats gave the connection up, if it did */
};

/* The thread's function. */
void nats_thread(void *nats);

bool nats_set_options(net_nats *nats, const net_nats_options *from, base_error *err);
bool nats_set_handlers(net_nats *nats, base_error *err);

/* Fills `err` with what libnats has to say of a failure on this thread; returns false. */
bool nats_explain(const nats_api *api, natsStatus status, base_error *err);

/* One with one reference; NULL where there is no memory. */
net_nats *nats_allocate(const nats_api *api);
void nats_release(net_nats *nats);
void nats_order_free(net_nats *nats, nats_order *order);
void nats_event_free(net_nats *nats, nats_event *event);

/* Counted for a message in addition to its bytes, so that empty ones are limited too. */
enum { NATS_MESSAGE_OVERHEAD = 256 };

#endif
