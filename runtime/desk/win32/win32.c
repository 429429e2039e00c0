/* The Windows backend as a whole: how a desk is opened, pumped and closed. */
#include "win32.h"
#include "win32_internal.h"

#include <stdlib.h>

static void close_desk(desk *d)
{
    win32_desk *w = (win32_desk *) d;
    win32_hold_close(w);
    win32_highlight_close(w);
    win32_pointer_close(w);
    win32_keyboard_close(w);
    win32_watch_close(w);
    win32_screen_close(w);
    win32_desktop_close(w->desktop);
    free(w);
}

static bool pump(desk *d, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    (void) err;
    win32_highlight_pump(w);
    win32_watch_look(w);
    return true;
}

static void fill_ops(desk *d)
{
    desk_ops *ops = &d->ops;
    ops->close = close_desk;
    ops->pump = pump;
    win32_hold_ops(ops);
    win32_screen_ops(ops);
    win32_monitor_ops(ops);
    win32_window_capture_ops(ops);
    win32_watch_ops(ops);
    win32_highlight_ops(ops);
    win32_pointer_ops(ops);
    win32_keyboard_ops(ops);
    win32_typing_ops(ops);
    win32_windows_ops(ops);
    win32_stack_ops(ops);
    win32_clipboard_ops(ops);
    d->lacks.workspaces =
        "Windows tells no program of its virtual desktops, and lets none move another program's "
        "window; press ctrl+win+left or ctrl+win+right instead";
}

bool win32_desk_connect(desk **out, const desk_options *options, base_error *err)
{
    win32_desk *w = calloc(1, sizeof *w);
    image_rect screen;
    if (!w) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to open a desk.");
    }
    /* Refused where the program's manifest has said it already. */
    SetProcessDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2);
    fill_ops(&w->base);
    if (options->display) {
        win32_private_ops(w);
        w->desktop = win32_desktop_open(options->display, err);
    }
    if ((options->display && !w->desktop) || !win32_screen_rect(&w->base, &screen, err)) {
        close_desk(&w->base);
        return false;
    }
    *out = &w->base;
    return true;
}
