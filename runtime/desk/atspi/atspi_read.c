#include "atspi_read.h"

#include "atspi_ahead.h"
#include "atspi_answers.h"
#include "atspi_apps.h"
#include "atspi_bus.h"
#include "atspi_details.h"
#include "atspi_nodes.h"
#include "atspi_queue.h"
#include "atspi_trees.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

/* Answers come one by one. While many are on their way, a moment is waited after the first: each
 * time that this thread is woken may stop the application that writes the next one. */
enum { FEW = 8, GATHER_NS = 150000 };

/* Whether somebody is left who has not answered and is worth waiting for. */
static bool worth_waiting(const atspi_read *r)
{
    uint64_t now = uv_hrtime();
    for (int32_t i = 0; i < r->app_count; i++) {
        const atspi_app *app = &r->apps[i];
        if (atspi_queue_open(app) && (!app->slow || now < app->answer_deadline)) {
            return true;
        }
    }
    return false;
}

void atspi_read_take(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    switch (question.kind) {
    case ATSPI_ASK_APPS:
        atspi_apps_answer(r, reply);
        break;
    case ATSPI_ASK_PID:
        atspi_pid_answer(r, question.node, reply);
        break;
    case ATSPI_ASK_ITEMS:
        atspi_items_answer(r, question.app, reply);
        break;
    case ATSPI_ASK_CHILDREN:
        atspi_children_answer(r, question.node, reply);
        break;
    case ATSPI_ASK_CHILD_COUNT:
        atspi_child_count_answer(r, question.node, reply);
        break;
    case ATSPI_ASK_PROPERTIES:
        atspi_properties_answer(r, question.node, reply);
        break;
    case ATSPI_ASK_NAME:
    case ATSPI_ASK_DESCRIPTION:
    case ATSPI_ASK_ROLE:
    case ATSPI_ASK_STATE:
    case ATSPI_ASK_INTERFACES:
        atspi_identity_answer(r, question, reply);
        break;
    case ATSPI_ASK_EXTENTS:
    case ATSPI_ASK_TEXT:
    case ATSPI_ASK_VALUE:
        atspi_field_answer(r, question, reply);
        break;
    case ATSPI_ASK_ADDRESS:
        atspi_address_answer(r, question.app, reply);
        break;
    default:
        atspi_details_answer(r, question, reply);
        break;
    }
}

static void take_messages(atspi_read *r, DBusConnection *c)
{
    DBusMessage *m;
    while (!r->no_memory && (m = dbus_connection_pop_message(c))) {
        int type = dbus_message_get_type(m);
        atspi_question question;
        /* The bus, or the socket, only lets the one that was asked answer. */
        if ((type == DBUS_MESSAGE_TYPE_METHOD_RETURN || type == DBUS_MESSAGE_TYPE_ERROR) &&
            atspi_queue_replied(r, c, dbus_message_get_reply_serial(m), &question)) {
            atspi_read_take(r, question, type == DBUS_MESSAGE_TYPE_ERROR ? NULL : m);
        }
        dbus_message_unref(m);
    }
}

/* How many connections an application has, besides the bus's, over which answers may come. The
 * first one is the bus. */
static int own_connections(const atspi_read *r, int32_t app)
{
    const atspi_connections *connections = &r->apps[app].connections;
    bool own = app == 0 || (connections->c[0] != r->c && atspi_queue_open(&r->apps[app]));
    return own ? connections->count : 0;
}

/* Waits until one of the connections has something to read or room to write, for a moment. */
static void wait_for_any(const atspi_read *r)
{
    struct pollfd polled[(DESK_ELEMENTS_MAX_APPS + 2) * ATSPI_CONNECTIONS];
    nfds_t count = 0;
    for (int32_t i = 0; i < r->app_count; i++) {
        for (int k = 0; k < own_connections(r, i); k++) {
            DBusConnection *c = r->apps[i].connections.c[k];
            int fd;
            if (dbus_connection_get_unix_fd(c, &fd)) {
                bool unsent = dbus_connection_has_messages_to_send(c);
                polled[count++] = (struct pollfd){fd, (short) (POLLIN | (unsent ? POLLOUT : 0)), 0};
            }
        }
    }
    poll(polled, count, atspi_slice_ms(r->query->deadline));
    if (r->flight_count > FEW) {
        nanosleep(&(struct timespec){0, GATHER_NS}, NULL);
    }
}

/* Takes in what has come. False when the bus is gone. */
static bool turn(atspi_read *r)
{
    wait_for_any(r);
    for (int32_t i = 0; i < r->app_count; i++) {
        bool there = true;
        for (int k = 0; k < own_connections(r, i); k++) {
            DBusConnection *c = r->apps[i].connections.c[k];
            there = dbus_connection_read_write(c, 0) && there;
            take_messages(r, c);
        }
        if (!there && i == 0) {
            return false;
        }
        if (!there && atspi_queue_open(&r->apps[i])) {
            atspi_queue_drop(r, i);
            r->apps[i].note = "ended, or let go of its socket, while it was read";
        }
    }
    return true;
}

