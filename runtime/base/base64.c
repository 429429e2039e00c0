#include "base64.h"

#include "simd.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#if BASE_X86
/* Encodes twelve bytes at a time to sixteen characters (W. Mula, "Base64 encoding with SIMD
 * instructions"): three bytes are put into each 32-bit lane, two multiplications shift its four
 * 6-bit values into bytes of their own, and a table lookup yields what has to be added to each
 * value to get its character. Returns the bytes encoded, a multiple of 12. */
BASE_TARGET("ssse3")
static size_t encode_ssse3(char *out, const uint8_t *data, size_t size)
{
    const __m128i spread = _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    const __m128i to_letter =
        _mm_setr_epi8('a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
                      '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0);
    size_t done = 0;
    for (; size - done >= 16; done += 12, out += 16) {
        __m128i in = _mm_loadu_si128((const __m128i *) (data + done));
        in = _mm_shuffle_epi8(in, spread);
        __m128i odd = _mm_mulhi_epu16(_mm_and_si128(in, _mm_set1_epi32(0x0fc0fc00)),
                                      _mm_set1_epi32(0x04000040));
        __m128i even = _mm_mullo_epi16(_mm_and_si128(in, _mm_set1_epi32(0x003f03f0)),
                                       _mm_set1_epi32(0x01000010));
        __m128i values = _mm_or_si128(odd, even);
        /* Table index: 0 for a-z, 1..10 for the digits, 11 and 12 for + and /, 13 for A-Z. */
        __m128i range = _mm_subs_epu8(values, _mm_set1_epi8(51));
        __m128i capital = _mm_cmpgt_epi8(_mm_set1_epi8(26), values);
        range = _mm_or_si128(range, _mm_and_si128(capital, _mm_set1_epi8(13)));
        _mm_storeu_si128((__m128i *) out, _mm_add_epi8(_mm_shuffle_epi8(to_letter, range), values));
    }
    return done;
}
#endif

void base_base64(char *out, const uint8_t *data, size_t size)
{
    size_t done = 0;
#if BASE_X86
    if (size >= 16 && base_cpu_ssse3()) {
        done = encode_ssse3(out, data, size);
    }
#endif
    out += done / 3 * 4;
    for (; size - done >= 3; done += 3) {
        uint32_t v = (uint32_t) data[done] << 16 | (uint32_t) data[done + 1] << 8 | data[done + 2];
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        *out++ = alphabet[v >> 6 & 63];
        *out++ = alphabet[v & 63];
    }
    if (size == done) {
        return;
    }
    uint32_t v = (uint32_t) data[done] << 16;
    if (size - done == 2) {
        v |= (uint32_t) data[done + 1] << 8;
    }
    *out++ = alphabet[v >> 18];
    *out++ = alphabet[v >> 12 & 63];
    *out++ = size - done == 2 ? alphabet[v >> 6 & 63] : '=';
    *out = '=';
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes four characters without padding; negative if one of them is not in the alphabet. */
static int32_t group(const char *text, const int8_t *values)
{
    int32_t v = 0;
    for (int i = 0; i < 4; i++) {
        int value = values[(uint8_t) text[i]];
        if (value < 0) {
            return -1;
        }
        v = v << 6 | value;
    }
    return v;
}

bool base_base64_decode(uint8_t *out, size_t *size, const char *text, size_t length)
{
    int8_t values[256];
    for (int i = 0; i < 256; i++) {
        values[i] = (int8_t) value_of((char) i);
    }
    *size = 0;
    if (length % 4 != 0) {
        return false;
    }
    if (length == 0) {
        return true;
    }
    size_t padding = text[length - 1] != '=' ? 0 : text[length - 2] != '=' ? 1 : 2;
    size_t whole = length - (padding ? 4 : 0);
    const uint8_t *start = out;
    for (size_t i = 0; i < whole; i += 4) {
        int32_t v = group(text + i, values);
        if (v < 0) {
            return false;
        }
        *out++ = (uint8_t) (v >> 16);
        *out++ = (uint8_t) (v >> 8);
        *out++ = (uint8_t) v;
    }
    if (padding) {
        char last[4] = {text[whole], text[whole + 1], padding == 1 ? text[whole + 2] : 'A', 'A'};
        int32_t v = group(last, values);
        if (v < 0) {
            return false;
        }
        *out++ = (uint8_t) (v >> 16);
        if (padding == 1) {
            *out++ = (uint8_t) (v >> 8);
        }
    }
    *size = (size_t) (out - start);
    return true;
}
