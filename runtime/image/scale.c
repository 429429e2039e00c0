#include "scale.h"

#include "base/parallel.h"
#include "base/simd.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Weights are 14 bits and a half-made row is 15, so that both passes fit the 16 x 16 bit
 * multiply-and-add that every vector unit has. 255 << 7 is the white of a half-made row. */
enum {
    WEIGHT_BITS = 14,
    WEIGHT_ONE = 1 << WEIGHT_BITS,
    HALF_MADE_BITS = 7,
    DOWN_BITS = WEIGHT_BITS - HALF_MADE_BITS, /* 8 bits of colour + 14 of weight, less this */
    ACROSS_BITS = WEIGHT_BITS + HALF_MADE_BITS,
    FOUR = 4,       /* taps that have a fast path of their own */
    BAND_ROWS = 16, /* output rows of one parallel task */
};

/* The source pixels under each output pixel: `taps` of them from first[i] on, by the weights from
 * weights[i * taps] on. Weights at the end may be 0 to make `taps` the same for all, and even; such
 * pixels may lie beyond the picture. */
typedef struct {
    int taps;
    int *first;
    int16_t *weights;
} axis;

typedef struct {
    image_bitmap *to;
    const image_bitmap *from;
    axis across, down;
    bool scalar;
    int16_t *rows[BASE_PARALLEL_MAX]; /* a half-made row per thread: four channels a pixel */
    atomic_bool out_of_memory;
} job;

static void axis_free(axis *a)
{
    free(a->first);
    free(a->weights);
}

/* Weights by differences of a rounded running sum: each is off by less than 1 / 2^14, and together
 * they are exactly WEIGHT_ONE. */
static int fill_weights(int16_t *weights, int64_t index, int64_t from, int64_t to)
{
    int64_t begin = index * from, end = begin + from; /* in source pixels, times `to` */
    int64_t first = begin / to, last = (end - 1) / to, done = 0;
    for (int64_t i = first; i <= last; i++) {
        int64_t covered = ((i + 1) * to < end ? (i + 1) * to : end) - begin;
        int64_t sum = (covered * WEIGHT_ONE + from / 2) / from;
        *weights++ = (int16_t) (sum - done);
        done = sum;
    }
    return (int) first;
}

static bool axis_make(axis *a, int from, int to)
{
    /* One output pixel touches at most from / to + 2 source pixels; exact ratios need no more. */
    int touched = from % to == 0 ? from / to : from / to + 2;
    a->taps = touched <= FOUR ? FOUR : (touched + 1) & ~1;
    a->first = malloc((size_t) to * sizeof *a->first);
    a->weights = calloc((size_t) to * (size_t) a->taps, sizeof *a->weights);
    if (!a->first || !a->weights) {
        return false;
    }
    for (int i = 0; i < to; i++) {
        a->first[i] = fill_weights(a->weights + (size_t) i * (size_t) a->taps, i, from, to);
    }
    return true;
}

/* --- down: rows of the source to one half-made row -----------------------------------------------
 */

/* The source rows under one output row, by their weights. */
typedef struct {
    const uint8_t *first;
    size_t stride;
    const int16_t *weights;
    int count; /* rows that are in the picture and have a weight */
    int width;
} rows_under;

static rows_under find_rows(const job *j, int y)
{
    int first = j->down.first[y], count = j->from->height - first;
    if (count > j->down.taps) {
        count = j->down.taps;
    }
    const int16_t *weights = j->down.weights + (size_t) y * (size_t) j->down.taps;
    while (weights[count - 1] == 0) {
        count--;
    }
    return (rows_under){j->from->pixels + (size_t) first * j->from->stride, j->from->stride,
                        weights, count, j->from->width};
}

/* Pixels from x on. */
static void down_scalar(int16_t *row, const rows_under *u, int x)
{
    for (int i = 4 * x; i < 4 * u->width; i++) {
        const uint8_t *p = u->first + i;
        int sum = 1 << (DOWN_BITS - 1);
        for (int k = 0; k < u->count; k++, p += u->stride) {
            sum += u->weights[k] * *p;
        }
        row[i] = (int16_t) (sum >> DOWN_BITS);
    }
}

