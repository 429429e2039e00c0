#include "checksum.h"

#include "simd.h"

#include <zlib.h>

enum { ADLER_MOD = 65521 };

/* --- CRC-32 --------------------------------------------------------------------------------------
 * Folding by carry-less multiplication: Gopal et al., "Fast CRC Computation for Generic Polynomials
 * Using PCLMULQDQ Instruction", Intel 2009, with the constants for the reflected polynomial. */

#if BASE_X86
BASE_TARGET("pclmul,sse4.1")
static inline __m128i fold(__m128i x, __m128i k, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(x, k, 0x00), high = _mm_clmulepi64_si128(x, k, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Reduces 128 bits to 32: two folds, then Barrett's reduction. */
BASE_TARGET("pclmul,sse4.1")
static uint32_t reduce(__m128i x)
{
    const __m128i k4 = _mm_set_epi64x(0, 0x0ccaa009e), k5 = _mm_set_epi64x(0, 0x163cd6124);
    const __m128i poly = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i low32 = _mm_setr_epi32(-1, 0, -1, 0);
    x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, k4, 0x00));
    x = _mm_xor_si128(_mm_srli_si128(x, 4), _mm_clmulepi64_si128(_mm_and_si128(x, low32), k5, 0));
    __m128i t = _mm_clmulepi64_si128(_mm_and_si128(x, low32), poly, 0x10);
    t = _mm_clmulepi64_si128(_mm_and_si128(t, low32), poly, 0x00);
    return (uint32_t) _mm_extract_epi32(_mm_xor_si128(x, t), 1);
}

/* The CRC of `size` bytes, a multiple of 16 and at least 64. `crc` is the inverted state. */
BASE_TARGET("pclmul,sse4.1")
static uint32_t crc_folded(uint32_t crc, const uint8_t *data, size_t size)
{
    const __m128i k12 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i k34 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    const __m128i *from = (const __m128i *) data;
    __m128i x[4];
    for (int i = 0; i < 4; i++) {
        x[i] = _mm_loadu_si128(from + i);
    }
    x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128((int) crc));
    for (from += 4, size -= 64; size >= 64; from += 4, size -= 64) {
        for (int i = 0; i < 4; i++) {
            x[i] = fold(x[i], k12, _mm_loadu_si128(from + i));
        }
    }
    for (int i = 1; i < 4; i++) {
        x[0] = fold(x[0], k34, x[i]);
    }
    for (; size >= 16; from++, size -= 16) {
        x[0] = fold(x[0], k34, _mm_loadu_si128(from));
    }
    return reduce(x[0]);
}
#endif

uint32_t base_crc32(uint32_t crc, const uint8_t *data, size_t size)
{
#if BASE_X86
    size_t whole = size & ~(size_t) 15;
    if (whole >= 64 && base_cpu_pclmul()) {
        crc = ~crc_folded(~crc, data, whole);
        data += whole;
        size -= whole;
    }
#endif
    return (uint32_t) crc32_z(crc, data, size);
}

/* --- Adler-32 ------------------------------------------------------------------------------------
 * Over a block of n bytes: s2 += n * s1 + sum of (n - i) * byte[i]; s1 += sum of byte[i]. The
 * vector paths gather three sums over many blocks and reduce them once. */

typedef struct {
    uint32_t s1, s2;
} adler_state;

static adler_state unpack(uint32_t adler)
{
    return (adler_state){adler & 0xffff, adler >> 16};
}

static uint32_t pack(adler_state a)
{
    return a.s2 << 16 | a.s1;
}

#if BASE_X86
/* Advances the state over `blocks` blocks of `block` bytes. `sum`: of all bytes. `before`: for each
 * block the sum of all bytes before it, added up. `weighted`: for each block the sum of
 * (block - i) * byte[i], added up. */
static adler_state advance(adler_state a, uint64_t blocks, uint64_t block, uint64_t sum,
                           uint64_t before, uint64_t weighted)
{
    a.s2 = (uint32_t) ((a.s2 + blocks * block * a.s1 + block * before + weighted) % ADLER_MOD);
    a.s1 = (uint32_t) ((a.s1 + sum) % ADLER_MOD);
    return a;
}

BASE_TARGET("avx2")
static uint64_t sum_epi64(__m256i v)
{
    uint64_t lanes[4];
    _mm256_storeu_si256((__m256i *) lanes, v);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

BASE_TARGET("avx2")
static uint64_t sum_epi32(__m256i v)
{
    uint32_t lanes[8];
    _mm256_storeu_si256((__m256i *) lanes, v);
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++) {
        sum += lanes[i];
    }
    return sum;
}

