#include "jpeg.h"
#include "jpeg_failure.h"

#include <assert.h>
#include <string.h>

enum {
    /* The coefficients of a progressive picture of IMAGE_MAX_PIXELS without subsampling need 3/4.
     */
    MAX_MEMORY = 512 * 1024 * 1024,
    /* A progressive picture comes in up to about 15 scans of all its pixels, however little there
     * is in the file for each: of small pictures so many, of large ones so many pixels. */
    MAX_SCANS = 100,
    MAX_SCANNED = 1 << 30,
};

typedef struct {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_progress_mgr progress;
    jpeg_failure failure;
    image_bitmap image;
} reader;

static const uint8_t SIGNATURE[] = {0xff, 0xd8, 0xff};

bool jpeg_recognise(const uint8_t *data, size_t size)
{
    return size >= sizeof SIGNATURE && memcmp(data, SIGNATURE, sizeof SIGNATURE) == 0;
}

static _Noreturn void fail(reader *r)
{
    jpeg_failure_leave((j_common_ptr) &r->jpeg); /* the error is filled */
}

/* Called for each row of blocks of each scan. */
static void on_progress(j_common_ptr codec)
{
    reader *r = (reader *) codec; /* the decompressor is its first member */
    int64_t scans = r->jpeg.input_scan_number;
    int64_t pixels = (int64_t) r->jpeg.image_width * r->jpeg.image_height;
    if (scans > MAX_SCANS || scans * pixels > MAX_SCANNED) {
        base_fail(r->failure.err, BASE_INVALID,
                  "The JPEG file shows its picture in more passes than any true one has.");
        fail(r);
    }
}

static void read_header(reader *r, const uint8_t *data, size_t size)
{
    jpeg_create_decompress(&r->jpeg);
    r->jpeg.mem->max_memory_to_use = MAX_MEMORY;
    r->progress.progress_monitor = on_progress;
    r->jpeg.progress = &r->progress;
    jpeg_mem_src(&r->jpeg, data, (unsigned long) size);
    jpeg_read_header(&r->jpeg, TRUE);
    J_COLOR_SPACE space = r->jpeg.jpeg_color_space;
    if (space != JCS_GRAYSCALE && space != JCS_YCbCr && space != JCS_RGB) {
        base_fail(
            r->failure.err, BASE_UNSUPPORTED,
            "This JPEG file has colours for print (CMYK) or of an unknown kind, which screens do "
            "not show: save it as RGB, or as PNG.");
        fail(r);
    }
    if (!image_alloc_declared(&r->image, r->jpeg.image_width, r->jpeg.image_height,
                              r->failure.err)) {
        fail(r);
    }
}

static void read_rows(reader *r)
{
    r->jpeg.out_color_space = JCS_EXT_BGRX;
    jpeg_start_decompress(&r->jpeg);
    assert(r->jpeg.output_width == (JDIMENSION) r->image.width &&
           r->jpeg.output_height == (JDIMENSION) r->image.height);
    while (r->jpeg.output_scanline < r->jpeg.output_height) {
        JSAMPROW row = r->image.pixels + (size_t) r->jpeg.output_scanline * r->image.stride;
        jpeg_read_scanlines(&r->jpeg, &row, 1);
    }
    jpeg_finish_decompress(
        &r->jpeg); /* reads the end, which is missing in a file that is cut off */
}

static bool read_picture(reader *r, const uint8_t *data, size_t size)
{
    if (setjmp(r->failure.failed)) {
        return false;
    }
    read_header(r, data, size);
    read_rows(r);
    return true;
}

bool jpeg_decode(image_bitmap *image, const uint8_t *data, size_t size, base_error *err)
{
    assert(image && (data || size == 0));
    if (!jpeg_recognise(data, size)) {
        return base_fail(err, BASE_BAD_PROTOCOL, "This is not a JPEG file.");
    }
    if (size > INT32_MAX) { /* libjpeg counts in longs, which are 32 bits on Windows */
        return base_fail(err, BASE_INVALID, "The JPEG file is larger than 2 GiB.");
    }
    reader r = {0};
    r.jpeg.err = jpeg_failure_handler(&r.failure, err);
    bool ok = read_picture(&r, data, size);
    jpeg_destroy_decompress(&r.jpeg);
    if (!ok) {
        image_free(&r.image);
        return false;
    }
    image_free(image);
    *image = r.image;
    return true;
}
