/* The screen of the desk that is not there: one or more monitors side by side, and its picture. */
#include "null_internal.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

enum { CURSOR_SIDE = 12 };

static bool screen_rect(desk *d, image_rect *out, base_error *err)
{
    (void) err;
    *out = ((null_desk *) d)->screen;
    return true;
}

static void set_pixel(image_bitmap *out, int x, int y, uint32_t pixel)
{
    memcpy(out->pixels + (size_t) y * out->stride + (size_t) x * 4, &pixel, 4);
}

/* A gradient: blue grows to the right, green downwards, red tells the window from the rest. Each
 * row takes over the blue of the first one, and all of the row above where that is the same. */
static void draw_screen(const null_desk *n, image_rect rect, image_bitmap *out)
{
    bool shown = n->window_open && n->window_state != DESK_WINDOW_MINIMIZED;
    image_rect window = shown ? null_window_rect(n) : (image_rect){0};
    int64_t left = (int64_t) window.x - rect.x, right = left + window.width;
    int64_t top = (int64_t) window.y - rect.y, bottom = top + window.height;
    uint32_t green_above = 0;
    bool above_in_window = false;
    for (int y = 0; y < rect.height; y++) {
        int64_t down = (int64_t) rect.y + y - n->screen.y;
        uint32_t green = (uint32_t) (down * 255 / n->screen.height) & 255;
        bool in_window = y >= top && y < bottom;
        if (y > 0 && green == green_above && in_window == above_in_window) {
            uint8_t *row = out->pixels + (size_t) y * out->stride;
            memcpy(row, row - out->stride, (size_t) rect.width * 4);
            continue;
        }
        green_above = green;
        above_in_window = in_window;
        for (int x = 0; x < rect.width; x++) {
            int64_t along = (int64_t) rect.x + x - n->screen.x;
            uint32_t blue = y > 0 ? out->pixels[(size_t) x * 4]
                                  : (uint32_t) (along * 255 / n->screen.width) & 255;
            uint32_t red = in_window && x >= left && x < right ? 0xc0 : 0x20;
            set_pixel(out, x, y, red << 16 | green << 8 | blue);
        }
    }
}

/* A white triangle with its tip where the pointer points. */
static void draw_cursor(const null_desk *n, image_rect rect, image_bitmap *out)
{
    for (int dy = 0; dy < CURSOR_SIDE; dy++) {
        for (int dx = 0; dx <= dy; dx++) {
            int64_t x = (int64_t) n->x + dx - rect.x, y = (int64_t) n->y + dy - rect.y;
            if (x >= 0 && x < rect.width && y >= 0 && y < rect.height) {
                set_pixel(out, (int) x, (int) y, 0xffffff);
            }
        }
    }
}

static void draw(const null_desk *n, image_rect rect, bool cursor, image_bitmap *out)
{
    draw_screen(n, rect, out);
    if (cursor) {
        draw_cursor(n, rect, out);
    }
}

bool null_draw(const null_desk *n, image_rect rect, bool cursor, image_bitmap *out, base_error *err)
{
    bool fits =
        !out->borrowed && out->pixels && out->width == rect.width && out->height == rect.height;
    if (!fits && !image_alloc(out, rect.width, rect.height, err)) {
        return false;
    }
    draw(n, rect, cursor, out);
    return true;
}

static bool capture(desk *d, image_rect screen, image_rect part, bool cursor, image_bitmap *out,
                    base_error *err)
{
    null_desk *n = (null_desk *) d;
    bool fits = n->picture.width == screen.width && n->picture.height == screen.height;
    if (!fits && !image_alloc(&n->picture, screen.width, screen.height, err)) {
        return false;
    }
    image_free(out);
    *out = n->picture; /* the part is in its upper left corner */
    out->width = part.width;
    out->height = part.height;
    out->borrowed = true;
    draw(n, part, cursor, out);
    null_add_line(n, "capture %d %d %d %d", part.x, part.y, part.width, part.height);
    return true;
}

static bool monitors(desk *d, desk_monitor_list *out, base_error *err)
{
    const null_desk *n = (const null_desk *) d;
    *out = (desk_monitor_list){0};
    for (int i = 0; i < n->monitors; i++) {
        char name[24];
        int left = (int) ((int64_t) n->screen.width * i / n->monitors);
        int right = (int) ((int64_t) n->screen.width * (i + 1) / n->monitors);
        image_rect rect = {n->screen.x + left, n->screen.y, right - left, n->screen.height};
        snprintf(name, sizeof name, "null-%d", i + 1);
        if (!desk_monitor_list_add(out, name,
                                   (desk_monitor){.rect = rect, .work = rect, .scale = 1})) {
            desk_monitor_list_free(out);
            return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
        }
    }
    return true;
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

void null_changed(null_desk *n)
{
    if (n->watching) {
        n->last_change = uv_hrtime();
        desk_regions_note(&n->base.regions, n->screen, n->last_change);
        if (desk_motion_note(&n->base.motion, n->screen, n->last_change, n->last_change)) {
            n->base.motion.changed = n->last_change;
        }
    }
}

static uint64_t last_change(desk *d)
{
    return ((null_desk *) d)->last_change;
}

void null_screen_ops(desk_ops *ops)
{
    ops->screen_rect = screen_rect;
    ops->monitors = monitors;
    ops->capture = capture;
    ops->watch_start = watch_start;
    ops->watch_stop = watch_stop;
    ops->last_change = last_change;
}
