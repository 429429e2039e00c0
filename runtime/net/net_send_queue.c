#include "net_send_queue.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct net_queued {
    net_queued *next;
    size_t size;
    char bytes[];
};

bool net_random(uint8_t *out, size_t size, base_error *err)
{
    int code = uv_random(NULL, NULL, out, size, 0, NULL);
    return code == 0 ||
           base_fail(err, BASE_IO, "the system gives no random numbers: %s", uv_strerror(code));
}

void net_send_queue_open(net_send_queue *queue)
{
    *queue = (net_send_queue){.keys_used = NET_SEND_QUEUE_KEYS};
    queue->last = &queue->first;
}

static net_queued *new_item(size_t size, base_error *err)
{
    net_queued *item = malloc(sizeof *item + size);
    if (!item) {
        base_fail(err, BASE_NO_MEMORY, "no memory for a message of %zu bytes", size);
        return NULL;
    }
    item->next = NULL;
    item->size = size;
    return item;
}

static void append(net_send_queue *queue, net_queued *item)
{
    *queue->last = item;
    queue->last = &item->next;
    queue->pending += item->size;
}

static void drop(net_send_queue *queue, net_queued *item)
{
    if (!item) {
        return;
    }
    queue->pending -= item->size;
    free(item);
}

bool net_send_queue_add_bytes(net_send_queue *queue, const char *data, size_t size, base_error *err)
{
    net_queued *item = new_item(size, err);
    if (!item) {
        return false;
    }
    memcpy(item->bytes, data, size);
    append(queue, item);
    return true;
}

bool net_send_queue_add(net_send_queue *queue, net_opcode opcode, const char *data, size_t size,
                        base_error *err)
{
    if (queue->keys_used == NET_SEND_QUEUE_KEYS) {
        if (!net_random(queue->keys, NET_SEND_QUEUE_KEYS, err)) {
            return false;
        }
        queue->keys_used = 0;
    }
    net_queued *item = new_item(NET_FRAME_HEADER + size, err);
    if (!item) {
        return false;
    }
    item->size = net_frames_write(item->bytes, opcode, data, size, queue->keys + queue->keys_used);
    queue->keys_used += 4;
    if (opcode == NET_PONG) {
        drop(queue, queue->pong);
        queue->pong = item;
        queue->pending += item->size;
    } else {
        append(queue, item);
    }
    return true;
}

void net_send_queue_clear(net_send_queue *queue)
{
    drop(queue, queue->pong);
    queue->pong = NULL;
    while (queue->first) {
        net_queued *item = queue->first;
        queue->first = item->next;
        drop(queue, item);
    }
    queue->last = &queue->first;
}

void net_send_queue_close(net_send_queue *queue)
{
    net_send_queue_clear(queue);
    drop(queue, queue->current);
    queue->current = NULL;
}

static net_queued *take_next(net_send_queue *queue)
{
    net_queued *item = queue->pong ? queue->pong : queue->first;
    if (queue->pong) {
        queue->pong = NULL;
    } else if (item) {
        queue->first = item->next;
    }
    if (!queue->first) {
        queue->last = &queue->first;
    }
    return item;
}

size_t net_send_queue_next(net_send_queue *queue, const char **data)
{
    if (!queue->current) {
        queue->current = take_next(queue);
    }
    if (!queue->current) {
        return 0;
    }
    *data = queue->current->bytes + queue->sent;
    return queue->current->size - queue->sent;
}

void net_send_queue_sent(net_send_queue *queue, size_t size)
{
    queue->sent += size;
    if (!queue->current || queue->sent < queue->current->size) {
        return;
    }
    drop(queue, queue->current);
    queue->current = NULL;
    queue->sent = 0;
}

size_t net_send_queue_pending(const net_send_queue *queue)
{
    return queue->pending - queue->sent;
}
