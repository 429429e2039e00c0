#include "find_score.h"

#include "base/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A template whose channels vary less than this (root mean square) counts as flat: its variation is
 * noise. */
static const double FLAT = 0.5;
/* Tolerance of the bound for rounding errors, and for places that count as flat. */
static const double TOLERANCE = 1e-3;
/* Difference (root mean square) at which the score of a flat template is 0. */
static const double FLAT_RANGE = 64;

typedef struct {
    int64_t sum[3];
    int64_t squares;
    int64_t products; /* of the picture's and the template's channels */
} sums;

static void sum_scalar(sums *s, const uint32_t *pixels, const uint32_t *keep, const uint8_t *row,
                       int x, int width)
{
    for (; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, row + 4 * (size_t) x, 4);
        pixel &= keep[x];
        for (int c = 0; c < 3; c++) {
            int64_t p = pixel >> 8 * c & 255, t = pixels[x] >> 8 * c & 255;
            s->sum[c] += p;
            s->squares += p * p;
            s->products += p * t;
        }
    }
}

#if BASE_X86
static inline int64_t add_four(__m128i v)
{
    uint32_t part[4];
    _mm_storeu_si128((__m128i *) part, v);
    return (int64_t) part[0] + part[1] + part[2] + part[3];
}

/* The lanes have unsigned 32 bits and are added to the sums after each row: a row has at most 8192
 * steps of 4 * 255 * 255 each, which fits. */
static int sum_sse2(sums *s, const uint32_t *pixels, const uint32_t *keep, const uint8_t *row,
                    int width)
{
    const __m128i zero = _mm_setzero_si128(), channel = _mm_set1_epi32(255);
    __m128i sum[3] = {zero, zero, zero}, squares = zero, products = zero;
    int x = 0;
    for (; x + 4 <= width; x += 4) {
        __m128i p = _mm_loadu_si128((const __m128i *) (row + 4 * (size_t) x));
        p = _mm_and_si128(p, _mm_loadu_si128((const __m128i *) (keep + x)));
        __m128i t = _mm_loadu_si128((const __m128i *) (pixels + x));
        for (int c = 0; c < 3; c++) {
            sum[c] = _mm_add_epi32(sum[c], _mm_and_si128(_mm_srli_epi32(p, 8 * c), channel));
        }
        __m128i low = _mm_unpacklo_epi8(p, zero), high = _mm_unpackhi_epi8(p, zero);
        squares = _mm_add_epi32(squares, _mm_madd_epi16(low, low));
        squares = _mm_add_epi32(squares, _mm_madd_epi16(high, high));
        products = _mm_add_epi32(products, _mm_madd_epi16(low, _mm_unpacklo_epi8(t, zero)));
        products = _mm_add_epi32(products, _mm_madd_epi16(high, _mm_unpackhi_epi8(t, zero)));
    }
    for (int c = 0; c < 3; c++) {
        s->sum[c] += add_four(sum[c]);
    }
    s->squares += add_four(squares);
    s->products += add_four(products);
    return x;
}
#endif

/* Adds the rows from..end of the template at a place. */
static void sum_rows(sums *s, const find_template *t, const image_bitmap *picture, int x, int y,
                     int from, int end)
{
    for (int j = from; j < end; j++) {
        const uint8_t *row = picture->pixels + (size_t) (y + j) * picture->stride + 4 * (size_t) x;
        const uint32_t *pixels = t->pixels + (size_t) j * (size_t) t->width;
        const uint32_t *keep = t->keep + (size_t) j * (size_t) t->width;
        int done = 0;
#if BASE_X86
        if (!t->scalar) {
            done = sum_sse2(s, pixels, keep, row, t->width);
        }
#endif
        sum_scalar(s, pixels, keep, row, done, t->width);
    }
}

/* sum of (a - mean a) * (b - mean b) over the three channels */
static double less_means(int64_t counted, int64_t products, const int64_t *a, const int64_t *b)
{
    double means = 0;
    for (int c = 0; c < 3; c++) {
        means += (double) a[c] * (double) b[c];
    }
    return (double) products - means / (double) counted;
}

