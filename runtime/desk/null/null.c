/* The desk that is not there: opening and closing it. */
#include "null_internal.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_WIDTH = 1280, DEFAULT_HEIGHT = 800, FARTHEST = 1000000 };

static bool is_side(int pixels)
{
    return pixels > 0 && pixels <= IMAGE_MAX_SIDE;
}

static void close_desk(desk *d)
{
    null_desk *n = (null_desk *) d;
    image_free(&n->picture);
    free(n->clipboard);
    free(n->log);
    free(n);
}

static void fill_ops(desk_ops *ops)
{
    ops->close = close_desk;
    ops->log = null_log;
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
