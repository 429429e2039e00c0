/*
 * jpeg_file.h: JPEG files of every kind for tests, written and read by libjpeg itself.
 */
#ifndef JPEG_FILE_H
#define JPEG_FILE_H

#include "check.h"
#include "image/jpeg/jpeg.h"
#include "picture.h"

#include <stdio.h>

#include <jpeglib.h>

typedef struct {
    unsigned char *data;
    unsigned long size;
} jpeg_file;

typedef struct {
    const char *name;
    J_COLOR_SPACE colour; /* in the file; YCbCr where it is not said */
    int across, down;     /* how much smaller the colours are kept */
    bool progressive, arithmetic, optimised, in_scans;
    int restart; /* MCUs between restart markers, 0: none */
} jpeg_kind;

static const jpeg_kind jpeg_kinds[] = {
    {.name = "4:2:0", .across = 2, .down = 2},
    {.name = "4:4:4", .across = 1, .down = 1, .optimised = true},
    {.name = "4:2:2", .across = 2, .down = 1, .restart = 3},
    {.name = "4:4:0", .across = 1, .down = 2},
    {.name = "4:1:1", .across = 4, .down = 1},
    {.name = "progressive", .across = 2, .down = 2, .progressive = true},
    {.name = "progressive 4:4:4", .across = 1, .down = 1, .progressive = true, .restart = 5},
    {.name = "a scan for each colour", .across = 2, .down = 2, .in_scans = true},
    {.name = "arithmetic", .across = 2, .down = 2, .arithmetic = true},
    {.name = "arithmetic, progressive",
     .across = 2,
     .down = 2,
     .arithmetic = true,
     .progressive = true},
    {.name = "grey", .colour = JCS_GRAYSCALE, .across = 1, .down = 1},
    {.name = "grey, progressive",
     .colour = JCS_GRAYSCALE,
     .across = 1,
     .down = 1,
     .progressive = true},
    {.name = "RGB", .colour = JCS_RGB, .across = 1, .down = 1},
};
enum { JPEG_KINDS = sizeof jpeg_kinds / sizeof *jpeg_kinds };

/* --- files, by libjpeg --------------------------------------------------------------------------
 */

static inline void jpeg_set_kind(struct jpeg_compress_struct *jpeg, const jpeg_kind *k)
{
    static const jpeg_scan_info scans[] = {
        {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    jpeg_set_colorspace(jpeg, k->colour ? k->colour : JCS_YCbCr);
    jpeg_set_quality(jpeg, 90, TRUE);
    jpeg->comp_info[0].h_samp_factor = k->across;
    jpeg->comp_info[0].v_samp_factor = k->down;
    jpeg->arith_code = k->arithmetic;
    jpeg->optimize_coding = k->optimised;
    jpeg->restart_interval = (unsigned) k->restart;
    if (k->progressive) {
        jpeg_simple_progression(jpeg);
    }
    if (k->in_scans) {
        jpeg->scan_info = scans;
        jpeg->num_scans = 3;
    }
}

/* The picture's pixels, or as many bytes of them as there are channels. */
static inline void jpeg_write_picture_rows(struct jpeg_compress_struct *jpeg,
                                           const image_bitmap *image, int channels)
{
    uint8_t *row = malloc((size_t) image->width * 4);
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            uint32_t rgb = picture_get(image, x, y);
            for (int c = 0; c < channels; c++) {
                row[x * channels + c] = (uint8_t) (rgb >> (16 - 8 * (c % 3)));
            }
        }
        jpeg_write_scanlines(jpeg, &row, 1);
    }
    free(row);
}

static inline jpeg_file jpeg_file_write(const jpeg_kind *k, const image_bitmap *image,
                                        const jpeg_scan_info *scans, int count)
{
    jpeg_file f = {0};
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &f.data, &f.size);
    jpeg.image_width = (JDIMENSION) image->width;
    jpeg.image_height = (JDIMENSION) image->height;
    bool grey = k->colour == JCS_GRAYSCALE;
    bool print = k->colour == JCS_CMYK || k->colour == JCS_YCCK;
    jpeg.input_components = grey ? 1 : print ? 4 : 3;
    jpeg.in_color_space = grey ? JCS_GRAYSCALE : print ? JCS_CMYK : JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_kind(&jpeg, k);
    if (scans) {
        jpeg.scan_info = scans;
        jpeg.num_scans = count;
    }
    jpeg_start_compress(&jpeg, TRUE);
    jpeg_write_picture_rows(&jpeg, image, jpeg.input_components);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return f;
}

static inline jpeg_file jpeg_file_of(const jpeg_kind *k, picture_kind what, int width, int height)
{
    image_bitmap image = {0};
    picture_make(&image, what, width, height);
    jpeg_file f = jpeg_file_write(k, &image, NULL, 0);
    image_free(&image);
    return f;
}

/* The picture as libjpeg reads it. */
static inline void jpeg_read_by_libjpeg(image_bitmap *image, const uint8_t *data, size_t size,
                                        int *down)
{
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, data, (unsigned long) size);
    jpeg_read_header(&jpeg, TRUE);
    *down = jpeg.comp_info[0].h_samp_factor * 10 + jpeg.comp_info[0].v_samp_factor;
    jpeg.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg);
    if (!image_alloc(image, (int) jpeg.output_width, (int) jpeg.output_height, NULL)) {
        abort();
    }
    uint8_t *row = malloc((size_t) image->width * 3);
    for (int y = 0; y < image->height; y++) {
        jpeg_read_scanlines(&jpeg, &row, 1);
        for (int x = 0; x < image->width; x++) {
            const uint8_t *p = row + (size_t) x * 3;
            picture_set(image, x, y, (uint32_t) p[0] << 16 | (uint32_t) p[1] << 8 | p[2]);
        }
    }
    free(row);
    CHECK_EQ(errors.num_warnings, 0);
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
}

/* Do we read it as libjpeg does? */
static inline bool jpeg_readers_agree(const jpeg_file *f)
{
    image_bitmap ours = {0}, theirs = {0};
    base_error err = {0};
    int ignored;
    bool ok = jpeg_decode(&ours, f->data, f->size, &err);
    if (!ok) {
        printf("    %s\n", err.message);
    }
    jpeg_read_by_libjpeg(&theirs, f->data, f->size, &ignored);
    ok = ok && !ours.alpha && picture_equal(&ours, &theirs);
    image_free(&ours);
    image_free(&theirs);
    return ok;
}

#endif
