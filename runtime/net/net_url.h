/*
 * net_url.h: what must be known of a URL before curl sees it: that it is http or https and holds
 * nothing that could end a line, where it goes (for error sentences, without any password in it),
 * and whether that is this very machine, which no proxy may come between.
 */
#ifndef NET_URL_H
#define NET_URL_H

#include "error.h"

#include <stddef.h>

typedef struct {
    char origin[288]; /* "https://host:port", as written, without user and password */
    bool loopback;    /* localhost, 127.0.0.0/8 or [::1] */
} net_url;

/* Takes `url` apart. DESK_INVALID for anything but a printable http(s) URL with a host. */
bool net_url_parse(const char *url, net_url *out, desk_error *err);

/* Whether `name` is a token of HTTP (a header's name, a method). */
bool net_is_token(const char *name);

/* Whether `value` may be a header's value: no CR, LF or other control character but a tab. */
bool net_is_field_value(const char *value);

#endif
