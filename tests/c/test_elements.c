/*
 * The element reader against an application that means harm: cycles, endless depth, absurd places,
 * wrong types, texts without end, and silence. A thread of ours plays the session bus's services,
 * the accessibility registry and the application, on a private dbus-daemon.
 */
#include "check.h"
#include "desk/elements.h"

#include <dbus/dbus.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

typedef enum {
    PLAY_CYCLE,    /* children that are their own ancestors */
    PLAY_DEEP,     /* every element has one child, for ever */
    PLAY_WIDE,     /* more children than anybody wants */
    PLAY_WRONG,    /* answers of other types than asked for */
    PLAY_CACHE,    /* a cache that lies about counts, parents and owners */
    PLAY_SILENT,   /* no answer at all */
    PLAY_REGISTRY, /* the registry answers nonsense */
    PLAY_ADDRESS,  /* the socket of its own that it tells of is somebody else's, or a program */
} play;

static char address[256], socket_told[512], proof[64];
static _Atomic play current;
static atomic_bool stop;
static DBusConnection *app, *services;

#define ROOT "/org/a11y/atspi/accessible/root"

static void append_ref(DBusMessageIter *to, const char *bus, const char *path)
{
    DBusMessageIter fields;
    dbus_message_iter_open_container(to, DBUS_TYPE_STRUCT, NULL, &fields);
    dbus_message_iter_append_basic(&fields, DBUS_TYPE_STRING, &bus);
    dbus_message_iter_append_basic(&fields, DBUS_TYPE_OBJECT_PATH, &path);
    dbus_message_iter_close_container(to, &fields);
}

static void append_refs(DBusMessage *reply, const char *path)
{
    DBusMessageIter i, refs;
    const char *bus = dbus_bus_get_unique_name(app);
    char child[64];
    dbus_message_iter_init_append(reply, &i);
    dbus_message_iter_open_container(&i, DBUS_TYPE_ARRAY, "(so)", &refs);
    if (current == PLAY_CYCLE) {
        append_ref(&refs, bus, ROOT);
        append_ref(&refs, bus, path);
        append_ref(&refs, bus, "/a");
        append_ref(&refs, bus, "/b");
        append_ref(&refs, ":9.9", "/elsewhere");
    } else if (current == PLAY_DEEP) {
        static int serial;
        snprintf(child, sizeof child, "/deep/%d", serial++);
        append_ref(&refs, bus, child);
    } else if (current == PLAY_WIDE) {
        for (int n = 0; n < 3000; n++) {
            snprintf(child, sizeof child, "%s/%d", strcmp(path, ROOT) == 0 ? "/wide" : path, n);
            append_ref(&refs, bus, child);
        }
    }
    dbus_message_iter_close_container(&i, &refs);
}

static void append_words(DBusMessage *reply, dbus_uint32_t low)
{
    dbus_uint32_t words[40] = {low, 0}, *data = words;
    dbus_message_append_args(reply, DBUS_TYPE_ARRAY, DBUS_TYPE_UINT32, &data, 40,
                             DBUS_TYPE_INVALID);
}

static void append_interfaces(DBusMessage *reply)
{
    const char *names[] = {"org.a11y.atspi.Component",
                           "org.a11y.atspi.Text",
                           "org.a11y.atspi.Value",
                           "org.a11y.atspi.Action",
                           "nonsense",
                           ""};
    const char **data = names;
    dbus_message_append_args(reply, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &data, 6, DBUS_TYPE_INVALID);
}

static void append_variant(DBusMessage *reply, const char *property)
{
    DBusMessageIter i, value;
    dbus_int32_t count = strcmp(property, "NActions") == 0 ? -7 : 5;
    double number = 1.0 / 3;
    static char text[100001];
    const char *name = text;
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "bad\x01\xe2\x80\xae\nname ", 14);
    dbus_message_iter_init_append(reply, &i);
    if (strcmp(property, "CurrentValue") == 0) {
        dbus_message_iter_open_container(&i, DBUS_TYPE_VARIANT, "d", &value);
        dbus_message_iter_append_basic(&value, DBUS_TYPE_DOUBLE, &number);
    } else if (strcmp(property, "Name") == 0 || strcmp(property, "Description") == 0) {
        dbus_message_iter_open_container(&i, DBUS_TYPE_VARIANT, "s", &value);
        dbus_message_iter_append_basic(&value, DBUS_TYPE_STRING, &name);
    } else {
        dbus_message_iter_open_container(&i, DBUS_TYPE_VARIANT, "i", &value);
        dbus_message_iter_append_basic(&value, DBUS_TYPE_INT32, &count);
    }
    dbus_message_iter_close_container(&i, &value);
}

