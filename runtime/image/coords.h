/*
 * coords.h: the one place where positions that a model gives (0..1000 of what it was shown, "norm")
 * become pixels, and back. 0 and 1000 are both legal and name the first and the last pixel; a
 * value outside is an error for the model to read, never a silent clamp.
 */
#ifndef IMAGE_COORDS_H
#define IMAGE_COORDS_H

#include "base/error.h"
#include "image.h"

/* The pixel that norm (xn, yn) of `rect` names, in the space of `rect`. BASE_INVALID for a value
 * that is no number or lies outside 0..1000, or for an empty rect. */
bool image_norm_to_pixel(double xn, double yn, image_rect rect, int *x, int *y, base_error *err);

/* The shortest handy norm (one decimal; two for a side above 8192 pixels) that image_norm_to_pixel
 * takes back to exactly this pixel. BASE_INVALID for a pixel outside `rect`. */
bool image_pixel_to_norm(int x, int y, image_rect rect, double *xn, double *yn, base_error *err);

#endif
