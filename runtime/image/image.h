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

enum {
    IMAGE_MAX_SIDE = 32767,
    IMAGE_MAX_PIXELS =
        64 * 1024 * 1024, /* of a picture whose size a file or another program says */
};

typedef struct {
    int x, y, width, height;
} image_rect;

typedef struct {
    int width, height; /* pixels, 1..IMAGE_MAX_SIDE */
    size_t stride;     /* bytes from one row to the next */
    uint8_t *pixels;
    bool borrowed;
    bool alpha; /* only pictures read from files have it: what is looked for may have holes */
} image_bitmap;

/* Makes `image` hold width x height zeroed pixels. Frees what it held before. */
bool image_alloc(image_bitmap *image, int width, int height, base_error *err);

/* The same for the size that a file declares: BASE_INVALID above IMAGE_MAX_SIDE or
 * IMAGE_MAX_PIXELS. */
bool image_alloc_declared(image_bitmap *image, uint32_t width, uint32_t height, base_error *err);

/* Frees the pixels if owned, and zeroes the struct. Safe on a zeroed struct. */
void image_free(image_bitmap *image);

/* A copy of `rect` of `from` (which must lie inside it, else BASE_INVALID) in `to`, which keeps its
 * memory if it is its own and of that size: new memory costs more than the copying. */
bool image_crop(image_bitmap *to, const image_bitmap *from, image_rect rect, base_error *err);

#endif