static void append_extents(DBusMessage *reply)
{
    DBusMessageIter i, fields;
    dbus_int32_t values[4] = {INT32_MIN, INT32_MAX, INT32_MAX, -1};
    dbus_message_iter_init_append(reply, &i);
    dbus_message_iter_open_container(&i, DBUS_TYPE_STRUCT, NULL, &fields);
    for (int n = 0; n < 4; n++) {
        dbus_message_iter_append_basic(&fields, DBUS_TYPE_INT32, &values[n]);
    }
    dbus_message_iter_close_container(&i, &fields);
}

static void append_item(DBusMessageIter *items, const char *bus, const char *path,
                        const char *parent, dbus_int32_t count, dbus_uint32_t role)
{
    DBusMessageIter item, list;
    dbus_int32_t order = -5;
    const char *name = path, *description = "", *interface = "org.a11y.atspi.Component";
    dbus_uint32_t showing = 1u << 25;
    dbus_message_iter_open_container(items, DBUS_TYPE_STRUCT, NULL, &item);
    append_ref(&item, bus, path);
    append_ref(&item, bus, ROOT);
    append_ref(&item, bus, parent);
    dbus_message_iter_append_basic(&item, DBUS_TYPE_INT32, &order);
    dbus_message_iter_append_basic(&item, DBUS_TYPE_INT32, &count);
    dbus_message_iter_open_container(&item, DBUS_TYPE_ARRAY, "s", &list);
    dbus_message_iter_append_basic(&list, DBUS_TYPE_STRING, &interface);
    dbus_message_iter_close_container(&item, &list);
    dbus_message_iter_append_basic(&item, DBUS_TYPE_STRING, &name);
    dbus_message_iter_append_basic(&item, DBUS_TYPE_UINT32, &role);
    dbus_message_iter_append_basic(&item, DBUS_TYPE_STRING, &description);
    dbus_message_iter_open_container(&item, DBUS_TYPE_ARRAY, "u", &list);
    dbus_message_iter_append_basic(&list, DBUS_TYPE_UINT32, &showing);
    dbus_message_iter_close_container(&item, &list);
    dbus_message_iter_close_container(items, &item);
}

static void append_cache(DBusMessage *reply)
{
    DBusMessageIter i, items;
    const char *bus = dbus_bus_get_unique_name(app);
    dbus_message_iter_init_append(reply, &i);
    dbus_message_iter_open_container(&i, DBUS_TYPE_ARRAY, "((so)(so)(so)iiassusau)", &items);
    append_item(&items, bus, ROOT, "/a", INT32_MAX, 75);
    append_item(&items, bus, "/a", ROOT, 1, 4000000000u);
    append_item(&items, bus, "/b", "/c", 1, 43); /* b and c hold each other */
    append_item(&items, bus, "/c", "/b", 1, 43);
    append_item(&items, bus, "/self", "/self", 1, 43);
    append_item(&items, bus, "/orphan", "/nowhere", -1, 43);
    append_item(&items, ":9.9", "/stolen", ROOT, 0, 43);
    append_item(&items, bus, "/a", ROOT, 0, 43);
    dbus_message_iter_close_container(&i, &items);
}

