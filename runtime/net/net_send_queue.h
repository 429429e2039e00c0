/*
 * net_send_queue.h: the send queue of a WebSocket. Frames are sent in their order, but a pong goes
 * before all frames that have not been started, and replaces a pong that is still queued: a server
 * that sends pings faster than it reads cannot make the queue grow. Each frame gets its own mask
 * from the system's random number generator (RFC 6455, section 5.3).
 */
#ifndef NET_NET_SEND_QUEUE_H
#define NET_NET_SEND_QUEUE_H

#include "net_frames.h"

enum { NET_SEND_QUEUE_KEYS = 256 }; /* random bytes fetched at a time; a mask takes four */

typedef struct net_queued net_queued;

typedef struct {
    net_queued *current; /* the frame that is being sent */
    size_t sent;         /* bytes of it that are sent */
    net_queued *pong;    /* to be sent next */
    net_queued *first, **last;
    size_t pending; /* bytes of all frames that are not sent yet */
    uint8_t keys[NET_SEND_QUEUE_KEYS];
    size_t keys_used;
} net_send_queue;

/* Initialises an empty queue. It may not be moved in memory. */
void net_send_queue_open(net_send_queue *queue);

void net_send_queue_close(net_send_queue *queue);

/* Adds a copy of bytes that are not a frame (the upgrade request). Error: BASE_NO_MEMORY. */
bool net_send_queue_add_bytes(net_send_queue *queue, const char *data, size_t size,
                              base_error *err);

/* Adds one frame. Errors: BASE_NO_MEMORY, BASE_IO (no random numbers). */
bool net_send_queue_add(net_send_queue *queue, net_opcode opcode, const char *data, size_t size,
                        base_error *err);

/* Drops everything except a frame that is partly sent. */
void net_send_queue_clear(net_send_queue *queue);

/* The next bytes to send are at `*data`; returns their number, 0 if there are none. Until
 * net_send_queue_sent has removed them, the next call returns the same bytes at the same address:
 * TLS libraries require that for a repeated write. */
size_t net_send_queue_next(net_send_queue *queue, const char **data);
void net_send_queue_sent(net_send_queue *queue, size_t size);

/* Bytes that are not sent yet. */
size_t net_send_queue_pending(const net_send_queue *queue);

/* Bytes from the system's random number generator. Error: BASE_IO. */
bool net_random(uint8_t *out, size_t size, base_error *err);

#endif
