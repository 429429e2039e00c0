#include "scale.h"

#include "parallel.h"
#include "simd.h"

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
    BAND_ROWS = 16, /* output rows of one parallel task */
    ROW_PAD = 8,    /* pixels beyond a half-made row that may be read */
};

/* The source pixels under one output pixel: `first` and as many as there are weights. */
typedef struct {
    int first, count; /* count is even: the last weight may be an extra 0 */
    size_t weights;   /* where they begin in axis.weights */
} span;

typedef struct {
    span *spans; /* one per output pixel */
    int16_t *weights;
} axis;

typedef struct {
    desk_image *to;
    const desk_image *from;
    axis across, down;
    bool scalar;
    int16_t *rows[DESK_PARALLEL_MAX]; /* a half-made row per thread: four channels a pixel */
    atomic_bool out_of_memory;
} job;

static void axis_free(axis *a)
{
    free(a->spans);
    free(a->weights);
}

/* Weights by differences of a rounded running sum: each is off by less than 1 / 2^14, and together
 * they are exactly WEIGHT_ONE. */
static void fill_span(span *s, int16_t *weights, int64_t index, int64_t from, int64_t to)
{
    int64_t begin = index * from, end = begin + from; /* in source pixels, times `to` */
    int64_t first = begin / to, last = (end - 1) / to, done = 0;
    s->first = (int) first;
    s->count = 0;
    for (int64_t i = first; i <= last; i++) {
        int64_t covered = ((i + 1) * to < end ? (i + 1) * to : end) - begin;
        int64_t sum = (covered * WEIGHT_ONE + from / 2) / from;
        weights[s->count++] = (int16_t) (sum - done);
        done = sum;
    }
    if (s->count & 1)
        weights[s->count++] = 0;
}

static bool axis_make(axis *a, int from, int to)
{
    /* At most from / to + 2 pixels lie under one, and one more makes it even. */
    size_t most = (size_t) (from / to) + 3;
    a->spans = malloc((size_t) to * sizeof *a->spans);
    a->weights = malloc((size_t) to * most * sizeof *a->weights);
    if (!a->spans || !a->weights)
        return false;
    size_t used = 0;
    for (int i = 0; i < to; i++) {
        a->spans[i].weights = used;
        fill_span(&a->spans[i], a->weights + used, i, from, to);
        used += (size_t) a->spans[i].count;
    }
    return true;
}

/* --- down: rows of the source to one half-made row ----------------------------------------------
 */

/* Pixels from x on; sums a column of bytes at a time. */
static void down_scalar(int16_t *row, const job *j, const span *s, int x)
{
    const desk_image *from = j->from;
    const int16_t *weights = j->down.weights + s->weights;
    for (int i = 4 * x; i < 4 * from->width; i++) {
        int sum = 1 << (DOWN_BITS - 1);
        for (int k = 0; k < s->count && s->first + k < from->height; k++)
            sum += weights[k] * from->pixels[(size_t) (s->first + k) * from->stride + (size_t) i];
        row[i] = (int16_t) (sum >> DOWN_BITS);
    }
}

#if DESK_X86
/* A pair of rows at a time; where the second lies below the picture its weight is 0, and the first
 * stands in for it. */
static const uint8_t *second_row(const desk_image *from, int y, const uint8_t *first)
{
    return y + 1 < from->height ? first + from->stride : first;
}

