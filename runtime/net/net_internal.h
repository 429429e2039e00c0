/*
 * net_internal.h: what net_http.c (the multi handle on the loop) and net_request.c (one transfer)
 * know of each other. Nobody else includes it.
 */
#ifndef NET_INTERNAL_H
#define NET_INTERNAL_H

#include "curl_api.h"
#include "net_http.h"
#include "net_url.h"

#define NET_CONTAINER(pointer, type, member) ((type *) ((char *) (pointer) -offsetof(type, member)))

typedef struct {
    char *data;
    size_t size, capacity;
} net_buffer;

struct net_http {
    const curl_api *curl;
    uv_loop_t *loop;
    uv_timer_t timer; /* curl's own time-outs */
    CURLM *multi;
    net_request *requests; /* all that are under way */
    net_request *ready;    /* those with data that on_data has not had */
};

struct net_request {
    net_http *http;
    net_request *next, **link;             /* in http->requests */
    net_request *next_ready, **link_ready; /* in http->ready; link_ready NULL when not */
    CURL *easy;
    struct curl_slist *header_list;
    net_callbacks callbacks;
    net_url url;
    net_piece *pieces;
    size_t piece_count, piece, offset; /* the next byte to send is pieces[piece].data[offset] */
    double connect_timeout, total_timeout, stall_timeout;
    uv_timer_t stall;
    uint64_t started, last_byte; /* milliseconds of uv_now */
    size_t limit, received;
    net_buffer body;
    net_header *headers;
    size_t header_count, header_capacity, header_bytes;
    desk_code refused; /* why a callback of ours ended the transfer, or DESK_OK */
    char message[CURL_ERROR_SIZE];
};

/* Makes a request with its curl handle set up, on no list yet. */
net_request *net_request_new(net_http *http, const net_options *options,
                             const net_callbacks *callbacks, desk_error *err);

/* Fills everything of `result` but its error. */
void net_request_result(net_request *request, net_result *result);

/* Frees it by way of its timer's close callback. It is on no list any more. */
void net_request_free(net_request *request);

/* Says in `result` what curl's `code` means. */
void net_explain(net_request *request, CURLcode code, net_result *result);

#endif