bool atspi_read_begin(atspi_read *r)
{
    r->node_max = (int32_t) (r->query->max_nodes > 50000 ? 200000 : r->query->max_nodes * 4);
    r->buckets = malloc(ATSPI_BUCKETS * sizeof *r->buckets);
    r->apps = calloc(DESK_ELEMENTS_MAX_APPS + 2, sizeof *r->apps);
    if (!r->buckets || !r->apps) {
        return false;
    }
    memset(r->buckets, 0xff, ATSPI_BUCKETS * sizeof *r->buckets);
    r->apps[0] = (atspi_app){.bus = "org.a11y.atspi.Registry",
                             .root = "/org/a11y/atspi/accessible/root",
                             .connections = {{r->c}, 1},
                             .root_node = -1};
    r->app_count = 1;
    return true;
}

/* Notes who did not answer, for the reader and for the next read. */
static void note_silence(atspi_read *r)
{
    r->slow->count = 0;
    for (int32_t i = 1; i < r->app_count; i++) {
        atspi_app *app = &r->apps[i];
        if (!atspi_queue_open(app)) {
            continue;
        }
        app->note = "did not answer in time";
        if (r->slow->count < sizeof r->slow->names / sizeof r->slow->names[0] &&
            strlen(app->bus) < sizeof r->slow->names[0]) {
            strcpy(r->slow->names[r->slow->count++], app->bus);
        }
    }
}

static bool verdict(const atspi_read *r, base_error *err)
{
    if (r->no_apps) {
        return base_fail(err, BASE_UNAVAILABLE,
                         "the accessibility registry does not answer; install at-spi2-core");
    }
    if (r->app_count == 1 && r->flight_count > 0) {
        return base_fail(err, BASE_TIMED_OUT, "the accessibility registry did not answer in time");
    }
    return true;
}

static bool no_memory(base_error *err)
{
    return base_fail(err, BASE_NO_MEMORY, "not enough memory for the elements");
}

static bool run(atspi_read *r, base_error *err)
{
    while (worth_waiting(r) && !r->no_memory && uv_hrtime() < r->query->deadline) {
        if (r->query->cancel && atomic_load(r->query->cancel)) {
            return base_fail(err, BASE_CANCELLED, "the read was cancelled");
        }
        atspi_queue_send(r);
        if (!turn(r)) {
            return base_fail(err, BASE_UNAVAILABLE,
                             "the connection to the accessibility bus was lost");
        }
    }
    return !r->no_memory || no_memory(err);
}

/* For the next read: straight to the applications that have told where. Those that the registry has
 * not named are none any more. */
static void join_peers(atspi_read *r)
{
    if (r->apps[0].in_flight > 0) {
        return; /* it has not said a word */
    }
    for (int32_t i = 1; i < r->app_count; i++) {
        atspi_peer *peer = atspi_peer_find(r->peers, r->apps[i].bus);
        if (peer && !peer->seen && !r->apps[i].note) {
            r->apps[i].note = "has left the accessibility registry";
        }
    }
    atspi_peers_sweep(r->peers);
    for (int32_t i = 1; i < r->app_count; i++) {
        const atspi_app *app = &r->apps[i];
        if (app->address && app->root_node >= 0) {
            atspi_peer_join(r->peers, app->bus, r->nodes[app->root_node].path, app->address,
                            app->pid);
        }
    }
}

bool atspi_read_run(atspi_read *r, base_error *err)
{
    if (!atspi_read_begin(r)) {
        return no_memory(err);
    }
    atspi_queue(r, ATSPI_ASK_APPS, 0, 0);
    for (size_t i = 0; i < r->peers->count; i++) {
        if (atspi_peer_open(&r->peers->items[i])) {
            atspi_add_peer(r, &r->peers->items[i]);
        }
    }
    if (!run(r, err)) {
        return false;
    }
    note_silence(r);
    if (!verdict(r, err)) {
        return false;
    }
    join_peers(r);
    atspi_ahead_remember(r);
    return true;
}

bool atspi_read_one(atspi_read *r, const char *bus, const char *path, base_error *err)
{
    if (!atspi_read_begin(r)) {
        return no_memory(err);
    }
    atspi_peer *peer = atspi_peer_find(r->peers, bus);
    r->apps[1] =
        (atspi_app){.bus = bus,
                    .connections = peer && atspi_peer_open(peer) ? peer->connections
                                                                 : (atspi_connections){{r->c}, 1}};
    r->app_count = 2;
    r->apps[1].root_node = atspi_node_add(r, 1, path);
    if (r->no_memory) {
        return no_memory(err);
    }
    atspi_queue(r, ATSPI_ASK_PID, 0, 1);
    atspi_ask_identity(r, 0);
    if (!run(r, err)) {
        return false;
    }
    const atspi_app *app = &r->apps[1];
    if (atspi_queue_open(app)) {
        return base_fail(err, BASE_TIMED_OUT, "the application did not answer in time");
    }
    return r->nodes[0].answered || base_fail(err, BASE_NOT_FOUND, "the element is gone");
}

void atspi_read_free(atspi_read *r)
{
    for (int32_t i = 0; i < r->app_count; i++) {
        free(r->apps[i].queue);
    }
    free(r->apps);
    free(r->nodes);
    free(r->buckets);
}