#if BASE_X86
/* Two weights side by side, as the multiply-and-add wants them. */
static inline int32_t weight_pair(const int16_t *weights)
{
    int32_t pair;
    memcpy(&pair, weights, sizeof pair);
    return pair;
}

/* The row below `p`; below the last there is only a weight of 0, for which any row will do. */
static inline const uint8_t *row_below(const rows_under *u, const uint8_t *p, int k)
{
    return k + 1 < u->count ? p + u->stride : p;
}

static int down_sse2(int16_t *row, const rows_under *u)
{
    const __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi32(1 << (DOWN_BITS - 1));
    int x = 0;
    for (; x + 4 <= u->width; x += 4) {
        __m128i sum[4] = {half, half, half, half};
        const uint8_t *p = u->first + 4 * x;
        for (int k = 0; k < u->count; k += 2, p += 2 * u->stride) {
            __m128i w = _mm_set1_epi32(weight_pair(u->weights + k));
            const uint8_t *q = row_below(u, p, k);
            __m128i a = _mm_loadu_si128((const __m128i *) p);
            __m128i b = _mm_loadu_si128((const __m128i *) q);
            __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
            sum[0] = _mm_add_epi32(sum[0], _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), w));
            sum[1] = _mm_add_epi32(sum[1], _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), w));
            sum[2] = _mm_add_epi32(sum[2], _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), w));
            sum[3] = _mm_add_epi32(sum[3], _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), w));
        }
        for (int i = 0; i < 4; i += 2) {
            _mm_storeu_si128((__m128i *) (row + 4 * x + 4 * i),
                             _mm_packs_epi32(_mm_srai_epi32(sum[i], DOWN_BITS),
                                             _mm_srai_epi32(sum[i + 1], DOWN_BITS)));
        }
    }
    return x;
}

BASE_TARGET("avx2")
static inline __m256i add_weighted(__m256i sum, __m256i pairs, __m256i weights)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, weights));
}

BASE_TARGET("avx2")
static inline __m256i narrow(__m256i a, __m256i b, int bits)
{
    return _mm256_packs_epi32(_mm256_srai_epi32(a, bits), _mm256_srai_epi32(b, bits));
}

/* As above, eight pixels at a time. Unpacking works within 128-bit lanes, so the halves must be put
 * together at the end. */
BASE_TARGET("avx2")
static int down_avx2(int16_t *row, const rows_under *u)
{
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi32(1 << (DOWN_BITS - 1));
    int x = 0;
    for (; x + 8 <= u->width; x += 8) {
        __m256i sum0 = half, sum1 = half, sum2 = half, sum3 = half;
        const uint8_t *p = u->first + 4 * x;
        for (int k = 0; k < u->count; k += 2, p += 2 * u->stride) {
            __m256i w = _mm256_set1_epi32(weight_pair(u->weights + k));
            const uint8_t *q = row_below(u, p, k);
            __m256i a = _mm256_loadu_si256((const __m256i *) p);
            __m256i b = _mm256_loadu_si256((const __m256i *) q);
            __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
            sum0 = add_weighted(sum0, _mm256_unpacklo_epi8(low, zero), w);
            sum1 = add_weighted(sum1, _mm256_unpackhi_epi8(low, zero), w);
            sum2 = add_weighted(sum2, _mm256_unpacklo_epi8(high, zero), w);
            sum3 = add_weighted(sum3, _mm256_unpackhi_epi8(high, zero), w);
        }
        __m256i first = narrow(sum0, sum1, DOWN_BITS), second = narrow(sum2, sum3, DOWN_BITS);
        __m256i *out = (__m256i *) (row + 4 * x);
        _mm256_storeu_si256(out, _mm256_permute2x128_si256(first, second, 0x20));
        _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(first, second, 0x31));
    }
    return x;
}
#endif

/* --- across: one half-made row to a row of the output -------------------------------------------
 */

