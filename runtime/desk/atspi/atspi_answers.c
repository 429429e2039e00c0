/* What one element says of itself, and which questions follow from which answers. */
#include "atspi_answers.h"

#include "atspi_details.h"
#include "atspi_message.h"
#include "atspi_nodes.h"
#include "atspi_queue.h"
#include "atspi_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROLE_LABEL = 29, ROLE_STATIC = 116, NOWHERE = INT32_MIN };

/* Whether its text may tell more than its name and its children do. Browsers give everything a
 * text, of a container that of what it contains. */
static bool tells_text(const atspi_node *node)
{
    if (!(node->interfaces & ATSPI_HAS_TEXT)) {
        return false;
    }
    if (node->states >> DESK_STATE_EDITABLE & 1 || atspi_role_holds_text(node->role)) {
        return true;
    }
    return node->child_count == 0 && !*node->name;
}

/* Every question costs the application's time, so none is asked whose answer is known: what is not
 * showing has no place, and that it can be acted on is in the cache. */
void atspi_ask_fields(atspi_read *r, int32_t index)
{
    atspi_node *node = &r->nodes[index];
    if (node->asked_fields) {
        return;
    }
    node->asked_fields = true;
    bool showing = node->states >> DESK_STATE_SHOWING & 1;
    if (node->interfaces & ATSPI_HAS_COMPONENT && showing && !node->asked_place) {
        atspi_queue(r, ATSPI_ASK_EXTENTS, node->app, index);
    }
    if (r->query->bare) {
        return;
    }
    if (tells_text(node)) {
        atspi_queue(r, ATSPI_ASK_TEXT, node->app, index);
    } else if (node->role == ROLE_LABEL || node->role == ROLE_STATIC) {
        node->text = *node->name ? node->name : NULL;
    }
    if (node->interfaces & ATSPI_HAS_VALUE) {
        atspi_queue(r, ATSPI_ASK_VALUE, node->app, index);
    }
    node->actions = node->interfaces & ATSPI_HAS_ACTION ? 1 : 0;
}

void atspi_ask_children(atspi_read *r, int32_t index)
{
    atspi_node *node = &r->nodes[index];
    if (node->child_count > ATSPI_MAX_CHILDREN) {
        atspi_cut(r, node->app, "has an element with more than 1000 parts, which were left out");
        return;
    }
    if (node->asked_children) {
        return;
    }
    node->asked_children = true;
    atspi_queue(r, ATSPI_ASK_CHILDREN, node->app, index);
}

void atspi_ask_identity(atspi_read *r, int32_t index)
{
    static const atspi_question_kind kinds[] = {ATSPI_ASK_PROPERTIES, ATSPI_ASK_ROLE,
                                                ATSPI_ASK_STATE, ATSPI_ASK_INTERFACES};
    r->nodes[index].known = true;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        r->nodes[index].unanswered++;
        atspi_queue(r, kinds[i], r->nodes[index].app, index);
    }
}

void atspi_identity_answered(atspi_read *r, int32_t index)
{
    atspi_node *node = &r->nodes[index];
    if (--node->unanswered > 0) {
        return;
    }
    if (r->details) {
        atspi_ask_fields(r, index);
        atspi_ask_details(r, index);
        return;
    }
    if (!atspi_node_wanted(r, node) && !atspi_is_root(r, index)) {
        return;
    }
    atspi_ask_fields(r, index);
    if (node->child_count != 0) {
        atspi_ask_children(r, index);
    }
}

/* --- one element --------------------------------------------------------------------------------
 */

static void take_property(atspi_read *r, atspi_node *node, const char *name, DBusMessageIter *value)
{
    int type = dbus_message_iter_get_arg_type(value);
    const char *text;
    dbus_int32_t count;
    if (type == DBUS_TYPE_STRING && strcmp(name, "Name") == 0) {
        dbus_message_iter_get_basic(value, &text);
        node->name = atspi_take_name(r, text);
    } else if (type == DBUS_TYPE_STRING && strcmp(name, "Description") == 0) {
        dbus_message_iter_get_basic(value, &text);
        node->description = atspi_take_name(r, text);
    } else if (type == DBUS_TYPE_INT32 && strcmp(name, "ChildCount") == 0) {
        dbus_message_iter_get_basic(value, &count);
        node->child_count = count;
    }
}

