#include "net_nats_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- the loop's reference ----------------------------------------------------------------------
 */

static void free_wake(uv_handle_t *handle)
{
    free(handle);
}

/* The thread has said its last word, or is to be waited for. */
static void leave(net_nats *nats)
{
    uv_thread_join(&nats->thread);
    uv_mutex_lock(&nats->lock);
    uv_async_t *wake = nats->wake;
    nats->wake = NULL;
    uv_mutex_unlock(&nats->lock);
    wake->data = NULL;
    uv_close((uv_handle_t *) wake, free_wake);
    nats_release(nats);
}

/* --- telling the loop ---------------------------------------------------------------------------
 */

enum { MOST_HEADERS = 64 };

static void tell_message(net_nats *nats, nats_event *event)
{
    const nats_api *api = nats->api;
    natsMsg *message = event->message;
    const char **names = NULL;
    net_header headers[MOST_HEADERS];
    int count = 0;
    size_t kept = 0;
    if (api->natsMsgHeader_Keys(message, &names, &count) != NATS_OK) {
        count = 0;
    }
    for (int i = 0; i < count && kept < MOST_HEADERS; i++) {
        const char *value = NULL;
        if (api->natsMsgHeader_Get(message, names[i], &value) == NATS_OK && value) {
            headers[kept++] = (net_header){names[i], value};
        }
    }
    int size = api->natsMsg_GetDataLength(message);
    net_nats_message told = {
        .subject = api->natsMsg_GetSubject(message),
        .reply = api->natsMsg_GetReply(message),
        .data = size > 0 ? api->natsMsg_GetData(message) : "",
        .size = size > 0 ? (size_t) size : 0,
        .headers = headers,
        .header_count = kept,
    };
    nats->events.on_message(nats->events.user, event->id, &told);
    free((void *) names);
}

static void tell(net_nats *nats, nats_event *event)
{
    const net_nats_events *events = &nats->events;
    switch (event->kind) {
    case NATS_OPENED:
        events->on_open(events->user, event->size);
        break;
    case NATS_MESSAGE:
        tell_message(nats, event);
        break;
    case NATS_CHANGE:
        events->on_change(events->user, event->change, event->err.message);
        break;
    case NATS_ENDED:
        events->on_end(events->user, &event->err);
        break;
    }
}

static nats_event *take_event(net_nats *nats)
{
    uv_mutex_lock(&nats->lock);
    nats_event *event = nats->first_event;
    if (event) {
        nats->first_event = event->next;
        if (!nats->first_event) {
            nats->last_event = &nats->first_event;
        }
        nats->waiting_in -= event->kind == NATS_MESSAGE ? event->size : 0;
        uv_cond_broadcast(&nats->changed);
    }
    uv_mutex_unlock(&nats->lock);
    return event;
}

/* A turn of the loop tells no more than this, so that timers have theirs. */
enum { MOST_AT_ONCE = 256 };

static void on_wake(uv_async_t *wake)
{
    net_nats *nats = wake->data;
    for (int i = 0; nats && i < MOST_AT_ONCE; i++) {
        nats_event *event = take_event(nats);
        if (!event) {
            return;
        }
        bool end = event->kind == NATS_ENDED;
        tell(nats, event);
        nats_event_free(nats, event);
        if (end) {
            leave(nats);
            return;
        }
    }
    uv_async_send(wake);
}

/* --- orders -------------------------------------------------------------------------------------
 */

static bool no_memory(base_error *err)
{
    return base_fail(err, BASE_NO_MEMORY, "no memory for a message of NATS");
}

/* A space or a line's end in a subject would be another command to the server. */
static bool check_subject(const char *subject, base_error *err)
{
    size_t size = strlen(subject);
    bool good = size > 0 && size <= NET_NATS_MOST_SUBJECT && subject[0] != '.' &&
                subject[size - 1] != '.' && !strstr(subject, "..");
    for (size_t i = 0; good && i < size; i++) {
        good = (unsigned char) subject[i] > ' ' && subject[i] != 0x7f;
    }
    return good || base_fail(err, BASE_INVALID,
                             "a subject of NATS is 1 to %d bytes of words joined by '.', without "
                             "spaces",
                             NET_NATS_MOST_SUBJECT);
}

static bool check_header(const net_header *header, base_error *err)
{
    bool good =
        *header->name && !strpbrk(header->name, ":\r\n \t") && !strpbrk(header->value, "\r\n");
    return good || base_fail(err, BASE_INVALID,
                             "a header's name has no spaces and no ':', its value no line's end");
}

