/*
 * net_buffer.h: bytes that come piece by piece. Whoever fills one keeps to a limit of his own.
 */
#ifndef NET_NET_BUFFER_H
#define NET_NET_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *data; /* by malloc; NULL while nothing has come */
    size_t size, capacity;
} net_buffer;

/* Adds bytes at the end; false, and nothing changed, without memory. */
bool net_buffer_append(net_buffer *buffer, const char *data, size_t size);

/* Frees what it holds; it is empty then, and may be filled again. */
void net_buffer_free(net_buffer *buffer);

#endif
