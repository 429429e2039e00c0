/*
 * Watching the user's activity on an X display: a thread that waits, on a connection of its own,
 * for what the input devices report (raw events of XInput 2, which come also while another client
 * has grabbed the keyboard, and do not repeat).
 */
#include "x11.h"
#include "x11_activity_internal.h"

#include "x11_connection.h"

#include <stdlib.h>
#include <sys/socket.h>

static bool is_test_device(const x11_activity *x, uint16_t device)
{
    for (size_t i = 0; i < x->test_device_count; i++) {
        if (x->test_devices[i] == device) {
            return true;
        }
    }
    return false;
}

/* Events of the machine's own devices are the user's. Those that came by XTEST are ours or another
 * program's: the record tells which. */
static bool is_ours(x11_activity *x, uint16_t source, uint8_t type, uint32_t detail)
{
    return is_test_device(x, source) && detail < 256 &&
           x11_account_is_ours(&x->account, x->own_input, type, (uint8_t) detail);
}

static void list_test_devices(x11_activity *x)
{
    x->test_device_count = x11_xinput_test_devices(x->c, x->test_devices, X11_MAX_TEST_DEVICES);
}

static void take_raw(x11_activity *x, const xcb_input_raw_key_press_event_t *e)
{
    /* XInput numbers its raw events in the order of the core protocol's. */
    uint8_t type = (uint8_t) (e->event_type - XCB_INPUT_RAW_KEY_PRESS + XCB_KEY_PRESS);
    if (is_ours(x, e->sourceid, type, type == XCB_MOTION_NOTIFY ? 0 : e->detail)) {
        return;
    }
    activity_noticed(&x->base);
    if (type != XCB_MOTION_NOTIFY && activity_keeps(&x->base)) {
        if (x->map_stale) { /* what the key types now */
            x->map_stale = false;
            x11_activity_map_changed(x);
        }
        x11_activity_record(x, type, e->detail);
    }
    if (type == XCB_KEY_PRESS || type == XCB_KEY_RELEASE) {
        activity_key(&x->base, e->detail, type == XCB_KEY_PRESS);
    }
}

static void take_device_event(x11_activity *x, const xcb_ge_generic_event_t *e)
{
    if (e->extension != x->opcode) {
        return;
    }
    if (e->event_type == XCB_INPUT_HIERARCHY) {
        list_test_devices(x);
        activity_forget_keys(&x->base);
    } else if (e->event_type >= XCB_INPUT_RAW_KEY_PRESS && e->event_type <= XCB_INPUT_RAW_MOTION) {
        take_raw(x, (const xcb_input_raw_key_press_event_t *) e);
    } else {
        activity_noticed(&x->base); /* a touch screen: we never send such events */
    }
}

static void take_event(x11_activity *x, const xcb_generic_event_t *event)
{
    switch (event->response_type & 0x7f) {
    case XCB_GE_GENERIC:
        take_device_event(x, (const xcb_ge_generic_event_t *) event);
        break;
    case XCB_KEY_PRESS:
    case XCB_KEY_RELEASE:
        x11_activity_taken_key(x, (const xcb_key_press_event_t *) event,
                               (event->response_type & 0x7f) == XCB_KEY_PRESS);
        break;
    case XCB_MAPPING_NOTIFY:
        x->map_stale |=
            ((const xcb_mapping_notify_event_t *) event)->request != XCB_MAPPING_POINTER;
        break;
    }
}

/* The keymap is read only when no event is waiting: it changes many times in a row while text is
 * typed (x11_text.c). */
static xcb_generic_event_t *next_event(x11_activity *x)
{
    xcb_generic_event_t *event = xcb_poll_for_queued_event(x->c);
    if (!event && x->map_stale) {
        x->map_stale = false;
        x11_activity_map_changed(x);
    }
    return event ? event : xcb_wait_for_event(x->c);
}

/* Runs until the connection is shut down, by us or by the server. */
static void watch(void *context)
{
    x11_activity *x = context;
    xcb_generic_event_t *event;
    while ((event = next_event(x))) {
        take_event(x, event);
        free(event);
    }
}

static bool start_thread(x11_activity *x, base_error *err)
{
    int failed = uv_thread_create(&x->thread, watch, x);
    return !failed ||
           base_fail(err, BASE_NO_MEMORY, "No thread can be started: %s.", uv_strerror(failed));
}

static bool connect_to(x11_activity *x, const desk_options *where, base_error *err)
{
    int number = 0;
    x->c = x11_connect(where, &number, err);
    if (xcb_connection_has_error(x->c)) {
        return false;
    }
    const xcb_screen_t *screen = x11_screen_number(x->c, number);
    x->root = screen ? screen->root : XCB_NONE;
    x->own_input = x11_own_input_open(where->display ? where->display : getenv("DISPLAY"));
    if (!x->own_input) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to watch a desktop.");
    }
    x11_account_open(&x->account, x->own_input);
    return true;
}

static void free_all(x11_activity *x)
{
    x11_own_input_close(x->own_input);
    xcb_disconnect(x->c);
    free(x->map);
    free(x->modifiers);
    activity_finish(&x->base);
    free(x);
}

static const desk_activity_ops OPS;

bool x11_activity_connect(desk_activity **out, const desk_options *where, base_error *err)
{
    x11_activity *x = calloc(1, sizeof *x);
    if (!x) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to watch a desktop.");
    }
    activity_prepare(&x->base, &OPS);
    if (!connect_to(x, where, err) || !x11_xinput_select(x->c, x->root, &x->opcode, err) ||
        !x11_activity_read_map(x, err)) {
        free_all(x);
        return false;
    }
    list_test_devices(x);
    if (!start_thread(x, err)) {
        free_all(x);
        return false;
    }
    *out = &x->base;
    return true;
}

/* The thread waits for the server, which may have stopped answering; shutting the connection down
 * wakes it in any case. */
static void close_watch(desk_activity *h)
{
    x11_activity *x = (x11_activity *) h;
    shutdown(xcb_get_file_descriptor(x->c), SHUT_RDWR);
    uv_thread_join(&x->thread);
    free_all(x);
}

static const desk_activity_ops OPS = {
    .close = close_watch,
    .find_keys = x11_activity_find_keys,
    .take = x11_activity_take,
    .give_back = x11_activity_give_back,
    .records = true,
};
