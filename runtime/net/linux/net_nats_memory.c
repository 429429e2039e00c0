#include "net_nats_internal.h"

#include <stdlib.h>

net_nats *nats_allocate(const nats_api *api)
{
    net_nats *nats = calloc(1, sizeof *nats);
    nats_event *ended = calloc(1, sizeof *ended);
    if (!nats || !ended) {
        free(nats);
        free(ended);
        return NULL;
    }
    ended->kind = NATS_ENDED;
    nats->ended = ended;
    nats->api = api;
    nats->references = 1;
    nats->last_order = &nats->first_order;
    nats->last_event = &nats->first_event;
    uv_mutex_init(&nats->lock);
    uv_cond_init(&nats->changed);
    return nats;
}

void nats_order_free(net_nats *nats, nats_order *order)
{
    nats->api->natsMsg_Destroy(order->message);
    free(order);
}

void nats_event_free(net_nats *nats, nats_event *event)
{
    nats->api->natsMsg_Destroy(event->message);
    free(event);
}

static void nats_free(net_nats *nats)
{
    for (nats_order *next, *order = nats->first_order; order; order = next) {
        next = order->next;
        nats_order_free(nats, order);
    }
    for (nats_event *next, *event = nats->first_event; event; event = next) {
        next = event->next;
        nats_event_free(nats, event);
    }
    nats->api->natsOptions_Destroy(nats->options);
    uv_cond_destroy(&nats->changed);
    uv_mutex_destroy(&nats->lock);
    free(nats);
}

void nats_release(net_nats *nats)
{
    uv_mutex_lock(&nats->lock);
    bool last = --nats->references == 0;
    uv_mutex_unlock(&nats->lock);
    if (last) {
        nats_free(nats);
    }
}
