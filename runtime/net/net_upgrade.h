/*
 * net_upgrade.h: the opening handshake of WebSocket (RFC 6455, section 4): formats the request that
 * asks an HTTP server to upgrade, and checks the answer. Text only; sending and receiving it is
 * done elsewhere.
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
    const char *const *protocols; /* subprotocols offered, the preferred one first */
    size_t protocol_count;
} net_upgrade;

/* Checks what the request is made of. BASE_INVALID for a malformed header or one that only this
 * module may set, a subprotocol that is not a token, a host or target that is not printable ASCII.
 */
bool net_upgrade_check(const net_upgrade *upgrade, base_error *err);

/* The request, `*size` bytes, to be freed with free(). NULL without memory. */
char *net_upgrade_request(const net_upgrade *upgrade, const char key[NET_UPGRADE_KEY],
                          size_t *size);

/* Formats the Sec-WebSocket-Key from random bytes, and the Sec-WebSocket-Accept that the server
 * must answer to it. */
void net_upgrade_key(char key[NET_UPGRADE_KEY], const uint8_t random[16]);
void net_upgrade_accept(char accept[NET_UPGRADE_ACCEPT], const char key[NET_UPGRADE_KEY]);

/* Checks the answer's head, from its status line to its empty line. `*protocol` is the index of the
 * subprotocol that the server has chosen, -1 for none. False, with a clause in `err`
 * ("answered ..."): BASE_REFUSED for another HTTP status, which is stored in `*status`;
 * BASE_BAD_PROTOCOL for an answer that violates RFC 6455. */
bool net_upgrade_check_answer(const net_upgrade *upgrade, const char accept[NET_UPGRADE_ACCEPT],
                              const char *head, size_t size, int *protocol, int *status,
                              base_error *err);

#endif
