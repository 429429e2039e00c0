#include "find_sample.h"

#include "base/simd.h"
#include "find_probe.h"

#include <math.h>
#include <stdlib.h>

/* Pixels and places with less variation than this (root mean square, of 765) are not usable. */
static const float LEAST = 2;

/* --- choosing pixels -----------------------------------------------------------------------------
 */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

typedef struct {
    double mean, deviation;
} spread;

static spread spread_of(const find_template *t, int channel)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < t->width * t->height; i++) {
        double v = t->keep[i] ? find_grey(t->pixels[i], channel) : 0;
        sum += v;
        squares += v * v;
    }
    double mean = sum / (double) t->counted, variance = squares / (double) t->counted - mean * mean;
    return (spread){mean, sqrt(fmax(variance, 0))};
}

/* Takes random pixels, each once, until there are `most`; with `strong` only pixels far from the
 * mean. `taken` has a byte for each pixel. */
static int take(find_sample *s, int count, int most, const find_template *t, const spread *all,
                bool strong, uint8_t *taken)
{
    uint32_t state = 1;
    int pixels = t->width * t->height;
    for (int tries = 0; tries < 8 * pixels && count < most; tries++) {
        int i = (int) (next_random(&state) % (uint32_t) pixels);
        double v = find_grey(t->pixels[i], s->channel);
        if (taken[i] || !t->keep[i] || (strong && fabs(v - all->mean) < all->deviation)) {
            continue;
        }
        taken[i] = 1;
        s->x[count] = i % t->width;
        s->y[count] = i / t->width;
        s->value[count++] = (float) v;
    }
    return count;
}

bool find_sample_make(find_sample *s, const find_template *t, int channel)
{
    uint8_t *taken = calloc((size_t) t->width * (size_t) t->height, 1);
    spread all = spread_of(t, channel);
    float sum = 0, squares = 0;
    s->channel = channel;
    /* Half of them are strong: if detail is rare, random pixels would all be background. */
    int count = taken ? take(s, 0, FIND_SAMPLES / 2, t, &all, true, taken) : 0;
    count = taken ? take(s, count, FIND_SAMPLES, t, &all, false, taken) : 0;
    free(taken);
    for (int i = 0; i < count; i++) {
        sum += s->value[i] / FIND_SAMPLES;
    }
    for (int i = 0; i < count; i++) {
        s->value[i] -= sum;
        squares += s->value[i] * s->value[i];
    }
    if (count < FIND_SAMPLES || squares < LEAST * LEAST * FIND_SAMPLES) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        s->value[i] /= sqrtf(squares);
    }
    return true;
}

/* --- correlation ---------------------------------------------------------------------------------
 */

void find_sample_grey(const find_sample *s, float *grey, const uint8_t *p, int width)
{
    for (int x = 0; x < width; x++, p += 4) {
        grey[x] = s->channel == 3 ? (float) (p[0] + p[1] + p[2]) : (float) (3 * p[s->channel]);
    }
}

static float correlation(float sum, float squares, float products)
{
    float energy = squares - sum * sum / FIND_SAMPLES;
    return energy < LEAST * LEAST * FIND_SAMPLES ? 0 : products / sqrtf(energy);
}

/* Adds in the same order as the vector code below, so that the results are equal. */
static void row_scalar(const find_sample *s, float *out, const float *grey, const size_t *offsets,
                       int x, int across)
{
    for (; x < across; x++) {
        float sum = 0, squares = 0, products = 0;
        for (int i = 0; i < FIND_SAMPLES; i++) {
            float v = grey[offsets[i] + (size_t) x];
            sum += v;
            squares += v * v;
            products += v * s->value[i];
        }
        out[x] = correlation(sum, squares, products);
    }
}

#if BASE_X86
static int row_sse2(const find_sample *s, float *out, const float *grey, const size_t *offsets,
                    int across)
{
    int x = 0;
    for (; x + 4 <= across; x += 4) {
        __m128 sum = _mm_setzero_ps(), squares = sum, products = sum;
        for (int i = 0; i < FIND_SAMPLES; i++) {
            __m128 v = _mm_loadu_ps(grey + offsets[i] + x);
            sum = _mm_add_ps(sum, v);
            squares = _mm_add_ps(squares, _mm_mul_ps(v, v));
            products = _mm_add_ps(products, _mm_mul_ps(v, _mm_set1_ps(s->value[i])));
        }
        float a[4], b[4], c[4];
        _mm_storeu_ps(a, sum);
        _mm_storeu_ps(b, squares);
        _mm_storeu_ps(c, products);
        for (int i = 0; i < 4; i++) {
            out[x + i] = correlation(a[i], b[i], c[i]);
        }
    }
    return x;
}
#endif

void find_sample_row(const find_sample *s, float *out, const float *grey, size_t stride, int across,
                     bool scalar)
{
    size_t offsets[FIND_SAMPLES];
    int x = 0;
    for (int i = 0; i < FIND_SAMPLES; i++) {
        offsets[i] = (size_t) s->y[i] * stride + (size_t) s->x[i];
    }
#if BASE_X86
    if (!scalar) {
        x = row_sse2(s, out, grey, offsets, across);
    }
#else
    (void) scalar;
#endif
    row_scalar(s, out, grey, offsets, x, across);
}
