/*
 * Reading by libpng, which leaves at an error by longjmp: everything that has to be given back is
 * in `reader`, and no local variable of the function that it comes back to is changed.
 */
#include "png.h"

#include <assert.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

enum { SIGNATURE = 8 }; /* bytes */

typedef struct {
    const uint8_t *at, *end;
    png_structp png;
    png_infop info;
    image_bitmap image;
    char warning[120]; /* the last one: what is wrong with a header is told by these */
    base_error *err;
    jmp_buf failed;
} reader;

static void on_warning(png_structp png, png_const_charp message)
{
    reader *r = png_get_error_ptr(png);
    snprintf(r->warning, sizeof r->warning, " (%s)", message);
}

static _Noreturn void on_error(png_structp png, png_const_charp message)
{
    reader *r = png_get_error_ptr(png);
    base_fail(r->err, BASE_BAD_PROTOCOL, "The PNG file is broken: %s%s.", message, r->warning);
    longjmp(r->failed, 1);
}

static void on_read(png_structp png, png_bytep to, size_t count)
{
    reader *r = png_get_io_ptr(png);
    if (count > (size_t) (r->end - r->at)) {
        r->warning[0] = '\0'; /* that is all that is wrong */
        png_error(png, "it ends too soon");
    }
    memcpy(to, r->at, count);
    r->at += count;
}

static _Noreturn void fail(reader *r)
{
    longjmp(r->failed, 1); /* `err` is filled */
}

/* Everything up to the pixels. What neither they nor their transparency need is not even kept, so
 * that a small file has nothing to blow up (compressed texts, colour profiles). */
static void read_header(reader *r)
{
    png_set_read_fn(r->png, r, on_read);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_user_limits(r->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* ours say more than libpng's */
    png_read_info(r->png, r->info);
    if (!image_alloc_declared(&r->image, png_get_image_width(r->png, r->info),
                              png_get_image_height(r->png, r->info), r->err)) {
        fail(r);
    }
    r->image.alpha = (png_get_color_type(r->png, r->info) & PNG_COLOR_MASK_ALPHA) ||
                     png_get_valid(r->png, r->info, PNG_INFO_tRNS);
}

/* Has libpng make blue, green, red, opacity of 8 bits each, whatever the file holds. */
static void ask_for_bgra(reader *r)
{
    png_set_expand(r->png);
    png_set_scale_16(r->png);
    png_set_gray_to_rgb(r->png);
    png_set_add_alpha(r->png, 0xff, PNG_FILLER_AFTER);
    png_set_bgr(r->png);
}

static void read_rows(reader *r)
{
    int passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    if (png_get_rowbytes(r->png, r->info) !=
        r->image.stride) { /* it would be our mistake, and an overflow */
        png_error(r->png, "its rows are of another length than asked for");
    }
    while (passes--) {
        for (int y = 0; y < r->image.height; y++) {
            png_read_row(r->png, r->image.pixels + (size_t) y * r->image.stride, NULL);
        }
    }
    png_read_end(r->png, NULL);
}

static bool read_picture(reader *r)
{
    if (setjmp(r->failed)) {
        return false;
    }
    read_header(r);
    ask_for_bgra(r);
    read_rows(r);
    return true;
}

bool png_recognise(const uint8_t *data, size_t size)
{
    return size >= SIGNATURE && png_sig_cmp(data, 0, SIGNATURE) == 0;
}

bool png_decode(image_bitmap *image, const uint8_t *data, size_t size, base_error *err)
{
    assert(image && (data || size == 0));
    if (!png_recognise(data, size)) {
        return base_fail(err, BASE_BAD_PROTOCOL, "This is not a PNG file.");
    }
    reader r = {.at = data, .end = data + size, .err = err};
    r.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    bool ok = r.info ? read_picture(&r)
                     : base_fail(err, BASE_NO_MEMORY, "There is no memory to read a PNG file.");
    png_destroy_read_struct(&r.png, &r.info, NULL);
    if (!ok) {
        image_free(&r.image);
        return false;
    }
    image_free(image);
    *image = r.image;
    return true;
}
