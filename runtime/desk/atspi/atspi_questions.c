#include "atspi_questions.h"

#define ACCESSIBLE "org.a11y.atspi.Accessible"
#define ACTION "org.a11y.atspi.Action"
#define TEXT "org.a11y.atspi.Text"
#define VALUE "org.a11y.atspi.Value"

enum { SCREEN_COORDINATES = 0 };

static const struct {
    const char *interface, *method;
    const char *property; /* of which it is a Get */
} questions[] = {
    [ATSPI_ASK_APPS] = {ACCESSIBLE, "GetChildren", NULL},
    [ATSPI_ASK_PID] = {DBUS_INTERFACE_DBUS, "GetConnectionUnixProcessID", NULL},
    [ATSPI_ASK_ITEMS] = {"org.a11y.atspi.Cache", "GetItems", NULL},
    [ATSPI_ASK_CHILDREN] = {ACCESSIBLE, "GetChildren", NULL},
    [ATSPI_ASK_CHILD_COUNT] = {ACCESSIBLE, "Get", "ChildCount"},
    [ATSPI_ASK_PROPERTIES] = {DBUS_INTERFACE_PROPERTIES, "GetAll", NULL},
    [ATSPI_ASK_NAME] = {ACCESSIBLE, "Get", "Name"},
    [ATSPI_ASK_DESCRIPTION] = {ACCESSIBLE, "Get", "Description"},
    [ATSPI_ASK_ROLE] = {ACCESSIBLE, "GetRole", NULL},
    [ATSPI_ASK_STATE] = {ACCESSIBLE, "GetState", NULL},
    [ATSPI_ASK_INTERFACES] = {ACCESSIBLE, "GetInterfaces", NULL},
    [ATSPI_ASK_EXTENTS] = {"org.a11y.atspi.Component", "GetExtents", NULL},
    [ATSPI_ASK_TEXT] = {TEXT, "GetText", NULL},
    [ATSPI_ASK_VALUE] = {VALUE, "Get", "CurrentValue"},
    [ATSPI_ASK_ADDRESS] = {"org.a11y.atspi.Application", "GetApplicationBusAddress", NULL},
    [ATSPI_ASK_MINIMUM] = {VALUE, "Get", "MinimumValue"},
    [ATSPI_ASK_MAXIMUM] = {VALUE, "Get", "MaximumValue"},
    [ATSPI_ASK_STEP] = {VALUE, "Get", "MinimumIncrement"},
    [ATSPI_ASK_CHARACTERS] = {TEXT, "Get", "CharacterCount"},
    [ATSPI_ASK_CARET] = {TEXT, "Get", "CaretOffset"},
    [ATSPI_ASK_SELECTIONS] = {TEXT, "GetNSelections", NULL},
    [ATSPI_ASK_SELECTION] = {TEXT, "GetSelection", NULL},
    [ATSPI_ASK_SELECTED_TEXT] = {TEXT, "GetText", NULL},
    [ATSPI_ASK_ACTION_LIST] = {ACTION, "GetActions", NULL},
    [ATSPI_ASK_ACTION_NAME] = {ACTION, "GetName", NULL},
};

static void address(const atspi_read *r, atspi_question q, const char **bus, const char **path)
{
    const atspi_app *app = &r->apps[q.app];
    /* Over its own socket there is nobody else. */
    *bus = app->connections.c[0] == r->c ? app->bus : NULL;
    *path = app->root;
    if (q.kind == ATSPI_ASK_PID) {
        *bus = DBUS_SERVICE_DBUS;
        *path = DBUS_PATH_DBUS;
    } else if (q.kind == ATSPI_ASK_ITEMS) {
        *path = "/org/a11y/atspi/cache";
    } else if (q.kind != ATSPI_ASK_APPS) {
        *path = r->nodes[q.node].path;
    }
}

static bool append_arguments(const atspi_read *r, atspi_question q, DBusMessage *m)
{
    const char *interface = questions[q.kind].interface, *name = questions[q.kind].property;
    dbus_uint32_t coordinates = SCREEN_COORDINATES;
    dbus_int32_t from = 0, to = DESK_ELEMENTS_MAX_TEXT;
    if (name) {
        return dbus_message_append_args(m, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name,
                                        DBUS_TYPE_INVALID);
    }
    switch (q.kind) {
    case ATSPI_ASK_SELECTED_TEXT:
        from = r->details->from;
        to = r->details->to - from > to ? from + to : r->details->to;
        return dbus_message_append_args(m, DBUS_TYPE_INT32, &from, DBUS_TYPE_INT32, &to,
                                        DBUS_TYPE_INVALID);
    case ATSPI_ASK_ACTION_NAME:
        return dbus_message_append_args(m, DBUS_TYPE_INT32, &q.index, DBUS_TYPE_INVALID);
    case ATSPI_ASK_SELECTION:
        return dbus_message_append_args(m, DBUS_TYPE_INT32, &from, DBUS_TYPE_INVALID);
    case ATSPI_ASK_PID:
        return dbus_message_append_args(m, DBUS_TYPE_STRING, &r->apps[q.node].bus,
                                        DBUS_TYPE_INVALID);
    case ATSPI_ASK_PROPERTIES:
        interface = ACCESSIBLE;
        return dbus_message_append_args(m, DBUS_TYPE_STRING, &interface, DBUS_TYPE_INVALID);
    case ATSPI_ASK_EXTENTS:
        return dbus_message_append_args(m, DBUS_TYPE_UINT32, &coordinates, DBUS_TYPE_INVALID);
    case ATSPI_ASK_TEXT:
        return dbus_message_append_args(m, DBUS_TYPE_INT32, &from, DBUS_TYPE_INT32, &to,
                                        DBUS_TYPE_INVALID);
    default:
        return true;
    }
}

DBusMessage *atspi_question_message(const atspi_read *r, atspi_question q)
{
    const char *bus, *path;
    address(r, q, &bus, &path);
    const char *interface =
        questions[q.kind].property ? DBUS_INTERFACE_PROPERTIES : questions[q.kind].interface;
    DBusMessage *m = dbus_message_new_method_call(bus, path, interface, questions[q.kind].method);
    if (!m || append_arguments(r, q, m)) {
        return m;
    }
    dbus_message_unref(m);
    return NULL;
}
