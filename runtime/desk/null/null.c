#include "base/utf8.h"
#include "null_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { DEFAULT_WIDTH = 1280, DEFAULT_HEIGHT = 800, FARTHEST = 1000000 };

static bool grow_log(null_desk *n, size_t by)
{
    if (n->log_used + by + 1 > n->log_room) {
        size_t room = (n->log_used + by + 1) * 2;
        char *log = realloc(n->log, room);
        if (!log) {
            return false;
        }
        n->log = log;
        n->log_room = room;
    }
    return true;
}

/* A log that cannot grow loses lines: a test will see that, and nothing else reads it. */
void null_add_text(null_desk *n, const char *text, size_t length)
{
    if (grow_log(n, length)) {
        memcpy(n->log + n->log_used, text, length);
        n->log_used += length;
        n->log[n->log_used] = '\0';
    }
}

void null_add_line(null_desk *n, const char *format, ...)
{
    char line[128];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    null_add_text(n, line, strlen(line));
    null_add_text(n, "\n", 1);
}

const char *null_log(const desk *d)
{
    const null_desk *n = (const null_desk *) d;
    return n->log ? n->log : "";
}

void null_log_clear(desk *d)
{
    null_desk *n = (null_desk *) d;
    n->log_used = 0;
    if (n->log) {
        n->log[0] = '\0';
    }
}

void null_changed(null_desk *n)
{
    if (n->watching) {
        n->last_change = uv_hrtime();
        desk_regions_note(&n->base.regions, n->screen, n->last_change);
    }
}

bool null_is_side(int pixels)
{
    return pixels > 0 && pixels <= IMAGE_MAX_SIDE;
}

static bool open_desk(desk **out, const desk_options *options, base_error *err)
{
    int width = options && options->width ? options->width : DEFAULT_WIDTH;
    int height = options && options->height ? options->height : DEFAULT_HEIGHT;
    int x = options ? options->x : 0, y = options ? options->y : 0;
    if (!null_is_side(width) || !null_is_side(height) || x < -FARTHEST || x > FARTHEST ||
        y < -FARTHEST || y > FARTHEST ||
        (options && (options->monitors < 0 || options->monitors > width))) {
        return base_fail(err, BASE_INVALID,
                         "A screen cannot be %d x %d pixels large at %d,%d with %d monitors.",
                         width, height, x, y, options ? options->monitors : 1);
    }
    null_desk *n = calloc(1, sizeof *n);
    if (!n) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to open a desk.");
    }
    n->base.ops = &null_ops;
    n->screen = (image_rect){x, y, width, height};
    n->monitors = options && options->monitors > 1 ? options->monitors : 1;
    n->window = (image_rect){x + width / 4, y + height / 4, width - width / 2, height - height / 2};
    n->window_open = n->window_active = true;
    n->window_workspace = n->workspace = 1;
    n->x = x + width / 2;
    n->y = y + height / 2;
    *out = &n->base;
    return true;
}

static void close_desk(desk *d)
{
    free(((null_desk *) d)->clipboard);
    free(((null_desk *) d)->log);
    free(d);
}

static int poll_fd(desk *d)
{
    (void) d;
    return -1;
}

static int poll_every(desk *d)
{
    (void) d;
    return 0;
}

static bool pump(desk *d, base_error *err)
{
    (void) d;
    (void) err;
    return true;
}

bool null_inside(image_rect r, int x, int y)
{
    return x >= r.x && y >= r.y && (int64_t) x - r.x < r.width && (int64_t) y - r.y < r.height;
}

static bool watch_start(desk *d, base_error *err)
{
    null_desk *n = (null_desk *) d;
    (void) err;
    n->watching = true;
    n->last_change = 0;
    null_add_line(n, "watch_start");
    return true;
}

static void watch_stop(desk *d)
{
    null_desk *n = (null_desk *) d;
    n->watching = false;
    n->last_change = 0;
    null_add_line(n, "watch_stop");
}

static uint64_t last_change(desk *d)
{
    return ((null_desk *) d)->last_change;
}

static bool pointer_get(desk *d, int *x, int *y, base_error *err)
{
    (void) err;
    *x = ((null_desk *) d)->x;
    *y = ((null_desk *) d)->y;
    return true;
}

