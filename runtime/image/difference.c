#include "difference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool differs(const uint8_t *p, const uint8_t *q, int tolerance)
{
    return abs(p[0] - q[0]) > tolerance || abs(p[1] - q[1]) > tolerance ||
           abs(p[2] - q[2]) > tolerance;
}

/* One row: how many pixels differ, and the first and the last of them. */
static int compare_row(const uint8_t *p, const uint8_t *q, int width, int tolerance, int *first,
                       int *last)
{
    int count = 0;
    if (memcmp(p, q, (size_t) width * 4) == 0) {
        return 0;
    }
    for (int x = 0; x < width; x++) {
        if (!differs(p + 4 * (size_t) x, q + 4 * (size_t) x, tolerance)) {
            continue;
        }
        if (count++ == 0) {
            *first = x;
        }
        *last = x;
    }
    return count;
}

static const uint8_t *pixel_at(const image_bitmap *image, int x, int y)
{
    return image->pixels + (size_t) y * image->stride + (size_t) x * 4;
}

image_difference image_compare(const image_bitmap *a, const image_bitmap *b, image_rect area,
                               int tolerance)
{
    assert(area.x >= 0 && area.y >= 0 && area.width >= 1 && area.height >= 1);
    assert(area.width <= a->width - area.x && area.height <= a->height - area.y);
    assert(area.width <= b->width - area.x && area.height <= b->height - area.y);
    image_difference out = {0};
    int left = area.width, right = -1, top = 0, bottom = 0;
    const uint64_t *bands = a->width == b->width ? image_bands(a) : NULL;
    const uint64_t *others = bands ? image_bands(b) : NULL;
    for (int y = area.y; y < area.y + area.height; y++) {
        int first = 0, last = 0, band = y / IMAGE_BAND_ROWS;
        if (others && bands[band] == others[band]) {
            y = (band + 1) * IMAGE_BAND_ROWS - 1;
            continue;
        }
        int count = compare_row(pixel_at(a, area.x, y), pixel_at(b, area.x, y), area.width,
                                tolerance, &first, &last);
        if (count == 0) {
            continue;
        }
        if (out.pixels == 0) {
            top = y;
        }
        bottom = y;
        left = first < left ? first : left;
        right = last > right ? last : right;
        out.pixels += count;
    }
    if (out.pixels > 0) {
        out.bounds = (image_rect){area.x + left, top, right - left + 1, bottom - top + 1};
    }
    return out;
}

/* Whether `count` pixels are all of a colour. A pixel is compared with the one before it, so that
 * one memcmp does for all of them. */
static bool is_plain(const uint8_t *pixels, int count, const uint8_t *colour)
{
    return memcmp(pixels, colour, 4) == 0 &&
           memcmp(pixels, pixels + 4, ((size_t) count - 1) * 4) == 0;
}

/* The first pixel of a row from the left, or the last one, that is of another colour; the row has
 * one. */
static int other_from_left(const uint8_t *row, const uint8_t *colour)
{
    int x = 0;
    while (memcmp(row + 4 * (size_t) x, colour, 4) == 0) {
        x++;
    }
    return x;
}

static int other_from_right(const uint8_t *row, int width, const uint8_t *colour)
{
    int x = width - 1;
    while (memcmp(row + 4 * (size_t) x, colour, 4) == 0) {
        x--;
    }
    return x;
}

image_rect image_content(const image_bitmap *image)
{
    const uint8_t *colour = image->pixels;
    int left = image->width, right = -1, top = -1, bottom = -1;
    for (int y = 0; y < image->height; y++) {
        const uint8_t *row = pixel_at(image, 0, y);
        if (is_plain(row, image->width, colour)) {
            continue;
        }
        top = top < 0 ? y : top;
        bottom = y;
        /* Only what lies outside of what is known already has to be looked at. */
        if (left > 0 && !is_plain(row, left, colour)) {
            left = other_from_left(row, colour);
        }
        int beyond = image->width - 1 - right;
        if (beyond > 0 && !is_plain(row + 4 * ((size_t) right + 1), beyond, colour)) {
            right = other_from_right(row, image->width, colour);
        }
    }
    return top < 0 ? (image_rect){0} : (image_rect){left, top, right - left + 1, bottom - top + 1};
}
