#include "utf8.h"

#include <string.h>

static size_t sequence_length(unsigned char first)
{
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first <= 0xdf) {
        return 2;
    }
    if (first >= 0xe0 && first <= 0xef) {
        return 3;
    }
    return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

size_t base_utf8_read(const char *text, size_t length, uint32_t *codepoint)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t n = length ? sequence_length((unsigned char) text[0]) : 0;
    if (n == 0 || n > length) {
        return 0;
    }
    uint32_t value = (unsigned char) text[0] & masks[n];
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char) text[i] & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | ((unsigned char) text[i] & 0x3f);
    }
    if (value < smallest[n] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        return 0;
    }
    *codepoint = value;
    return n;
}

size_t base_utf8_write(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char) c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char) (0xc0 | c >> 6);
        out[1] = (char) (0x80 | (c & 0x3f));
        return 2;
    }
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
        return 0;
    }
    if (c < 0x10000) {
        out[0] = (char) (0xe0 | c >> 12);
        out[1] = (char) (0x80 | (c >> 6 & 0x3f));
        out[2] = (char) (0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char) (0xf0 | c >> 18);
    out[1] = (char) (0x80 | (c >> 12 & 0x3f));
    out[2] = (char) (0x80 | (c >> 6 & 0x3f));
    out[3] = (char) (0x80 | (c & 0x3f));
    return 4;
}

/* How many bytes at the beginning are ASCII, a multiple of the word size. A fast path, since most
 * long texts are ASCII. */
static size_t ascii_words(const char *text, size_t length)
{
    size_t at = 0;
    uint64_t word;
    for (; length - at >= sizeof word; at += sizeof word) {
        memcpy(&word, text + at, sizeof word);
        if (word & UINT64_C(0x8080808080808080)) {
            break;
        }
    }
    return at;
}

size_t base_utf8_check(const char *text, size_t length)
{
    size_t at = 0;
    while ((at += ascii_words(text + at, length - at)) < length) {
        uint32_t codepoint;
        size_t n = base_utf8_read(text + at, length - at, &codepoint);
        if (n == 0) {
            return at;
        }
        at += n;
    }
    return length;
}

/* Characters that would break a line, a terminal, or the reading order of the text around them. */
static bool harmful(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void base_utf8_clean(char *out, size_t size, const char *text, size_t length)
{
    size_t used = 0;
    for (size_t at = 0; at < length;) {
        uint32_t c;
        size_t n = base_utf8_read(text + at, length - at, &c);
        if (n == 0) {
            c = 0xfffd;
            n = 1;
        }
        at += n;
        if (harmful(c)) {
            continue;
        }
        char bytes[4];
        size_t count = base_utf8_write(bytes, c);
        if (used + count >= size) {
            break;
        }
        memcpy(out + used, bytes, count);
        used += count;
    }
    out[used] = '\0';
}
