#include "x11_internal.h"

#include "desk/native.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xtest.h>

static bool no_display(const char *name, base_error *err)
{
    if (!name && !getenv("DISPLAY")) {
        return base_fail(err, BASE_UNAVAILABLE,
                         "There is no desktop to work on: DISPLAY is not set. Use --desktop "
                         "private, or set DISPLAY to a running X server.");
    }
    return base_fail(err, BASE_UNAVAILABLE,
                     "The X display \"%.100s\" cannot be opened. Use --desktop private, or set "
                     "DISPLAY to a running X server that lets you in.",
                     name ? name : getenv("DISPLAY"));
}

bool x11_alive(x11_desk *x, base_error *err)
{
    if (!xcb_connection_has_error(x->c)) {
        return true;
    }
    return base_fail(err, BASE_UNAVAILABLE,
                     "The connection to the X display \"%s\" was lost: the desktop has gone.",
                     x->name);
}

bool x11_refused(x11_desk *x, const char *doing, xcb_generic_error_t *e, base_error *err)
{
    int code = e ? e->error_code : 0;
    free(e);
    if (!x11_alive(x, err)) {
        return false;
    }
    return base_fail(err, BASE_REFUSED, "The X display refused %s (X error %d).", doing, code);
}

bool x11_check(x11_desk *x, xcb_void_cookie_t cookie, const char *doing, base_error *err)
{
    xcb_generic_error_t *e = xcb_request_check(x->c, cookie);
    return e ? x11_refused(x, doing, e, err) : x11_alive(x, err);
}

bool x11_sync(x11_desk *x, base_error *err)
{
    free(xcb_get_input_focus_reply(x->c, xcb_get_input_focus(x->c), NULL));
    if (!x11_alive(x, err)) {
        return false;
    }
    x11_guard_done(x);
    return true;
}

void x11_listen_at_root(x11_desk *x, uint32_t events)
{
    if ((x->root_mask | events) != x->root_mask) {
        x->root_mask |= events;
        xcb_change_window_attributes(x->c, x->root, XCB_CW_EVENT_MASK, &x->root_mask);
    }
}

void x11_fake(x11_desk *x, uint8_t type, uint8_t detail)
{
    x11_guard_input(x, type, detail);
    x11_ledger_sent(x->ledger, type, detail);
    xcb_test_fake_input(x->c, type, detail, XCB_CURRENT_TIME, x->root, 0, 0, 0);
}

static void take_event(x11_desk *x, xcb_generic_event_t *event)
{
    uint8_t type = event->response_type & 0x7f;
    x11_window_event(x, event);
    if (type == XCB_MAPPING_NOTIFY) {
        x->keyboard.stale = true;
    } else if (type == XCB_CLIENT_MESSAGE) {
        x11_ping_event(x, (xcb_client_message_event_t *) event);
    } else if (type == XCB_SELECTION_NOTIFY) {
        x11_clipboard_event(x, event);
    } else if (type == XCB_PROPERTY_NOTIFY) {
        x11_clipboard_event(x, event);
        x11_offer_event(x, event);
    } else if (type == XCB_SELECTION_REQUEST || type == XCB_SELECTION_CLEAR ||
               type == XCB_DESTROY_NOTIFY) {
        x11_offer_event(x, event);
    } else if (type == XCB_EXPOSE) {
        x11_exposed_event(x, (xcb_expose_event_t *) event);
    } else if (x->has_damage && type == x->damage_event + XCB_DAMAGE_NOTIFY) {
        x11_damage_event(x, (xcb_damage_notify_event_t *) event);
    } else if (x->has_fixes && type == x->fixes_event + XCB_XFIXES_SELECTION_NOTIFY) {
        x11_clipboard_changed(x, (xcb_xfixes_selection_notify_event_t *) event);
    }
    /* Type 0 is an error of an unchecked request: a window that has closed meanwhile. */
}

void x11_take_events(x11_desk *x)
{
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(x->c))) {
        take_event(x, event);
        free(event);
    }
    x11_damage_rearm(x);
}

static bool pump(desk *d, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    x11_ping_look(x);
    x11_take_events(x);
    return x11_alive(x, err);
}