static DBusMessage *app_reply(DBusMessage *call)
{
    const char *member = dbus_message_get_member(call), *interface = "", *property = "";
    if (current == PLAY_SILENT) {
        return NULL;
    }
    if (strcmp(member, "GetItems") == 0 && current != PLAY_CACHE) {
        return dbus_message_new_error(call, DBUS_ERROR_UNKNOWN_METHOD, "no cache");
    }
    if (strcmp(member, "GetAll") == 0) {
        return dbus_message_new_error(call, DBUS_ERROR_UNKNOWN_METHOD, "one by one");
    }
    DBusMessage *reply = dbus_message_new_method_return(call);
    dbus_uint32_t role = 43;
    char text[20001];
    const char *data = text;
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = 0;
    if (current == PLAY_WRONG) {
        dbus_message_append_args(reply, DBUS_TYPE_STRING, &data, DBUS_TYPE_STRING, &data,
                                 DBUS_TYPE_INVALID);
    } else if (strcmp(member, "GetApplicationBusAddress") == 0) {
        const char *told = current == PLAY_ADDRESS ? socket_told : "";
        dbus_message_append_args(reply, DBUS_TYPE_STRING, &told, DBUS_TYPE_INVALID);
    } else if (strcmp(member, "GetItems") == 0) {
        append_cache(reply);
    } else if (strcmp(member, "GetChildren") == 0) {
        append_refs(reply, dbus_message_get_path(call));
    } else if (strcmp(member, "GetRole") == 0) {
        dbus_message_append_args(reply, DBUS_TYPE_UINT32, &role, DBUS_TYPE_INVALID);
    } else if (strcmp(member, "GetState") == 0) {
        append_words(reply, 1u << 25);
    } else if (strcmp(member, "GetInterfaces") == 0) {
        append_interfaces(reply);
    } else if (strcmp(member, "GetExtents") == 0) {
        append_extents(reply);
    } else if (strcmp(member, "GetText") == 0) {
        dbus_message_append_args(reply, DBUS_TYPE_STRING, &data, DBUS_TYPE_INVALID);
    } else if (dbus_message_get_args(call, NULL, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING,
                                     &property, DBUS_TYPE_INVALID)) {
        append_variant(reply, property);
    }
    return reply;
}

static DBusMessage *service_reply(DBusMessage *call)
{
    const char *member = dbus_message_get_member(call), *text = address;
    DBusMessage *reply = dbus_message_new_method_return(call);
    DBusMessageIter i, refs;
    if (strcmp(member, "GetAddress") == 0 ||
        (strcmp(member, "GetChildren") == 0 && current == PLAY_REGISTRY)) {
        dbus_message_append_args(reply, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID);
    } else if (strcmp(member, "GetChildren") == 0) {
        dbus_message_iter_init_append(reply, &i);
        dbus_message_iter_open_container(&i, DBUS_TYPE_ARRAY, "(so)", &refs);
        append_ref(&refs, dbus_bus_get_unique_name(app), ROOT);
        append_ref(&refs, dbus_bus_get_unique_name(app), "/twice");
        append_ref(&refs, "", "/");
        append_ref(&refs, ":9.9", "/gone");
        dbus_message_iter_close_container(&i, &refs);
    }
    return reply;
}

static void serve(DBusConnection *c, DBusMessage *(*answer)(DBusMessage *) )
{
    DBusMessage *m;
    dbus_connection_read_write(c, 1);
    while ((m = dbus_connection_pop_message(c))) {
        if (dbus_message_get_type(m) == DBUS_MESSAGE_TYPE_METHOD_CALL) {
            DBusMessage *reply = answer(m);
            if (reply) {
                dbus_connection_send(c, reply, NULL);
                dbus_message_unref(reply);
            }
        }
        dbus_message_unref(m);
    }
}

static void play_on(void *unused)
{
    (void) unused;
    while (!stop) {
        serve(services, service_reply);
        serve(app, app_reply);
    }
}

static DBusConnection *join(void)
{
    DBusConnection *c = dbus_connection_open_private(address, NULL);
    if (!c || !dbus_bus_register(c, NULL)) {
        return NULL;
    }
    dbus_connection_set_exit_on_disconnect(c, FALSE);
    return c;
}

/* A dbus-daemon of our own; its address in `address`. */
static pid_t start_bus(void)
{
    int pipes[2];
    if (pipe(pipes) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        char print[40];
        snprintf(print, sizeof print, "--print-address=%d", pipes[1]);
        execlp("dbus-daemon", "dbus-daemon", "--session", "--nofork", "--nopidfile", print,
               (char *) NULL);
        _exit(127);
    }
    close(pipes[1]);
    ssize_t got = read(pipes[0], address, sizeof address - 1);
    close(pipes[0]);
    address[got > 0 ? got : 0] = 0;
    address[strcspn(address, "\n")] = 0;
    return pid;
}

/* --- the tests ----------------------------------------------------------------------------------
 */

/* How long who does not answer, or never comes to an end, is waited for; and who does, on a machine
 * that is busy with other things.
 */
static const uint64_t SILENCE = 3000000000u, BUSY = 30000000000u;

static bool read_play(desk_elements *e, play what, size_t max, desk_element_list *list,
                      base_error *err)
{
    current = what;
    uint64_t timeout = what == PLAY_SILENT || what == PLAY_DEEP ? SILENCE : BUSY;
    desk_elements_query query = {.deadline = uv_hrtime() + timeout, .max_nodes = max};
    return desk_elements_read(e, &query, list, err);
}

