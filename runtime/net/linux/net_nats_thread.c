#include "net_nats_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- for the loop -------------------------------------------------------------------------------
 */

static nats_event *new_event(nats_event_kind kind)
{
    nats_event *event = calloc(1, sizeof *event);
    if (event) {
        event->kind = kind;
    }
    return event;
}

/* Takes the event over. */
static void post(net_nats *nats, nats_event *event)
{
    uv_mutex_lock(&nats->lock);
    *nats->last_event = event;
    nats->last_event = &event->next;
    if (nats->wake) {
        uv_async_send(nats->wake);
    }
    uv_mutex_unlock(&nats->lock);
}

/* Words of a server's, as one line. */
static void copy_words(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
    for (; *to; to++) {
        if ((unsigned char) *to < ' ' || *to == 0x7f) {
            *to = ' ';
        }
    }
}

static void post_change(net_nats *nats, net_nats_change change, const char *words)
{
    nats_event *event = new_event(NATS_CHANGE);
    if (event) {
        event->change = change;
        copy_words(event->err.message, sizeof event->err.message, words);
        post(nats, event);
    }
}

/* --- called by libnats, on threads of its own ---------------------------------------------------
 */

static void on_message(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                       void *user)
{
    nats_subscription *s = user;
    net_nats *nats = s->nats;
    (void) connection;
    (void) subscription;
    nats_event *event = new_event(NATS_MESSAGE);
    if (!event) {
        nats->api->natsMsg_Destroy(message); /* what has to be kept is delivered again */
        return;
    }
    event->id = s->id;
    event->message = message;
    event->size = (size_t) nats->api->natsMsg_GetDataLength(message) + NATS_MESSAGE_OVERHEAD;
    uv_mutex_lock(&nats->lock);
    while (nats->waiting_in > NET_NATS_MOST_WAITING && !nats->stopping) {
        uv_cond_wait(&nats->changed, &nats->lock);
    }
    nats->waiting_in += event->size;
    uv_mutex_unlock(&nats->lock);
    post(nats, event);
}

/* Of the two who hold it: the thread's list, and libnats until it has told the last message. */
static void release_subscription(void *user)
{
    nats_subscription *s = user;
    net_nats *nats = s->nats;
    uv_mutex_lock(&nats->lock);
    bool last = --s->references == 0;
    uv_mutex_unlock(&nats->lock);
    if (last) {
        free(s);
        nats_release(nats);
    }
}

static const char *last_words(net_nats *nats, natsConnection *connection)
{
    const char *words = NULL;
    nats->api->natsConnection_GetLastError(connection, &words);
    return words ? words : "";
}

static void on_lost(natsConnection *connection, void *user)
{
    post_change(user, NET_NATS_LOST, last_words(user, connection));
}

static void on_back(natsConnection *connection, void *user)
{
    (void) connection;
    post_change(user, NET_NATS_BACK, "");
}

static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status,
                     void *user)
{
    net_nats *nats = user;
    (void) subscription;
    const char *words = last_words(nats, connection);
    post_change(nats, NET_NATS_TROUBLE, *words ? words : nats->api->natsStatus_GetText(status));
}

/* libnats's last word of a connection, by our own wish or because it will not try any more. */
static void on_closed(natsConnection *connection, void *user)
{
    net_nats *nats = user;
    base_error why = {.code = BASE_REFUSED};
    copy_words(why.message, sizeof why.message, last_words(nats, connection));
    uv_mutex_lock(&nats->lock);
    if (!nats->stopping) {
        nats->end = why;
        nats->stopping = nats->hurry = true;
        uv_cond_broadcast(&nats->changed);
    }
    uv_mutex_unlock(&nats->lock);
    nats_release(nats);
}

bool nats_set_handlers(net_nats *nats, base_error *err)
{
    const nats_api *api = nats->api;
    natsStatus status = api->natsOptions_UseGlobalMessageDelivery(nats->options, true);
    if (status == NATS_OK) {
        status = api->natsOptions_SetDisconnectedCB(nats->options, on_lost, nats);
    }
    if (status == NATS_OK) {
        status = api->natsOptions_SetReconnectedCB(nats->options, on_back, nats);
    }
    if (status == NATS_OK) {
        status = api->natsOptions_SetErrorHandler(nats->options, on_error, nats);
    }
    if (status == NATS_OK) {
        status = api->natsOptions_SetClosedCB(nats->options, on_closed, nats);
    }
    return status == NATS_OK || nats_explain(api, status, err);
}

/* --- the thread ---------------------------------------------------------------------------------
 */