/* Output pixels from x on. */
static void across_scalar(uint8_t *out, const int16_t *row, const axis *a, int x, int width)
{
    for (; x < width; x++) {
        const int16_t *weights = a->weights + (size_t) x * (size_t) a->taps;
        for (int channel = 0; channel < 3; channel++) {
            int sum = 1 << (ACROSS_BITS - 1);
            for (int k = 0; k < a->taps; k++) {
                sum += weights[k] * row[4 * (a->first[x] + k) + channel];
            }
            out[4 * x + channel] = (uint8_t) (sum >> ACROSS_BITS);
        }
        out[4 * x + 3] = 0;
    }
}

#if BASE_X86
static void across_sse2(uint8_t *out, const int16_t *row, const axis *a, int x, int width)
{
    const __m128i half = _mm_set1_epi32(1 << (ACROSS_BITS - 1)), zero = _mm_setzero_si128();
    for (; x < width; x++) {
        const int16_t *weights = a->weights + (size_t) x * (size_t) a->taps;
        const int16_t *pixels = row + 4 * a->first[x];
        __m128i sum = half;
        for (int k = 0; k < a->taps; k += 2) {
            __m128i two = _mm_loadu_si128((const __m128i *) (pixels + 4 * k));
            two = _mm_unpacklo_epi16(two, _mm_srli_si128(two, 8));
            __m128i w = _mm_set1_epi32(weight_pair(weights + k));
            sum = _mm_add_epi32(sum, _mm_madd_epi16(two, w));
        }
        sum = _mm_packs_epi32(_mm_srai_epi32(sum, ACROSS_BITS), zero);
        uint32_t pixel = (uint32_t) _mm_cvtsi128_si32(_mm_packus_epi16(sum, zero)) & 0xffffff;
        memcpy(out + 4 * x, &pixel, 4);
    }
}

/* Output pixel x from four source pixels: the sums of the first two in the low lane and of the last
 * two in the high lane, still to be added. */
BASE_TARGET("avx2")
static inline __m256i four_taps(const int16_t *row, const axis *a, int x)
{
    const __m256i pairs = _mm256_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15, 0,
                                           1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    __m256i pixels = _mm256_loadu_si256((const __m256i *) (row + 4 * a->first[x]));
    __m128i weights = _mm_loadl_epi64((const __m128i *) (a->weights + FOUR * (size_t) x));
    __m256i spread = _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(weights),
                                                 _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    return _mm256_madd_epi16(_mm256_shuffle_epi8(pixels, pairs), spread);
}

BASE_TARGET("avx2")
static inline __m256i add_lanes(__m256i a, __m256i b)
{
    return _mm256_add_epi32(_mm256_permute2x128_si256(a, b, 0x20),
                            _mm256_permute2x128_si256(a, b, 0x31));
}

/* For four taps, which is every picture made smaller by less than three times: four output pixels
 * at a time. Returns how many are done. */
BASE_TARGET("avx2")
static int across_avx2(uint8_t *out, const int16_t *row, const axis *a, int width)
{
    const __m256i half = _mm256_set1_epi32(1 << (ACROSS_BITS - 1));
    const __m128i colour = _mm_set1_epi32(0xffffff);
    int x = 0;
    for (; x + 4 <= width; x += 4) {
        __m256i low = add_lanes(four_taps(row, a, x), four_taps(row, a, x + 1));
        __m256i high = add_lanes(four_taps(row, a, x + 2), four_taps(row, a, x + 3));
        /* Pixels 0 and 2 in the low lane, 1 and 3 in the high one. */
        __m256i words =
            narrow(_mm256_add_epi32(low, half), _mm256_add_epi32(high, half), ACROSS_BITS);
        words = _mm256_permute4x64_epi64(words, 0xd8);
        __m128i bytes =
            _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
        _mm_storeu_si128((__m128i *) (out + 4 * x), _mm_and_si128(bytes, colour));
    }
    return x;
}
#endif

/* --- the whole ----------------------------------------------------------------------------------
 */

