#include "win32_internal.h"

#include "desk/native.h"

#include <stdlib.h>

static const desk_ops OPS, PRIVATE_OPS;

static void close_desk(desk *d)
{
    win32_desk *w = (win32_desk *) d;
    win32_pointer_close(w);
    win32_keyboard_close(w);
    win32_watch_close(w);
    win32_screen_close(w);
    win32_desktop_close(w->desktop);
    free(w);
}

static bool open_desk(desk **out, const desk_options *options, base_error *err)
{
    win32_desk *w = calloc(1, sizeof *w);
    image_rect screen;
    if (!w) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to open a desk.");
    }
    /* Refused where the program's manifest has said it already. */
    SetProcessDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2);
    const char *name = options ? options->display : NULL;
    w->base.ops = name ? &PRIVATE_OPS : &OPS;
    if ((name && !(w->desktop = win32_desktop_open(name, err))) ||
        !win32_screen_rect(&w->base, &screen, err)) {
        close_desk(&w->base);
        return false;
    }
    *out = &w->base;
    return true;
}

static int poll_fd(desk *d)
{
    (void) d;
    return -1;
}

static bool pump(desk *d, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    (void) err;
    win32_watch_look(w);
    return true;
}

/* Input is queued by Windows and reaches the program in order; nothing in it can be asked whether
 * it listens without waiting for the answer. */
static bool ping(desk *d, uint64_t *token, base_error *err)
{
    (void) d;
    (void) err;
    *token = 0;
    return true;
}

static bool ping_answered(desk *d, uint64_t token)
{
    (void) d;
    (void) token;
    return true;
}

/* Nobody looks at clicks before their window does. */
static bool button_waits(desk *d)
{
    (void) d;
    return false;
}

static const desk_ops OPS = {
    .name = "win32",
    .open = open_desk,
    .close = close_desk,
    .poll_fd = poll_fd,
    .poll_every = win32_poll_every,
    .pump = pump,
    .screen_rect = win32_screen_rect,
    .capture = win32_capture,
    .monitors = win32_monitors,
    .window_capture = win32_window_capture,
    .window_capture_end = win32_window_capture_end,
    .watch_start = win32_watch_start,
    .watch_stop = win32_watch_stop,
    .last_change = win32_last_change,
    .pointer_get = win32_pointer_get,
    .pointer_move = win32_pointer_move,
    .button = win32_button,
    .button_waits = button_waits,
    .wheel = win32_wheel,
    .key = win32_key,
    .text_step = win32_text_step,
    .text_end = win32_text_end,
    .ping = ping,
    .ping_answered = ping_answered,
    .windows = win32_windows,
    .window_active = win32_window_active,
    .window_focus = win32_window_focus,
    .window_close = win32_window_close,
    .window_place = win32_window_place,
    .window_state = win32_window_state,
    .window_stack = win32_window_stack,
    .window_changes = win32_window_changes,
    .workspaces = win32_workspaces,
    .workspace_go = win32_workspace_go,
    .window_workspace = win32_window_workspace,
    .clipboard_get = win32_clipboard_get,
    .clipboard_set = win32_clipboard_set,
    .clipboard_changes = win32_clipboard_changes,
};

/* What is not of win32_private.c here touches no other desktop. */
static const desk_ops PRIVATE_OPS = {
    .name = "win32",
    .open = open_desk,
    .close = close_desk,
    .poll_fd = poll_fd,
    .poll_every = win32_poll_every,
    .pump = pump,
    .screen_rect = win32_screen_rect,
    .capture = win32_capture,
    .monitors = win32_monitors,
    .window_capture = win32_window_capture,
    .window_capture_end = win32_window_capture_end,
    .watch_start = win32_watch_start,
    .watch_stop = win32_watch_stop,
    .last_change = win32_last_change,
    .pointer_get = win32_private_pointer_get,
    .pointer_move = win32_private_pointer_move,
    .button = win32_private_button,
    .button_waits = button_waits,
    .wheel = win32_private_wheel,
    .key = win32_private_key,
    .text_step = win32_private_text_step,
    .text_end = win32_text_end,
    .ping = ping,
    .ping_answered = ping_answered,
    .windows = win32_private_windows,
    .window_active = win32_private_window_active,
    .window_focus = win32_private_window_focus,
    .window_close = win32_private_window_close,
    .window_place = win32_private_window_place,
    .window_state = win32_private_window_state,
    .window_stack = win32_private_window_stack,
    .window_changes = win32_window_changes,
    .workspaces = win32_workspaces,
    .workspace_go = win32_workspace_go,
    .window_workspace = win32_window_workspace,
    .clipboard_get = win32_private_clipboard_get,
    .clipboard_set = win32_private_clipboard_set,
    .clipboard_changes = win32_private_clipboard_changes,
};

const desk_ops *const desk_native_ops = &OPS;
