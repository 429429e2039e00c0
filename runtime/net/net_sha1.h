/*
 * net_sha1.h: SHA-1 (FIPS 180-4) of a few bytes. WebSocket's handshake requires it, not for
 * security; nothing else here may use it.
 */
#ifndef NET_NET_SHA1_H
#define NET_NET_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { NET_SHA1_SIZE = 20 };

void net_sha1(uint8_t out[NET_SHA1_SIZE], const void *data, size_t size);

#endif
