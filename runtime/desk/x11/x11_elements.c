/* The element reader of X11 desktops: AT-SPI over D-Bus. See x11_atspi.h for how it reads. */
#include "x11_atspi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uv.h>

#define CONNECT_NS (3 * (uint64_t) 1000000000)

typedef struct {
    desk_elements base;
    char *session; /* address of the session bus, NULL for the environment's */
    uv_mutex_t lock;
    DBusConnection *c; /* NULL until first needed, and after it was lost */
    atspi_slow slow;
} x11_elements;

static bool x11_elements_open(desk_elements **out, const desk_elements_options *options,
                              desk_error *err)
{
    x11_elements *e = calloc(1, sizeof *e);
    if (e && options->bus)
        e->session = strdup(options->bus);
    if (!e || (options->bus && !e->session) || uv_mutex_init(&e->lock) != 0) {
        if (e)
            free(e->session);
        free(e);
        return desk_fail(err, DESK_NO_MEMORY, "not enough memory for the element reader");
    }
    e->base.ops = desk_native_elements;
    *out = &e->base;
    return true;
}

static void x11_elements_close(desk_elements *base)
{
    x11_elements *e = (x11_elements *) base;
    atspi_disconnect(e->c);
    uv_mutex_destroy(&e->lock);
    free(e->session);
    free(e);
}

/* A connection, made anew where the last one was lost. */
static bool connected(x11_elements *e, uint64_t deadline, atomic_bool *cancel, desk_error *err)
{
    if (e->c && !dbus_connection_get_is_connected(e->c)) {
        atspi_disconnect(e->c);
        e->c = NULL;
    }
    if (!e->c)
        e->c = atspi_connect(e->session, deadline, cancel, err);
    return e->c != NULL;
}

static bool read_locked(x11_elements *e, const desk_elements_query *query, desk_element_list *out,
                        desk_error *err)
{
    /* Connecting the first time starts services; that has a time of its own. */
    uint64_t start = uv_hrtime();
    if (!connected(e, start + CONNECT_NS, query->cancel, err))
        return false;
    desk_elements_query extended = *query;
    extended.deadline += uv_hrtime() - start;
    atspi_read *r = calloc(1, sizeof *r);
    desk_arena *arena = calloc(1, sizeof *arena);
    if (!r || !arena) {
        free(r);
        free(arena);
        return desk_fail(err, DESK_NO_MEMORY, "not enough memory for the elements");
    }
    *r = (atspi_read){.c = e->c, .query = &extended, .arena = arena, .slow = &e->slow};
    out->memory = arena;
    bool ok = atspi_read_run(r, err) && atspi_result(r, out, err);
    atspi_read_free(r);
    free(r);
    if (!ok)
        desk_element_list_free(out);
    return ok;
}

static bool x11_elements_read(desk_elements *base, const desk_elements_query *query,
                              desk_element_list *out, desk_error *err)
{
    x11_elements *e = (x11_elements *) base;
    *out = (desk_element_list){0};
    uv_mutex_lock(&e->lock);
    bool ok = read_locked(e, query, out, err);
    uv_mutex_unlock(&e->lock);
    return ok;
}

/* --- acting on one element ----------------------------------------------------------------------
 */

/* A handle is a bus name and an object path, which begins with the first slash. */
static DBusMessage *call_to(const char *handle, const char *interface, const char *method,
                            desk_error *err)
{
    const char *path = strchr(handle, '/');
    char bus[256];
    size_t length = path ? (size_t) (path - handle) : 0;
    if (length == 0 || length >= sizeof bus) {
        desk_fail(err, DESK_INVALID, "this is not an element's handle");
        return NULL;
    }
    memcpy(bus, handle, length);
    bus[length] = 0;
    if (!dbus_validate_bus_name(bus, NULL) || !dbus_validate_path(path, NULL)) {
        desk_fail(err, DESK_INVALID, "this is not an element's handle");
        return NULL;
    }
    DBusMessage *call = dbus_message_new_method_call(bus, path, interface, method);
    if (!call)
        desk_fail(err, DESK_NO_MEMORY, "not enough memory to ask an application");
    return call;
}

static bool explain(DBusMessage *reply, const char *what, desk_error *err)
{
    const char *name = dbus_message_get_error_name(reply);
    if (strcmp(name, DBUS_ERROR_SERVICE_UNKNOWN) == 0 ||
        strcmp(name, DBUS_ERROR_NAME_HAS_NO_OWNER) == 0)
        return desk_fail(err, DESK_NOT_FOUND, "the element's application has ended");
    if (strcmp(name, DBUS_ERROR_NO_REPLY) == 0)
        return desk_fail(err, DESK_NOT_FOUND, "the element's application ended meanwhile");
    if (strcmp(name, DBUS_ERROR_UNKNOWN_OBJECT) == 0)
        return desk_fail(err, DESK_NOT_FOUND, "the element is gone");
    if (strcmp(name, DBUS_ERROR_UNKNOWN_METHOD) == 0 ||
        strcmp(name, DBUS_ERROR_UNKNOWN_INTERFACE) == 0)
        return desk_fail(err, DESK_UNSUPPORTED, "the element is gone or cannot %s", what);
    return desk_fail(err, DESK_REFUSED, "the application refused to %s (%.120s)", what, name);
}

