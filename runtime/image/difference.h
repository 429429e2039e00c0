/*
 * difference.h: where two pictures differ.
 */
#ifndef IMAGE_DIFFERENCE_H
#define IMAGE_DIFFERENCE_H

#include "image.h"

typedef struct {
    image_rect bounds; /* the smallest rectangle around all of them; width 0 where there is none */
    int64_t pixels;    /* how many differ */
} image_difference;

/* Compares `area` of two pictures, which must lie inside both. Pixels differ where a channel does
 * by more than `tolerance` (0..255). */
image_difference image_compare(const image_bitmap *a, const image_bitmap *b, image_rect area,
                               int tolerance);

/* The smallest rectangle around all pixels that are not exactly of the colour of the first one;
 * width 0 where there is none. */
image_rect image_content(const image_bitmap *image);

#endif
