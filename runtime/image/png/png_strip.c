#include "png_strip.h"

#include "base/checksum.h"
#include "png_rows.h"
#include "png_screen.h"
#include "png_zlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE_STEP = 16, /* one row in so many is looked at to choose the filter */
};

struct png_scratch {
    png_screen *screen;
    png_zlib *zlib;
    uint8_t *out;
    uint32_t *filtered; /* room for a strip through filter "sub"; made when first needed */
    int width, rows;    /* the largest strip */
};

png_scratch *png_scratch_new(int width, int rows, png_options options)
{
    png_scratch *scratch = calloc(1, sizeof *scratch);
    if (!scratch) {
        return NULL;
    }
    scratch->width = width;
    scratch->rows = rows;
    scratch->out = malloc(png_bound(width, rows));
    if (options.compressor == PNG_ZLIB) {
        scratch->zlib = png_zlib_new(width, rows, options.level);
    } else {
        scratch->screen = png_screen_new(width, rows);
    }
    if (!scratch->out || (!scratch->zlib && !scratch->screen)) {
        png_scratch_free(scratch);
        return NULL;
    }
    return scratch;
}

void png_scratch_free(png_scratch *scratch)
{
    if (!scratch) {
        return;
    }
    png_screen_free(scratch->screen);
    png_zlib_free(scratch->zlib);
    free(scratch->out);
    free(scratch->filtered);
    free(scratch);
}

/* --- which filter -------------------------------------------------------------------------------
 */

typedef struct {
    uint32_t pixels; /* seen */
    uint32_t unlike; /* of those, neither like the one before nor like the one above */
    uint32_t plain[256], sub[256]; /* how often each byte occurs in the unlike ones */
} survey;

/* Byte by byte a - b: borrows are kept from crossing by lending each byte a top bit. */
static inline uint32_t subtract_bytes(uint32_t a, uint32_t b)
{
    return ((a | 0x80808080u) - (b & 0x7f7f7f7fu)) ^ ((a ^ ~b) & 0x80808080u);
}

static void survey_row(survey *s, const uint32_t *row, const uint32_t *above, int width)
{
    s->pixels += (uint32_t) width;
    for (int x = 1; x < width; x++) {
        if (row[x] == row[x - 1] || row[x] == above[x]) {
            continue;
        }
        s->unlike++;
        uint32_t difference = subtract_bytes(row[x], row[x - 1]);
        for (int shift = 0; shift < 24; shift += 8) {
            s->plain[row[x] >> shift & 255]++;
            s->sub[difference >> shift & 255]++;
        }
    }
}

/* The bits that bytes of these frequencies take with the best of codes. */
static double entropy(const uint32_t *frequency)
{
    double total = 0, sum = 0;
    for (int i = 0; i < 256; i++) {
        total += frequency[i];
        if (frequency[i] > 1) {
            sum += frequency[i] * log2(frequency[i]);
        }
    }
    return total > 0 ? total * log2(total) - sum : 0;
}

/* "Sub" only for what looks like a photo: a quarter of the pixels is like no neighbour, and the
 * differences are clearly cheaper than the colours. On anything else it destroys the repetition
 * that the match finders live on. */
static uint8_t choose_filter(const png_strip *strip)
{
    survey s = {0};
    for (int y = 1; y < strip->rows; y += SAMPLE_STEP) {
        const uint32_t *row = strip->pixels + (size_t) y * strip->stride;
        survey_row(&s, row, row - strip->stride, strip->width);
    }
    if (s.unlike < s.pixels / 4 || s.unlike == 0) {
        return PNG_FILTER_NONE;
    }
    return entropy(s.sub) < 0.9 * entropy(s.plain) ? PNG_FILTER_SUB : PNG_FILTER_NONE;
}

/* The strip through filter "sub", in the scratch, with its sum; false when memory ran out. */
static bool filter_strip(png_scratch *scratch, png_strip *strip, uint32_t *adler)
{
    size_t stride = (size_t) scratch->width;
    if (!scratch->filtered) {
        scratch->filtered =
            calloc(stride * (size_t) scratch->rows + PNG_PAD, sizeof *scratch->filtered);
    }
    if (!scratch->filtered) {
        return false;
    }
    *adler = 1;
    for (int y = 0; y < strip->rows; y++) {
        const uint32_t *from = strip->pixels + (size_t) y * strip->stride;
        uint32_t *to = scratch->filtered + (size_t) y * stride;
        to[0] = from[0];
        for (int x = 1; x < strip->width; x++) {
            to[x] = subtract_bytes(from[x], from[x - 1]);
        }
        *adler = base_adler32_take_row(*adler, PNG_FILTER_SUB, to, to, strip->width);
    }
    strip->pixels = scratch->filtered;
    strip->stride = stride;
    return true;
}

bool png_compress(png_scratch *scratch, const png_strip *strip, uint32_t *adler,
                  const uint8_t **data, size_t *size)
{
    png_strip used = *strip;
    uint8_t filter = choose_filter(strip);
    if (filter == PNG_FILTER_SUB && !filter_strip(scratch, &used, adler)) {
        return false;
    }
    *data = scratch->out;
    *size = scratch->zlib ? png_zlib_strip(scratch->zlib, &used, filter, scratch->out)
                          : png_screen_strip(scratch->screen, &used, filter, scratch->out);
    return *size > 0;
}
