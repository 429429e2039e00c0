/*
 * net_url.h: what must be known of a URL before curl sees it: that it is http or https and holds
 * nothing that could end a line (or ws and wss, for a WebSocket), where it goes (for error
 * sentences, without any password in it), and whether that is this very machine, which no proxy may
 * come between.
 */
#ifndef NET_NET_URL_H
#define NET_NET_URL_H

#include "base/error.h"

#include <stddef.h>

typedef struct {
    char origin[288]; /* "https://host:port", as written, without user and password */
    bool loopback;    /* localhost, 127.0.0.0/8 or [::1] */
} net_url;

/* Takes `url` apart. BASE_INVALID for anything but a printable http(s) URL with a host. */
bool net_url_parse(const char *url, net_url *out, base_error *err);

/* A WebSocket's URL taken apart. */
typedef struct {
    net_url connection; /* its origin is that of ws or wss */
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
