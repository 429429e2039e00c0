/*
 * image.h: a picture in memory.
 *
 * Pixels are 32 bits, in memory order blue, green, red, unused (what X11 at depth 24 and a 32-bit
 * DIB section both give), rows from the top, `stride` bytes apart (a multiple of 4, at least
 * width * 4). The fourth byte is how opaque the pixel is, 0..255, where `alpha` is set; else it is
 * undefined, and no reader may depend on it.
 *
 * An image owns its pixels unless `borrowed` is set, in which case whoever made it does and says
 * for how long they stay valid.
 */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { DESK_IMAGE_MAX_SIDE = 32767 };

typedef struct {
    int x, y, width, height;
} desk_rect;

typedef struct {
    int width, height; /* pixels, 1..DESK_IMAGE_MAX_SIDE */
    size_t stride;     /* bytes from one row to the next */
    uint8_t *pixels;
    bool borrowed;
    bool alpha; /* only pictures read from files have it: what is looked for may have holes */
} desk_image;

/* Makes `image` hold width x height zeroed pixels. Frees what it held before. */
bool desk_image_alloc(desk_image *image, int width, int height, desk_error *err);

/* Frees the pixels if owned, and zeroes the struct. Safe on a zeroed struct. */
void desk_image_free(desk_image *image);

/* A copy of `rect` of `from` (which must lie inside it, else DESK_INVALID) in `to`. */
bool desk_image_crop(desk_image *to, const desk_image *from, desk_rect rect, desk_error *err);

#endif
