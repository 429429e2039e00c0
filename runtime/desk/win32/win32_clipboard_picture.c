/* Pictures in the clipboard: PNG files in a format that browsers and office programs register by
 * the name "PNG", and device-independent bitmaps, which all others know. A block's size is what the
 * system says; what another program wrote into it is checked against that. */
#include "win32_internal.h"

#include "image/png/png.h"

#include <stdlib.h>
#include <string.h>

UINT win32_png_format(void)
{
    return RegisterClipboardFormatW(L"PNG");
}

static bool no_memory(base_error *err)
{
    return base_fail(err, BASE_NO_MEMORY, "There is no memory for the clipboard's picture.");
}

static bool too_large(base_error *err)
{
    return base_fail(err, BASE_REFUSED, "The clipboard's picture is larger than %d MiB.",
                     DESK_CLIPBOARD_MAX >> 20);
}

static bool copy_out(const void *bytes, size_t count, char **out, size_t *length, base_error *err)
{
    if (count > DESK_CLIPBOARD_MAX) {
        return too_large(err);
    }
    *out = malloc(count + 1);
    if (!*out) {
        return no_memory(err);
    }
    memcpy(*out, bytes, count);
    (*out)[count] = '\0';
    *length = count;
    return true;
}

/* --- PNG -------------------------------------------------------------------------------------- */

/* Where the file ends: a block may be larger than what was put into it. */
static size_t end_of_png(const uint8_t *png, size_t size)
{
    enum { SIGNATURE = 8, FRAME = 12 };
    for (size_t at = SIGNATURE; at + FRAME <= size;) {
        size_t length = (size_t) png[at] << 24 | png[at + 1] << 16 | png[at + 2] << 8 | png[at + 3];
        bool last = memcmp(png + at + 4, "IEND", 4) == 0;
        if (length > size - at - FRAME) {
            return size;
        }
        at += length + FRAME;
        if (last) {
            return at;
        }
    }
    return size;
}

bool win32_read_png(HGLOBAL block, char **png, size_t *length, base_error *err)
{
    const uint8_t *bytes = GlobalLock(block);
    if (!bytes) {
        return win32_refused("The clipboard's picture cannot be read", err);
    }
    bool ok = copy_out(bytes, end_of_png(bytes, GlobalSize(block)), png, length, err);
    GlobalUnlock(block);
    return ok;
}

/* A block that holds those bytes, or zeroes where they are NULL. */
static HGLOBAL new_block(const void *bytes, size_t size, base_error *err)
{
    HGLOBAL block = GlobalAlloc(GMEM_MOVEABLE | GMEM_ZEROINIT, size);
    void *to = block ? GlobalLock(block) : NULL;
    if (!to) {
        GlobalFree(block);
        no_memory(err);
        return NULL;
    }
    if (bytes) {
        memcpy(to, bytes, size);
    }
    GlobalUnlock(block);
    return block;
}

HGLOBAL win32_make_png(const char *png, size_t length, base_error *err)
{
    return new_block(png, length, err);
}

/* --- bitmaps ---------------------------------------------------------------------------------- */

static size_t row_bytes(size_t width, size_t bits)
{
    return (width * bits + 31) / 32 * 4;
}

/* Where the pixels of a bitmap begin, 0 for one of a kind that is not read or that is cut off. */
static size_t pixels_of(const BITMAPINFOHEADER *h, size_t size)
{
    bool known = size >= sizeof *h && h->biSize >= sizeof *h && h->biSize <= size &&
                 (h->biBitCount == 1 || h->biBitCount == 4 || h->biBitCount == 8 ||
                  h->biBitCount == 16 || h->biBitCount == 24 || h->biBitCount == 32) &&
                 (h->biCompression == BI_RGB || h->biCompression == BI_BITFIELDS) &&
                 h->biWidth > 0 && h->biWidth <= IMAGE_MAX_SIDE && h->biHeight != 0 &&
                 h->biHeight >= -IMAGE_MAX_SIDE && h->biHeight <= IMAGE_MAX_SIDE;
    if (!known || h->biClrUsed > 256) {
        return 0;
    }
    bool masks = h->biCompression == BI_BITFIELDS && h->biSize == sizeof *h;
    size_t colours = h->biClrUsed ? h->biClrUsed : h->biBitCount <= 8 ? 1u << h->biBitCount : 0;
    size_t begin = h->biSize + (masks ? 3 * sizeof(DWORD) : 0) + colours * sizeof(RGBQUAD);
    size_t rows = (size_t) labs(h->biHeight);
    size_t needed = row_bytes((size_t) h->biWidth, h->biBitCount) * rows;
    bool fits =
        rows * (size_t) h->biWidth <= IMAGE_MAX_PIXELS && begin <= size && needed <= size - begin;
    return fits ? begin : 0;
}

