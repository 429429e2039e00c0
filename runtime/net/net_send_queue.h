/*
 * net_send_queue.h: the frames of a WebSocket that wait to be sent, in their order. A pong goes
 * before everything that has not begun to be sent, and replaces a pong that still waits, so a
 * server that sends pings faster than it reads cannot make the queue grow. Each frame gets a mask
 * of its own from the system's source of randomness (RFC 6455, section 5.3).
 */
#ifndef NET_NET_SEND_QUEUE_H
#define NET_NET_SEND_QUEUE_H

#include "net_frames.h"

enum { NET_SEND_QUEUE_KEYS = 256 }; /* random bytes fetched at a time, four for a mask */

typedef struct net_queued net_queued;

typedef struct {
    net_queued *current; /* what is being sent */
    size_t sent;         /* of it */
    net_queued *pong;    /* goes next */
    net_queued *first, **last;
    size_t pending; /* bytes of all of them */
    uint8_t keys[NET_SEND_QUEUE_KEYS];
    size_t keys_used;
} net_send_queue;

/* An empty one. It may not be moved. */
void net_send_queue_open(net_send_queue *queue);

void net_send_queue_close(net_send_queue *queue);

/* Adds bytes as they are (copied). BASE_NO_MEMORY. */
bool net_send_queue_add_bytes(net_send_queue *queue, const char *data, size_t size,
                              base_error *err);

/* Adds one frame. BASE_NO_MEMORY, BASE_IO (no random numbers). */
bool net_send_queue_add(net_send_queue *queue, net_opcode opcode, const char *data, size_t size,
                        base_error *err);

/* Drops whatever has not begun to be sent. */
void net_send_queue_clear(net_send_queue *queue);

/* The next bytes to be sent, at `*data`; 0 when there are none. They stay where they are, and are
 * the same at the next call, until net_send_queue_sent has taken them off (TLS insists on it). */
size_t net_send_queue_next(net_send_queue *queue, const char **data);
void net_send_queue_sent(net_send_queue *queue, size_t size);

/* Bytes that wait. */
size_t net_send_queue_pending(const net_send_queue *queue);

/* Bytes from the system's source of randomness. BASE_IO. */
bool net_random(uint8_t *out, size_t size, base_error *err);

#endif
