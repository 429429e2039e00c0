/*
 * png_strip.h: compressing one strip of a picture: the choice of the filter, and of the compressor.
 * Private to png_*.c.
 *
 * A compressor turns the strip's pixels into a run of deflate blocks, none of them final, that
 * begins and ends on a byte and refers to nothing outside itself. A thread has one scratch of its
 * own, so compressors need no locks.
 */
#ifndef IMAGE_PNG_PNG_STRIP_H
#define IMAGE_PNG_PNG_STRIP_H

#include "png.h"
#include "png_rows.h"

typedef struct png_scratch png_scratch;

/* Scratch for strips of up to this size; NULL when there is no memory. */
png_scratch *png_scratch_new(int width, int rows, png_options options);
/* Takes NULL. */
void png_scratch_free(png_scratch *scratch);

/* Compresses `strip` and gives its bytes (owned by `scratch`, until its next use) and the Adler-32
 * of what they stand for; false when memory ran out. `adler` comes in as the sum of the rows
 * without filter and changes where the compressor chose one. */
bool png_compress(png_scratch *scratch, const png_strip *strip, uint32_t *adler,
                  const uint8_t **data, size_t *size);

#endif
