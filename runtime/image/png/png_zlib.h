/*
 * png_zlib.h: deflate by zlib, the smaller one of the two compressors. Private to png_*.c.
 */
#ifndef IMAGE_PNG_PNG_ZLIB_H
#define IMAGE_PNG_PNG_ZLIB_H

#include "png_rows.h"

typedef struct png_zlib png_zlib;

/* For strips of up to this size; NULL without memory. */
png_zlib *png_zlib_new(int width, int rows, int level);
/* Takes NULL. */
void png_zlib_free(png_zlib *zlib);

/* As png_screen_strip, but returns 0 where zlib failed. */
size_t png_zlib_strip(png_zlib *zlib, const png_strip *strip, uint8_t filter, uint8_t *out);

#endif
