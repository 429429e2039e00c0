#include "x11_atspi.h"

#include "utf8.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS_SIGNATURE "a((so)(so)(so)iiassusau)"

enum { ROLE_COMBO_BOX = 11, ROLE_LABEL = 29, ROLE_STATIC = 116, NOWHERE = INT32_MIN };

void atspi_queue_question(atspi_read *r, atspi_question question)
{
    atspi_app *app = &r->apps[question.app];
    if (app->queue_count == app->queue_room) {
        size_t room = app->queue_room ? app->queue_room * 2 : 64;
        atspi_question *queue = realloc(app->queue, room * sizeof *queue);
        if (!queue) {
            r->no_memory = true;
            return;
        }
        app->queue = queue;
        app->queue_room = room;
    }
    app->queue[app->queue_count++] = question;
}

void atspi_queue(atspi_read *r, atspi_question_kind kind, int32_t app, int32_t node)
{
    atspi_queue_question(r, (atspi_question){kind, app, node, 0});
}

/* --- texts --------------------------------------------------------------------------------------
 */

const char *atspi_take_name(atspi_read *r, const char *text)
{
    char clean[DESK_ELEMENTS_MAX_NAME];
    desk_utf8_clean(clean, sizeof clean, text, strlen(text));
    if (!*clean)
        return "";
    const char *copy = desk_arena_copy(r->arena, clean, strlen(clean));
    if (!copy)
        r->no_memory = true;
    return copy ? copy : "";
}

/* A text keeps its line breaks and tabs, which the cleaning of a line takes away. */
const char *atspi_take_text(atspi_read *r, const char *text)
{
    enum { ROOM = DESK_ELEMENTS_MAX_TEXT * 4 + 1 };
    char *clean = desk_arena_alloc(r->arena, ROOM);
    if (!clean) {
        r->no_memory = true;
        return NULL;
    }
    size_t used = 0;
    for (;;) {
        size_t part = strcspn(text, "\n\t");
        desk_utf8_clean(clean + used, ROOM - used, text, part);
        used += strlen(clean + used);
        if (!text[part] || used + 2 > ROOM)
            break;
        clean[used++] = text[part];
        clean[used] = 0;
        text += part + 1;
    }
    return clean;
}

/* --- reading messages ---------------------------------------------------------------------------
 */

static void next_string(DBusMessageIter *i, const char **out)
{
    dbus_message_iter_get_basic(i, out);
    dbus_message_iter_next(i);
}

static int32_t next_int(DBusMessageIter *i)
{
    dbus_int32_t value;
    dbus_message_iter_get_basic(i, &value);
    dbus_message_iter_next(i);
    return value;
}

typedef struct {
    const char *bus, *path;
} reference;

static reference next_reference(DBusMessageIter *i)
{
    reference ref;
    DBusMessageIter fields;
    dbus_message_iter_recurse(i, &fields);
    next_string(&fields, &ref.bus);
    next_string(&fields, &ref.path);
    dbus_message_iter_next(i);
    return ref;
}

static unsigned next_interfaces(DBusMessageIter *i)
{
    DBusMessageIter names;
    unsigned found = 0;
    for (dbus_message_iter_recurse(i, &names);
         dbus_message_iter_get_arg_type(&names) == DBUS_TYPE_STRING;) {
        const char *name;
        next_string(&names, &name);
        found |= atspi_interface(name);
    }
    dbus_message_iter_next(i);
    return found;
}

static uint64_t next_states(DBusMessageIter *i)
{
    DBusMessageIter words;
    uint32_t both[2] = {0, 0};
    dbus_message_iter_recurse(i, &words);
    for (int n = 0; n < 2 && dbus_message_iter_get_arg_type(&words) == DBUS_TYPE_UINT32; n++)
        both[n] = (uint32_t) next_int(&words);
    dbus_message_iter_next(i);
    return atspi_states(both[0], both[1]);
}

bool atspi_begin(DBusMessage *reply, const char *signature, DBusMessageIter *i)
{
    return reply && dbus_message_has_signature(reply, signature) &&
           dbus_message_iter_init(reply, i);
}

