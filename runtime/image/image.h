/*
 * image.h: a picture in memory.
 *
 * Pixels are 32 bits, in memory order blue, green, red, unused (what X11 at depth 24 and a 32-bit
 * DIB section both give), rows from the top, `stride` bytes apart (a multiple of 4, at least
 * width * 4). The fourth byte is how opaque the pixel is, 0..255, where `alpha` is set; else it is
 * undefined, and no reader may depend on it.
 *
 * An image owns its pixels unless `borrowed` is set, in which case whoever made it does and says
 * for how long they stay valid: until the image is freed where `share` is set, since several images
 * have these pixels then. Who wants to change those makes the image its own first (image_own).
 */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include "base/error.h"

#include <stdatomic.h>
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

/* Pixels that several images have and none of them changes: a part of who made them. */
typedef struct image_share {
    atomic_int users;
    void (*unused)(struct image_share *share); /* nobody has them any more */
    uint8_t *pixels;                           /* the first of all of them */
    /* A number for each band of so many rows: where that of two pictures of the same width is the
     * same, the rows are, so that they need not be read. NULL where that is not known. */
    uint64_t *bands;
} image_share;

enum { IMAGE_BAND_ROWS = 16 };

typedef struct {
    int width, height; /* pixels, 1..IMAGE_MAX_SIDE */
    size_t stride;     /* bytes from one row to the next */
    uint8_t *pixels;
    bool borrowed;
    image_share *share; /* the image is one of its users */
    bool alpha; /* only pictures read from files have it: what is looked for may have holes */
} image_bitmap;

/* Makes `image` hold width x height zeroed pixels. Frees what it held before. */
bool image_alloc(image_bitmap *image, int width, int height, base_error *err);

/* The same for the size that a file declares: BASE_INVALID above IMAGE_MAX_SIDE or
 * IMAGE_MAX_PIXELS. */
bool image_alloc_declared(image_bitmap *image, uint32_t width, uint32_t height, base_error *err);

/* Frees the pixels if owned, or is done with shared ones, and zeroes the struct. Safe on a zeroed
 * struct. */
void image_free(image_bitmap *image);

/* The numbers of the image's bands, NULL where they are not known; how many bands so many rows
 * have; and a number that no other band has. */
const uint64_t *image_bands(const image_bitmap *image);
int image_band_count(int height);
uint64_t image_new_band(void);

/* One more user, and one less. */
void image_share_hold(image_share *share);
void image_share_drop(image_share *share);

/* Gives the image pixels of its own where it shares them; false with `err` where there is no
 * memory. What is lent stays as it is. */
bool image_own(image_bitmap *image, base_error *err);

/* A copy of `rect` of `from` (which must lie inside it, else BASE_INVALID) in `to`, which keeps its
 * memory if it is its own and of that size: new memory costs more than the copying. All of a shared
 * picture is not copied, but shared. */
bool image_crop(image_bitmap *to, const image_bitmap *from, image_rect rect, base_error *err);

#endif