static int down_sse2(int16_t *row, const job *j, const span *s)
{
    const desk_image *from = j->from;
    const __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi32(1 << (DOWN_BITS - 1));
    int x = 0;
    for (; x + 4 <= from->width; x += 4) {
        __m128i sum[4] = {half, half, half, half};
        for (int k = 0; k < s->count; k += 2) {
            int32_t pair;
            memcpy(&pair, j->down.weights + s->weights + k, 4);
            __m128i weights = _mm_set1_epi32(pair);
            const uint8_t *p =
                from->pixels + (size_t) (s->first + k) * from->stride + 4 * (size_t) x;
            const uint8_t *q = second_row(from, s->first + k, p);
            __m128i a = _mm_loadu_si128((const __m128i *) p);
            __m128i b = _mm_loadu_si128((const __m128i *) q);
            __m128i low = _mm_unpacklo_epi8(a, b), high = _mm_unpackhi_epi8(a, b);
            sum[0] = _mm_add_epi32(sum[0], _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), weights));
            sum[1] = _mm_add_epi32(sum[1], _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), weights));
            sum[2] = _mm_add_epi32(sum[2], _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), weights));
            sum[3] = _mm_add_epi32(sum[3], _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), weights));
        }
        for (int i = 0; i < 4; i += 2)
            _mm_storeu_si128((__m128i *) (row + 4 * x + 4 * i),
                             _mm_packs_epi32(_mm_srai_epi32(sum[i], DOWN_BITS),
                                             _mm_srai_epi32(sum[i + 1], DOWN_BITS)));
    }
    return x;
}

/* As above, eight pixels at a time. Unpacking works within 128-bit lanes and so does packing: the
 * order comes out right without a permutation. */
DESK_TARGET("avx2")
static int down_avx2(int16_t *row, const job *j, const span *s)
{
    const desk_image *from = j->from;
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi32(1 << (DOWN_BITS - 1));
    int x = 0;
    for (; x + 8 <= from->width; x += 8) {
        __m256i sum[4] = {half, half, half, half};
        for (int k = 0; k < s->count; k += 2) {
            int32_t pair;
            memcpy(&pair, j->down.weights + s->weights + k, 4);
            __m256i w = _mm256_set1_epi32(pair);
            const uint8_t *p =
                from->pixels + (size_t) (s->first + k) * from->stride + 4 * (size_t) x;
            const uint8_t *q = second_row(from, s->first + k, p);
            __m256i a = _mm256_loadu_si256((const __m256i *) p);
            __m256i b = _mm256_loadu_si256((const __m256i *) q);
            __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
            sum[0] =
                _mm256_add_epi32(sum[0], _mm256_madd_epi16(_mm256_unpacklo_epi8(low, zero), w));
            sum[1] =
                _mm256_add_epi32(sum[1], _mm256_madd_epi16(_mm256_unpackhi_epi8(low, zero), w));
            sum[2] =
                _mm256_add_epi32(sum[2], _mm256_madd_epi16(_mm256_unpacklo_epi8(high, zero), w));
            sum[3] =
                _mm256_add_epi32(sum[3], _mm256_madd_epi16(_mm256_unpackhi_epi8(high, zero), w));
        }
        __m256i first = _mm256_packs_epi32(_mm256_srai_epi32(sum[0], DOWN_BITS),
                                           _mm256_srai_epi32(sum[1], DOWN_BITS));
        __m256i second = _mm256_packs_epi32(_mm256_srai_epi32(sum[2], DOWN_BITS),
                                            _mm256_srai_epi32(sum[3], DOWN_BITS));
        __m256i *out = (__m256i *) (row + 4 * x);
        _mm256_storeu_si256(out, _mm256_permute2x128_si256(first, second, 0x20));
        _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(first, second, 0x31));
    }
    return x;
}
#endif

/* --- across: one half-made row to a row of the output -------------------------------------------
 */

static void across_scalar(uint8_t *out, const int16_t *row, const job *j)
{
    for (int x = 0; x < j->to->width; x++, out += 4) {
        const span *s = &j->across.spans[x];
        const int16_t *weights = j->across.weights + s->weights;
        for (int channel = 0; channel < 3; channel++) {
            int sum = 1 << (ACROSS_BITS - 1);
            for (int k = 0; k < s->count; k++)
                sum += weights[k] * row[4 * (s->first + k) + channel];
            out[channel] = (uint8_t) (sum >> ACROSS_BITS);
        }
        out[3] = 0;
    }
}