static void check_sound(const desk_element_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const desk_element *x = &list->items[i];
        CHECK(x->parent < (int32_t) i);
        CHECK_EQ(x->depth, x->parent < 0 ? 0 : list->items[x->parent].depth + 1);
        CHECK(strlen(x->name) < DESK_ELEMENTS_MAX_NAME);
        CHECK(!x->text || strlen(x->text) <= DESK_ELEMENTS_MAX_TEXT * 4);
        CHECK(x->actions >= 0);
        CHECK(strchr(x->name, 1) == NULL && strchr(x->name, '\n') == NULL);
    }
}

static void test_trees(desk_elements *e)
{
    desk_element_list list;
    base_error err = {0};
    CHECK(read_play(e, PLAY_CYCLE, 5000, &list, &err));
    CHECK(list.count >= 1 && list.count <= 3);
    check_sound(&list);
    CHECK(list.count > 0 && !list.items[0].has_rect);
    desk_element_list_free(&list);

    CHECK(read_play(e, PLAY_WIDE, 100, &list, &err));
    CHECK(list.count <= 100);
    CHECK(list.truncated);
    check_sound(&list);
    desk_element_list_free(&list);
}

/* A tree that never ends is read until the time is up. Its application is less waited for after
 * that, but not as if it had been silent.
 */
static void test_endless(desk_elements *e)
{
    desk_element_list list;
    base_error err = {0};
    for (int i = 0; i < 2; i++) {
        CHECK(read_play(e, PLAY_DEEP, 5000, &list, &err));
        CHECK(list.count > 10 && list.count <= 5000);
        CHECK(list.truncated || list.apps[0].note);
        check_sound(&list);
        desk_element_list_free(&list);
    }
}

static void test_lies(desk_elements *e)
{
    desk_element_list list;
    base_error err = {0};
    CHECK(read_play(e, PLAY_WRONG, 5000, &list, &err));
    check_sound(&list);
    desk_element_list_free(&list);

    CHECK(read_play(e, PLAY_CACHE, 5000, &list, &err));
    CHECK(list.count >= 1 && list.count <= 3);
    check_sound(&list);
    desk_element_list_free(&list);

    CHECK(!read_play(e, PLAY_REGISTRY, 5000, &list, &err));
    CHECK_STR(base_code_name(err.code), "unavailable");
}

/* What an application says of its socket starts no program, and leads to no other process. */
static void test_addresses(const char *bus)
{
    base_error err;
    snprintf(proof, sizeof proof, "/tmp/deskpilot-test-proof-%d", (int) getpid());
    const char *const told[] = {
        "unixexec:path=/usr/bin/touch,argv0=touch,argv1=%s",
        "unix:path=/nowhere;unixexec:path=/usr/bin/touch,argv0=touch,argv1=%s",
        "tcp:host=localhost,port=1",
        "unix:path=/nowhere",
        "unix:path=%%2fnowhere",
        "unix:abstract=",
        "unix:path=",
        "nonsense",
        bus, /* alive, but another process's */
    };
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        desk_elements *e;
        desk_element_list list;
        snprintf(socket_told, sizeof socket_told, told[i], proof);
        CHECK(desk_elements_open(&e, &(desk_elements_options){.bus = address}, &err));
        uint64_t best = UINT64_MAX;
        for (int round = 0; round < 3; round++) {
            uint64_t start = uv_hrtime();
            CHECK(read_play(e, PLAY_ADDRESS, 100, &list, &err));
            CHECK(list.count >= 1 && !list.apps[0].note);
            best = uv_hrtime() - start < best ? uv_hrtime() - start : best;
            desk_element_list_free(&list);
        }
        CHECK(best < 1500000000u);
        desk_elements_close(e);
        CHECK(access(proof, F_OK) != 0);
    }
}

static bool change_play(desk_elements *e, play what, desk_change_kind kind, base_error *err)
{
    char handle[128];
    current = what;
    snprintf(handle, sizeof handle, "%s/a", dbus_bus_get_unique_name(app));
    desk_element_change change = {.kind = kind, .text = "x", .to = 3};
    return desk_elements_change(e, handle, &change, uv_hrtime() + 1000000000u, err);
}

/* Whatever is answered, a call of one element ends in its time, with an error of the list or what
 * is sound. */
