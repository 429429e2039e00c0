/*
 * net_internal.h: shared by the files of this folder: net_http.c (all requests), net_request.c (one
 * request), net_explain.c, net_websocket.c. No other file includes it.
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
    net_request *requests; /* all pending ones */
    net_request *ready;    /* those with data for on_data */
};

struct net_request {
    net_http *http;
    net_request *next, **link;             /* in http->requests */
    net_request *next_ready, **link_ready; /* in http->ready; link_ready is NULL if not in it */
    net_transfer transfer;
    struct curl_slist *header_list;
    net_callbacks callbacks;
    net_url url;
    net_piece *pieces;
    size_t piece_count, piece, offset; /* the next byte to send is pieces[piece].data[offset] */
    double connect_timeout, total_timeout, stall_timeout;
    uv_timer_t stall;
    bool nearly_stalled;         /* the stall timeout has passed; bytes that have come are read */
    uint64_t started, last_byte; /* milliseconds of uv_now */
    size_t limit, received;
    net_buffer body;
    net_header *headers;
    size_t header_count, header_capacity, header_bytes;
    base_code refused; /* why one of our callbacks has ended the transfer, or BASE_OK */
    char message[CURL_ERROR_SIZE];
};

/* A new request with its curl handle set up. It is in no list yet. */
net_request *net_request_new(net_http *http, const net_options *options,
                             const net_callbacks *callbacks, base_error *err);

/* The status of its answer; 0 before there is one. */
int net_request_status(net_request *request);

/* Fills all fields of `result` except its error. */
void net_request_result(net_request *request, net_result *result);

/* Frees a request, which is in no list any more, in its timer's close callback. */
void net_request_free(net_request *request);

/* Sets the options that all connections have in common: http and https only; the environment's
 * proxy, but none for this machine; the trusted certificates. `message` receives curl's error
 * messages. */
void net_set_connection(const curl_api *curl, CURL *easy, const net_url *url, const char *ca_file,
                        char message[CURL_ERROR_SIZE]);

/* Describes in `err` a failed connection to `url`. `code` is neither CURLE_OK nor a timeout;
 * `message` is the buffer that net_set_connection was given. */
void net_explain_connection(const curl_api *curl, CURL *easy, CURLcode code, const net_url *url,
                            const char *message, base_error *err);

/* Describes curl's `code` in `result`. */
void net_explain(net_request *request, CURLcode code, net_result *result);

#endif
