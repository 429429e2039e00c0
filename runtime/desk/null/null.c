/* The desk that is not there: its life and its log. */
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

static const char *told(desk *d)
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

static bool is_side(int pixels)
{
    return pixels > 0 && pixels <= IMAGE_MAX_SIDE;
}

static void close_desk(desk *d)
{
    free(((null_desk *) d)->clipboard);
    free(((null_desk *) d)->log);
    free(d);
}

static void fill_ops(desk_ops *ops)
{
    ops->close = close_desk;
    ops->log = told;
    null_input_ops(ops);
    null_screen_ops(ops);
    null_windows_ops(ops);
    null_clipboard_ops(ops);
}

bool null_desk_connect(desk **out, const desk_options *options, base_error *err)
{
    int width = options->width ? options->width : DEFAULT_WIDTH;
    int height = options->height ? options->height : DEFAULT_HEIGHT;
    int x = options->x, y = options->y;
    if (!is_side(width) || !is_side(height) || x < -FARTHEST || x > FARTHEST || y < -FARTHEST ||
        y > FARTHEST || options->monitors < 0 || options->monitors > width) {
        return base_fail(err, BASE_INVALID,
                         "A screen cannot be %d x %d pixels large at %d,%d with %d monitors.",
                         width, height, x, y, options->monitors);
    }
    null_desk *n = calloc(1, sizeof *n);
    if (!n) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to open a desk.");
    }
    fill_ops(&n->base.ops);
    n->screen = (image_rect){x, y, width, height};
    n->monitors = options->monitors > 1 ? options->monitors : 1;
    n->window = (image_rect){x + width / 4, y + height / 4, width - width / 2, height - height / 2};
    n->window_open = n->window_active = true;
    n->window_workspace = n->workspace = 1;
    n->x = x + width / 2;
    n->y = y + height / 2;
    *out = &n->base;
    return true;
}