static void test_one(desk_elements *e)
{
    static const play plays[] = {PLAY_CYCLE, PLAY_WRONG, PLAY_CACHE};
    desk_element_details d;
    base_error err = {0};
    char handle[128];
    snprintf(handle, sizeof handle, "%s/a", dbus_bus_get_unique_name(app));
    for (size_t i = 0; i < sizeof plays / sizeof plays[0]; i++) {
        current = plays[i];
        if (desk_elements_ask(e, handle, uv_hrtime() + 1000000000u, &d, &err)) {
            CHECK_EQ(d.list.count, 1);
            CHECK(d.from >= 0 && d.to >= d.from && d.selected);
            check_sound(&d.list);
        }
        desk_element_list_free(&d.list);
        for (int kind = DESK_CHANGE_TEXT; kind <= DESK_CHANGE_SELECTION; kind++) {
            err = (base_error){0};
            CHECK(change_play(e, plays[i], (desk_change_kind) kind, &err) || err.code != BASE_OK);
        }
    }
    current = PLAY_SILENT;
    CHECK(!desk_elements_ask(e, handle, uv_hrtime() + 200000000u, &d, &err));
    CHECK_STR(base_code_name(err.code), "timed_out");
    CHECK(!desk_elements_ask(e, "no handle", uv_hrtime() + 200000000u, &d, &err));
    CHECK_STR(base_code_name(err.code), "invalid");
    CHECK(!desk_elements_ask(e, ":9.9/a", uv_hrtime() + BUSY, &d, &err));
    CHECK_STR(base_code_name(err.code), "not_found");
}

static void test_silence(desk_elements *e)
{
    desk_element_list list;
    base_error err = {0};
    uint64_t start = uv_hrtime();
    CHECK(read_play(e, PLAY_SILENT, 5000, &list, &err));
    CHECK(uv_hrtime() - start < 2 * SILENCE);
    CHECK_EQ(list.count, 0);
    CHECK(list.app_count >= 1 && list.apps[0].note);
    desk_element_list_free(&list);
    start = uv_hrtime();
    CHECK(read_play(e, PLAY_SILENT, 5000, &list, &err));
    CHECK(uv_hrtime() - start < SILENCE / 2); /* less patience the second time */
    desk_element_list_free(&list);

    uint64_t deadline = uv_hrtime() + 100000000u;
    CHECK(!desk_elements_act(e, "no handle", NULL, 0, deadline, &err));
    CHECK_STR(base_code_name(err.code), "invalid");
    char handle[128];
    snprintf(handle, sizeof handle, "%s/a", dbus_bus_get_unique_name(app));
    CHECK(!desk_elements_act(e, handle, NULL, 0, deadline, &err));
    CHECK_STR(base_code_name(err.code), "timed_out");
    CHECK(!desk_elements_change(e, handle,
                                &(desk_element_change){.kind = DESK_CHANGE_TEXT, .text = "\xff"},
                                deadline, &err));
    CHECK_STR(base_code_name(err.code), "invalid");
    CHECK(!desk_elements_act(e, ":9.9/a", NULL, 0, uv_hrtime() + BUSY, &err));
    CHECK_STR(base_code_name(err.code), "not_found");
}

static void test_cancel(desk_elements *e)
{
    desk_element_list list;
    base_error err = {0};
    atomic_bool cancel = true;
    desk_elements_query query = {
        .deadline = uv_hrtime() + 2000000000u, .max_nodes = 10, .cancel = &cancel};
    CHECK(!desk_elements_read(e, &query, &list, &err));
    CHECK_STR(base_code_name(err.code), "cancelled");
}

int main(void)
{
    uv_thread_t thread;
    desk_elements *e;
    base_error err;
    dbus_threads_init_default();
    pid_t bus = start_bus();
    services = join();
    app = join();
    if (!CHECK(services && app)) {
        return check_done();
    }
    dbus_bus_request_name(services, "org.a11y.Bus", 0, NULL);
    dbus_bus_request_name(services, "org.a11y.atspi.Registry", 0, NULL);
    uv_thread_create(&thread, play_on, NULL);
    CHECK(desk_elements_open(&e, &(desk_elements_options){.bus = address}, &err));
    test_trees(e);
    test_lies(e);
    test_addresses(address);
    test_one(e);
    test_endless(e);
    test_silence(e);
    test_cancel(e);
    desk_elements_close(e);
    stop = true;
    uv_thread_join(&thread);
    dbus_connection_close(services);
    dbus_connection_close(app);
    dbus_connection_unref(services);
    dbus_connection_unref(app);
    kill(bus, SIGTERM);
    waitpid(bus, NULL, 0);
    return check_done();
}
