/*
 * net_http.h: HTTP requests on the program's one event loop, by libcurl's multi interface. A
 * request costs no thread and no waiting: sockets and time-outs are the loop's, and whoever asked
 * is called back from the loop, never from inside curl, so that a callback may start and cancel
 * requests as it likes. Connections are kept alive and shared by all requests of one net_http.
 *
 * Certificates are always verified; only http and https are spoken, also after a redirect. A proxy
 * is taken from the environment as curl does (http_proxy, https_proxy, no_proxy), but never for
 * this machine's own addresses.
 *
 * Times are in seconds, sizes in bytes. All of it belongs to the loop's thread. The handles that
 * are put on the loop keep `data` NULL, because luv takes any other for its own.
 */
#ifndef NET_NET_HTTP_H
#define NET_NET_HTTP_H

#include "base/error.h"

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
    const net_piece *pieces; /* the body: the list is copied, the bytes are only borrowed and must
                                stay until on_done; sent as they lie, never joined */
    size_t piece_count;
    double connect_timeout;    /* until the connection (and TLS) stands; 0 = 30 s */
    double total_timeout;      /* of the whole request; 0 = none */
    double stall_timeout;      /* without a byte in either direction; 0 = none */
    size_t max_response_bytes; /* of the body; 0 = NET_MAX_RESPONSE */
    bool follow_redirects;     /* up to 5 of them; off by default */
    const char *ca_file; /* PEM file of trusted authorities instead of the system's, or NULL */
} net_options;

#define NET_MAX_RESPONSE ((size_t) 64 << 20)

/* What came of a request. Everything in it belongs to the request and lives as long as the call. */
typedef struct {
    base_error error;    /* code BASE_OK: the server answered, whatever the status */
    net_timeout timeout; /* which limit, when error.code is BASE_TIMED_OUT */
    int status;
    const net_header *headers; /* of the last answer, in its order and case */
    size_t header_count;
    const char *body; /* empty when it went to on_data */
    size_t body_size;
    double seconds;
} net_result;

typedef struct {
    void (*on_data)(void *user, const char *data, size_t size); /* may be NULL */
    void (*on_done)(void *user, const net_result *result);      /* exactly once */
    void *user;
} net_callbacks;

/* A client on `loop`. NULL and BASE_UNAVAILABLE (no libcurl) or BASE_NO_MEMORY. */
net_http *net_http_open(uv_loop_t *loop, base_error *err);

/* Drops every request without calling anybody, and closes the connections. What is left is freed
 * when the loop has run its close callbacks. */
void net_http_close(net_http *http);

/* Begins a request; on_done comes later, from the loop, with one of BASE_UNAVAILABLE (nothing
 * listens, no such host), BASE_TIMED_OUT, BASE_BAD_PROTOCOL (a malformed or too large answer, TLS
 * verification), BASE_CANCELLED, BASE_IO (the connection broke), BASE_NO_MEMORY in its error. NULL
 * when it could not begin: BASE_INVALID for a caller's mistake (a malformed URL, method or header:
 * a line end in one would smuggle in another), BASE_NO_MEMORY; on_done is then not called. */
net_request *net_http_start(net_http *http, const net_options *options,
                            const net_callbacks *callbacks, base_error *err);

/* Ends a request: calls its on_done with BASE_CANCELLED before returning. Not to be called once
 * on_done has been. */
void net_http_cancel(net_request *request);

#endif