static void retain(net_nats *nats)
{
    uv_mutex_lock(&nats->lock);
    nats->references++;
    uv_mutex_unlock(&nats->lock);
}

static natsStatus subscribe(net_nats *nats, const nats_order *order)
{
    nats_subscription *s = calloc(1, sizeof *s);
    if (!s) {
        return NATS_NO_MEMORY;
    }
    *s = (nats_subscription){.nats = nats, .id = order->id, .references = 2};
    retain(nats);
    natsStatus status = nats->api->natsConnection_Subscribe(&s->subscription, nats->connection,
                                                            order->subject, on_message, s);
    if (status != NATS_OK) {
        s->references = 1; /* libnats knows nothing of it */
        release_subscription(s);
        return status;
    }
    s->next = nats->subscriptions;
    nats->subscriptions = s;
    /* Refused where libnats has closed the connection in this moment: then nobody knows whether a
     * message is being told, and `s` stays. */
    return nats->api->natsSubscription_SetOnCompleteCB(s->subscription, release_subscription, s);
}

static void end_subscription(net_nats *nats, nats_subscription *s)
{
    nats->api->natsSubscription_Destroy(s->subscription);
    release_subscription(s);
}

static natsStatus unsubscribe(net_nats *nats, unsigned id)
{
    for (nats_subscription **at = &nats->subscriptions; *at; at = &(*at)->next) {
        nats_subscription *s = *at;
        if (s->id == id) {
            *at = s->next;
            end_subscription(nats, s);
            break;
        }
    }
    return NATS_OK;
}

static void perform(net_nats *nats, const nats_order *order)
{
    natsStatus status = order->kind == NATS_PUBLISH
                            ? nats->api->natsConnection_PublishMsg(nats->connection, order->message)
                        : order->kind == NATS_SUBSCRIBE ? subscribe(nats, order)
                                                        : unsubscribe(nats, order->id);
    if (status != NATS_OK) {
        base_error err;
        nats_explain(nats->api, status, &err);
        post_change(nats, NET_NATS_TROUBLE, err.message);
    }
}

/* Waits for the next order; NULL: the thread is to end. */
static nats_order *take_order(net_nats *nats)
{
    uv_mutex_lock(&nats->lock);
    while (!nats->first_order && !nats->stopping) {
        uv_cond_wait(&nats->changed, &nats->lock);
    }
    nats_order *order = nats->hurry ? NULL : nats->first_order;
    if (order) {
        nats->first_order = order->next;
        if (!nats->first_order) {
            nats->last_order = &nats->first_order;
        }
        nats->waiting_out -= order->size;
    }
    uv_mutex_unlock(&nats->lock);
    return order;
}

static bool connect_to(net_nats *nats, base_error *err)
{
    nats_event *opened = new_event(NATS_OPENED);
    if (!opened) {
        return base_fail(err, BASE_NO_MEMORY, "no memory for a connection to NATS");
    }
    retain(nats); /* until on_closed */
    natsStatus status = nats->api->natsConnection_Connect(&nats->connection, nats->options);
    if (status != NATS_OK) {
        nats_release(nats);
        free(opened);
        return nats_explain(nats->api, status, err);
    }
    int64_t most = nats->api->natsConnection_GetMaxPayload(nats->connection);
    opened->size = most > 0 ? (size_t) most : 0;
    post(nats, opened);
    return true;
}

enum { FLUSH_MS = 2000 };

static void disconnect(net_nats *nats)
{
    uv_mutex_lock(&nats->lock);
    bool hurry = nats->hurry;
    uv_mutex_unlock(&nats->lock);
    if (!hurry) {
        nats->api->natsConnection_FlushTimeout(nats->connection, FLUSH_MS);
    }
    for (nats_subscription *next, *s = nats->subscriptions; s; s = next) {
        next = s->next;
        end_subscription(nats, s);
    }
    nats->subscriptions = NULL;
    nats->api->natsConnection_Destroy(nats->connection);
    nats->connection = NULL;
}

void nats_thread(void *user)
{
    net_nats *nats = user;
    base_error err;
    if (connect_to(nats, &err)) {
        for (nats_order *order = take_order(nats); order; order = take_order(nats)) {
            perform(nats, order);
            nats_order_free(nats, order);
        }
        disconnect(nats);
        uv_mutex_lock(&nats->lock);
        err = nats->end;
        uv_mutex_unlock(&nats->lock);
        if (err.code == BASE_OK) {
            base_fail(&err, BASE_CANCELLED, "the connection to NATS is closed");
        }
    }
    nats->api->nats_ReleaseThreadMemory();
    nats->ended->err = err;
    post(nats, nats->ended);
}
