#include "net_outbox.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct net_parcel {
    net_parcel *next;
    size_t size;
    char bytes[];
};

bool net_random(uint8_t *out, size_t size, base_error *err)
{
    int code = uv_random(NULL, NULL, out, size, 0, NULL);
    return code == 0 ||
           base_fail(err, BASE_IO, "the system gives no random numbers: %s", uv_strerror(code));
}

void net_outbox_open(net_outbox *outbox)
{
    *outbox = (net_outbox){.keys_used = NET_OUTBOX_KEYS};
    outbox->last = &outbox->first;
}

static net_parcel *new_parcel(size_t room, base_error *err)
{
    net_parcel *parcel = malloc(sizeof *parcel + room);
    if (!parcel) {
        base_fail(err, BASE_NO_MEMORY, "no memory for a message of %zu bytes", room);
        return NULL;
    }
    parcel->next = NULL;
    parcel->size = room;
    return parcel;
}

static void append(net_outbox *outbox, net_parcel *parcel)
{
    *outbox->last = parcel;
    outbox->last = &parcel->next;
    outbox->pending += parcel->size;
}

static void drop(net_outbox *outbox, net_parcel *parcel)
{
    if (!parcel) {
        return;
    }
    outbox->pending -= parcel->size;
    free(parcel);
}

bool net_outbox_add_bytes(net_outbox *outbox, const char *data, size_t size, base_error *err)
{
    net_parcel *parcel = new_parcel(size, err);
    if (!parcel) {
        return false;
    }
    memcpy(parcel->bytes, data, size);
    append(outbox, parcel);
    return true;
}

bool net_outbox_add(net_outbox *outbox, net_opcode opcode, const char *data, size_t size,
                    base_error *err)
{
    if (outbox->keys_used == NET_OUTBOX_KEYS) {
        if (!net_random(outbox->keys, NET_OUTBOX_KEYS, err)) {
            return false;
        }
        outbox->keys_used = 0;
    }
    net_parcel *parcel = new_parcel(NET_FRAME_HEADER + size, err);
    if (!parcel) {
        return false;
    }
    parcel->size =
        net_frames_write(parcel->bytes, opcode, data, size, outbox->keys + outbox->keys_used);
    outbox->keys_used += 4;
    if (opcode == NET_PONG) {
        drop(outbox, outbox->pong);
        outbox->pong = parcel;
        outbox->pending += parcel->size;
    } else {
        append(outbox, parcel);
    }
    return true;
}

void net_outbox_clear(net_outbox *outbox)
{
    drop(outbox, outbox->pong);
    outbox->pong = NULL;
    while (outbox->first) {
        net_parcel *parcel = outbox->first;
        outbox->first = parcel->next;
        drop(outbox, parcel);
    }
    outbox->last = &outbox->first;
}

void net_outbox_close(net_outbox *outbox)
{
    net_outbox_clear(outbox);
    drop(outbox, outbox->current);
    outbox->current = NULL;
}

static net_parcel *take_next(net_outbox *outbox)
{
    net_parcel *parcel = outbox->pong ? outbox->pong : outbox->first;
    if (outbox->pong) {
        outbox->pong = NULL;
    } else if (parcel) {
        outbox->first = parcel->next;
    }
    if (!outbox->first) {
        outbox->last = &outbox->first;
    }
    return parcel;
}

size_t net_outbox_next(net_outbox *outbox, const char **data)
{
    if (!outbox->current) {
        outbox->current = take_next(outbox);
    }
    if (!outbox->current) {
        return 0;
    }
    *data = outbox->current->bytes + outbox->sent;
    return outbox->current->size - outbox->sent;
}

void net_outbox_sent(net_outbox *outbox, size_t size)
{
    outbox->sent += size;
    if (!outbox->current || outbox->sent < outbox->current->size) {
        return;
    }
    drop(outbox, outbox->current);
    outbox->current = NULL;
    outbox->sent = 0;
}

size_t net_outbox_pending(const net_outbox *outbox)
{
    return outbox->pending - outbox->sent;
}
