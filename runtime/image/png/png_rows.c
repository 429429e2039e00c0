#include "png_rows.h"

#include "base/simd.h"

size_t png_bound(int width, int rows)
{
    size_t bytes = png_row_bytes(width) * (size_t) rows;
    /* zlib's own stored blocks may be as short as its pending buffer, 16 kB at memLevel 8. */
    return bytes + (bytes / 8192 + 2) * PNG_FLUSH_BYTES + 1024 + PNG_SLACK;
}

#if BASE_X86
/* Four pixels at a time from 4 bytes each to 3, red first. Stops before a store could pass the end
 * of the row. */
BASE_TARGET("ssse3")
static int pack_row_ssse3(const uint32_t *row, int width, uint8_t *out)
{
    const __m128i order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    int x = 0;
    for (; x + 6 <= width; x += 4) {
        __m128i v = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *) (row + x)), order);
        _mm_storeu_si128((__m128i *) (out + 3 * x), v);
    }
    return x;
}
#endif

static void pack_row(const uint32_t *row, int width, uint8_t *out)
{
    int x = 0;
#if BASE_X86
    if (base_cpu_ssse3()) {
        x = pack_row_ssse3(row, width, out);
    }
#endif
    for (; x < width; x++) {
        out[3 * x] = (uint8_t) (row[x] >> 16);
        out[3 * x + 1] = (uint8_t) (row[x] >> 8);
        out[3 * x + 2] = (uint8_t) row[x];
    }
}

size_t png_strip_bytes(const png_strip *strip, uint8_t filter, uint8_t *out)
{
    size_t row_bytes = png_row_bytes(strip->width);
    for (int y = 0; y < strip->rows; y++, out += row_bytes) {
        *out = filter;
        pack_row(strip->pixels + (size_t) y * strip->stride, strip->width, out + 1);
    }
    return row_bytes * (size_t) strip->rows;
}
