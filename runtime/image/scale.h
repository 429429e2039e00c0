/*
 * scale.h: pictures made smaller. Every output pixel is the average of the area it covers, edges
 * counted by the part that is covered. Sums are in fixed point, so that every machine gives the
 * same bytes: an area of one colour stays exactly that colour.
 */
#ifndef IMAGE_SCALE_H
#define IMAGE_SCALE_H

#include "base/error.h"
#include "image.h"

/* Makes `to` a copy of `from` of width x height pixels, using all cores; the fourth byte is 0. An
 * axis that grows repeats pixels. `to` is allocated anew unless it has that size already and owns
 * its pixels; it must not be `from`. BASE_INVALID for a size out of range, BASE_NO_MEMORY. */
bool image_scale(image_bitmap *to, const image_bitmap *from, int width, int height,
                 base_error *err);

/* The same without vector instructions: for tests. */
bool image_scale_scalar(image_bitmap *to, const image_bitmap *from, int width, int height,
                        base_error *err);

/* The largest size of the same shape that fits max_width x max_height, never larger than the
 * picture itself and at least 1 x 1. All arguments at least 1. */
void image_fit(int width, int height, int max_width, int max_height, int *fit_width,
               int *fit_height);

#endif
