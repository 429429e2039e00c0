#include "base/checksum.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "png_strip.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    CHUNK_OVERHEAD = 12, /* length, type, CRC */
    HEADER_SIZE = 8 + CHUNK_OVERHEAD + 13,
    ZLIB_HEADER = 2,
    ZLIB_TRAILER = 2 + 4, /* the constant final block and the Adler-32 */
    BANDS = PNG_STRIP_ROWS / IMAGE_BAND_ROWS,
};
_Static_assert(PNG_STRIP_ROWS % IMAGE_BAND_ROWS == 0, "a strip's bands are no others'");

typedef struct {
    uint8_t *data; /* owned; grows as needed */
    size_t size, capacity;
    uint32_t crc, adler;
    bool valid;            /* `data` is what the kept frame's rows compress to */
    uint64_t bands[BANDS]; /* of these rows (image_bands), 0 where that is not known */
} cached_strip;

struct png_encoder {
    int width, height; /* of the kept frame; 0 when there is none */
    png_options options;
    uint32_t *frame; /* the kept frame, 0x00RRGGBB, rows `stride` pixels apart; or with `once` the
                        strip that each thread is at */
    size_t stride;
    cached_strip *strips;
    int strip_count;
    png_scratch *scratch[BASE_PARALLEL_MAX]; /* one per thread, made when first needed */
    uint8_t *file;
    size_t file_capacity;
    const image_bitmap *image; /* while an encode is under way */
    atomic_int reused;
    atomic_bool out_of_memory;
};

png_encoder *png_encoder_new(void)
{
    return calloc(1, sizeof(png_encoder));
}

static void forget_frame(png_encoder *encoder)
{
    for (int i = 0; i < encoder->strip_count; i++) {
        free(encoder->strips[i].data);
    }
    free(encoder->strips);
    free(encoder->frame);
    for (int i = 0; i < BASE_PARALLEL_MAX; i++) {
        png_scratch_free(encoder->scratch[i]);
        encoder->scratch[i] = NULL;
    }
    encoder->strips = NULL;
    encoder->frame = NULL;
    encoder->strip_count = encoder->width = encoder->height = 0;
}

void png_encoder_free(png_encoder *encoder)
{
    if (!encoder) {
        return;
    }
    forget_frame(encoder);
    free(encoder->file);
    free(encoder);
}

png_stats png_encoder_stats(const png_encoder *encoder)
{
    return (png_stats){encoder->strip_count, encoder->reused};
}

static int strip_rows(int height)
{
    return height < PNG_STRIP_ROWS ? height : PNG_STRIP_ROWS;
}

/* Makes room for frames of this size and kind, keeping what is there if it fits. */
static bool prepare(png_encoder *encoder, const image_bitmap *image, png_options options)
{
    if (encoder->width == image->width && encoder->height == image->height &&
        encoder->options.compressor == options.compressor &&
        encoder->options.level == options.level && encoder->options.once == options.once) {
        return true;
    }
    forget_frame(encoder);
    /* Each row has its own padding: the next row, which the padding of the frame would leave there,
     * may be another thread's, which writes it meanwhile. */
    encoder->stride = ((size_t) image->width + PNG_PAD + 7) & ~(size_t) 7;
    int count = (image->height + PNG_STRIP_ROWS - 1) / PNG_STRIP_ROWS;
    int rows = options.once ? BASE_PARALLEL_MAX * strip_rows(image->height) : image->height;
    encoder->frame = calloc(encoder->stride * (size_t) rows, sizeof *encoder->frame);
    encoder->strips = calloc((size_t) count, sizeof *encoder->strips);
    if (!encoder->frame || !encoder->strips) {
        forget_frame(encoder);
        return false;
    }
    encoder->strip_count = count;
    encoder->width = image->width;
    encoder->height = image->height;
    encoder->options = options;
    return true;
}

/* --- one strip, on any thread -------------------------------------------------------------------
 */