/* Has Windows draw the bitmap, whatever its format, where its pixels can be read. */
static bool draw(const BITMAPINFOHEADER *h, size_t begin, win32_surface *s, base_error *err)
{
    int height = abs((int) h->biHeight);
    if (!win32_surface_fit(s, h->biWidth, height, err)) {
        return false;
    }
    int drawn = SetDIBitsToDevice(s->memory, 0, 0, (DWORD) h->biWidth, (DWORD) height, 0, 0, 0,
                                  (UINT) height, (const char *) h + begin, (const BITMAPINFO *) h,
                                  DIB_RGB_COLORS);
    GdiFlush();
    return drawn > 0 ||
           base_fail(err, BASE_BAD_PROTOCOL, "The clipboard's picture cannot be drawn.");
}

static bool encode(const win32_surface *s, char **png, size_t *length, base_error *err)
{
    image_bitmap image = {s->width, s->height, (size_t) s->width * 4, .pixels = s->pixels,
                          .borrowed = true};
    png_encoder *encoder = png_encoder_new();
    const uint8_t *data;
    size_t size;
    if (!encoder) {
        return no_memory(err);
    }
    bool ok = png_encode(encoder, &image, (png_options){.compressor = PNG_SCREEN, .once = true},
                         &data, &size, err) &&
              copy_out(data, size, png, length, err);
    png_encoder_free(encoder);
    return ok;
}

bool win32_read_dib(HGLOBAL block, char **png, size_t *length, base_error *err)
{
    win32_surface surface = {0};
    const BITMAPINFOHEADER *h = GlobalLock(block);
    if (!h) {
        return win32_refused("The clipboard's picture cannot be read", err);
    }
    size_t begin = pixels_of(h, GlobalSize(block));
    bool ok = begin ? draw(h, begin, &surface, err) && encode(&surface, png, length, err)
                    : base_fail(err, BASE_UNSUPPORTED,
                                "The clipboard's picture is a bitmap of a kind that is not read.");
    win32_surface_close(&surface);
    GlobalUnlock(block);
    return ok;
}

/* 24 bits a pixel, rows from the bottom: what every program reads, and without a fourth byte that
 * some take for transparency. */
static void fill_dib(uint8_t *to, const image_bitmap *image)
{
    size_t row = row_bytes((size_t) image->width, 24);
    BITMAPINFOHEADER header = {.biSize = sizeof header,
                               .biWidth = image->width,
                               .biHeight = image->height,
                               .biPlanes = 1,
                               .biBitCount = 24,
                               .biSizeImage = (DWORD) (row * (size_t) image->height)};
    memcpy(to, &header, sizeof header);
    to += sizeof header;
    for (int y = image->height - 1; y >= 0; y--, to += row) {
        const uint8_t *from = image->pixels + (size_t) y * image->stride;
        for (int x = 0; x < image->width; x++) {
            memcpy(to + (size_t) x * 3, from + (size_t) x * 4, 3);
        }
    }
}

HGLOBAL win32_make_dib(const char *png, size_t length, base_error *err)
{
    image_bitmap image = {0};
    if (!png_decode(&image, (const uint8_t *) png, length, err)) {
        return NULL;
    }
    size_t row = row_bytes((size_t) image.width, 24);
    HGLOBAL block = new_block(NULL, sizeof(BITMAPINFOHEADER) + row * (size_t) image.height, err);
    uint8_t *to = block ? GlobalLock(block) : NULL;
    if (to) {
        fill_dib(to, &image);
        GlobalUnlock(block);
    }
    image_free(&image);
    return block;
}
