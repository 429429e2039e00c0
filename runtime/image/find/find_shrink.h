/*
 * find_shrink.h: reduces a picture to cells in grey or one channel, for a probe (find_probe.h).
 */
#ifndef IMAGE_FIND_FIND_SHRINK_H
#define IMAGE_FIND_FIND_SHRINK_H

#include "image/image.h"

#include <stdbool.h>

/* Computes row `y` of the reduced picture: averages of factor x factor pixels, 0..765, of one
 * channel (0..2) or of all three (3). Pixels at the right that do not fill a cell are left out.
 * `factor` is a power of 2, at most 16; `sums` is scratch memory with a number for each cell. */
void find_shrink_row(int16_t *out, uint32_t *sums, const image_bitmap *picture, int y, int factor,
                     int channel, bool scalar);

#endif
