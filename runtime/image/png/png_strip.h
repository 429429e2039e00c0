/*
 * png_strip.h: what the PNG encoder and its two compressors agree on. Private to png_*.c.
 *
 * A compressor turns one strip of pixels into a run of deflate blocks, none of them final, that
 * begins and ends on a byte and refers to nothing outside itself. A thread has one scratch of its
 * own, so compressors need no locks.
 */
#ifndef IMAGE_PNG_PNG_STRIP_H
#define IMAGE_PNG_PNG_STRIP_H

#include "png.h"

enum { PNG_FILTER_NONE = 0, PNG_FILTER_SUB = 1 };

enum {
    PNG_PAD = 16,        /* pixels that may be read (not used) after the end of any row */
    PNG_FLUSH_BYTES = 5, /* an empty stored block that begins on a byte */
    PNG_STORED_MAX = 65535,
    PNG_SLACK = 16, /* bytes that a bit writer may touch beyond what it reports */
};

typedef struct {
    const uint32_t *pixels; /* 0x00RRGGBB */
    size_t stride;          /* in pixels */
    int width, rows;
} png_strip;

typedef struct png_scratch png_scratch;

/* Scratch for strips of up to this size; NULL when there is no memory. */
png_scratch *png_scratch_new(int width, int rows, png_options options);
void png_scratch_free(png_scratch *scratch);

/* Bytes of one row in the file: the filter byte, then three a pixel. */
static inline size_t png_row_bytes(int width)
{
    return (size_t) width * 3 + 1;
}

/* Compresses `strip` and gives its bytes (owned by `scratch`, until its next use) and the Adler-32
 * of what they stand for; false when memory ran out. `adler` comes in as the sum of the rows
 * without filter and changes where the compressor chose one. */
bool png_compress(png_scratch *scratch, const png_strip *strip, uint32_t *adler,
                  const uint8_t **data, size_t *size);

/* --- the two compressors; `out` has room for png_bound() ----------------------------------------
 */

/* Room for a strip whatever is in it. */
size_t png_bound(int width, int rows);

typedef struct png_screen png_screen;
png_screen *png_screen_new(int width, int rows);
void png_screen_free(png_screen *screen);
/* Always succeeds; `filter` is the PNG filter byte that the pixels have been through. */
size_t png_screen_strip(png_screen *screen, const png_strip *strip, uint8_t filter, uint8_t *out);

typedef struct png_zlib png_zlib;
png_zlib *png_zlib_new(int width, int rows, int level);
void png_zlib_free(png_zlib *zlib);
/* Returns 0 when zlib failed. */
size_t png_zlib_strip(png_zlib *zlib, const png_strip *strip, uint8_t filter, uint8_t *out);

/* The strip as bytes of the file; returns how many. */
size_t png_strip_bytes(const png_strip *strip, uint8_t filter, uint8_t *out);

#endif