/* Not every toolkit gives all properties together: then they are asked for one by one. */
void atspi_properties_answer(atspi_read *r, int32_t index, DBusMessage *reply)
{
    static const atspi_question_kind single[] = {ATSPI_ASK_NAME, ATSPI_ASK_DESCRIPTION,
                                                 ATSPI_ASK_CHILD_COUNT};
    DBusMessageIter i, entries, entry, value;
    atspi_node *node = &r->nodes[index];
    if (atspi_begin(reply, "a{sv}", &i)) {
        for (dbus_message_iter_recurse(&i, &entries);
             dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY;
             dbus_message_iter_next(&entries)) {
            const char *name;
            dbus_message_iter_recurse(&entries, &entry);
            atspi_next_string(&entry, &name);
            dbus_message_iter_recurse(&entry, &value);
            take_property(r, node, name, &value);
        }
    } else {
        for (size_t k = 0; k < sizeof single / sizeof single[0]; k++) {
            node->unanswered++;
            atspi_queue(r, single[k], node->app, index);
        }
    }
    atspi_identity_answered(r, index);
}

void atspi_identity_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    atspi_node *node = &r->nodes[question.node];
    DBusMessageIter i;
    const char *text;
    node->answered |= reply != NULL;
    if (question.kind == ATSPI_ASK_ROLE && atspi_begin(reply, "u", &i)) {
        node->role = (uint32_t) atspi_next_int(&i);
    } else if (question.kind == ATSPI_ASK_STATE && atspi_begin(reply, "au", &i)) {
        node->states = atspi_next_states(&i);
    } else if (question.kind == ATSPI_ASK_INTERFACES && atspi_begin(reply, "as", &i)) {
        node->interfaces = atspi_next_interfaces(&i);
    } else if (question.kind == ATSPI_ASK_NAME && atspi_property(reply, DBUS_TYPE_STRING, &text)) {
        node->name = atspi_take_name(r, text);
    } else if (question.kind == ATSPI_ASK_DESCRIPTION &&
               atspi_property(reply, DBUS_TYPE_STRING, &text)) {
        node->description = atspi_take_name(r, text);
    }
    atspi_identity_answered(r, question.node);
}

static void extents_answer(atspi_node *node, DBusMessage *reply)
{
    DBusMessageIter i, fields;
    if (!atspi_begin(reply, "(iiii)", &i)) {
        return;
    }
    dbus_message_iter_recurse(&i, &fields);
    image_rect rect;
    rect.x = atspi_next_int(&fields);
    rect.y = atspi_next_int(&fields);
    rect.width = atspi_next_int(&fields);
    rect.height = atspi_next_int(&fields);
    /* What is not on the screen says so by an impossible place or no size. */
    if (rect.x == NOWHERE || rect.y == NOWHERE || rect.width <= 0 || rect.height <= 0 ||
        rect.width > IMAGE_MAX_SIDE || rect.height > IMAGE_MAX_SIDE ||
        abs(rect.x) > IMAGE_MAX_SIDE || abs(rect.y) > IMAGE_MAX_SIDE) {
        return;
    }
    node->rect = rect;
    node->has_rect = true;
}

void atspi_field_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    atspi_node *node = &r->nodes[question.node];
    DBusMessageIter i;
    const char *text;
    if (question.kind == ATSPI_ASK_EXTENTS) {
        extents_answer(node, reply);
    } else if (question.kind == ATSPI_ASK_TEXT && atspi_begin(reply, "s", &i)) {
        atspi_next_string(&i, &text);
        node->text = atspi_take_text(r, text);
    } else if (question.kind == ATSPI_ASK_VALUE) {
        node->has_value =
            atspi_property(reply, DBUS_TYPE_DOUBLE, &node->value) && isfinite(node->value);
    }
}