bool atspi_property(DBusMessage *reply, int type, void *out)
{
    DBusMessageIter i, value;
    if (!atspi_begin(reply, "v", &i))
        return false;
    dbus_message_iter_recurse(&i, &value);
    if (dbus_message_iter_get_arg_type(&value) != type)
        return false;
    dbus_message_iter_get_basic(&value, out);
    return true;
}

/* --- what follows from what ----------------------------------------------------------------------
 */

/* Whether its text may tell more than its name and its children do. Browsers give everything a
 * text, of a container that of what it contains. */
static bool tells_text(const atspi_node *node)
{
    if (!(node->interfaces & ATSPI_HAS_TEXT))
        return false;
    if (node->states >> DESK_STATE_EDITABLE & 1 || atspi_role_holds_text(node->role))
        return true;
    return node->child_count == 0 && !*node->name;
}

/* Every question costs the application's time, so none is asked whose answer is known: what is not
 * showing has no place, and that it can be acted on is in the cache. */
static void ask_fields(atspi_read *r, int32_t index)
{
    atspi_node *node = &r->nodes[index];
    if (node->asked_fields)
        return;
    node->asked_fields = true;
    bool showing = node->states >> DESK_STATE_SHOWING & 1;
    if (node->interfaces & ATSPI_HAS_COMPONENT && showing)
        atspi_queue(r, ATSPI_ASK_EXTENTS, node->app, index);
    if (r->query->bare)
        return;
    if (tells_text(node))
        atspi_queue(r, ATSPI_ASK_TEXT, node->app, index);
    else if (node->role == ROLE_LABEL || node->role == ROLE_STATIC)
        node->text = *node->name ? node->name : NULL;
    if (node->interfaces & ATSPI_HAS_VALUE)
        atspi_queue(r, ATSPI_ASK_VALUE, node->app, index);
    if (node->interfaces & ATSPI_HAS_ACTION) {
        node->actions = 1;
        if (showing)
            atspi_queue(r, ATSPI_ASK_ACTIONS, node->app, index);
    }
}

