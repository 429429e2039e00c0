#include "atspi_bus.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define HOW_TO_MEND                                                                                \
    "install at-spi2-core and dbus, start a session bus, and start the applications inside it"

enum { SLICE_MS = 20, MAX_MESSAGE = 32 * 1024 * 1024 };

static bool cancelled(const atomic_bool *cancel)
{
    return cancel && atomic_load(cancel);
}

int atspi_slice_ms(uint64_t deadline)
{
    uint64_t now = uv_hrtime(), left = now < deadline ? (deadline - now) / 1000000 + 1 : 0;
    return left < SLICE_MS ? (int) left : SLICE_MS;
}

bool atspi_turn(DBusConnection *c, uint64_t deadline)
{
    return dbus_connection_read_write(c, atspi_slice_ms(deadline));
}

static bool answers(DBusMessage *m, dbus_uint32_t serial)
{
    int type = dbus_message_get_type(m);
    return (type == DBUS_MESSAGE_TYPE_METHOD_RETURN || type == DBUS_MESSAGE_TYPE_ERROR) &&
           dbus_message_get_reply_serial(m) == serial;
}

DBusMessage *atspi_ask(DBusConnection *c, DBusMessage *call, uint64_t deadline, atomic_bool *cancel,
                       base_error *err)
{
    dbus_uint32_t serial;
    bool sent = call && dbus_connection_send(c, call, &serial);
    if (call) {
        dbus_message_unref(call);
    }
    if (!sent) {
        base_fail(err, BASE_NO_MEMORY, "not enough memory to ask an application");
        return NULL;
    }
    for (;;) {
        DBusMessage *m;
        while ((m = dbus_connection_pop_message(c))) {
            if (answers(m, serial)) {
                return m;
            }
            dbus_message_unref(m);
        }
        if (cancelled(cancel)) {
            base_fail(err, BASE_CANCELLED, "the read was cancelled");
            return NULL;
        }
        if (uv_hrtime() >= deadline) {
            base_fail(err, BASE_TIMED_OUT, "the application did not answer in time");
            return NULL;
        }
        if (!atspi_turn(c, deadline)) {
            base_fail(err, BASE_UNAVAILABLE, "the connection to the accessibility bus was lost");
            return NULL;
        }
    }
}

void atspi_disconnect(DBusConnection *c)
{
    if (!c) {
        return;
    }
    dbus_connection_close(c);
    dbus_connection_unref(c);
}

/* Hello of our own: libdbus's would wait for 25 s. */
static bool hello(DBusConnection *c, uint64_t deadline, atomic_bool *cancel, base_error *err)
{
    DBusMessage *call = dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS,
                                                     DBUS_INTERFACE_DBUS, "Hello");
    DBusMessage *reply = atspi_ask(c, call, deadline, cancel, err);
    if (!reply) {
        return false;
    }
    const char *name;
    bool ok = dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID) &&
              dbus_bus_set_unique_name(c, name);
    dbus_message_unref(reply);
    return ok || base_fail(err, BASE_BAD_PROTOCOL, "the bus did not accept the connection");
}

static DBusConnection *connect_to(const char *address, uint64_t deadline, atomic_bool *cancel,
                                  base_error *err)
{
    DBusError why = DBUS_ERROR_INIT;
    DBusConnection *c = dbus_connection_open_private(address, &why);
    if (!c) {
        base_fail(err, BASE_UNAVAILABLE, "cannot reach the bus at %.100s (%.100s); %s", address,
                  why.message, HOW_TO_MEND);
        dbus_error_free(&why);
        return NULL;
    }
    dbus_connection_set_exit_on_disconnect(c, FALSE);
    dbus_connection_set_max_message_size(c, MAX_MESSAGE);
    if (hello(c, deadline, cancel, err)) {
        return c;
    }
    atspi_disconnect(c);
    return NULL;
}

/* The session bus's address: asked for, in the environment, or where systemd puts it. */
static const char *session_address(const char *asked, char *buffer, size_t size)
{
    if (asked) {
        return asked;
    }
    const char *address = getenv("DBUS_SESSION_BUS_ADDRESS");
    if (address && *address) {
        return address;
    }
    const char *folder = getenv("XDG_RUNTIME_DIR");
    if (!folder || !*folder || strlen(folder) > size - 32) {
        return NULL;
    }
    snprintf(buffer, size, "unix:path=%s/bus", folder);
    return buffer;
}

/* The accessibility bus is another bus, whose address the session bus knows. */
static DBusConnection *follow_address(DBusConnection *session, uint64_t deadline,
                                      atomic_bool *cancel, base_error *err)
{
    DBusMessage *call =
        dbus_message_new_method_call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress");
    DBusMessage *reply = atspi_ask(session, call, deadline, cancel, err);
    if (!reply) {
        return NULL;
    }
    const char *address;
    DBusConnection *c = NULL;
    if (dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &address, DBUS_TYPE_INVALID) &&
        *address) {
        c = connect_to(address, deadline, cancel, err);
    } else {
        base_fail(err, BASE_UNAVAILABLE, "this session has no accessibility bus; %s", HOW_TO_MEND);
    }
    dbus_message_unref(reply);
    return c;
}

/* GTK applications answer Cache.GetItems only once somebody listens for such events. A registry
 * that refuses costs speed, nothing else. */
static bool ask_for_caches(DBusConnection *c, uint64_t deadline, atomic_bool *cancel,
                           base_error *err)
{
    const char *event = "object:children-changed", *app = "", **none = NULL;
    DBusMessage *call =
        dbus_message_new_method_call("org.a11y.atspi.Registry", "/org/a11y/atspi/registry",
                                     "org.a11y.atspi.Registry", "RegisterEvent");
    if (call &&
        !dbus_message_append_args(call, DBUS_TYPE_STRING, &event, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING,
                                  &none, 0, DBUS_TYPE_STRING, &app, DBUS_TYPE_INVALID)) {
        dbus_message_unref(call);
        call = NULL;
    }
    DBusMessage *reply = atspi_ask(c, call, deadline, cancel, err);
    if (!reply) {
        return false;
    }
    dbus_message_unref(reply);
    return true;
}

DBusConnection *atspi_connect(const char *session, uint64_t deadline, atomic_bool *cancel,
                              base_error *err)
{
    char buffer[512];
    dbus_threads_init_default(); /* reads of several desks run on several threads */
    const char *address = session_address(session, buffer, sizeof buffer);
    if (!address) {
        base_fail(err, BASE_UNAVAILABLE, "there is no session bus here; %s", HOW_TO_MEND);
        return NULL;
    }
    DBusConnection *first = connect_to(address, deadline, cancel, err);
    if (!first) {
        return NULL;
    }
    DBusConnection *c = follow_address(first, deadline, cancel, err);
    atspi_disconnect(first);
    if (c && !ask_for_caches(c, deadline, cancel, err)) {
        atspi_disconnect(c);
        return NULL;
    }
    return c;
}