/* Is `count` pixels of the screen what was kept? The screen's fourth byte does not count. */
static bool same_colours(const uint32_t *kept, const uint32_t *screen, int count)
{
    int i = 0;
#if BASE_X86
    const __m128i colour = _mm_set1_epi32(0xffffff);
    for (; i + 16 <= count; i += 16) {
        const __m128i *a = (const __m128i *) (kept + i), *b = (const __m128i *) (screen + i);
        __m128i d0 = _mm_xor_si128(_mm_loadu_si128(a + 0), _mm_loadu_si128(b + 0));
        __m128i d1 = _mm_xor_si128(_mm_loadu_si128(a + 1), _mm_loadu_si128(b + 1));
        __m128i d2 = _mm_xor_si128(_mm_loadu_si128(a + 2), _mm_loadu_si128(b + 2));
        __m128i d3 = _mm_xor_si128(_mm_loadu_si128(a + 3), _mm_loadu_si128(b + 3));
        __m128i any = _mm_or_si128(_mm_or_si128(d0, d1), _mm_or_si128(d2, d3));
        any = _mm_and_si128(any, colour);
        if (_mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) != 0xffff) {
            return false;
        }
    }
#endif
    for (; i < count; i++) {
        if ((kept[i] ^ screen[i]) & 0xffffff) {
            return false;
        }
    }
    return true;
}

static const uint32_t *image_row(const image_bitmap *image, int y)
{
    return (const uint32_t *) (const void *) (image->pixels + (size_t) y * image->stride);
}

static bool strip_unchanged(const png_encoder *encoder, int from, int rows)
{
    for (int y = from; y < from + rows; y++) {
        if (!same_colours(encoder->frame + (size_t) y * encoder->stride,
                          image_row(encoder->image, y), encoder->width)) {
            return false;
        }
    }
    return true;
}

/* Whether the strip's rows are known to be those that were kept, without reading them. */
static bool bands_unchanged(const cached_strip *strip, const uint64_t *bands, int count)
{
    for (int i = 0; i < count; i++) {
        if (strip->bands[i] != bands[i]) {
            return false;
        }
    }
    return true;
}

static void keep_bands(cached_strip *strip, const uint64_t *bands, int count)
{
    memset(strip->bands, 0, sizeof strip->bands);
    if (bands) {
        memcpy(strip->bands, bands, (size_t) count * sizeof *bands);
    }
}

static bool keep_bytes(cached_strip *strip, const uint8_t *data, size_t size)
{
    if (size > strip->capacity) {
        /* A little more, so that a strip that grows byte by byte does not move each time. */
        size_t capacity = size + size / 8;
        uint8_t *grown = realloc(strip->data, capacity);
        if (!grown) {
            return false;
        }
        strip->data = grown;
        strip->capacity = capacity;
    }
    memcpy(strip->data, data, size);
    strip->size = size;
    return true;
}

static bool compress_strip(png_encoder *encoder, cached_strip *strip, int from, int rows)
{
    int worker = base_parallel_worker();
    png_scratch **scratch = &encoder->scratch[worker];
    if (!*scratch) {
        *scratch = png_scratch_new(encoder->width, strip_rows(encoder->height), encoder->options);
    }
    if (!*scratch) {
        return false;
    }
    int place = encoder->options.once ? worker * strip_rows(encoder->height) : from;
    uint32_t *pixels = encoder->frame + (size_t) place * encoder->stride;
    uint32_t adler = 1;
    for (int y = 0; y < rows; y++) {
        adler = base_adler32_take_row(adler, PNG_FILTER_NONE, pixels + (size_t) y * encoder->stride,
                                      image_row(encoder->image, from + y), encoder->width);
    }
    png_strip view = {pixels, encoder->stride, encoder->width, rows};
    const uint8_t *data;
    size_t size;
    if (!png_compress(*scratch, &view, &adler, &data, &size) || !keep_bytes(strip, data, size)) {
        return false;
    }
    strip->crc = base_crc32(0, data, size);
    strip->adler = adler;
    return true;
}

static void encode_strip(void *context, int index)
{
    png_encoder *encoder = context;
    cached_strip *strip = &encoder->strips[index];
    int from = index * PNG_STRIP_ROWS;
    int rows = strip_rows(encoder->height - from), count = image_band_count(rows);
    const uint64_t *bands = image_bands(encoder->image);
    bands = bands ? bands + from / IMAGE_BAND_ROWS : NULL;
    if (strip->valid &&
        ((bands && bands_unchanged(strip, bands, count)) || strip_unchanged(encoder, from, rows))) {
        keep_bands(strip, bands, count);
        atomic_fetch_add(&encoder->reused, 1);
        return;
    }
    keep_bands(strip, bands, count);
    bool done = compress_strip(encoder, strip, from, rows);
    if (!done) {
        atomic_store(&encoder->out_of_memory, true);
    }
    strip->valid = done && !encoder->options.once;
}

/* --- the file -----------------------------------------------------------------------------------
 */

