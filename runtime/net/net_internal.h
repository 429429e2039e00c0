/*
 * net_internal.h: what the files of this folder know of each other: net_http.c (all requests),
 * net_request.c (one of them), net_websocket.c. Nobody else includes it.
 */
#ifndef NET_NET_INTERNAL_H
#define NET_NET_INTERNAL_H

#include "net_buffer.h"
#include "net_http.h"
#include "net_multi.h"
#include "net_url.h"

struct net_http {
    const curl_api *curl;
    uv_loop_t *loop;
    net_multi *multi;
    net_request *requests; /* all that are under way */
    net_request *ready;    /* those with data that on_data has not had */
};

struct net_request {
    net_http *http;
    net_request *next, **link;             /* in http->requests */
    net_request *next_ready, **link_ready; /* in http->ready; link_ready NULL when not */
    net_transfer transfer;
    struct curl_slist *header_list;
    net_callbacks callbacks;
    net_url url;
    net_piece *pieces;
    size_t piece_count, piece, offset; /* the next byte to send is pieces[piece].data[offset] */
    double connect_timeout, total_timeout, stall_timeout;
    uv_timer_t stall;
    bool nearly_stalled;         /* since the last byte: what has come is looked at once more */
    uint64_t started, last_byte; /* milliseconds of uv_now */
    size_t limit, received;
    net_buffer body;
    net_header *headers;
    size_t header_count, header_capacity, header_bytes;
    base_code refused; /* why a callback of ours ended the transfer, or BASE_OK */
    char message[CURL_ERROR_SIZE];
};

/* Makes a request with its curl handle set up, on no list yet. */
net_request *net_request_new(net_http *http, const net_options *options,
                             const net_callbacks *callbacks, base_error *err);

/* Fills everything of `result` but its error. */
void net_request_result(net_request *request, net_result *result);

/* Frees it by way of its timer's close callback. It is on no list any more. */
void net_request_free(net_request *request);

/* What every connection is set to: http and https only, the proxy but never for this machine, whose
 * certificates are trusted. `message` gets curl's own words for a failure. */
void net_set_connection(const curl_api *curl, CURL *easy, const net_url *url, const char *ca_file,
                        char message[CURL_ERROR_SIZE]);

/* Says in `err` what curl's `code`, which is neither CURLE_OK nor a time-out, means of a connection
 * to `url`; `message` is what net_set_connection was given. */
void net_explain_connection(const curl_api *curl, CURL *easy, CURLcode code, const net_url *url,
                            const char *message, base_error *err);

/* Says in `result` what curl's `code` means. */
void net_explain(net_request *request, CURLcode code, net_result *result);

#endif
