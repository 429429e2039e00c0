/*
 * net_multi.h: libcurl's multi interface on the event loop. Curl says which sockets and timers it
 * needs, libuv provides them, and the end of a transfer is reported from the loop. net_http has one
 * multi handle for all its requests. Each WebSocket has its own: whenever curl opens a connection,
 * it checks and may close idle ones of the same handle, but a WebSocket's socket is also watched by
 * us.
 */
#ifndef NET_NET_MULTI_H
#define NET_NET_MULTI_H

#include "curl_api.h"

#include <stddef.h>
#include <uv.h>

#define NET_CONTAINER(pointer, type, member) ((type *) ((char *) (pointer) -offsetof(type, member)))

/* A transfer of one easy handle, to be embedded in another struct, which owns `easy`. */
typedef struct net_transfer net_transfer;
struct net_transfer {
    CURL *easy;
    void (*on_done)(net_transfer *transfer, CURLcode code); /* from the loop, once */
};

typedef struct {
    const curl_api *curl;
    uv_loop_t *loop;
    CURLM *multi;
    uv_timer_t timer; /* for curl's timeouts */
    void (*on_step)(void *user);
    void *user;
} net_multi;

/* A new multi handle on `loop`. `on_step`, which may be NULL, is called each time curl has moved
 * bytes, before the on_done of transfers that have ended. NULL and BASE_UNAVAILABLE (no libcurl) or
 * BASE_NO_MEMORY. */
net_multi *net_multi_open(uv_loop_t *loop, void (*on_step)(void *user), void *user,
                          base_error *err);

/* Closes the connections. All transfers must have been removed before. May not be called from
 * on_step or on_done. The memory is freed when the loop has run its close callbacks. */
void net_multi_close(net_multi *multi);

/* Starts a transfer, whose `easy` is set up. Error: BASE_NO_MEMORY. */
bool net_multi_add(net_multi *multi, net_transfer *transfer, base_error *err);

/* Removes a transfer; its on_done is not called after this. May be called from callbacks. */
void net_multi_remove(net_multi *multi, net_transfer *transfer);

/* Sets whether curl's timer keeps the loop running; at first it does not. An idle connection must
 * not prevent the program from ending. */
void net_multi_hold(net_multi *multi, bool hold);

#endif