static void ask_children(atspi_read *r, int32_t index)
{
    atspi_node *node = &r->nodes[index];
    if (node->child_count > ATSPI_MAX_CHILDREN) {
        r->truncated = true;
        return;
    }
    if (node->asked_children)
        return;
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

static void identity_answered(atspi_read *r, int32_t index)
{
    atspi_node *node = &r->nodes[index];
    if (--node->unanswered > 0)
        return;
    if (r->details) {
        ask_fields(r, index);
        atspi_ask_details(r, index);
        return;
    }
    if (!atspi_node_wanted(r, node) && !atspi_is_root(r, index))
        return;
    ask_fields(r, index);
    if (node->child_count != 0)
        ask_children(r, index);
}

/* --- applications -------------------------------------------------------------------------------
 */

static bool was_slow(const atspi_read *r, const char *bus)
{
    for (size_t i = 0; i < r->slow->count; i++) {
        if (strcmp(r->slow->names[i], bus) == 0)
            return true;
    }
    return false;
}

static bool app_known(const atspi_read *r, const char *bus)
{
    for (int32_t i = 1; i < r->app_count; i++) {
        if (strcmp(r->apps[i].bus, bus) == 0)
            return true;
    }
    return false;
}

static void ask_tree(atspi_read *r, int32_t app)
{
    atspi_queue(r, ATSPI_ASK_ITEMS, app, 0);
    if (!r->apps[app].tried &&
        r->apps[app].root_node >= 0) /* for the next read; this one's questions are on their way */
        atspi_queue(r, ATSPI_ASK_ADDRESS, app, r->apps[app].root_node);
}

static int32_t add_app(atspi_read *r, const char *bus, const char *root, DBusConnection *c)
{
    if (r->app_count > DESK_ELEMENTS_MAX_APPS) {
        r->truncated = true;
        return -1;
    }
    int32_t index = r->app_count;
    const char *copy = desk_arena_copy(r->arena, bus, strlen(bus));
    if (!copy) {
        r->no_memory = true;
        return -1;
    }
    r->apps[index] = (atspi_app){.bus = copy, .c = c, .slow = was_slow(r, bus), .root_node = -1};
    r->app_count++;
    r->apps[index].root_node = atspi_node_add(r, index, root);
    return index;
}

void atspi_add_peer(atspi_read *r, const atspi_peer *peer)
{
    int32_t index = add_app(r, peer->bus, peer->root, peer->c);
    if (index < 0)
        return;
    r->apps[index].tried = true;
    r->apps[index].pid = peer->pid;
    r->apps[index].skipped = r->query->pid && peer->pid != r->query->pid;
    if (!r->apps[index].skipped)
        ask_tree(r, index);
}

static void take_app(atspi_read *r, reference root)
{
    if (root.bus[0] != ':')
        return;
    atspi_peer *peer = atspi_peer_find(r->peers, root.bus);
    if (peer)
        peer->seen = true;
    if (app_known(r, root.bus))
        return;
    int32_t index = add_app(r, root.bus, root.path, r->c);
    if (index < 0)
        return;
    r->apps[index].tried = peer != NULL;
    atspi_queue(r, ATSPI_ASK_PID, 0, index);
    if (!r->query->pid)
        ask_tree(r, index);
}

static void apps_answer(atspi_read *r, DBusMessage *reply)
{
    DBusMessageIter i, refs;
    if (!atspi_begin(reply, "a(so)", &i)) {
        r->no_apps = true;
        return;
    }
    for (dbus_message_iter_recurse(&i, &refs);
         dbus_message_iter_get_arg_type(&refs) == DBUS_TYPE_STRUCT;)
        take_app(r, next_reference(&refs));
}

static void pid_answer(atspi_read *r, int32_t app, DBusMessage *reply)
{
    DBusMessageIter i;
    if (atspi_begin(reply, "u", &i))
        r->apps[app].pid = (long) (uint32_t) next_int(&i);
    if (!r->query->pid)
        return;
    r->apps[app].skipped = r->apps[app].pid != r->query->pid;
    if (!r->apps[app].skipped)
        ask_tree(r, app);
}

static void address_answer(atspi_read *r, int32_t app, DBusMessage *reply)
{
    DBusMessageIter i;
    const char *address = "";
    if (atspi_begin(reply, "s", &i))
        next_string(&i, &address);
    r->apps[app].address = desk_arena_copy(r->arena, address, strlen(address));
    r->no_memory |= !r->apps[app].address;
}

/* Over its own socket an application may leave out its name on the bus. */
static bool is_own(const atspi_read *r, int32_t app, reference ref)
{
    return strcmp(ref.bus, r->apps[app].bus) == 0 || !*ref.bus;
}

/* --- the cache ----------------------------------------------------------------------------------
 */

static void take_item(atspi_read *r, int32_t app, DBusMessageIter *item)
{
    DBusMessageIter i;
    dbus_message_iter_recurse(item, &i);
    reference self = next_reference(&i);
    next_reference(&i); /* the application */
    reference parent = next_reference(&i);
    if (!is_own(r, app, self))
        return;
    int32_t index = atspi_node_find(r, app, self.path);
    if (index < 0)
        index = atspi_node_add(r, app, self.path);
    if (index < 0)
        return;
    atspi_node *node = &r->nodes[index];
    node->known = node->answered = true;
    node->parent_path = desk_arena_copy(r->arena, parent.path, strlen(parent.path));
    node->order = next_int(&i);
    node->child_count = next_int(&i);
    node->interfaces = next_interfaces(&i);
    const char *text;
    next_string(&i, &text);
    node->name = atspi_take_name(r, text);
    node->role = (uint32_t) next_int(&i);
    next_string(&i, &text);
    node->description = atspi_take_name(r, text);
    node->states = next_states(&i);
}

static void resolve_parents(atspi_read *r, int32_t app, int32_t first)
{
    for (int32_t index = first; index < r->node_count; index++) {
        atspi_node *node = &r->nodes[index];
        if (node->app != app || !node->parent_path || atspi_is_root(r, index))
            continue;
        node->parent = atspi_node_find(r, app, node->parent_path);
        if (node->parent >= 0)
            r->nodes[node->parent].listed++;
    }
}

/* Asks for what the cache does not tell of one of its items. */
static void complete(atspi_read *r, int32_t index)
{
    const atspi_node *node = &r->nodes[index];
    if (!atspi_node_wanted(r, node) && !atspi_is_root(r, index))
        return;
    ask_fields(r, index);
    if (node->child_count < 0) /* not in the cache, and there may be very many */
        atspi_queue(r, ATSPI_ASK_CHILD_COUNT, node->app, index);
    else if (node->child_count != node->listed)
        ask_children(r, index);
}

static void items_answer(atspi_read *r, int32_t app, DBusMessage *reply)
{
    DBusMessageIter i, items;
    int32_t root = r->apps[app].root_node, first = root;
    if (root < 0)
        return;
    if (atspi_begin(reply, ITEMS_SIGNATURE, &i)) {
        for (dbus_message_iter_recurse(&i, &items);
             dbus_message_iter_get_arg_type(&items) == DBUS_TYPE_STRUCT;
             dbus_message_iter_next(&items))
            take_item(r, app, &items);
        resolve_parents(r, app, first);
        for (int32_t index = first, end = r->node_count; index < end; index++) {
            if (r->nodes[index].app == app && r->nodes[index].known)
                complete(r, index);
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
    if (r->nodes[parent].listed == 0)
        return;
    for (int32_t i = 0; i < r->node_count; i++) {
        if (r->nodes[i].parent == parent)
            r->nodes[i].parent = -1;
    }
}

static void take_child(atspi_read *r, int32_t parent, reference ref, int32_t order)
{
    int32_t app = r->nodes[parent].app;
    if (!is_own(r, app, ref))
        return;
    int32_t child = atspi_node_find(r, app, ref.path);
    if (child < 0)
        child = atspi_node_add(r, app, ref.path);
    if (child < 0 || child == parent || atspi_is_root(r, child))
        return;
    /* An open list of a combo box is also in a window of its own. */
    int32_t before = r->nodes[child].parent;
    if (before < 0 || before == parent || r->nodes[before].role != ROLE_COMBO_BOX) {
        r->nodes[child].parent = parent;
        r->nodes[child].order = order;
    }
    if (!r->nodes[child].known)
        atspi_ask_identity(r, child);
}

static void children_answer(atspi_read *r, int32_t parent, DBusMessage *reply)
{
    DBusMessageIter i, refs;
    if (!atspi_begin(reply, "a(so)", &i))
        return;
    detach_children(r, parent);
    int32_t order = 0;
    for (dbus_message_iter_recurse(&i, &refs);
         dbus_message_iter_get_arg_type(&refs) == DBUS_TYPE_STRUCT;) {
        if (order == ATSPI_MAX_CHILDREN) {
            r->truncated = true;
            return;
        }
        take_child(r, parent, next_reference(&refs), order++);
    }
}

static void child_count_answer(atspi_read *r, int32_t index, DBusMessage *reply)
{
    atspi_node *node = &r->nodes[index];
    dbus_int32_t count;
    bool came = atspi_property(reply, DBUS_TYPE_INT32, &count);
    if (came)
        node->child_count = count;
    if (node->unanswered > 0)
        identity_answered(r, index);
    else if (came && count > 0)
        ask_children(r, index);
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
static void properties_answer(atspi_read *r, int32_t index, DBusMessage *reply)
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
            next_string(&entry, &name);
            dbus_message_iter_recurse(&entry, &value);
            take_property(r, node, name, &value);
        }
    } else {
        for (size_t k = 0; k < sizeof single / sizeof single[0]; k++) {
            node->unanswered++;
            atspi_queue(r, single[k], node->app, index);
        }
    }
    identity_answered(r, index);
}

static void identity_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    atspi_node *node = &r->nodes[question.node];
    DBusMessageIter i;
    const char *text;
    node->answered |= reply != NULL;
    if (question.kind == ATSPI_ASK_ROLE && atspi_begin(reply, "u", &i))
        node->role = (uint32_t) next_int(&i);
    else if (question.kind == ATSPI_ASK_STATE && atspi_begin(reply, "au", &i))
        node->states = next_states(&i);
    else if (question.kind == ATSPI_ASK_INTERFACES && atspi_begin(reply, "as", &i))
        node->interfaces = next_interfaces(&i);
    else if (question.kind == ATSPI_ASK_NAME && atspi_property(reply, DBUS_TYPE_STRING, &text))
        node->name = atspi_take_name(r, text);
    else if (question.kind == ATSPI_ASK_DESCRIPTION &&
             atspi_property(reply, DBUS_TYPE_STRING, &text))
        node->description = atspi_take_name(r, text);
    identity_answered(r, question.node);
}