static int poll_fd(desk *d)
{
    return xcb_get_file_descriptor(((x11_desk *) d)->c);
}

/* While others may ask for what we offer in the clipboard: their question may be read by another
 * call of ours, as it waits for its reply, and the descriptor does not tell of it then. And while
 * an application is watched, which tells nothing. */
static int poll_every(desk *d)
{
    enum { LOOK_AGAIN = 100, WATCH = 4 };
    x11_desk *x = (x11_desk *) d;
    return x->idle.pid ? WATCH : x11_offer_open(x) ? LOOK_AGAIN : 0;
}

const xcb_screen_t *x11_screen_number(xcb_connection_t *c, int number)
{
    xcb_screen_iterator_t it = xcb_setup_roots_iterator(xcb_get_setup(c));
    while (number-- > 0 && it.rem > 1) {
        xcb_screen_next(&it);
    }
    return it.rem ? it.data : NULL;
}

static int bits_per_pixel(const xcb_setup_t *setup, uint8_t depth)
{
    xcb_format_iterator_t it = xcb_setup_pixmap_formats_iterator(setup);
    for (; it.rem; xcb_format_next(&it)) {
        if (it.data->depth == depth) {
            return it.data->bits_per_pixel;
        }
    }
    return 0;
}

/* Pixels must be blue, green, red, unused in memory, as image.h says. */
static bool check_pixels(x11_desk *x, base_error *err)
{
    const xcb_setup_t *setup = xcb_get_setup(x->c);
    uint8_t depth = x->screen->root_depth;
    if ((depth == 24 || depth == 32) && bits_per_pixel(setup, depth) == 32 &&
        setup->image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST) {
        return true;
    }
    return base_fail(err, BASE_UNSUPPORTED,
                     "The X display \"%s\" has a depth of %d bits; only screens of depth 24 or 32 "
                     "with 32-bit little-endian pixels can be captured.",
                     x->name, depth);
}

static bool present(x11_desk *x, xcb_extension_t *extension)
{
    const xcb_query_extension_reply_t *reply = xcb_get_extension_data(x->c, extension);
    return reply && reply->present;
}

static bool find_extensions(x11_desk *x, base_error *err)
{
    xcb_prefetch_extension_data(x->c, &xcb_test_id);
    xcb_prefetch_extension_data(x->c, &xcb_shm_id);
    xcb_prefetch_extension_data(x->c, &xcb_xfixes_id);
    xcb_prefetch_extension_data(x->c, &xcb_damage_id);
    if (!present(x, &xcb_test_id)) {
        return !x11_alive(x, err) ? false
                                  : base_fail(err, BASE_UNSUPPORTED,
                                              "The X display \"%s\" lacks the XTEST extension, "
                                              "without which the mouse and the keyboard cannot "
                                              "be driven.",
                                              x->name);
    }
    x->has_shm = present(x, &xcb_shm_id);
    x->has_fixes = present(x, &xcb_xfixes_id);
    x->has_damage = x->has_fixes && present(x, &xcb_damage_id);
    if (x->has_fixes) { /* the server answers nothing else until it knows our version */
        free(xcb_xfixes_query_version_reply(x->c, xcb_xfixes_query_version(x->c, 4, 0), NULL));
        x->fixes_event = xcb_get_extension_data(x->c, &xcb_xfixes_id)->first_event;
    }
    if (x->has_damage) {
        free(xcb_damage_query_version_reply(x->c, xcb_damage_query_version(x->c, 1, 1), NULL));
        x->damage_event = xcb_get_extension_data(x->c, &xcb_damage_id)->first_event;
    }
    return x11_alive(x, err);
}

