#include "net_url.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool net_is_token(const char *name)
{
    if (!*name) {
        return false;
    }
    for (const unsigned char *c = (const unsigned char *) name; *c; c++) {
        if (!isalnum(*c) && !strchr("!#$%&'*+-.^_`|~", *c)) {
            return false;
        }
    }
    return true;
}

bool net_is_field_value(const char *value)
{
    for (const unsigned char *c = (const unsigned char *) value; *c; c++) {
        if ((*c < 0x20 && *c != '\t') || *c == 0x7f) {
            return false;
        }
    }
    return true;
}

static bool is_printable(const char *url)
{
    for (const unsigned char *c = (const unsigned char *) url; *c; c++) {
        if (*c <= 0x20 || *c == 0x7f) {
            return false;
        }
    }
    return true;
}

/* `host` is "name", "name:port" or "[address]:port", `size` long. */
static bool is_loopback(const char *host, size_t size)
{
    char name[256];
    if (size >= sizeof name) {
        return false;
    }
    memcpy(name, host, size);
    name[size] = 0;
    if (name[0] == '[') {
        return strncmp(name, "[::1]", 5) == 0;
    }
    name[strcspn(name, ":")] = 0;
    if (strncmp(name, "127.", 4) == 0) {
        return strspn(name, "0123456789.") == strlen(name);
    }
    size_t length = strlen(name);
    if (length && name[length - 1] == '.') {
        name[--length] = 0;
    }
    const char *suffix = length > 10 ? name + length - 10 : "";
    return strcasecmp(name, "localhost") == 0 || strcasecmp(suffix, ".localhost") == 0;
}

bool net_url_parse(const char *url, net_url *out, base_error *err)
{
    if (!is_printable(url)) {
        return base_fail(err, BASE_INVALID, "a URL may not hold spaces or control characters");
    }
    size_t scheme = strncasecmp(url, "http://", 7) == 0    ? 7
                    : strncasecmp(url, "https://", 8) == 0 ? 8
                                                           : 0;
    if (!scheme) {
        return base_fail(err, BASE_INVALID, "a URL must begin with http:// or https://: %.200s",
                         url);
    }
    const char *host = url + scheme;
    size_t size = strcspn(host, "/?#\\");
    for (size_t i = size; i-- > 0;) {
        if (host[i] != '@') {
            continue;
        }
        host += i + 1; /* skip user and password; curl sends them */
        size -= i + 1;
        break;
    }
    if (size == 0 || size > 260) {
        return base_fail(err, BASE_INVALID, "a URL must name a host");
    }
    snprintf(out->origin, sizeof out->origin, "%.*s%.*s", (int) scheme, url, (int) size, host);
    out->loopback = is_loopback(host, size);
    return true;
}

bool net_ws_url_parse(const char *url, net_ws_url *out, base_error *err)
{
    size_t scheme = strncasecmp(url, "ws://", 5) == 0    ? 5
                    : strncasecmp(url, "wss://", 6) == 0 ? 6
                                                         : 0;
    if (!scheme) {
        return base_fail(err, BASE_INVALID,
                         "a WebSocket's URL must begin with ws:// or wss://: %.200s", url);
    }
    const char *host = url + scheme;
    size_t size = strcspn(host, "/?#\\");
    if (memchr(host, '@', size) || strpbrk(url, "#\\")) {
        return base_fail(err, BASE_INVALID,
                         "a WebSocket's URL may hold no user, password, # or backslash");
    }
    if (size == 0 || size > 260) {
        return base_fail(err, BASE_INVALID, "a URL must name a host");
    }
    snprintf(out->host, sizeof out->host, "%.*s", (int) size, host);
    snprintf(out->curl_url, sizeof out->curl_url, "http%s://%s/", scheme == 6 ? "s" : "",
             out->host);
    if (!net_url_parse(out->curl_url, &out->connection, err)) {
        return false;
    }
    snprintf(out->connection.origin, sizeof out->connection.origin, "ws%s://%s",
             scheme == 6 ? "s" : "", out->host);
    out->target = host + size;
    return true;
}
