#include "net_buffer.h"

#include <stdlib.h>
#include <string.h>

bool net_buffer_append(net_buffer *buffer, const char *data, size_t size)
{
    if (size == 0) {
        return true;
    }
    if (size > buffer->capacity - buffer->size) {
        size_t capacity = buffer->capacity ? buffer->capacity * 2 : 4096;
        while (capacity < buffer->size + size) {
            capacity *= 2;
        }
        char *grown = realloc(buffer->data, capacity);
        if (!grown) {
            return false;
        }
        buffer->data = grown;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
    return true;
}

void net_buffer_free(net_buffer *buffer)
{
    free(buffer->data);
    *buffer = (net_buffer){0};
}