/* The root mean square difference of the channels at a place. */
static double difference_of(const find_template *t, const sums *s)
{
    double squares = t->squares + (double) s->squares - 2 * (double) s->products;
    return sqrt(fmax(squares, 0) / (3 * (double) t->counted));
}

/* The correlation of the first rows of the template, from their sums. */
static double part_score(const find_part *part, const sums *s)
{
    double energy = less_means(part->counted, s->squares, s->sum, s->sum);
    if (energy <= FLAT * FLAT * 3 * (double) part->counted) {
        return 0;
    }
    double score = less_means(part->counted, s->products, part->sum, s->sum);
    score /= sqrt(energy * part->energy);
    return score > 1 ? 1 : score > 0 ? score : 0;
}

double find_score_above(const find_template *t, const image_bitmap *picture, int x, int y,
                        double min_score)
{
    sums s = {0};
    int done = 0;
    double missing = (1 - min_score * min_score) * t->energy, score = 0;
    for (int i = 0; i < FIND_PARTS; i++) {
        const find_part *part = &t->parts[i];
        sum_rows(&s, t, picture, x, y, done, part->rows);
        done = part->rows;
        if (i < FIND_PARTS - 1 && part->energy <= missing) {
            continue; /* these rows have no detail */
        }
        score = part_score(part, &s);
        /* A place without detail in these rows has the correlation 0; the bound holds for it too.
         * */
        if (i < FIND_PARTS - 1 && score * score < 1 - missing / part->energy - TOLERANCE) {
            return -1;
        }
    }
    return score;
}

double find_score_and_difference(const find_template *t, const image_bitmap *picture, int x, int y,
                                 double *difference)
{
    sums s = {0};
    sum_rows(&s, t, picture, x, y, 0, t->height);
    *difference = difference_of(t, &s);
    if (t->flat) {
        return fmax(1 - *difference / FLAT_RANGE, 0);
    }
    return part_score(&t->parts[FIND_PARTS - 1], &s);
}

double find_score(const find_template *t, const image_bitmap *picture, int x, int y)
{
    double difference;
    return find_score_and_difference(t, picture, x, y, &difference);
}

/* Computes the sums of the template itself, for each of its parts. */
static void measure(find_template *t, const image_bitmap *image)
{
    sums s = {0};
    int done = 0;
    for (int i = 0; i < FIND_PARTS; i++) {
        find_part *part = &t->parts[i];
        part->rows = t->height >> (FIND_PARTS - 1 - i);
        sum_rows(&s, t, image, 0, 0, done, part->rows);
        done = part->rows;
        for (int j = 0; j < done; j++) {
            for (int k = 0; k < t->width; k++) {
                part->counted += t->keep[(size_t) j * (size_t) t->width + (size_t) k] != 0;
            }
        }
        memcpy(part->sum, s.sum, sizeof part->sum);
        if (part->counted > 0) {
            part->energy = less_means(part->counted, s.squares, s.sum, s.sum);
        }
    }
    memcpy(t->sum, s.sum, sizeof t->sum);
    t->squares = (double) s.squares;
    t->energy = t->parts[FIND_PARTS - 1].energy;
    t->flat = t->energy <= FLAT * FLAT * 3 * (double) t->counted;
}

bool find_template_make(find_template *t, const image_bitmap *image, bool scalar)
{
    size_t width = (size_t) image->width, count = width * (size_t) image->height;
    *t = (find_template){.width = image->width, .height = image->height, .scalar = scalar};
    t->pixels = malloc(count * sizeof *t->pixels);
    t->keep = malloc(count * sizeof *t->keep);
    if (!t->pixels || !t->keep) {
        return false;
    }
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            size_t i = (size_t) y * width + (size_t) x;
            const uint8_t *p = image->pixels + (size_t) y * image->stride + 4 * (size_t) x;
            bool counts = !image->alpha || p[3] >= 128;
            memcpy(&t->pixels[i], p, 4);
            t->keep[i] = counts ? 0xffffff : 0;
            t->pixels[i] &= t->keep[i];
            t->counted += counts;
        }
    }
    if (t->counted > 0) {
        measure(t, image);
    }
    return true;
}

void find_template_free(find_template *t)
{
    free(t->pixels);
    free(t->keep);
    *t = (find_template){0};
}
