#include "find_shrink.h"

#include "base/simd.h"

#include <string.h>

typedef struct {
    int width, factor, channel; /* width in cells */
} shape;

/* Adds one row of pixels to the sums of the cells from x on. */
static void add_pixels_scalar(const shape *s, uint32_t *sums, const uint8_t *row, int x)
{
    const uint8_t *p = row + 4 * (size_t) s->factor * (size_t) x;
    for (; x < s->width; x++) {
        for (int i = 0; i < s->factor; i++, p += 4) {
            sums[x] += s->channel == 3 ? (uint32_t) p[0] + p[1] + p[2] : 3u * p[s->channel];
        }
    }
}

#if BASE_X86
/* Adds two pixels at a time by the instruction for sums of absolute differences, with 0 as the
 * other operand. */
static int add_pixels_sse2(const shape *s, uint32_t *sums, const uint8_t *row)
{
    int x = 0;
    uint32_t times = s->channel == 3 ? 1 : 3;
    const __m128i zero = _mm_setzero_si128();
    const __m128i mask = _mm_set1_epi32(s->channel == 3 ? 0xffffff : 0xff << 8 * s->channel);
    for (; s->factor == 2 && x + 2 <= s->width; x += 2, row += 16) {
        __m128i v = _mm_and_si128(_mm_loadu_si128((const __m128i *) row), mask);
        v = _mm_sad_epu8(v, zero);
        sums[x] += times * (uint32_t) _mm_cvtsi128_si32(v);
        sums[x + 1] += times * (uint32_t) _mm_extract_epi16(v, 4);
    }
    for (; s->factor >= 4 && x < s->width; x++) {
        __m128i sum = zero;
        for (int i = 0; i < s->factor; i += 4, row += 16) {
            __m128i v = _mm_and_si128(_mm_loadu_si128((const __m128i *) row), mask);
            sum = _mm_add_epi32(sum, _mm_sad_epu8(v, zero));
        }
        sums[x] += times * (uint32_t) (_mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4));
    }
    return x;
}
#endif

void find_shrink_row(int16_t *out, uint32_t *sums, const image_bitmap *picture, int y, int factor,
                     int channel, bool scalar)
{
    const shape s = {picture->width / factor, factor, channel};
    memset(sums, 0, (size_t) s.width * sizeof *sums);
    for (int j = 0; j < factor; j++) {
        const uint8_t *row = picture->pixels + (size_t) (y * factor + j) * picture->stride;
        int x = 0;
#if BASE_X86
        if (!scalar) {
            x = add_pixels_sse2(&s, sums, row);
        }
#else
        (void) scalar;
#endif
        add_pixels_scalar(&s, sums, row, x);
    }
    int shift = 0;
    while (1 << shift < factor * factor) {
        shift++;
    }
    uint32_t half = (uint32_t) (factor * factor) / 2;
    for (int x = 0; x < s.width; x++) {
        out[x] = (int16_t) ((sums[x] + half) >> shift);
    }
}