static bool pointer_move(desk *d, int x, int y, base_error *err)
{
    null_desk *n = (null_desk *) d;
    if (!null_inside(n->screen, x, y)) {
        return base_fail(err, BASE_INVALID,
                         "The point %d,%d is outside the screen of %d x %d at %d,%d.", x, y,
                         n->screen.width, n->screen.height, n->screen.x, n->screen.y);
    }
    n->x = x;
    n->y = y;
    null_add_line(n, "move %d %d", x, y);
    return true;
}

static bool button(desk *d, desk_button which, bool down, base_error *err)
{
    null_desk *n = (null_desk *) d;
    if (which < DESK_LEFT || which > DESK_FORWARD) {
        return base_fail(err, BASE_INVALID, "There is no mouse button %d.", (int) which);
    }
    null_add_line(n, "button %d %s", (int) which, down ? "down" : "up");
    null_changed(n);
    return true;
}

static bool button_waits(desk *d)
{
    (void) d;
    return false;
}

static bool wheel(desk *d, int dx, int dy, base_error *err)
{
    null_desk *n = (null_desk *) d;
    (void) err;
    null_add_line(n, "wheel %g %g", (double) dx / DESK_NOTCH, (double) dy / DESK_NOTCH);
    null_changed(n);
    return true;
}

static bool key(desk *d, desk_key which, bool down, base_error *err)
{
    null_desk *n = (null_desk *) d;
    char name[DESK_KEY_NAME_SIZE];
    desk_key_name(which, name);
    if (!name[0]) {
        return base_fail(err, BASE_INVALID, "There is no key number %u.", (unsigned) which);
    }
    null_add_line(n, "key %s %s", name, down ? "down" : "up");
    null_changed(n);
    return true;
}

void null_add_escaped(null_desk *n, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            null_add_text(n, "\\n", 2);
        } else if (text[i] == '\t') {
            null_add_text(n, "\\t", 2);
        } else if (text[i] == '\0') {
            null_add_text(n, "\\0", 2);
        } else if (text[i] == '\\') {
            null_add_text(n, "\\\\", 2);
        } else {
            null_add_text(n, text + i, 1);
        }
    }
}

static bool text_step(desk *d, const char *text, size_t length, desk_text_step *out,
                      base_error *err)
{
    null_desk *n = (null_desk *) d;
    size_t good = base_utf8_check(text, length);
    *out = (desk_text_step){0};
    if (good < length) {
        return base_fail(err, BASE_INVALID, "The text is not valid UTF-8 at byte %zu.", good + 1);
    }
    null_add_text(n, "text ", 5);
    null_add_escaped(n, text, length);
    null_add_text(n, "\n", 1);
    null_changed(n);
    out->consumed = length;
    return true;
}

static bool text_end(desk *d, base_error *err)
{
    (void) err;
    null_add_line((null_desk *) d, "text_end");
    return true;
}

static bool ping(desk *d, uint64_t *token, base_error *err)
{
    (void) d;
    (void) err;
    *token = 0; /* nobody there to answer */
    return true;
}

static bool ping_answered(desk *d, uint64_t token)
{
    (void) d;
    (void) token;
    return false;
}

const desk_ops null_ops = {
    .name = "null",
    .open = open_desk,
    .close = close_desk,
    .poll_fd = poll_fd,
    .poll_every = poll_every,
    .pump = pump,
    .screen_rect = null_screen_rect,
    .capture = null_capture,
    .monitors = null_monitors,
    .window_capture = null_window_capture,
    .window_capture_end = null_window_capture_end,
    .watch_start = watch_start,
    .watch_stop = watch_stop,
    .last_change = last_change,
    .pointer_get = pointer_get,
    .pointer_move = pointer_move,
    .button = button,
    .button_waits = button_waits,
    .wheel = wheel,
    .key = key,
    .text_step = text_step,
    .text_end = text_end,
    .ping = ping,
    .ping_answered = ping_answered,
    .windows = null_windows,
    .window_active = null_window_active,
    .window_focus = null_window_focus,
    .window_close = null_window_close,
    .window_place = null_window_place,
    .window_state = null_window_state,
    .window_stack = null_window_stack,
    .window_changes = null_window_changes,
    .workspaces = null_workspaces,
    .workspace_go = null_workspace_go,
    .window_workspace = null_window_workspace,
    .clipboard_get = null_clipboard_get,
    .clipboard_set = null_clipboard_set,
    .clipboard_changes = null_clipboard_changes,
};