#if DESK_X86
static void across_sse2(uint8_t *out, const int16_t *row, const job *j)
{
    const __m128i half = _mm_set1_epi32(1 << (ACROSS_BITS - 1)), zero = _mm_setzero_si128();
    for (int x = 0; x < j->to->width; x++, out += 4) {
        const span *s = &j->across.spans[x];
        const int16_t *weights = j->across.weights + s->weights;
        const int16_t *pixels = row + 4 * s->first;
        __m128i sum = half;
        for (int k = 0; k < s->count; k += 2) {
            int32_t pair;
            memcpy(&pair, weights + k, 4);
            __m128i two = _mm_loadu_si128((const __m128i *) (pixels + 4 * k));
            two = _mm_unpacklo_epi16(two, _mm_srli_si128(two, 8));
            sum = _mm_add_epi32(sum, _mm_madd_epi16(two, _mm_set1_epi32(pair)));
        }
        sum = _mm_packs_epi32(_mm_srai_epi32(sum, ACROSS_BITS), zero);
        uint32_t pixel = (uint32_t) _mm_cvtsi128_si32(_mm_packus_epi16(sum, zero)) & 0xffffff;
        memcpy(out, &pixel, 4);
    }
}
#endif

/* --- the whole ----------------------------------------------------------------------------------
 */

static void scale_row(const job *j, int y, int16_t *row)
{
    const span *s = &j->down.spans[y];
    uint8_t *out = j->to->pixels + (size_t) y * j->to->stride;
#if DESK_X86
    if (!j->scalar) {
        down_scalar(row, j, s, desk_cpu_avx2() ? down_avx2(row, j, s) : down_sse2(row, j, s));
        across_sse2(out, row, j);
        return;
    }
#endif
    down_scalar(row, j, s, 0);
    across_scalar(out, row, j);
}

static void scale_band(void *context, int band)
{
    job *j = context;
    int16_t **row = &j->rows[desk_parallel_worker()];
    if (!*row)
        *row = calloc((size_t) j->from->width + ROW_PAD, 4 * sizeof **row);
    if (!*row) {
        atomic_store(&j->out_of_memory, true);
        return;
    }
    int end = (band + 1) * BAND_ROWS < j->to->height ? (band + 1) * BAND_ROWS : j->to->height;
    for (int y = band * BAND_ROWS; y < end; y++)
        scale_row(j, y, *row);
}

static bool ready_target(desk_image *to, int width, int height, desk_error *err)
{
    if (to->pixels && !to->borrowed && to->width == width && to->height == height)
        return true;
    return desk_image_alloc(to, width, height, err);
}

static bool scale(desk_image *to, const desk_image *from, int width, int height, bool scalar,
                  desk_error *err)
{
    assert(to && from && from->pixels && to != from);
    if (!ready_target(to, width, height, err))
        return false;
    job j = {.to = to, .from = from, .scalar = scalar};
    bool ok = axis_make(&j.across, from->width, width) && axis_make(&j.down, from->height, height);
    if (ok)
        desk_parallel((height + BAND_ROWS - 1) / BAND_ROWS, scale_band, &j);
    ok = ok && !atomic_load(&j.out_of_memory);
    for (int i = 0; i < DESK_PARALLEL_MAX; i++)
        free(j.rows[i]);
    axis_free(&j.across);
    axis_free(&j.down);
    return ok || desk_fail(err, DESK_NO_MEMORY, "There is no memory to scale an image to %d x %d.",
                           width, height);
}

bool desk_scale(desk_image *to, const desk_image *from, int width, int height, desk_error *err)
{
    return scale(to, from, width, height, false, err);
}

bool desk_scale_scalar(desk_image *to, const desk_image *from, int width, int height,
                       desk_error *err)
{
    return scale(to, from, width, height, true, err);
}

void desk_fit(int width, int height, int max_width, int max_height, int *fit_width, int *fit_height)
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
