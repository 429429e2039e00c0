/* Asking and acting on one element, over the accessibility bus. */
#include "atspi_act.h"

#include "atspi_bus.h"
#include "atspi_message.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool no_handle(base_error *err)
{
    return base_fail(err, BASE_INVALID, "this is not an element's handle");
}

enum { MAX_ACTIONS = 20 };

bool atspi_target_open(atspi_target *t, DBusConnection *c, const char *handle, uint64_t deadline,
                       base_error *err)
{
    /* A handle is a bus name and an object path, which begins with the first slash. */
    const char *path = strchr(handle, '/');
    size_t length = path ? (size_t) (path - handle) : 0;
    if (length == 0 || length >= sizeof t->bus) {
        return no_handle(err);
    }
    *t = (atspi_target){.c = c, .path = path, .deadline = deadline, .err = err};
    memcpy(t->bus, handle, length);
    return (dbus_validate_bus_name(t->bus, NULL) && dbus_validate_path(path, NULL)) ||
           no_handle(err);
}

DBusMessage *atspi_call(const atspi_target *t, const char *interface, const char *method)
{
    char full[64];
    snprintf(full, sizeof full, "org.a11y.atspi.%s", interface);
    DBusMessage *call = dbus_message_new_method_call(t->bus, t->path, full, method);
    if (!call) {
        base_fail(t->err, BASE_NO_MEMORY, "not enough memory to ask an application");
    }
    return call;
}

static bool is_one_of(const char *name, const char *const list[])
{
    for (; *list; list++) {
        if (strcmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

static bool explain(DBusMessage *reply, const char *what, base_error *err)
{
    static const char *const ended[] = {DBUS_ERROR_SERVICE_UNKNOWN, DBUS_ERROR_NAME_HAS_NO_OWNER,
                                        DBUS_ERROR_NO_REPLY, NULL};
    static const char *const cannot[] = {DBUS_ERROR_UNKNOWN_METHOD, DBUS_ERROR_UNKNOWN_INTERFACE,
                                         DBUS_ERROR_UNKNOWN_PROPERTY, DBUS_ERROR_PROPERTY_READ_ONLY,
                                         NULL};
    const char *name = dbus_message_get_error_name(reply);
    if (is_one_of(name, ended)) {
        return base_fail(err, BASE_NOT_FOUND, "the element's application has ended");
    }
    if (strcmp(name, DBUS_ERROR_UNKNOWN_OBJECT) == 0) {
        return base_fail(err, BASE_NOT_FOUND, "the element is gone");
    }
    if (is_one_of(name, cannot)) {
        return base_fail(err, BASE_UNSUPPORTED, "the element is gone or cannot %s", what);
    }
    return base_fail(err, BASE_REFUSED, "the application refused to %s (%.120s)", what, name);
}

DBusMessage *atspi_target_ask(const atspi_target *t, DBusMessage *call, const char *what)
{
    DBusMessage *reply = call ? atspi_ask(t->c, call, t->deadline, NULL, t->err) : NULL;
    if (!reply || dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_ERROR) {
        return reply;
    }
    explain(reply, what, t->err);
    dbus_message_unref(reply);
    return NULL;
}

bool atspi_target_do(const atspi_target *t, DBusMessage *call, const char *what)
{
    DBusMessage *reply = atspi_target_ask(t, call, what);
    if (!reply) {
        return false;
    }
    dbus_bool_t done = FALSE;
    bool understood =
        dbus_message_get_args(reply, NULL, DBUS_TYPE_BOOLEAN, &done, DBUS_TYPE_INVALID);
    dbus_message_unref(reply);
    if (!understood) {
        return base_fail(t->err, BASE_BAD_PROTOCOL, "the application's answer was not understood");
    }
    return done || base_fail(t->err, BASE_REFUSED, "the application refused to %s", what);
}

/* --- actions ------------------------------------------------------------------------------------
 */

static bool do_action(const atspi_target *t, int index)
{
    DBusMessage *call = atspi_call(t, "Action", "DoAction");
    dbus_int32_t number = index;
    if (call) {
        dbus_message_append_args(call, DBUS_TYPE_INT32, &number, DBUS_TYPE_INVALID);
    }
    return atspi_target_do(t, call, "do that");
}

/* Whether the action of that index has one of the names (a list that ends with NULL): the one that
 * does not change, or the one for people, in the reply of GetActions. Its place in the list, or -1.
 */
static int name_of_action(const atspi_target *t, dbus_int32_t index, const char *title,
                          const char *const names[])
{
    const char *name = "";
    base_error ignored;
    atspi_target quiet = *t;
    quiet.err = &ignored;
    DBusMessage *call = atspi_call(&quiet, "Action", "GetName");
    if (call) {
        dbus_message_append_args(call, DBUS_TYPE_INT32, &index, DBUS_TYPE_INVALID);
    }
    DBusMessage *reply = atspi_target_ask(&quiet, call, "name its actions");
    if (reply) {
        dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
    }
    int found = -1;
    for (int i = 0; found < 0 && names[i]; i++) {
        if (strcasecmp(names[i], name) == 0 || strcasecmp(names[i], title) == 0) {
            found = i;
        }
    }
    if (reply) {
        dbus_message_unref(reply);
    }
    return found;
}

/* The index of the action with the earliest of the names; -1 where it has none of them, -2 with the
 * target's error where it cannot be asked. */
static int find_action(const atspi_target *t, const char *const names[])
{
    DBusMessageIter i, actions, fields;
    DBusMessage *reply = atspi_target_ask(t, atspi_call(t, "Action", "GetActions"), "do anything");
    if (!reply) {
        return -2;
    }
    int best = -1, best_name = INT32_MAX;
    if (atspi_begin(reply, "a(sss)", &i)) {
        dbus_message_iter_recurse(&i, &actions);
        for (int index = 0; best_name > 0 && index < MAX_ACTIONS &&
                            dbus_message_iter_get_arg_type(&actions) == DBUS_TYPE_STRUCT;
             index++) {
            const char *title;
            dbus_message_iter_recurse(&actions, &fields);
            dbus_message_iter_get_basic(&fields, &title);
            int name = name_of_action(t, index, title, names);
            if (name >= 0 && name < best_name) {
                best = index;
                best_name = name;
            }
            dbus_message_iter_next(&actions);
        }
    }
    dbus_message_unref(reply);
    return best;
}

bool atspi_target_act(const atspi_target *t, const char *action, int index)
{
    const char *const names[] = {action, NULL};
    if (!action) {
        return do_action(t, index);
    }
    index = find_action(t, names);
    if (index == -1) {
        return base_fail(t->err, BASE_NOT_FOUND, "the element has no action \"%.60s\"", action);
    }
    return index >= 0 && do_action(t, index);
}

bool atspi_target_act_any(const atspi_target *t, const char *const names[])
{
    int index = find_action(t, names);
    return index != -2 && do_action(t, index < 0 ? 0 : index);
}
