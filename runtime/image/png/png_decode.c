/*
 * Everything in here comes from a file that may be hostile. The rules: a length is compared with
 * what is left before it is used, the size of the picture is checked before anything is allocated,
 * and rows are inflated one at a time, so that a small file cannot ask for much work beyond the
 * picture it declares.
 */
#include "png.h"

#include "base/checksum.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    GREY = 0,
    RGB = 2,
    PALETTE = 3,
    GREY_ALPHA = 4,
    RGB_ALPHA = 6,
    SIGNATURE = 8,
    CHUNK_OVERHEAD = 12,
    HEADER_LENGTH = 13,
};

static const uint32_t OPAQUE = 0xff000000u;

typedef struct {
    const uint8_t *type, *data; /* the type is four letters */
    uint32_t length;
} chunk;

typedef struct {
    const uint8_t *at, *end;
    int width, height, depth, colour;
    int channels;
    size_t row_bytes;      /* without the filter byte */
    uint32_t palette[256]; /* 0xAARRGGBB */
    int colours;           /* in the palette */
    bool holes;            /* one colour, of a picture without a palette, is transparent */
    uint32_t hole;         /* which one, 0xffRRGGBB */
    image_bitmap image;
    uint8_t *row, *previous; /* one filter byte, then row_bytes */
    size_t filled;           /* bytes of `row` that are there */
    int y;                   /* rows that are done */
    z_stream stream;
    bool inflating;
    base_error *err;
} decoder;

static bool broken(decoder *d, const char *why)
{
    return base_fail(d->err, BASE_BAD_PROTOCOL, "The PNG file is broken: %s.", why);
}

static uint32_t get_u32(const uint8_t *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3];
}

static bool next_chunk(decoder *d, chunk *c)
{
    size_t left = (size_t) (d->end - d->at);
    if (left < CHUNK_OVERHEAD) {
        return broken(d, "it ends too soon");
    }
    c->length = get_u32(d->at);
    c->type = d->at + 4;
    c->data = d->at + 8;
    if (c->length > left - CHUNK_OVERHEAD) {
        return broken(d, "a part is longer than the file");
    }
    if (base_crc32(0, c->type, (size_t) c->length + 4) != get_u32(c->data + c->length)) {
        return broken(d, "a checksum is wrong");
    }
    d->at += (size_t) c->length + CHUNK_OVERHEAD;
    return true;
}

static bool chunk_is(const chunk *c, const char *type)
{
    return memcmp(c->type, type, 4) == 0;
}

/* --- header and palette -------------------------------------------------------------------------
 */

/* Channels of a colour type, 0 if there is no such type. */
static int channels_of(int colour)
{
    switch (colour) {
    case GREY:
    case PALETTE:
        return 1;
    case GREY_ALPHA:
        return 2;
    case RGB:
        return 3;
    case RGB_ALPHA:
        return 4;
    default:
        return 0;
    }
}

static bool check_format(decoder *d, const uint8_t *header)
{
    if (d->channels == 0 || header[10] != 0 || header[11] != 0 || header[12] > 1) {
        return broken(d, "its header names a format that does not exist");
    }
    if (d->depth == 16) {
        return base_fail(d->err, BASE_UNSUPPORTED,
                         "This PNG file has 16 bits a channel; only up to 8 can be read.");
    }
    bool shallow = d->depth == 1 || d->depth == 2 || d->depth == 4;
    if (d->depth != 8 && !(shallow && d->channels == 1)) {
        return broken(d, "its header names a depth that does not exist");
    }
    if (header[12] == 1) {
        return base_fail(d->err, BASE_UNSUPPORTED,
                         "This PNG file is interlaced; only plain ones can be read.");
    }
    return true;
}

static bool read_header(decoder *d)
{
    chunk c;
    if ((size_t) (d->end - d->at) < SIGNATURE ||
        memcmp(d->at, "\x89PNG\r\n\x1a\n", SIGNATURE) != 0) {
        return base_fail(d->err, BASE_BAD_PROTOCOL, "This is not a PNG file.");
    }
    d->at += SIGNATURE;
    if (!next_chunk(d, &c)) {
        return false;
    }
    if (!chunk_is(&c, "IHDR") || c.length != HEADER_LENGTH) {
        return broken(d, "it does not begin with a header");
    }
    uint32_t width = get_u32(c.data), height = get_u32(c.data + 4);
    if (width == 0 || height == 0) {
        return broken(d, "its picture has no pixels");
    }
    if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE || width * height > PNG_MAX_PIXELS) {
        return base_fail(d->err, BASE_INVALID,
                         "The PNG picture of %u x %u is too large: at most %d pixels a side and %d "
                         "million in all.",
                         width, height, IMAGE_MAX_SIDE, PNG_MAX_PIXELS >> 20);
    }
    d->width = (int) width;
    d->height = (int) height;
    d->depth = c.data[8];
    d->colour = c.data[9];
    d->channels = channels_of(d->colour);
    d->row_bytes = ((size_t) width * (size_t) d->channels * (size_t) d->depth + 7) / 8;
    return check_format(d, c.data);
}

