/*
 * difference.h: where two pictures differ.
 */
#ifndef IMAGE_DIFFERENCE_H
#define IMAGE_DIFFERENCE_H

#include "image.h"

typedef struct {
    desk_rect bounds; /* the smallest rectangle around all of them; width 0 where there is none */
    int64_t pixels;   /* how many differ */
} desk_difference;

/* Compares `area` of two pictures, which must lie inside both. Pixels differ where a channel does
 * by more than `tolerance` (0..255). */
desk_difference desk_compare(const desk_image *a, const desk_image *b, desk_rect area,
                             int tolerance);

#endif