static void extents_answer(atspi_node *node, DBusMessage *reply)
{
    DBusMessageIter i, fields;
    if (!atspi_begin(reply, "(iiii)", &i))
        return;
    dbus_message_iter_recurse(&i, &fields);
    desk_rect rect;
    rect.x = next_int(&fields);
    rect.y = next_int(&fields);
    rect.width = next_int(&fields);
    rect.height = next_int(&fields);
    /* What is not on the screen says so by an impossible place or no size. */
    if (rect.x == NOWHERE || rect.y == NOWHERE || rect.width <= 0 || rect.height <= 0 ||
        rect.width > DESK_IMAGE_MAX_SIDE || rect.height > DESK_IMAGE_MAX_SIDE ||
        abs(rect.x) > DESK_IMAGE_MAX_SIDE || abs(rect.y) > DESK_IMAGE_MAX_SIDE)
        return;
    node->rect = rect;
    node->has_rect = true;
}

static void field_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    atspi_node *node = &r->nodes[question.node];
    DBusMessageIter i;
    const char *text;
    dbus_int32_t count;
    if (question.kind == ATSPI_ASK_EXTENTS) {
        extents_answer(node, reply);
    } else if (question.kind == ATSPI_ASK_TEXT && atspi_begin(reply, "s", &i)) {
        next_string(&i, &text);
        node->text = atspi_take_text(r, text);
    } else if (question.kind == ATSPI_ASK_VALUE) {
        node->has_value = atspi_property(reply, DBUS_TYPE_DOUBLE, &node->value);
    } else if (question.kind == ATSPI_ASK_ACTIONS &&
               atspi_property(reply, DBUS_TYPE_INT32, &count)) {
        node->actions = count < 0 ? 0 : count > 100 ? 100 : count;
    }
}

