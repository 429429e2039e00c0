/*
 * png_rows.h: rows of pixels, and the bytes that they are in a PNG file. Private to png_*.c.
 */
#ifndef IMAGE_PNG_PNG_ROWS_H
#define IMAGE_PNG_PNG_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum { PNG_FILTER_NONE = 0, PNG_FILTER_SUB = 1 };

enum {
    PNG_PAD = 16,        /* pixels that may be read (not used) after the end of any row */
    PNG_FLUSH_BYTES = 5, /* an empty stored block that begins on a byte */
    PNG_STORED_MAX = 65535,
    PNG_SLACK = 16, /* bytes that a bit writer may write beyond what it reports */
};

typedef struct {
    const uint32_t *pixels; /* 0x00RRGGBB */
    size_t stride;          /* in pixels */
    int width, rows;
} png_strip;

/* Bytes of one row in the file: the filter byte, then three a pixel. */
static inline size_t png_row_bytes(int width)
{
    return (size_t) width * 3 + 1;
}

/* The most bytes that a strip is compressed to, whatever is in it. */
size_t png_bound(int width, int rows);

/* The strip as bytes of the file; returns how many. */
size_t png_strip_bytes(const png_strip *strip, uint8_t filter, uint8_t *out);

#endif
