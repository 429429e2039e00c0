/*
 * net_url.h: checks and parses a URL before curl gets it: it must be http or https (ws or wss for a
 * WebSocket) without control characters. The result has the origin, without a password, for
 * messages; and whether that is this machine, for which no proxy is used.
 */
#ifndef NET_NET_URL_H
#define NET_NET_URL_H

#include "base/error.h"

#include <stddef.h>

typedef struct {
    char origin[288]; /* "https://host:port", as written, without user and password */
    bool loopback;    /* localhost, 127.0.0.0/8 or [::1] */
} net_url;

/* Parses `url`. BASE_INVALID for anything but a printable http(s) URL with a host. */
bool net_url_parse(const char *url, net_url *out, base_error *err);

/* A parsed WebSocket URL. */
typedef struct {
    net_url connection; /* its origin begins with ws or wss */
    char curl_url[304]; /* "http://host:port/" for curl, which does not speak ws */
    char host[264];     /* "host:port" */
    const char *target; /* "/path?query" or "?query" or "", inside the URL that was parsed */
} net_ws_url;

/* BASE_INVALID for anything but a printable ws(s) URL with a host, without user, password and
 * fragment. */
bool net_ws_url_parse(const char *url, net_ws_url *out, base_error *err);

/* Whether `name` is a token of HTTP (a header's name, a method). */
bool net_is_token(const char *name);

/* Whether `value` may be a header's value: no CR, LF or other control character but a tab. */
bool net_is_field_value(const char *value);

#endif
