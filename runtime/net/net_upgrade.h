/*
 * net_upgrade.h: how a WebSocket begins (RFC 6455, section 4): the request that asks an HTTP server
 * to speak it, and a judge of the answer. Text only; who sends and fetches it is not its business.
 */
#ifndef NET_NET_UPGRADE_H
#define NET_NET_UPGRADE_H

#include "base/error.h"
#include "net_http.h"

enum {
    NET_UPGRADE_KEY = 24 + 1,
    NET_UPGRADE_ACCEPT = 28 + 1,
    NET_MOST_HEAD = 32 * 1024, /* bytes of the answer's head */
};

typedef struct {
    const char *host;   /* as in the URL: "name:port" */
    const char *target; /* "/path?query"; a missing "/" is added */
    const net_header *headers;
    size_t header_count;
    const char *const *protocols; /* offered, the favourite first */
    size_t protocol_count;
} net_upgrade;

/* Whether the request may be made of these: BASE_INVALID for a header that is none or is ours to
 * set, a protocol that is no token, a host or target that is not printable ASCII. */
bool net_upgrade_check(const net_upgrade *upgrade, base_error *err);

/* The request, by malloc, `*size` long. NULL without memory. */
char *net_upgrade_request(const net_upgrade *upgrade, const char key[NET_UPGRADE_KEY],
                          size_t *size);

/* A key of random bytes, and what the server must answer to it. */
void net_upgrade_key(char key[NET_UPGRADE_KEY], const uint8_t random[16]);
void net_upgrade_accept(char accept[NET_UPGRADE_ACCEPT], const char key[NET_UPGRADE_KEY]);

/* Judges the answer's head, from its status line to its empty line. `*protocol` is the index of the
 * one that the server chose of those offered, -1 for none. False and a clause in `err` ("answered
 * ..."): BASE_REFUSED when it is another status, which goes to `*status`, BASE_BAD_PROTOCOL when it
 * is no proper answer. */
bool net_upgrade_judge(const net_upgrade *upgrade, const char accept[NET_UPGRADE_ACCEPT],
                       const char *head, size_t size, int *protocol, int *status, base_error *err);

#endif