static bool intern_atoms(x11_desk *x, base_error *err)
{
    static const char *const names[X11_ATOM_COUNT] = {
        [X11_NET_ACTIVE_WINDOW] = "_NET_ACTIVE_WINDOW",
        [X11_NET_CLIENT_LIST] = "_NET_CLIENT_LIST",
        [X11_NET_CLIENT_LIST_STACKING] = "_NET_CLIENT_LIST_STACKING",
        [X11_NET_CLOSE_WINDOW] = "_NET_CLOSE_WINDOW",
        [X11_NET_CURRENT_DESKTOP] = "_NET_CURRENT_DESKTOP",
        [X11_NET_DESKTOP_NAMES] = "_NET_DESKTOP_NAMES",
        [X11_NET_FRAME_EXTENTS] = "_NET_FRAME_EXTENTS",
        [X11_NET_MOVERESIZE_WINDOW] = "_NET_MOVERESIZE_WINDOW",
        [X11_NET_NUMBER_OF_DESKTOPS] = "_NET_NUMBER_OF_DESKTOPS",
        [X11_NET_RESTACK_WINDOW] = "_NET_RESTACK_WINDOW",
        [X11_NET_SUPPORTED] = "_NET_SUPPORTED",
        [X11_NET_SUPPORTING_WM_CHECK] = "_NET_SUPPORTING_WM_CHECK",
        [X11_NET_WM_CM] = "_NET_WM_CM_S0",
        [X11_NET_WM_DESKTOP] = "_NET_WM_DESKTOP",
        [X11_NET_WM_NAME] = "_NET_WM_NAME",
        [X11_NET_WM_PID] = "_NET_WM_PID",
        [X11_NET_WM_PING] = "_NET_WM_PING",
        [X11_NET_WM_STATE] = "_NET_WM_STATE",
        [X11_NET_WM_STATE_ABOVE] = "_NET_WM_STATE_ABOVE",
        [X11_NET_WM_STATE_BELOW] = "_NET_WM_STATE_BELOW",
        [X11_NET_WM_STATE_HIDDEN] = "_NET_WM_STATE_HIDDEN",
        [X11_NET_WM_STATE_MAXIMIZED_HORZ] = "_NET_WM_STATE_MAXIMIZED_HORZ",
        [X11_NET_WM_STATE_MAXIMIZED_VERT] = "_NET_WM_STATE_MAXIMIZED_VERT",
        [X11_NET_WORKAREA] = "_NET_WORKAREA",
        [X11_NET_WM_WINDOW_TYPE] = "_NET_WM_WINDOW_TYPE",
        [X11_NET_WM_WINDOW_TYPE_DESKTOP] = "_NET_WM_WINDOW_TYPE_DESKTOP",
        [X11_NET_WM_WINDOW_TYPE_DOCK] = "_NET_WM_WINDOW_TYPE_DOCK",
        [X11_CLIPBOARD] = "CLIPBOARD",
        [X11_DESKPILOT_SELECTION] = "_DESKPILOT_SELECTION",
        [X11_IMAGE_PNG] = "image/png",
        [X11_INCR] = "INCR",
        [X11_TARGETS] = "TARGETS",
        [X11_TEXT_PLAIN_UTF8] = "text/plain;charset=utf-8",
        [X11_TIMESTAMP] = "TIMESTAMP",
        [X11_UTF8_STRING] = "UTF8_STRING",
        [X11_WM_CHANGE_STATE] = "WM_CHANGE_STATE",
        [X11_WM_DELETE_WINDOW] = "WM_DELETE_WINDOW",
        [X11_WM_PROTOCOLS] = "WM_PROTOCOLS",
        [X11_WM_STATE] = "WM_STATE",
    };
    xcb_intern_atom_cookie_t cookies[X11_ATOM_COUNT];
    for (int i = 0; i < X11_ATOM_COUNT; i++) {
        cookies[i] = xcb_intern_atom(x->c, 0, (uint16_t) strlen(names[i]), names[i]);
    }
    for (int i = 0; i < X11_ATOM_COUNT; i++) {
        xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(x->c, cookies[i], NULL);
        x->atoms[i] = reply ? reply->atom : XCB_ATOM_NONE;
        free(reply);
    }
    return x11_alive(x, err);
}

/* Writing to a server that has died raises SIGPIPE, which would end the program; XCB reports the
 * same as an error. A handler that somebody else has set is left alone. */
static void ignore_broken_pipe(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
        signal(SIGPIPE, SIG_IGN);
    }
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int) (at - digits) : -1;
}