static uint8_t *put_u32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t) (value >> (24 - 8 * i));
    }
    return out + 4;
}

/* `size` bytes from `type` on are the type and the data. */
static uint8_t *put_crc(uint8_t *type, size_t size)
{
    return put_u32(type + size, base_crc32(0, type, size));
}

static uint8_t *put_header(uint8_t *out, int width, int height)
{
    memcpy(out, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16);
    put_u32(out + 16, (uint32_t) width);
    put_u32(out + 20, (uint32_t) height);
    memcpy(out + 24, "\x08\x02\0\0\0", 5); /* 8 bits, RGB */
    return put_crc(out + 12, 17);
}

/* The strips between zlib's header and trailer. Their sums are known, so only the few bytes around
 * them are summed here. */
static uint8_t *put_strips(const png_encoder *encoder, uint8_t *out, size_t strip_bytes)
{
    out = put_u32(out, (uint32_t) (ZLIB_HEADER + strip_bytes + ZLIB_TRAILER));
    memcpy(out, "IDAT\x78\x01", 6);
    uint32_t crc = base_crc32(0, out, 6), adler = 1;
    out += 6;
    for (int i = 0; i < encoder->strip_count; i++) {
        const cached_strip *strip = &encoder->strips[i];
        int rows = strip_rows(encoder->height - i * PNG_STRIP_ROWS);
        memcpy(out, strip->data, strip->size);
        out += strip->size;
        crc = (uint32_t) crc32_combine(crc, strip->crc, (z_off_t) strip->size);
        adler = (uint32_t) adler32_combine(
            adler, strip->adler, (z_off_t) (png_row_bytes(encoder->width) * (size_t) rows));
    }
    uint8_t *trailer = out;
    memcpy(out, "\x03\x00", 2);
    out = put_u32(out + 2, adler);
    return put_u32(out, base_crc32(crc, trailer, ZLIB_TRAILER));
}

static bool put_file(png_encoder *encoder, size_t *size, base_error *err)
{
    size_t strip_bytes = 0;
    for (int i = 0; i < encoder->strip_count; i++) {
        strip_bytes += encoder->strips[i].size;
    }
    size_t idat = ZLIB_HEADER + strip_bytes + ZLIB_TRAILER;
    if (idat > 0x7fffffff) {
        return base_fail(err, BASE_UNSUPPORTED, "The image of %d x %d is too large for a PNG file.",
                         encoder->width, encoder->height);
    }
    *size = HEADER_SIZE + CHUNK_OVERHEAD + idat + CHUNK_OVERHEAD;
    if (*size > encoder->file_capacity) {
        free(encoder->file);
        encoder->file_capacity = *size + *size / 8;
        encoder->file = malloc(encoder->file_capacity);
        if (!encoder->file) {
            encoder->file_capacity = 0;
            return base_fail(err, BASE_NO_MEMORY, "There is no memory for a PNG file of %zu bytes.",
                             *size);
        }
    }
    uint8_t *out = put_header(encoder->file, encoder->width, encoder->height);
    out = put_strips(encoder, out, strip_bytes);
    memcpy(out, "\0\0\0\0IEND\xae\x42\x60\x82", CHUNK_OVERHEAD);
    return true;
}

bool png_encode(png_encoder *encoder, const image_bitmap *image, png_options options,
                const uint8_t **data, size_t *size, base_error *err)
{
    assert(encoder && image && image->pixels && data && size);
    if (options.level < 0 || options.level > 9) {
        return base_fail(err, BASE_INVALID, "PNG level %d does not exist: use 1 to 9.",
                         options.level);
    }
    if (options.compressor == PNG_SCREEN || options.level == 0) {
        options.level = 1;
    }
    if (!prepare(encoder, image, options)) {
        return base_fail(err, BASE_NO_MEMORY, "There is no memory to encode an image of %d x %d.",
                         image->width, image->height);
    }
    encoder->image = image;
    atomic_store(&encoder->reused, 0);
    atomic_store(&encoder->out_of_memory, false);
    base_parallel(encoder->strip_count, encode_strip, encoder);
    encoder->image = NULL;
    if (atomic_load(&encoder->out_of_memory)) {
        return base_fail(err, BASE_NO_MEMORY, "There is no memory to compress an image of %d x %d.",
                         image->width, image->height);
    }
    if (!put_file(encoder, size, err)) {
        return false;
    }
    *data = encoder->file;
    return true;
}
