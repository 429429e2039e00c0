/*
 * net_multi.h: libcurl's multi interface on the event loop. Curl says which sockets to watch and
 * when to look at the clock, libuv does both, and what comes of a transfer is told from the loop.
 * net_http has one for all its requests; each WebSocket has one of its own, because curl tidies up
 * the connections that it holds for others whenever it opens a new one, and a WebSocket's socket is
 * watched by us as well.
 */
#ifndef NET_NET_MULTI_H
#define NET_NET_MULTI_H

#include "curl_api.h"

#include <stddef.h>
#include <uv.h>

#define NET_CONTAINER(pointer, type, member) ((type *) ((char *) (pointer) -offsetof(type, member)))

/* One easy handle under way. Whoever embeds it owns `easy`. */
typedef struct net_transfer net_transfer;
struct net_transfer {
    CURL *easy;
    void (*on_done)(net_transfer *transfer, CURLcode code); /* from the loop, once */
};

typedef struct {
    const curl_api *curl;
    uv_loop_t *loop;
    CURLM *multi;
    uv_timer_t timer; /* curl's own time-outs */
    void (*on_step)(void *user);
    void *user;
} net_multi;

/* A multi handle on `loop`. `on_step`, which may be NULL, is called each time curl has moved bytes,
 * before the transfers that ended with it are told of. NULL and BASE_UNAVAILABLE (no libcurl) or
 * BASE_NO_MEMORY. */
net_multi *net_multi_open(uv_loop_t *loop, void (*on_step)(void *user), void *user,
                          base_error *err);

/* Closes the connections that are left; transfers have been removed before. Not to be called from
 * on_step or on_done. Freed when the loop has run its close callbacks. */
void net_multi_close(net_multi *multi);

/* Begins a transfer, whose `easy` is set up. BASE_NO_MEMORY. */
bool net_multi_add(net_multi *multi, net_transfer *transfer, base_error *err);

/* Takes a transfer off; its on_done is not called any more. Also from callbacks. */
void net_multi_remove(net_multi *multi, net_transfer *transfer);

/* Whether curl's timer keeps the loop running: an idle connection must not keep the program from
 * ending. It does not at first. */
void net_multi_hold(net_multi *multi, bool hold);

#endif