/* Sends and waits; NULL, with `err` filled, for an error of any kind. */
static DBusMessage *ask(x11_elements *e, DBusMessage *call, const char *what, uint64_t deadline,
                        desk_error *err)
{
    DBusMessage *reply = atspi_ask(e->c, call, deadline, NULL, err);
    if (!reply || dbus_message_get_type(reply) != DBUS_MESSAGE_TYPE_ERROR)
        return reply;
    explain(reply, what, err);
    dbus_message_unref(reply);
    return NULL;
}

/* Asks for something that answers whether it was done. */
static bool ask_done(x11_elements *e, DBusMessage *call, const char *what, uint64_t deadline,
                     desk_error *err)
{
    DBusMessage *reply = ask(e, call, what, deadline, err);
    if (!reply)
        return false;
    dbus_bool_t done = FALSE;
    bool understood =
        dbus_message_get_args(reply, NULL, DBUS_TYPE_BOOLEAN, &done, DBUS_TYPE_INVALID);
    dbus_message_unref(reply);
    if (!understood)
        return desk_fail(err, DESK_PROTOCOL, "the application's answer was not understood");
    return done || desk_fail(err, DESK_REFUSED, "the application refused to %s", what);
}

/* The index of the named action in a reply of GetActions; -1 if it has none of that name. */
static int action_index(DBusMessage *reply, const char *name)
{
    DBusMessageIter i, actions, fields;
    if (!dbus_message_has_signature(reply, "a(sss)") || !dbus_message_iter_init(reply, &i))
        return -1;
    dbus_message_iter_recurse(&i, &actions);
    for (int index = 0; dbus_message_iter_get_arg_type(&actions) == DBUS_TYPE_STRUCT; index++) {
        const char *have;
        dbus_message_iter_recurse(&actions, &fields);
        dbus_message_iter_get_basic(&fields, &have);
        if (strcasecmp(have, name) == 0)
            return index;
        dbus_message_iter_next(&actions);
    }
    return -1;
}

static bool find_action(x11_elements *e, const char *handle, const char *name, int *index,
                        uint64_t deadline, desk_error *err)
{
    DBusMessage *call = call_to(handle, "org.a11y.atspi.Action", "GetActions", err);
    DBusMessage *reply = call ? ask(e, call, "do anything", deadline, err) : NULL;
    if (!reply)
        return false;
    *index = action_index(reply, name);
    dbus_message_unref(reply);
    return *index >= 0 ||
           desk_fail(err, DESK_NOT_FOUND, "the element has no action \"%.60s\"", name);
}

static bool act_locked(x11_elements *e, const char *handle, const char *action, int index,
                       uint64_t deadline, desk_error *err)
{
    if (!connected(e, deadline, NULL, err))
        return false;
    if (action && !find_action(e, handle, action, &index, deadline, err))
        return false;
    DBusMessage *call = call_to(handle, "org.a11y.atspi.Action", "DoAction", err);
    dbus_int32_t number = index;
    if (call)
        dbus_message_append_args(call, DBUS_TYPE_INT32, &number, DBUS_TYPE_INVALID);
    return call && ask_done(e, call, "do that", deadline, err);
}

static bool x11_elements_act(desk_elements *base, const char *handle, const char *action, int index,
                             uint64_t deadline, desk_error *err)
{
    x11_elements *e = (x11_elements *) base;
    uv_mutex_lock(&e->lock);
    bool ok = act_locked(e, handle, action, index, deadline, err);
    uv_mutex_unlock(&e->lock);
    return ok;
}

static bool set_text_locked(x11_elements *e, const char *handle, const char *text,
                            uint64_t deadline, desk_error *err)
{
    if (!dbus_validate_utf8(text, NULL))
        return desk_fail(err, DESK_INVALID, "the text is not valid UTF-8");
    if (!connected(e, deadline, NULL, err))
        return false;
    DBusMessage *call = call_to(handle, "org.a11y.atspi.EditableText", "SetTextContents", err);
    if (call)
        dbus_message_append_args(call, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
    return call && ask_done(e, call, "take a text", deadline, err);
}

static bool x11_elements_set_text(desk_elements *base, const char *handle, const char *text,
                                  uint64_t deadline, desk_error *err)
{
    x11_elements *e = (x11_elements *) base;
    uv_mutex_lock(&e->lock);
    bool ok = set_text_locked(e, handle, text, deadline, err);
    uv_mutex_unlock(&e->lock);
    return ok;
}

static const desk_elements_ops ops = {
    .name = "at-spi",
    .open = x11_elements_open,
    .close = x11_elements_close,
    .read = x11_elements_read,
    .act = x11_elements_act,
    .set_text = x11_elements_set_text,
};

const desk_elements_ops *const desk_native_elements = &ops;
