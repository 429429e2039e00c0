/* Which elements there are and what is below what: from the cache, repaired by questions. */
#include "atspi_trees.h"

#include "atspi_answers.h"
#include "atspi_message.h"
#include "atspi_nodes.h"
#include "atspi_queue.h"

#include <string.h>

#define ITEMS_SIGNATURE "a((so)(so)(so)iiassusau)"

enum { ROLE_COMBO_BOX = 11, ROLE_MENU = 33 };

/* Over its own socket an application may leave out its name on the bus. */
static bool is_own(const atspi_read *r, int32_t app, atspi_reference ref)
{
    return strcmp(ref.bus, r->apps[app].bus) == 0 || !*ref.bus;
}

/* --- the cache ----------------------------------------------------------------------------------
 */

static void take_item(atspi_read *r, int32_t app, DBusMessageIter *item)
{
    DBusMessageIter i;
    dbus_message_iter_recurse(item, &i);
    atspi_reference self = atspi_next_reference(&i);
    atspi_next_reference(&i); /* the application */
    atspi_reference parent = atspi_next_reference(&i);
    if (!is_own(r, app, self)) {
        return;
    }
    int32_t index = atspi_node_find(r, app, self.path);
    if (index < 0) {
        index = atspi_node_add(r, app, self.path);
    }
    if (index < 0) {
        return;
    }
    atspi_node *node = &r->nodes[index];
    node->known = node->answered = true;
    node->parent_path = base_arena_copy(r->arena, parent.path, strlen(parent.path));
    node->order = atspi_next_int(&i);
    node->child_count = atspi_next_int(&i);
    node->interfaces = atspi_next_interfaces(&i);
    const char *text;
    atspi_next_string(&i, &text);
    node->name = atspi_take_name(r, text);
    node->role = (uint32_t) atspi_next_int(&i);
    atspi_next_string(&i, &text);
    node->description = atspi_take_name(r, text);
    node->states = atspi_next_states(&i);
    if (atspi_node_wanted(r, node)) { /* it answers while the next item is read */
        atspi_ask_fields(r, index);
        atspi_queue_send(r);
    }
}

static void resolve_parents(atspi_read *r, int32_t app, int32_t first)
{
    for (int32_t index = first; index < r->node_count; index++) {
        atspi_node *node = &r->nodes[index];
        if (node->app != app || !node->parent_path || atspi_is_root(r, index)) {
            continue;
        }
        node->parent = atspi_node_find(r, app, node->parent_path);
        if (node->parent >= 0) {
            r->nodes[node->parent].listed++;
        }
    }
}

/* A menu's title can be selected, and is selected while the menu is open (GTK 3:
 * gtk/a11y/gtkmenuitemaccessible.c). Nothing that is in a closed one is showing. */
static bool is_closed_menu(const atspi_node *node)
{
    return node->role == ROLE_MENU && (node->states >> DESK_STATE_SELECTABLE & 1) &&
           !(node->states >> DESK_STATE_SELECTED & 1);
}

/* Asks for what the cache does not tell of one of its items. */
static void complete(atspi_read *r, int32_t index)
{
    const atspi_node *node = &r->nodes[index];
    if (!atspi_node_wanted(r, node) && !atspi_is_root(r, index)) {
        return;
    }
    atspi_ask_fields(r, index);
    if (!r->query->all && is_closed_menu(node)) {
        return;
    }
    if (node->child_count < 0 && node->role != ROLE_MENU) {
        /* Not in the cache, and there may be very many; but not in a menu. */
        atspi_queue(r, ATSPI_ASK_CHILD_COUNT, node->app, index);
    } else if (node->child_count != node->listed) {
        atspi_ask_children(r, index);
    }
}

void atspi_items_answer(atspi_read *r, int32_t app, DBusMessage *reply)
{
    DBusMessageIter i, items;
    int32_t root = r->apps[app].root_node, first = root;
    if (root < 0) {
        return;
    }
    if (atspi_begin(reply, ITEMS_SIGNATURE, &i)) {
        for (dbus_message_iter_recurse(&i, &items);
             dbus_message_iter_get_arg_type(&items) == DBUS_TYPE_STRUCT;
             dbus_message_iter_next(&items)) {
            take_item(r, app, &items);
        }
        resolve_parents(r, app, first);
        for (int32_t index = first, end = r->node_count; index < end; index++) {
            if (r->nodes[index].app == app && r->nodes[index].known) {
                complete(r, index);
            }
        }
    }
    if (!r->nodes[root].known) {
        r->nodes[root].child_count = -1;
        atspi_ask_identity(r, root);
    }
}

/* --- children -----------------------------------------------------------------------------------
 */

/* What the cache said of this parent's children is replaced by what the parent says. */
static void detach_children(atspi_read *r, int32_t parent)
{
    if (r->nodes[parent].listed == 0) {
        return;
    }
    for (int32_t i = 0; i < r->node_count; i++) {
        if (r->nodes[i].parent == parent) {
            r->nodes[i].parent = -1;
        }
    }
}

static void take_child(atspi_read *r, int32_t parent, atspi_reference ref, int32_t order)
{
    int32_t app = r->nodes[parent].app;
    if (!is_own(r, app, ref)) {
        return;
    }
    int32_t child = atspi_node_find(r, app, ref.path);
    if (child < 0) {
        child = atspi_node_add(r, app, ref.path);
    }
    if (child < 0 || child == parent || atspi_is_root(r, child)) {
        return;
    }
    /* An open list of a combo box is also in a window of its own. */
    int32_t before = r->nodes[child].parent;
    if (before < 0 || before == parent || r->nodes[before].role != ROLE_COMBO_BOX) {
        r->nodes[child].parent = parent;
        r->nodes[child].order = order;
    }
    if (!r->nodes[child].known) {
        atspi_ask_identity(r, child);
    }
}

void atspi_children_answer(atspi_read *r, int32_t parent, DBusMessage *reply)
{
    DBusMessageIter i, refs;
    if (!atspi_begin(reply, "a(so)", &i)) {
        return;
    }
    detach_children(r, parent);
    int32_t order = 0;
    for (dbus_message_iter_recurse(&i, &refs);
         dbus_message_iter_get_arg_type(&refs) == DBUS_TYPE_STRUCT;) {
        if (order == ATSPI_MAX_CHILDREN) {
            atspi_cut(r, r->nodes[parent].app,
                      "has an element with more than 1000 parts, of which "
                      "the first 1000 were read");
            return;
        }
        take_child(r, parent, atspi_next_reference(&refs), order++);
    }
}

void atspi_child_count_answer(atspi_read *r, int32_t index, DBusMessage *reply)
{
    atspi_node *node = &r->nodes[index];
    dbus_int32_t count;
    bool came = atspi_property(reply, DBUS_TYPE_INT32, &count);
    if (came) {
        node->child_count = count;
    }
    if (node->unanswered > 0) {
        atspi_identity_answered(r, index);
    } else if (came && count > 0) {
        atspi_ask_children(r, index);
    }
}
