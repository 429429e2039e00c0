#include "x11_cursor.h"

#include <string.h>

/* One premultiplied ARGB pixel over one of the screen's. */
static uint32_t over(uint32_t source, uint32_t under)
{
    uint32_t keep = 255 - (source >> 24);
    uint32_t result = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        uint32_t below = (under >> shift & 255) * keep;
        uint32_t sum = (source >> shift & 255) + (below + 127) / 255;
        result |= (sum > 255 ? 255 : sum) << shift;
    }
    return result;
}

static void draw_row(const uint32_t *source, uint8_t *target, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t pixel;
        memcpy(&pixel, target + 4 * i, 4);
        pixel = over(source[i], pixel);
        memcpy(target + 4 * i, &pixel, 4);
    }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void x11_cursor_draw(const xcb_xfixes_get_cursor_image_reply_t *cursor, image_rect rect,
                     image_bitmap *image)
{
    const uint32_t *picture = xcb_xfixes_get_cursor_image_cursor_image(cursor);
    int left = cursor->x - cursor->xhot - rect.x; /* in the image; may be outside of it */
    int top = cursor->y - cursor->yhot - rect.y;
    int x0 = larger(left, 0), x1 = smaller(left + cursor->width, image->width);
    int y0 = larger(top, 0), y1 = smaller(top + cursor->height, image->height);
    for (int y = y0; y < y1 && x0 < x1; y++) {
        draw_row(picture + (size_t) (y - top) * cursor->width + (x0 - left),
                 image->pixels + (size_t) y * image->stride + (size_t) x0 * 4, x1 - x0);
    }
}
