/* Which applications there are, and how they are reached. */
#include "atspi_apps.h"

#include "atspi_ahead.h"
#include "atspi_message.h"
#include "atspi_nodes.h"
#include "atspi_queue.h"

#include <string.h>

static bool was_slow(const atspi_read *r, const char *bus)
{
    for (size_t i = 0; i < r->slow->count; i++) {
        if (strcmp(r->slow->names[i], bus) == 0) {
            return true;
        }
    }
    return false;
}

static bool app_known(const atspi_read *r, const char *bus)
{
    for (int32_t i = 1; i < r->app_count; i++) {
        if (strcmp(r->apps[i].bus, bus) == 0) {
            return true;
        }
    }
    return false;
}

static void ask_tree(atspi_read *r, int32_t app)
{
    atspi_queue(r, ATSPI_ASK_ITEMS, app, 0);
    if (!r->apps[app].tried &&
        r->apps[app].root_node >=
            0) { /* for the next read; this one's questions are on their way */
        atspi_queue(r, ATSPI_ASK_ADDRESS, app, r->apps[app].root_node);
    }
}

static int32_t add_app(atspi_read *r, const char *bus, const char *root,
                       atspi_connections connections)
{
    if (r->app_count > DESK_ELEMENTS_MAX_APPS) {
        r->truncated = true;
        return -1;
    }
    int32_t index = r->app_count;
    const char *copy = base_arena_copy(r->arena, bus, strlen(bus));
    if (!copy) {
        r->no_memory = true;
        return -1;
    }
    r->apps[index] = (atspi_app){.bus = copy,
                                 .connections = connections,
                                 .slow = was_slow(r, bus),
                                 .answer_deadline = atspi_answer_deadline(),
                                 .root_node = -1};
    r->app_count++;
    r->apps[index].root_node = atspi_node_add(r, index, root);
    return index;
}

void atspi_add_peer(atspi_read *r, const atspi_peer *peer)
{
    int32_t index = add_app(r, peer->bus, peer->root, peer->connections);
    if (index < 0) {
        return;
    }
    r->apps[index].tried = true;
    r->apps[index].pid = peer->pid;
    r->apps[index].skipped = r->query->pid && peer->pid != r->query->pid;
    if (!r->apps[index].skipped) {
        ask_tree(r, index);
        atspi_ahead_ask(r, index, peer);
    }
}

static void take_app(atspi_read *r, atspi_reference root)
{
    if (root.bus[0] != ':') {
        return;
    }
    atspi_peer *peer = atspi_peer_find(r->peers, root.bus);
    if (peer) {
        peer->seen = true;
    }
    if (app_known(r, root.bus)) {
        return;
    }
    int32_t index = add_app(r, root.bus, root.path, (atspi_connections){{r->c}, 1});
    if (index < 0) {
        return;
    }
    r->apps[index].tried = peer != NULL;
    atspi_queue(r, ATSPI_ASK_PID, 0, index);
    if (!r->query->pid) {
        ask_tree(r, index);
    }
}

void atspi_apps_answer(atspi_read *r, DBusMessage *reply)
{
    DBusMessageIter i, refs;
    if (!atspi_begin(reply, "a(so)", &i)) {
        r->no_apps = true;
        return;
    }
    for (dbus_message_iter_recurse(&i, &refs);
         dbus_message_iter_get_arg_type(&refs) == DBUS_TYPE_STRUCT;) {
        take_app(r, atspi_next_reference(&refs));
    }
}

void atspi_pid_answer(atspi_read *r, int32_t app, DBusMessage *reply)
{
    DBusMessageIter i;
    if (atspi_begin(reply, "u", &i)) {
        r->apps[app].pid = (long) (uint32_t) atspi_next_int(&i);
    }
    if (!r->query->pid) {
        return;
    }
    r->apps[app].skipped = r->apps[app].pid != r->query->pid;
    if (!r->apps[app].skipped) {
        ask_tree(r, app);
    }
}

void atspi_address_answer(atspi_read *r, int32_t app, DBusMessage *reply)
{
    DBusMessageIter i;
    const char *address = "";
    if (atspi_begin(reply, "s", &i)) {
        atspi_next_string(&i, &address);
    }
    r->apps[app].address = base_arena_copy(r->arena, address, strlen(address));
    r->no_memory |= !r->apps[app].address;
}
