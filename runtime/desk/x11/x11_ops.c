/* The X11 backend as a whole: how a desk is opened, pumped and closed, and its table of ops. */
#include "x11_internal.h"

#include "desk/native.h"

#include <stdlib.h>

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

static const desk_ops OPS;

static bool open_desk(desk **out, const desk_options *options, base_error *err)
{
    x11_desk *x = calloc(1, sizeof *x);
    if (!x) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to open a desk.");
    }
    x->base.ops = &OPS;
    x->keymap.stale = true;
    if (!x11_open(x, options, err)) {
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
    x11_text_end(d, NULL);
    x11_keymap_close(x);
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
