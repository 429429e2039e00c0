/*
 * net_buffer.h: a growing buffer of bytes. It has no limit of its own; the caller must keep one.
 */
#ifndef NET_NET_BUFFER_H
#define NET_NET_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *data; /* allocated; NULL while it is empty */
    size_t size, capacity;
} net_buffer;

/* Appends bytes. False without memory; the buffer is unchanged then. */
bool net_buffer_append(net_buffer *buffer, const char *data, size_t size);

/* Frees the bytes. The buffer is empty after this and may be used again. */
void net_buffer_free(net_buffer *buffer);

#endif
