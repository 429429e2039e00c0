/* The screen of the desk that is not there: one or more monitors side by side, and its picture. */
#include "null_internal.h"

#include <stdio.h>
#include <string.h>

enum { CURSOR_SIDE = 12 };

bool null_screen_rect(desk *d, image_rect *out, base_error *err)
{
    (void) err;
    *out = ((null_desk *) d)->screen;
    return true;
}

/* A gradient: blue grows to the right, green downwards, red tells the window from the rest. The
 * pointer is a white triangle with its tip where it points. */
static uint32_t pixel_at(const null_desk *n, int x, int y, bool cursor)
{
    int dx = x - n->x, dy = y - n->y;
    if (cursor && dx >= 0 && dy < CURSOR_SIDE && dx <= dy) {
        return 0xffffff;
    }
    uint32_t blue = (uint32_t) (((int64_t) x - n->screen.x) * 255 / n->screen.width) & 255;
    uint32_t green = (uint32_t) (((int64_t) y - n->screen.y) * 255 / n->screen.height) & 255;
    bool shown = n->window_open && n->window_state != DESK_WINDOW_MINIMIZED;
    uint32_t red = shown && null_inside(null_window_rect(n), x, y) ? 0xc0 : 0x20;
    return red << 16 | green << 8 | blue;
}

bool null_draw(const null_desk *n, image_rect rect, bool cursor, image_bitmap *out, base_error *err)
{
    bool fits =
        !out->borrowed && out->pixels && out->width == rect.width && out->height == rect.height;
    if (!fits && !image_alloc(out, rect.width, rect.height, err)) {
        return false;
    }
    for (int y = 0; y < rect.height; y++) {
        uint8_t *row = out->pixels + (size_t) y * out->stride;
        for (int x = 0; x < rect.width; x++) {
            uint32_t pixel = pixel_at(n, rect.x + x, rect.y + y, cursor);
            memcpy(row + (size_t) x * 4, &pixel, 4);
        }
    }
    return true;
}

bool null_capture(desk *d, image_rect rect, bool cursor, image_bitmap *out, base_error *err)
{
    null_desk *n = (null_desk *) d;
    image_rect s = n->screen;
    if (rect.width <= 0 || rect.height <= 0 || rect.x < s.x || rect.y < s.y ||
        rect.width > s.width - ((int64_t) rect.x - s.x) ||
        rect.height > s.height - ((int64_t) rect.y - s.y)) {
        return base_fail(err, BASE_INVALID,
                         "The region %d,%d of %d x %d pixels is not inside the screen of %d x %d "
                         "at %d,%d.",
                         rect.x, rect.y, rect.width, rect.height, s.width, s.height, s.x, s.y);
    }
    if (!null_draw(n, rect, cursor, out, err)) {
        return false;
    }
    null_add_line(n, "capture %d %d %d %d", rect.x, rect.y, rect.width, rect.height);
    return true;
}

bool null_monitors(desk *d, desk_monitor_list *out, base_error *err)
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
    desk_monitor_list_order(out);
    return true;
}
