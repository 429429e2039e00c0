/*
 * png_screen.h: deflate for user interfaces, the fast one of the two compressors. Private to
 * png_*.c.
 */
#ifndef IMAGE_PNG_PNG_SCREEN_H
#define IMAGE_PNG_PNG_SCREEN_H

#include "png_rows.h"

typedef struct png_screen png_screen;

/* For strips of up to this size; NULL without memory. */
png_screen *png_screen_new(int width, int rows);
/* Takes NULL. */
void png_screen_free(png_screen *screen);

/* Compresses a strip into `out`, which has room for png_bound(). Always succeeds; `filter` is the
 * PNG filter byte that the pixels have been through. */
size_t png_screen_strip(png_screen *screen, const png_strip *strip, uint8_t filter, uint8_t *out);

#endif
