/*
 * png_file.h: PNG files of every kind for the tests of reading, written by libpng from samples that
 * the test knows.
 */
#ifndef PNG_FILE_H
#define PNG_FILE_H

#include "picture.h"

#include <png.h> /* libpng's */
#include <stdbool.h>

typedef struct {
    uint8_t data[1 << 18];
    size_t size;
} png_file;

enum { PNG_MOST_SIDE = 64 };

typedef struct {
    int depth, colour, interlace, width, height;
    bool transparent; /* by tRNS: the colour of one pixel, or the first colours of the palette */
    int channels;
    uint16_t samples[PNG_MOST_SIDE][PNG_MOST_SIDE][4];
} png_source;

static const int png_kinds[][2] = {
    {1, PNG_COLOR_TYPE_GRAY},        {2, PNG_COLOR_TYPE_GRAY},      {4, PNG_COLOR_TYPE_GRAY},
    {8, PNG_COLOR_TYPE_GRAY},        {16, PNG_COLOR_TYPE_GRAY},     {8, PNG_COLOR_TYPE_RGB},
    {16, PNG_COLOR_TYPE_RGB},        {1, PNG_COLOR_TYPE_PALETTE},   {2, PNG_COLOR_TYPE_PALETTE},
    {4, PNG_COLOR_TYPE_PALETTE},     {8, PNG_COLOR_TYPE_PALETTE},   {8, PNG_COLOR_TYPE_GRAY_ALPHA},
    {16, PNG_COLOR_TYPE_GRAY_ALPHA}, {8, PNG_COLOR_TYPE_RGB_ALPHA}, {16, PNG_COLOR_TYPE_RGB_ALPHA},
};
enum { PNG_KINDS = sizeof png_kinds / sizeof *png_kinds };

static const png_byte png_palette_alphas[] = {0, 255, 7, 128, 1};

static inline png_color png_palette_colour(int i)
{
    return (png_color){(png_byte) (i * 3), (png_byte) (i * 5), (png_byte) (255 - i)};
}

/* How many colours of the palette tRNS tells of. */
static inline int png_transparent_colours(int depth)
{
    return depth == 1 ? 2 : depth == 2 ? 3 : 5;
}

/* --- making files -------------------------------------------------------------------------------
 */

static inline png_source png_source_make(const int kind[2], int width, int height, int interlace,
                                         bool transparent)
{
    static const int channels_of[] = {1, 0, 3, 1, 2, 0, 4};
    png_source s = {.depth = kind[0],
                    .colour = kind[1],
                    .interlace = interlace,
                    .width = width,
                    .height = height,
                    .transparent = transparent,
                    .channels = channels_of[kind[1]]};
    uint32_t state = (uint32_t) (kind[0] * 100 + kind[1] * 10 + width + 1);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (int c = 0; c < s.channels; c++) {
                s.samples[y][x][c] = (uint16_t) (picture_random(&state) & ((1u << s.depth) - 1));
            }
        }
    }
    return s;
}

/* The samples of one row as they lie in a file, before its filter. */
static inline void png_pack_row(uint8_t *row, const png_source *s, int y)
{
    memset(row, 0, PNG_MOST_SIDE * 8);
    for (int i = 0; i < s->width * s->channels; i++) {
        unsigned value = s->samples[y][i / s->channels][i % s->channels];
        if (s->depth == 16) {
            row[2 * i] = (uint8_t) (value >> 8);
            row[2 * i + 1] = (uint8_t) value;
        } else {
            int bit = i * s->depth;
            row[bit / 8] |= (uint8_t) (value << (8 - s->depth - bit % 8));
        }
    }
}

static inline void png_append(png_structp png, png_bytep data, png_size_t size)
{
    png_file *f = png_get_io_ptr(png);
    if (size > sizeof f->data - f->size) {
        abort();
    }
    memcpy(f->data + f->size, data, size);
    f->size += size;
}

static inline void png_write_source_header(png_structp png, png_infop info, const png_source *s)
{
    png_set_IHDR(png, info, (png_uint_32) s->width, (png_uint_32) s->height, s->depth, s->colour,
                 s->interlace, 0, 0);
    if (s->colour == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[256];
        for (int i = 0; i < 256; i++) {
            palette[i] = png_palette_colour(i);
        }
        png_set_PLTE(png, info, palette, 1 << s->depth);
        if (s->transparent) {
            png_set_tRNS(png, info, png_palette_alphas, png_transparent_colours(s->depth), NULL);
        }
    } else if (s->transparent) {
        const uint16_t *hole = s->samples[0][0];
        const png_color_16 colour = {0, hole[0], hole[1], hole[2], hole[0]};
        png_set_tRNS(png, info, NULL, 0, &colour);
    }
    png_write_info(png, info);
}

static inline void png_file_write(png_file *f, const png_source *s)
{
    static uint8_t rows[PNG_MOST_SIDE][PNG_MOST_SIDE * 8];
    png_bytep pointers[PNG_MOST_SIDE];
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    f->size = 0;
    png_set_write_fn(png, f, png_append, NULL);
    png_set_filter(png, 0, PNG_ALL_FILTERS);
    png_set_compression_buffer_size(png, 512); /* many IDATs */
    png_write_source_header(png, info, s);
    for (int y = 0; y < s->height; y++) {
        png_pack_row(rows[y], s, y);
        pointers[y] = rows[y];
    }
    png_write_image(png, pointers);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

/* A small true file of a kind, to be damaged. */
static inline void png_file_seed(png_file *f, int kind, int interlace, bool transparent)
{
    static png_source s;
    s = png_source_make(png_kinds[kind], 19, 11, interlace, transparent);
    png_file_write(f, &s);
}

#endif