static void scale_row(const job *j, int y, int16_t *row)
{
    const rows_under u = find_rows(j, y);
    uint8_t *out = j->to->pixels + (size_t) y * j->to->stride;
    int width = j->to->width;
#if BASE_X86
    if (!j->scalar) {
        bool avx2 = base_cpu_avx2();
        down_scalar(row, &u, avx2 ? down_avx2(row, &u) : down_sse2(row, &u));
        int done = avx2 && j->across.taps == FOUR ? across_avx2(out, row, &j->across, width) : 0;
        across_sse2(out, row, &j->across, done, width);
        return;
    }
#endif
    down_scalar(row, &u, 0);
    across_scalar(out, row, &j->across, 0, width);
}

static void scale_band(void *context, int band)
{
    job *j = context;
    int16_t **row = &j->rows[base_parallel_worker()];
    if (!*row) {
        *row = calloc((size_t) j->from->width + (size_t) j->across.taps, 4 * sizeof **row);
    }
    if (!*row) {
        atomic_store(&j->out_of_memory, true);
        return;
    }
    int end = (band + 1) * BAND_ROWS < j->to->height ? (band + 1) * BAND_ROWS : j->to->height;
    for (int y = band * BAND_ROWS; y < end; y++) {
        scale_row(j, y, *row);
    }
}

static bool ready_target(image_bitmap *to, int width, int height, base_error *err)
{
    if (to->pixels && !to->borrowed && to->width == width && to->height == height) {
        return true;
    }
    return image_alloc(to, width, height, err);
}

/* Of the same size: what the averages would come to. */
static void copy_rows(image_bitmap *to, const image_bitmap *from)
{
    static const uint8_t colours[4] = {255, 255, 255, 0};
    uint32_t mask;
    memcpy(&mask, colours, sizeof mask);
    for (int y = 0; y < to->height; y++) {
        const uint8_t *p = from->pixels + (size_t) y * from->stride;
        uint8_t *q = to->pixels + (size_t) y * to->stride;
        for (size_t i = 0; i < (size_t) to->width * 4; i += 4) {
            uint32_t pixel;
            memcpy(&pixel, p + i, sizeof pixel);
            pixel &= mask;
            memcpy(q + i, &pixel, sizeof pixel);
        }
    }
}

static bool scale(image_bitmap *to, const image_bitmap *from, int width, int height, bool scalar,
                  base_error *err)
{
    assert(to && from && from->pixels && to != from);
    if (!ready_target(to, width, height, err)) {
        return false;
    }
    to->alpha = false;
    if (!scalar && width == from->width && height == from->height) {
        copy_rows(to, from);
        return true;
    }
    job j = {.to = to, .from = from, .scalar = scalar};
    bool ok = axis_make(&j.across, from->width, width) && axis_make(&j.down, from->height, height);
    if (ok) {
        base_parallel((height + BAND_ROWS - 1) / BAND_ROWS, scale_band, &j);
    }
    ok = ok && !atomic_load(&j.out_of_memory);
    for (int i = 0; i < BASE_PARALLEL_MAX; i++) {
        free(j.rows[i]);
    }
    axis_free(&j.across);
    axis_free(&j.down);
    return ok || base_fail(err, BASE_NO_MEMORY, "There is no memory to scale an image to %d x %d.",
                           width, height);
}

bool image_scale(image_bitmap *to, const image_bitmap *from, int width, int height, base_error *err)
{
    return scale(to, from, width, height, false, err);
}

bool image_scale_scalar(image_bitmap *to, const image_bitmap *from, int width, int height,
                        base_error *err)
{
    return scale(to, from, width, height, true, err);
}

void image_fit(int width, int height, int max_width, int max_height, int *fit_width,
               int *fit_height)
{
    assert(width >= 1 && height >= 1 && max_width >= 1 && max_height >= 1);
    int64_t w = width, h = height;
    if (w > max_width) {
        h = (h * max_width + w / 2) / w;
        w = max_width;
    }
    if (h > max_height) {
        /* From the original sides again: a rounded one would bend the shape. */
        w = ((int64_t) width * max_height + height / 2) / height;
        h = max_height;
    }
    *fit_width = (int) (w < 1 ? 1 : w > max_width ? max_width : w);
    *fit_height = (int) (h < 1 ? 1 : h);
}