static bool queue(net_nats *nats, nats_order *order, base_error *err)
{
    if (!order) {
        return no_memory(err);
    }
    uv_mutex_lock(&nats->lock);
    bool fits = nats->waiting_out + order->size <= NET_NATS_MOST_WAITING;
    if (fits) {
        nats->waiting_out += order->size;
        *nats->last_order = order;
        nats->last_order = &order->next;
        uv_cond_broadcast(&nats->changed);
    }
    uv_mutex_unlock(&nats->lock);
    if (!fits) {
        nats_order_free(nats, order);
        return base_fail(err, BASE_UNAVAILABLE,
                         "the NATS server does not take what it is sent: %d MB are waiting",
                         NET_NATS_MOST_WAITING >> 20);
    }
    return true;
}

static nats_order *new_order(nats_order_kind kind, unsigned id, const char *subject)
{
    size_t size = strlen(subject) + 1;
    nats_order *order = calloc(1, sizeof *order + size);
    if (order) {
        order->kind = kind;
        order->id = id;
        memcpy(order->subject, subject, size);
    }
    return order;
}

bool net_nats_publish(net_nats *nats, const net_nats_message *message, base_error *err)
{
    if (!check_subject(message->subject, err) ||
        (message->reply && !check_subject(message->reply, err))) {
        return false;
    }
    if (message->size > NET_NATS_MOST_WAITING) {
        return base_fail(err, BASE_INVALID, "a message of NATS has at most %d MB",
                         NET_NATS_MOST_WAITING >> 20);
    }
    for (size_t i = 0; i < message->header_count; i++) {
        if (!check_header(&message->headers[i], err)) {
            return false;
        }
    }
    nats_order *order = new_order(NATS_PUBLISH, 0, "");
    if (!order || nats->api->natsMsg_Create(&order->message, message->subject, message->reply,
                                            message->data, (int) message->size) != NATS_OK) {
        free(order);
        return no_memory(err);
    }
    order->size = message->size + NATS_MESSAGE_OVERHEAD;
    for (size_t i = 0; i < message->header_count; i++) {
        const net_header *header = &message->headers[i];
        order->size += strlen(header->name) + strlen(header->value);
        if (nats->api->natsMsgHeader_Set(order->message, header->name, header->value) != NATS_OK) {
            nats_order_free(nats, order);
            return no_memory(err);
        }
    }
    return queue(nats, order, err);
}

bool net_nats_subscribe(net_nats *nats, unsigned id, const char *subject, base_error *err)
{
    return check_subject(subject, err) && queue(nats, new_order(NATS_SUBSCRIBE, id, subject), err);
}

bool net_nats_unsubscribe(net_nats *nats, unsigned id, base_error *err)
{
    return queue(nats, new_order(NATS_UNSUBSCRIBE, id, ""), err);
}

/* --- beginning and end --------------------------------------------------------------------------
 */

void net_nats_close(net_nats *nats)
{
    uv_mutex_lock(&nats->lock);
    nats->stopping = true;
    uv_cond_broadcast(&nats->changed);
    uv_mutex_unlock(&nats->lock);
}

void net_nats_drop(net_nats *nats)
{
    uv_mutex_lock(&nats->lock);
    nats->stopping = nats->hurry = true;
    uv_cond_broadcast(&nats->changed);
    uv_mutex_unlock(&nats->lock);
    leave(nats);
}

net_nats *net_nats_open(uv_loop_t *loop, const net_nats_options *options,
                        const net_nats_events *events, base_error *err)
{
    const nats_api *api = nats_api_open(err);
    if (!api) {
        return NULL;
    }
    net_nats *nats = nats_allocate(api);
    uv_async_t *wake = calloc(1, sizeof *wake);
    if (!nats || !wake) {
        base_fail(err, BASE_NO_MEMORY, "no memory for a connection to NATS");
    } else if (nats_set_options(nats, options, err) && nats_set_handlers(nats, err)) {
        nats->events = *events;
        uv_async_init(loop, wake, on_wake);
        wake->data = nats;
        nats->wake = wake;
        if (uv_thread_create(&nats->thread, nats_thread, nats) == 0) {
            return nats;
        }
        base_fail(err, BASE_IO, "the system has no thread left for a connection to NATS");
        wake->data = NULL;
        uv_close((uv_handle_t *) wake, free_wake);
        wake = NULL;
    }
    free(wake);
    if (nats) {
        free(nats->ended); /* no thread has posted it */
        nats_release(nats);
    }
    return NULL;
}