void atspi_answer(atspi_read *r, atspi_question question, DBusMessage *reply)
{
    switch (question.kind) {
    case ATSPI_ASK_APPS:
        apps_answer(r, reply);
        break;
    case ATSPI_ASK_PID:
        pid_answer(r, question.node, reply);
        break;
    case ATSPI_ASK_ITEMS:
        items_answer(r, question.app, reply);
        break;
    case ATSPI_ASK_CHILDREN:
        children_answer(r, question.node, reply);
        break;
    case ATSPI_ASK_CHILD_COUNT:
        child_count_answer(r, question.node, reply);
        break;
    case ATSPI_ASK_PROPERTIES:
        properties_answer(r, question.node, reply);
        break;
    case ATSPI_ASK_NAME:
    case ATSPI_ASK_DESCRIPTION:
    case ATSPI_ASK_ROLE:
    case ATSPI_ASK_STATE:
    case ATSPI_ASK_INTERFACES:
        identity_answer(r, question, reply);
        break;
    case ATSPI_ASK_EXTENTS:
    case ATSPI_ASK_TEXT:
    case ATSPI_ASK_VALUE:
    case ATSPI_ASK_ACTIONS:
        field_answer(r, question, reply);
        break;
    case ATSPI_ASK_ADDRESS:
        address_answer(r, question.app, reply);
        break;
    default:
        atspi_details_answer(r, question, reply);
        break;
    }
}
