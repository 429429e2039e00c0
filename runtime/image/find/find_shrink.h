/*
 * find_shrink.h: a picture made smaller and grey, as a probe (find_probe.h) wants it.
 */
#ifndef IMAGE_FIND_FIND_SHRINK_H
#define IMAGE_FIND_FIND_SHRINK_H

#include "image/image.h"

#include <stdbool.h>

/* Row `y` of the smaller picture: averages of factor x factor pixels, 0..765, of a channel (0..2)
 * or of all three (3). A rest at the right that fills no cell is left out. `factor` is a power of
 * 2, at most 16; `sums` is room for a number for each cell. */
void find_shrink_row(int16_t *out, uint32_t *sums, const image_bitmap *picture, int y, int factor,
                     int channel, bool scalar);

#endif