static bool read_palette(decoder *d, const chunk *c)
{
    if (c->length == 0 || c->length % 3 != 0 || c->length > 3 * 256 || d->inflating) {
        return broken(d, "its palette is out of shape");
    }
    d->colours = (int) c->length / 3;
    for (int i = 0; i < d->colours; i++) {
        d->palette[i] = OPAQUE | (uint32_t) c->data[3 * i] << 16 |
                        (uint32_t) c->data[3 * i + 1] << 8 | c->data[3 * i + 2];
    }
    return true;
}

static uint32_t grey_level(const decoder *d, int value)
{
    return OPAQUE | (uint32_t) (value * (255 / ((1 << d->depth) - 1))) * 0x010101u;
}

/* How opaque the palette's first colours are, or the one colour that is not there at all, in 16
 * bits a channel of which only the lower ones can be meant. What does not fit the picture is passed
 * over, as libpng does. */
static void read_transparency(decoder *d, const chunk *c)
{
    uint32_t length = d->colour == PALETTE ? (uint32_t) d->colours : d->colour == GREY ? 2 : 6;
    bool fits = d->colour == PALETTE ? c->length <= length : c->length == length;
    if (!fits || d->channels % 2 == 0 || d->inflating) {
        return;
    }
    d->image.alpha = true;
    d->holes = d->colour != PALETTE;
    for (uint32_t i = 0; i < c->length && d->colour == PALETTE; i++) {
        d->palette[i] = (d->palette[i] & ~OPAQUE) | (uint32_t) c->data[i] << 24;
    }
    if (d->colour == GREY) {
        d->hole = grey_level(d, c->data[1] & ((1 << d->depth) - 1));
    } else if (d->colour == RGB) {
        d->hole = OPAQUE | (uint32_t) c->data[1] << 16 | (uint32_t) c->data[3] << 8 | c->data[5];
    }
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static uint8_t paeth(int left, int above, int corner)
{
    int to_left = abs(above - corner), to_above = abs(left - corner);
    int to_corner = abs(left + above - 2 * corner);
    if (to_left <= to_above && to_left <= to_corner) {
        return (uint8_t) left;
    }
    return (uint8_t) (to_above <= to_corner ? above : corner);
}

/* Undoes the filter of `row`, whose first byte names it. `step` is the bytes of a pixel. */
static bool unfilter(uint8_t *row, const uint8_t *previous, size_t bytes, size_t step)
{
    int filter = *row++;
    previous++;
    if (filter > 4) {
        return false;
    }
    for (size_t i = 0; filter && i < bytes; i++) {
        int left = i >= step ? row[i - step] : 0, above = previous[i];
        int corner = i >= step ? previous[i - step] : 0;
        switch (filter) {
        case 1:
            row[i] = (uint8_t) (row[i] + left);
            break;
        case 2:
            row[i] = (uint8_t) (row[i] + above);
            break;
        case 3:
            row[i] = (uint8_t) (row[i] + (left + above) / 2);
            break;
        default:
            row[i] = (uint8_t) (row[i] + paeth(left, above, corner));
            break;
        }
    }
    return true;
}

static int sample(const uint8_t *row, int depth, int x)
{
    if (depth == 8) {
        return row[x];
    }
    int bit = x * depth;
    return row[bit >> 3] >> (8 - depth - (bit & 7)) & ((1 << depth) - 1);
}

/* The colour of pixel x as 0xAARRGGBB; false for a colour that the palette does not have. */
static bool colour_at(const decoder *d, const uint8_t *row, int x, uint32_t *colour)
{
    if (d->channels >= 3) {
        const uint8_t *p = row + (size_t) x * (size_t) d->channels;
        uint32_t alpha = d->channels == 4 ? (uint32_t) p[3] << 24 : OPAQUE;
        *colour = alpha | (uint32_t) p[0] << 16 | (uint32_t) p[1] << 8 | p[2];
        return true;
    }
    if (d->colour == GREY_ALPHA) {
        const uint8_t *p = row + 2 * (size_t) x;
        *colour = (uint32_t) p[1] << 24 | p[0] * 0x010101u;
        return true;
    }
    int value = sample(row, d->depth, x);
    if (d->colour == PALETTE) {
        *colour = d->palette[value];
        return value < d->colours;
    }
    *colour = grey_level(d, value);
    return true;
}

static bool finish_row(decoder *d)
{
    size_t step = d->depth == 8 ? (size_t) d->channels : 1;
    if (!unfilter(d->row, d->previous, d->row_bytes, step)) {
        return broken(d, "a row has a filter that does not exist");
    }
    uint8_t *out = d->image.pixels + (size_t) d->y * d->image.stride;
    for (int x = 0; x < d->width; x++, out += 4) {
        uint32_t colour;
        if (!colour_at(d, d->row + 1, x, &colour)) {
            return broken(d, "a pixel has a colour that its palette lacks");
        }
        out[0] = (uint8_t) colour;
        out[1] = (uint8_t) (colour >> 8);
        out[2] = (uint8_t) (colour >> 16);
        out[3] = d->holes && colour == d->hole ? 0 : (uint8_t) (colour >> 24);
    }
    uint8_t *swap = d->previous;
    d->previous = d->row;
    d->row = swap;
    d->filled = 0;
    d->y++;
    return true;
}

static bool begin_pixels(decoder *d)
{
    if (d->colour == PALETTE && d->colours == 0) {
        return broken(d, "its palette is missing");
    }
    bool alpha = d->image.alpha || d->colour == GREY_ALPHA || d->colour == RGB_ALPHA;
    if (!image_alloc(&d->image, d->width, d->height, d->err)) {
        return false;
    }
    d->image.alpha = alpha;
    d->row = calloc(1, d->row_bytes + 1);
    d->previous = calloc(1, d->row_bytes + 1);
    if (!d->row || !d->previous || inflateInit(&d->stream) != Z_OK) {
        return base_fail(d->err, BASE_NO_MEMORY, "There is no memory to read a PNG file.");
    }
    d->inflating = true;
    return true;
}

static bool read_pixels(decoder *d, const chunk *c)
{
    if (!d->inflating && !begin_pixels(d)) {
        return false;
    }
    d->stream.next_in = (Bytef *) c->data;
    d->stream.avail_in = c->length;
    while (d->stream.avail_in > 0 && d->y < d->height) {
        size_t room = d->row_bytes + 1 - d->filled;
        d->stream.next_out = d->row + d->filled;
        d->stream.avail_out = (uInt) room;
        int status = inflate(&d->stream, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END) {
            return broken(d, "its pixels do not decompress");
        }
        d->filled += room - d->stream.avail_out;
        if (d->filled == d->row_bytes + 1 && !finish_row(d)) {
            return false;
        }
        if (status == Z_STREAM_END) {
            return true;
        }
    }
    return true;
}

/* --- the whole ----------------------------------------------------------------------------------
 */

static bool read_chunks(decoder *d)
{
    for (;;) {
        chunk c;
        if (!next_chunk(d, &c)) {
            return false;
        }
        if (chunk_is(&c, "IEND")) {
            break;
        }
        bool ok = true;
        if (chunk_is(&c, "IDAT")) {
            ok = read_pixels(d, &c);
        } else if (chunk_is(&c, "PLTE")) {
            ok = read_palette(d, &c);
        } else if (chunk_is(&c, "tRNS")) {
            read_transparency(d, &c);
        } else if (!(c.type[0] & 0x20)) { /* a capital letter marks what must be understood */
            ok = broken(d, "it has a part of an unknown kind");
        }
        if (!ok) {
            return false;
        }
    }
    return d->y == d->height || broken(d, "it ends before its last row");
}

bool png_decode(image_bitmap *image, const uint8_t *data, size_t size, base_error *err)
{
    assert(image && (data || size == 0));
    decoder d = {.at = data, .end = data + size, .err = err};
    bool ok = read_header(&d) && read_chunks(&d);
    if (d.inflating) {
        inflateEnd(&d.stream);
    }
    free(d.row);
    free(d.previous);
    if (!ok) {
        image_free(&d.image);
        return false;
    }
    image_free(image);
    *image = d.image;
    return true;
}