static xcb_connection_t *connect_with(const char *display, const char *cookie, int *number)
{
    static char name[] = "MIT-MAGIC-COOKIE-1";
    char data[16];
    if (!cookie) {
        return xcb_connect(display, number);
    }
    for (size_t i = 0; i < sizeof data; i++) {
        int high = hex_digit(cookie[2 * i]), low = high < 0 ? -1 : hex_digit(cookie[2 * i + 1]);
        if (low < 0) {
            return xcb_connect(display, number); /* no cookie: the server will say so */
        }
        data[i] = (char) (high << 4 | low);
    }
    xcb_auth_info_t auth = {sizeof name - 1, name, sizeof data, data};
    return xcb_connect_to_display_with_auth_info(display, &auth, number);
}

xcb_connection_t *x11_connect(const desk_options *options, int *number, base_error *err)
{
    const char *display = options ? options->display : NULL;
    bool cookie = options && options->cookie;
    ignore_broken_pipe();
    xcb_connection_t *c =
        cookie ? connect_with(display, options->cookie, number) : xcb_connect(display, number);
    if (xcb_connection_has_error(c)) {
        no_display(display, err);
    }
    return c;
}

static bool connect_to(x11_desk *x, const desk_options *options, base_error *err)
{
    int number = 0;
    const char *display = options ? options->display : NULL;
    x->c = x11_connect(options, &number, err);
    if (xcb_connection_has_error(x->c)) {
        return false;
    }
    const char *name = display ? display : getenv("DISPLAY");
    snprintf(x->name, sizeof x->name, "%s", name ? name : "");
    snprintf(x->cookie, sizeof x->cookie, "%s", options && options->cookie ? options->cookie : "");
    x->screen = x11_screen_number(x->c, number);
    if (!x->screen) {
        return no_display(display, err);
    }
    x->root = x->screen->root;
    x->ledger = x11_ledger_open(name);
    return check_pixels(x, err) && find_extensions(x, err) && intern_atoms(x, err);
}

static const desk_ops OPS;

static bool open_desk(desk **out, const desk_options *options, base_error *err)
{
    x11_desk *x = calloc(1, sizeof *x);
    if (!x) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to open a desk.");
    }
    x->base.ops = &OPS;
    x->keyboard.stale = true;
    if (!connect_to(x, options, err)) {
        x11_ledger_close(x->ledger);
        xcb_disconnect(x->c);
        free(x);
        return false;
    }
    *out = &x->base;
    return true;
}

static void close_desk(desk *d)
{
    x11_desk *x = (x11_desk *) d;
    x11_pointer_close(x);
    x11_keyboard_close(x);
    x11_watch_stop(d);
    x11_window_capture_end(d);
    x11_guardian_close(x, x11_sync(x, NULL));
    x11_screen_close(x);
    x11_clipboard_close(x);
    x11_offer_close(x);
    x11_ledger_close(x->ledger);
    xcb_disconnect(x->c);
    free(x);
}

static const desk_ops OPS = {
    .name = "x11",
    .open = open_desk,
    .close = close_desk,
    .poll_fd = poll_fd,
    .poll_every = poll_every,
    .pump = pump,
    .screen_rect = x11_screen_rect,
    .capture = x11_capture,
    .monitors = x11_monitors,
    .window_capture = x11_window_capture,
    .window_capture_end = x11_window_capture_end,
    .watch_start = x11_watch_start,
    .watch_stop = x11_watch_stop,
    .last_change = x11_last_change,
    .pointer_get = x11_pointer_get,
    .pointer_move = x11_pointer_move,
    .button = x11_button,
    .button_waits = x11_button_waits,
    .wheel = x11_wheel,
    .key = x11_key,
    .text_step = x11_text_step,
    .text_end = x11_text_end,
    .ping = x11_ping,
    .ping_answered = x11_ping_answered,
    .windows = x11_windows,
    .window_active = x11_window_active,
    .window_focus = x11_window_focus,
    .window_close = x11_window_close,
    .window_place = x11_window_place,
    .window_state = x11_window_state,
    .window_stack = x11_window_stack,
    .window_changes = x11_window_changes,
    .workspaces = x11_workspaces,
    .workspace_go = x11_workspace_go,
    .window_workspace = x11_window_workspace,
    .clipboard_get = x11_clipboard_get,
    .clipboard_set = x11_clipboard_set,
    .clipboard_changes = x11_clipboard_changes,
};

const desk_ops *const desk_native_ops = &OPS;
