#include "null_inside.h"
#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { DEFAULT_WIDTH = 1280, DEFAULT_HEIGHT = 800, CURSOR_SIDE = 12 };

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
static void add_text(null_desk *n, const char *text, size_t length)
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
    add_text(n, line, strlen(line));
    add_text(n, "\n", 1);
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
    }
}

bool null_is_side(int pixels)
{
    return pixels > 0 && pixels <= DESK_IMAGE_MAX_SIDE;
}

static bool open_desk(desk **out, const desk_options *options, desk_error *err)
{
    int width = options && options->width ? options->width : DEFAULT_WIDTH;
    int height = options && options->height ? options->height : DEFAULT_HEIGHT;
    if (!null_is_side(width) || !null_is_side(height)) {
        return desk_fail(err, DESK_INVALID, "A screen cannot be %d x %d pixels large.", width,
                         height);
    }
    null_desk *n = calloc(1, sizeof *n);
    if (!n) {
        return desk_fail(err, DESK_NO_MEMORY, "There is not enough memory to open a desk.");
    }
    n->base.ops = &null_ops;
    n->screen = (desk_rect){0, 0, width, height};
    n->window = (desk_rect){width / 4, height / 4, width - width / 2, height - height / 2};
    n->window_open = n->window_active = true;
    n->x = width / 2;
    n->y = height / 2;
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

static bool pump(desk *d, desk_error *err)
{
    (void) d;
    (void) err;
    return true;
}

static bool screen_rect(desk *d, desk_rect *out, desk_error *err)
{
    (void) err;
    *out = ((null_desk *) d)->screen;
    return true;
}

static bool inside(desk_rect r, int x, int y)
{
    return x >= r.x && y >= r.y && x - r.x < r.width && y - r.y < r.height;
}

/* A gradient: blue grows to the right, green downwards, red tells the window from the rest. The
 * pointer is a white triangle with its tip where it points. */
static uint32_t pixel_at(const null_desk *n, int x, int y, bool cursor)
{
    int dx = x - n->x, dy = y - n->y;
    if (cursor && dx >= 0 && dy < CURSOR_SIDE && dx <= dy) {
        return 0xffffff;
    }
    uint32_t blue = (uint32_t) (x * 255 / n->screen.width);
    uint32_t green = (uint32_t) (y * 255 / n->screen.height);
    bool shown = n->window_open && n->window_state != DESK_WINDOW_MINIMIZED;
    uint32_t red = shown && inside(null_window_rect(n), x, y) ? 0xc0 : 0x20;
    return red << 16 | green << 8 | blue;
}

static void draw(const null_desk *n, desk_rect rect, bool cursor, desk_image *out)
{
    for (int y = 0; y < rect.height; y++) {
        uint8_t *row = out->pixels + (size_t) y * out->stride;
        for (int x = 0; x < rect.width; x++) {
            uint32_t pixel = pixel_at(n, rect.x + x, rect.y + y, cursor);
            memcpy(row + (size_t) x * 4, &pixel, 4);
        }
    }
}

static bool capture(desk *d, desk_rect rect, bool cursor, desk_image *out, desk_error *err)
{
    null_desk *n = (null_desk *) d;
    desk_rect s = n->screen;
    if (rect.width <= 0 || rect.height <= 0 || rect.x < 0 || rect.y < 0 ||
        rect.width > s.width - rect.x || rect.height > s.height - rect.y) {
        return desk_fail(err, DESK_INVALID,
                         "The region %d,%d of %d x %d pixels is not inside the screen of %d x %d.",
                         rect.x, rect.y, rect.width, rect.height, s.width, s.height);
    }
    bool fits =
        !out->borrowed && out->pixels && out->width == rect.width && out->height == rect.height;
    if (!fits && !desk_image_alloc(out, rect.width, rect.height, err)) {
        return false;
    }
    draw(n, rect, cursor, out);
    null_add_line(n, "capture %d %d %d %d", rect.x, rect.y, rect.width, rect.height);
    return true;
}

static bool watch_start(desk *d, desk_error *err)
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

static bool pointer_get(desk *d, int *x, int *y, desk_error *err)
{
    (void) err;
    *x = ((null_desk *) d)->x;
    *y = ((null_desk *) d)->y;
    return true;
}

static bool pointer_move(desk *d, int x, int y, desk_error *err)
{
    null_desk *n = (null_desk *) d;
    if (!inside(n->screen, x, y)) {
        return desk_fail(err, DESK_INVALID, "The point %d,%d is outside the screen of %d x %d.", x,
                         y, n->screen.width, n->screen.height);
    }
    n->x = x;
    n->y = y;
    null_add_line(n, "move %d %d", x, y);
    return true;
}

static bool button(desk *d, desk_button which, bool down, desk_error *err)
{
    null_desk *n = (null_desk *) d;
    if (which < DESK_LEFT || which > DESK_FORWARD) {
        return desk_fail(err, DESK_INVALID, "There is no mouse button %d.", (int) which);
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

static bool wheel(desk *d, int dx, int dy, desk_error *err)
{
    null_desk *n = (null_desk *) d;
    (void) err;
    null_add_line(n, "wheel %g %g", (double) dx / DESK_NOTCH, (double) dy / DESK_NOTCH);
    null_changed(n);
    return true;
}

static bool key(desk *d, desk_key which, bool down, desk_error *err)
{
    null_desk *n = (null_desk *) d;
    char name[DESK_KEY_NAME_SIZE];
    desk_key_name(which, name);
    if (!name[0]) {
        return desk_fail(err, DESK_INVALID, "There is no key number %u.", (unsigned) which);
    }
    null_add_line(n, "key %s %s", name, down ? "down" : "up");
    null_changed(n);
    return true;
}

static void add_escaped(null_desk *n, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n') {
            add_text(n, "\\n", 2);
        } else if (text[i] == '\t') {
            add_text(n, "\\t", 2);
        } else if (text[i] == '\0') {
            add_text(n, "\\0", 2);
        } else if (text[i] == '\\') {
            add_text(n, "\\\\", 2);
        } else {
            add_text(n, text + i, 1);
        }
    }
}

static bool text_step(desk *d, const char *text, size_t length, desk_text_step *out,
                      desk_error *err)
{
    null_desk *n = (null_desk *) d;
    size_t good = desk_utf8_check(text, length);
    *out = (desk_text_step){0};
    if (good < length) {
        return desk_fail(err, DESK_INVALID, "The text is not valid UTF-8 at byte %zu.", good + 1);
    }
    add_text(n, "text ", 5);
    add_escaped(n, text, length);
    add_text(n, "\n", 1);
    null_changed(n);
    out->consumed = length;
    return true;
}

static bool text_end(desk *d, desk_error *err)
{
    (void) err;
    null_add_line((null_desk *) d, "text_end");
    return true;
}

static bool ping(desk *d, uint64_t *token, desk_error *err)
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

static bool clipboard_get(desk *d, char **text, size_t *length, bool *pending, desk_error *err)
{
    null_desk *n = (null_desk *) d;
    *pending = false;
    *text = malloc(n->clipboard_length + 1);
    if (!*text) {
        return desk_fail(err, DESK_NO_MEMORY, "There is not enough memory.");
    }
    if (n->clipboard) {
        memcpy(*text, n->clipboard, n->clipboard_length);
    }
    (*text)[n->clipboard_length] = '\0';
    *length = n->clipboard_length;
    null_add_line(n, "clipboard_get");
    return true;
}

static bool clipboard_set(desk *d, const char *text, size_t length, bool *pending, desk_error *err)
{
    null_desk *n = (null_desk *) d;
    size_t good = desk_utf8_check(text, length);
    *pending = false;
    if (good < length) {
        return desk_fail(err, DESK_INVALID, "The text is not valid UTF-8 at byte %zu.", good + 1);
    }
    if (length > DESK_CLIPBOARD_MAX) {
        return desk_fail(err, DESK_REFUSED, "The text is too long for the clipboard.");
    }
    char *copy = malloc(length + 1);
    if (!copy) {
        return desk_fail(err, DESK_NO_MEMORY, "There is not enough memory.");
    }
    memcpy(copy, text, length);
    free(n->clipboard);
    n->clipboard = copy;
    n->clipboard_length = length;
    add_text(n, "clipboard_set ", 14);
    add_escaped(n, text, length);
    add_text(n, "\n", 1);
    return true;
}

const desk_ops null_ops = {
    .name = "null",
    .open = open_desk,
    .close = close_desk,
    .poll_fd = poll_fd,
    .poll_every = poll_every,
    .pump = pump,
    .screen_rect = screen_rect,
    .capture = capture,
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
    .clipboard_get = clipboard_get,
    .clipboard_set = clipboard_set,
};