/* `size` is a multiple of 32. */
BASE_TARGET("avx2")
static adler_state adler_bytes_avx2(adler_state a, const uint8_t *data, size_t size)
{
    const __m256i weights =
        _mm256_setr_epi8(32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14,
                         13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
    while (size > 0) {
        /* At most 1 MB at a time, so that the 32-bit lanes of `weighted` cannot overflow. */
        size_t part = size < 1 << 20 ? size : 1 << 20;
        __m256i sum = zero, before = zero, weighted = zero;
        for (const uint8_t *end = data + part; data < end; data += 32) {
            __m256i v = _mm256_loadu_si256((const __m256i *) data);
            before = _mm256_add_epi64(before, sum);
            sum = _mm256_add_epi64(sum, _mm256_sad_epu8(v, zero));
            weighted = _mm256_add_epi32(weighted,
                                        _mm256_madd_epi16(_mm256_maddubs_epi16(v, weights), ones));
        }
        a = advance(a, part / 32, 32, sum_epi64(sum), sum_epi64(before), sum_epi32(weighted));
        size -= part;
    }
    return a;
}

/* Eight pixels at a time, 24 bytes of the file. The weights are in memory order (blue, green, red).
 */
BASE_TARGET("avx2")
static adler_state take_pixels_avx2(adler_state a, uint32_t *to, const uint32_t *from, int width)
{
    const __m256i weights =
        _mm256_setr_epi8(22, 23, 24, 0, 19, 20, 21, 0, 16, 17, 18, 0, 13, 14, 15, 0, 10, 11, 12, 0,
                         7, 8, 9, 0, 4, 5, 6, 0, 1, 2, 3, 0);
    const __m256i zero = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
    const __m256i colour = _mm256_set1_epi32(0xffffff);
    __m256i sum = zero, before = zero, weighted = zero;
    for (int x = 0; x < width; x += 8) {
        __m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i *) (from + x)), colour);
        _mm256_storeu_si256((__m256i *) (to + x), v);
        before = _mm256_add_epi64(before, sum);
        sum = _mm256_add_epi64(sum, _mm256_sad_epu8(v, zero));
        weighted =
            _mm256_add_epi32(weighted, _mm256_madd_epi16(_mm256_maddubs_epi16(v, weights), ones));
    }
    return advance(a, (uint64_t) width / 8, 24, sum_epi64(sum), sum_epi64(before),
                   sum_epi32(weighted));
}

static uint64_t sum_epi64_sse2(__m128i v)
{
    uint64_t lanes[2];
    _mm_storeu_si128((__m128i *) lanes, v);
    return lanes[0] + lanes[1];
}

static uint64_t sum_epi32_sse2(__m128i v)
{
    uint32_t lanes[4];
    _mm_storeu_si128((__m128i *) lanes, v);
    return (uint64_t) lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* Four pixels at a time, 12 bytes of the file. SSE2 cannot multiply bytes, so the low and high
 * halves are widened to 16 bits first. */
static adler_state take_pixels_sse2(adler_state a, uint32_t *to, const uint32_t *from, int width)
{
    const __m128i first = _mm_setr_epi16(10, 11, 12, 0, 7, 8, 9, 0);
    const __m128i second = _mm_setr_epi16(4, 5, 6, 0, 1, 2, 3, 0);
    const __m128i zero = _mm_setzero_si128(), colour = _mm_set1_epi32(0xffffff);
    __m128i sum = zero, before = zero, weighted = zero;
    for (int x = 0; x < width; x += 4) {
        __m128i v = _mm_and_si128(_mm_loadu_si128((const __m128i *) (from + x)), colour);
        _mm_storeu_si128((__m128i *) (to + x), v);
        before = _mm_add_epi64(before, sum);
        sum = _mm_add_epi64(sum, _mm_sad_epu8(v, zero));
        weighted = _mm_add_epi32(weighted, _mm_madd_epi16(_mm_unpacklo_epi8(v, zero), first));
        weighted = _mm_add_epi32(weighted, _mm_madd_epi16(_mm_unpackhi_epi8(v, zero), second));
    }
    return advance(a, (uint64_t) width / 4, 12, sum_epi64_sse2(sum), sum_epi64_sse2(before),
                   sum_epi32_sse2(weighted));
}
#endif

uint32_t base_adler32(uint32_t adler, const uint8_t *data, size_t size)
{
#if BASE_X86
    size_t whole = size & ~(size_t) 31;
    if (whole > 0 && base_cpu_avx2()) {
        adler = pack(adler_bytes_avx2(unpack(adler), data, whole));
        data += whole;
        size -= whole;
    }
#endif
    return (uint32_t) adler32_z(adler, data, size);
}

static adler_state take_pixels(adler_state a, uint32_t *to, const uint32_t *from, int width)
{
    /* The sums are reduced every 256 pixels: 768 bytes cannot overflow 32 bits. */
    for (int x = 0; x < width;) {
        for (int end = width - x > 256 ? x + 256 : width; x < end; x++) {
            uint32_t p = to[x] = from[x] & 0xffffff;
            a.s2 += a.s1 += p >> 16;
            a.s2 += a.s1 += p >> 8 & 0xff;
            a.s2 += a.s1 += p & 0xff;
        }
        a.s1 %= ADLER_MOD;
        a.s2 %= ADLER_MOD;
    }
    return a;
}

uint32_t base_adler32_take_row(uint32_t adler, uint8_t filter, uint32_t *to, const uint32_t *from,
                               int width)
{
    adler_state a = unpack(adler);
    a.s1 = (a.s1 + filter) % ADLER_MOD;
    a.s2 = (a.s2 + a.s1) % ADLER_MOD;
    int done = 0;
#if BASE_X86
    if (base_cpu_avx2()) {
        done = width & ~7;
        a = take_pixels_avx2(a, to, from, done);
    } else {
        done = width & ~3;
        a = take_pixels_sse2(a, to, from, done);
    }
#endif
    return pack(take_pixels(a, to + done, from + done, width - done));
}
