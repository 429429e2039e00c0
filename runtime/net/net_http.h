/*
 * net_http.h: HTTP requests on the program's one event loop, by libcurl's multi interface. A
 * request needs no thread and does not block: the loop watches its sockets and timers. Callbacks
 * are called from the loop, never from inside curl, so they may start and cancel requests.
 * Connections are kept alive and shared by all requests of one net_http.
 *
 * Certificates are always verified. Only http and https are permitted, also after a redirect. The
 * proxy is the environment's (http_proxy, https_proxy, no_proxy), as for curl, but none is used for
 * this machine's own addresses.
 *
 * No compression is asked for, and gzip and deflate are decoded where they come. Limits hold for
 * the decoded bytes, which curl gives in small pieces: what a few bytes would grow to is never
 * held.
 *
 * Times are in seconds, sizes in bytes. All functions are for the loop's thread. `data` of the
 * handles on the loop stays NULL, because luv takes any other value for its own.
 */
#ifndef NET_NET_HTTP_H
#define NET_NET_HTTP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

typedef struct net_http net_http;
typedef struct net_request net_request;

typedef struct {
    const char *data;
    size_t size;
} net_piece;

typedef struct {
    const char *name;
    const char *value;
} net_header;

typedef enum {
    NET_NO_TIMEOUT,
    NET_TIMEOUT_CONNECT,
    NET_TIMEOUT_TOTAL,
    NET_TIMEOUT_STALL
} net_timeout;

typedef struct {
    const char *method; /* "GET", "POST", ... */
    const char *url;
    const net_header *headers; /* copied */
    size_t header_count;
    const net_piece *pieces; /* the body: the list is copied, the bytes are not and must stay valid
                                until on_done; they are sent without being joined */
    size_t piece_count;
    double connect_timeout; /* until the connection, with TLS, is established; 0 = 30 s */
    double total_timeout;   /* for the whole request; 0 = none */
    double stall_timeout;   /* without a byte while the body is sent or has begun to come; how long
                               a server may take before that is the total's; 0 = none */
    size_t max_response_bytes; /* of the body, decoded; 0 = NET_MAX_RESPONSE */
    bool follow_redirects;     /* up to 5 of them; off by default */
    const char *ca_file; /* PEM file of trusted authorities instead of the system's, or NULL */
} net_options;

#define NET_MAX_RESPONSE ((size_t) 64 << 20)

/* The result of a request. Its pointers are valid only during on_done. */
typedef struct {
    base_error error;    /* code BASE_OK: the server answered, with any status */
    net_timeout timeout; /* which timeout, if error.code is BASE_TIMED_OUT */
    int status;
    const net_header *headers; /* of the last answer, in its order and case */
    size_t header_count;
    const char *body; /* empty if it was passed to on_data */
    size_t body_size;
    double seconds;
} net_result;

typedef struct {
    /* A part of the body, of an answer with that status; may be NULL. */
    void (*on_data)(void *user, int status, const char *data, size_t size);
    void (*on_done)(void *user, const net_result *result); /* exactly once */
    void *user;
} net_callbacks;

/* A new client on `loop`. NULL and BASE_UNAVAILABLE (no libcurl) or BASE_NO_MEMORY. */
net_http *net_http_open(uv_loop_t *loop, base_error *err);

/* Drops all requests without calling on_done, and closes the connections. The memory is freed when
 * the loop has run its close callbacks. */
void net_http_close(net_http *http);

/* Starts a request. on_done is called later, from the loop; its error is one of BASE_UNAVAILABLE
 * (nothing listens, no such host), BASE_TIMED_OUT, BASE_BAD_PROTOCOL (a malformed or too large
 * answer, TLS verification), BASE_CANCELLED, BASE_IO (the connection broke), BASE_NO_MEMORY.
 * Returns NULL, and on_done is not called, if it could not start: BASE_INVALID for a caller's
 * mistake (a malformed URL, method or header: a line end would inject another header),
 * BASE_NO_MEMORY. */
net_request *net_http_start(net_http *http, const net_options *options,
                            const net_callbacks *callbacks, base_error *err);

/* Cancels a request: calls its on_done with BASE_CANCELLED before returning. May not be called
 * after on_done. */
void net_http_cancel(net_request *request);

/* Ends a request of which enough has come: calls its on_done, with the status and the headers,
 * before returning. May not be called after on_done. */
void net_http_end(net_request *request);

#endif
