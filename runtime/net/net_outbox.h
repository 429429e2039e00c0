/*
 * net_outbox.h: what waits to be sent over a WebSocket, frame by frame in its order; only a pong
 * goes ahead of what has not begun, and takes the place of one that still waits, so that a server
 * that asks faster than it listens costs nothing. Each frame has a mask of its own from the
 * system's randomness.
 */
#ifndef NET_NET_OUTBOX_H
#define NET_NET_OUTBOX_H

#include "net_frames.h"

enum { NET_OUTBOX_KEYS = 256 }; /* random bytes fetched at a time, four for a mask */

typedef struct net_parcel net_parcel;

typedef struct {
    net_parcel *current; /* what is being sent */
    size_t sent;         /* of it */
    net_parcel *pong;    /* goes next */
    net_parcel *first, **last;
    size_t pending; /* bytes of all of them */
    uint8_t keys[NET_OUTBOX_KEYS];
    size_t keys_used;
} net_outbox;

/* An empty one. It may not be moved. */
void net_outbox_open(net_outbox *outbox);

void net_outbox_close(net_outbox *outbox);

/* Adds bytes as they are (copied). BASE_NO_MEMORY. */
bool net_outbox_add_bytes(net_outbox *outbox, const char *data, size_t size, base_error *err);

/* Adds one frame. BASE_NO_MEMORY, BASE_IO (no random numbers). */
bool net_outbox_add(net_outbox *outbox, net_opcode opcode, const char *data, size_t size,
                    base_error *err);

/* Drops whatever has not begun to be sent. */
void net_outbox_clear(net_outbox *outbox);

/* The next bytes to be sent, at `*data`; 0 when there are none. They stay where they are, and are
 * the same at the next call, until net_outbox_sent has taken them off (TLS insists on it). */
size_t net_outbox_next(net_outbox *outbox, const char **data);
void net_outbox_sent(net_outbox *outbox, size_t size);

/* Bytes that wait. */
size_t net_outbox_pending(const net_outbox *outbox);

/* Bytes from the system's source of randomness. BASE_IO. */
bool net_random(uint8_t *out, size_t size, base_error *err);

#endif
