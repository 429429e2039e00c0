/*
 * Deflate for user interfaces. Matches are found on whole pixels, not bytes, at three places only:
 * the pixel before, the pixel above, and where the same pair of pixels was last seen. That finds
 * nearly all there is to find on a screen, at a fraction of a general match finder's time. A first
 * pass finds matches and counts symbols, a second writes one dynamic Huffman block.
 */
#include "png_screen.h"

#include "base/simd.h"
#include "png_huffman.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 32768,
    HASH_BITS = 12,
    MATCH_MAX = 86,   /* pixels: 258 bytes, deflate's longest */
    GOOD_ENOUGH = 16, /* pixels: from here on the third place is not tried */
    LITERALS = 286,   /* symbols of the literal and length alphabet */
    DISTANCES = 30,
    END_OF_BLOCK = 256,
    CODE_LENGTHS = 19,
    LITERAL_BITS = 15,
    CODE_LENGTH_BITS = 7,
};

/* A token is a literal pixel (0x00RRGGBB), the filter byte that begins a row, or a match: its
 * length in pixels in bits 15..21 and its distance in bytes, less one, in bits 0..14. */
#define TOKEN_ROW 0x40000000u
#define TOKEN_MATCH 0x80000000u

struct png_screen {
    uint32_t seen[1 << HASH_BITS]; /* y << 16 | x of the last pair of pixels with this hash */
    /* One count per channel: grey pixels would else count thrice in one place, one after another.
     */
    uint32_t red[256], green[256], blue[256];
    uint32_t match_lengths[MATCH_MAX + 1], distances[DISTANCES];
    uint32_t *tokens;
    size_t token_count;
};

typedef struct {
    uint32_t symbol, extra_bits, extra;
} extended;

/* The symbol for a distance (from 1), with the bits that follow it. */
static inline extended distance_symbol(uint32_t distance)
{
    uint32_t v = distance - 1;
    if (v < 4) {
        return (extended){v, 0, 0};
    }
    uint32_t high = 31 - (uint32_t) __builtin_clz(v);
    return (extended){2 * high + (v >> (high - 1) & 1), high - 1, v & ((1u << (high - 1)) - 1)};
}

/* The same for a length of 3 to 258 bytes. */
static extended length_symbol(uint32_t length)
{
    uint32_t v = length - 3;
    if (length == 258) {
        return (extended){285, 0, 0};
    }
    if (v < 8) {
        return (extended){257 + v, 0, 0};
    }
    uint32_t high = 31 - (uint32_t) __builtin_clz(v);
    uint32_t extra = high - 2;
    return (extended){257 + 4 * extra + (v >> extra), extra, v & ((1u << extra) - 1)};
}

png_screen *png_screen_new(int width, int rows)
{
    png_screen *screen = malloc(sizeof *screen);
    if (!screen) {
        return NULL;
    }
    screen->tokens = malloc(((size_t) width + 1) * (size_t) rows * sizeof *screen->tokens);
    if (!screen->tokens) {
        free(screen);
        return NULL;
    }
    return screen;
}

void png_screen_free(png_screen *screen)
{
    if (!screen) {
        return;
    }
    free(screen->tokens);
    free(screen);
}

/* --- finding ------------------------------------------------------------------------------------
 */

/* How many pixels are the same from a and b on, at most `max`. May read PNG_PAD beyond. */
static inline int same_pixels(const uint32_t *a, const uint32_t *b, int max)
{
    int n = 0;
#if BASE_X86
    for (; n < max; n += 4) {
        __m128i equal = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *) (a + n)),
                                        _mm_loadu_si128((const __m128i *) (b + n)));
        unsigned differs = (unsigned) _mm_movemask_epi8(equal) ^ 0xffff;
        if (differs) {
            n += __builtin_ctz(differs) >> 2;
            break;
        }
    }
    return n < max ? n : max;
#else
    while (n < max && a[n] == b[n]) {
        n++;
    }
    return n;
#endif
}

typedef struct {
    int pixels;
    uint32_t distance; /* bytes */
} match;

static inline uint32_t hash_pair(const uint32_t *p)
{
    uint32_t mixed = p[0] * 0x9e3779b1u ^ p[1] * 0x85ebca6bu;
    return (mixed ^ mixed >> 15) * 0x2c1b3c6du >> (32 - HASH_BITS);
}

/* Where this pair of pixels was last seen, if the match beats `best`. */
static inline match find_seen(png_screen *screen, const png_strip *strip, int x, int y, match best)
{
    const uint32_t *here = strip->pixels + (size_t) y * strip->stride + x;
    uint32_t *slot = &screen->seen[hash_pair(here)];
    uint32_t seen = *slot;
    *slot = (uint32_t) y << 16 | (uint32_t) x;
    int seen_x = seen & 0xffff, seen_y = (int) (seen >> 16);
    const uint32_t *there = strip->pixels + (size_t) seen_y * strip->stride + seen_x;
    if (there[0] != here[0] || there[1] != here[1]) {
        return best;
    }
    size_t distance =
        (size_t) (y - seen_y) * png_row_bytes(strip->width) + 3 * (size_t) x - 3 * (size_t) seen_x;
    if (distance - 1 >= WINDOW) {
        return best; /* also where the slot was empty and this is the first pixel */
    }
    int left = strip->width - (x > seen_x ? x : seen_x);
    int pixels = same_pixels(here, there, left);
    /* A far match costs some ten bits more than a near one, about what one pixel costs there. */
    if (pixels <= best.pixels + 1 && (best.pixels || pixels < 2)) {
        return best;
    }
    return (match){pixels, (uint32_t) distance};
}

/* The best match at (x, y) among the three places; 0 pixels for none. */
static inline match find(png_screen *screen, const png_strip *strip, int x, int y, uint32_t above)
{
    const uint32_t *here = strip->pixels + (size_t) y * strip->stride + x;
    int left = strip->width - x;
    match best = {0, 0};
    if (x > 0 && here[-1] == here[0]) {
        best = (match){same_pixels(here, here - 1, left), 3};
    }
    if (above && here[-(ptrdiff_t) strip->stride] == here[0]) {
        int pixels = same_pixels(here, here - strip->stride, left);
        if (pixels > best.pixels) {
            best = (match){pixels, above};
        }
    }
    if (best.pixels >= GOOD_ENOUGH || left < 2) {
        return best;
    }
    return find_seen(screen, strip, x, y, best);
}

static inline uint32_t *put_match(png_screen *screen, uint32_t *token, match m)
{
    uint32_t distance = distance_symbol(m.distance).symbol;
    for (int left = m.pixels; left > 0; left -= MATCH_MAX) {
        uint32_t pixels = (uint32_t) (left < MATCH_MAX ? left : MATCH_MAX);
        *token++ = TOKEN_MATCH | pixels << 15 | (m.distance - 1);
        screen->match_lengths[pixels]++;
        screen->distances[distance]++;
    }
    return token;
}

static inline uint32_t *put_pixel(png_screen *screen, uint32_t *token, uint32_t pixel)
{
    *token++ = pixel;
    screen->red[pixel >> 16]++;
    screen->green[pixel >> 8 & 255]++;
    screen->blue[pixel & 255]++;
    return token;
}

static void tokenize(png_screen *screen, const png_strip *strip)
{
    memset(screen, 0, offsetof(png_screen, tokens));
    size_t row_bytes = png_row_bytes(strip->width);
    uint32_t *token = screen->tokens;
    for (int y = 0; y < strip->rows; y++) {
        const uint32_t *row = strip->pixels + (size_t) y * strip->stride;
        uint32_t above = y > 0 && row_bytes <= WINDOW ? (uint32_t) row_bytes : 0;
        *token++ = TOKEN_ROW;
        for (int x = 0; x < strip->width;) {
            match m = find(screen, strip, x, y, above);
            token = m.pixels ? put_match(screen, token, m) : put_pixel(screen, token, row[x]);
            x += m.pixels ? m.pixels : 1;
        }
    }
    screen->token_count = (size_t) (token - screen->tokens);
}

/* --- writing ------------------------------------------------------------------------------------
 */

typedef struct {
    uint64_t held; /* bits not written yet, the first in the lowest place */
    int count;     /* how many; at most 7 after bits_flush */
    uint8_t *out;
} bit_writer;

static inline void bits_put(bit_writer *w, uint64_t value, int bits)
{
    w->held |= value << w->count;
    w->count += bits;
}

/* Writes whole bytes, and scribbles over up to seven more. Room for 56 bits afterwards. */
static inline void bits_flush(bit_writer *w)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(w->out, &w->held, 8);
#else
    for (int i = 0; i < 8; i++) {
        w->out[i] = (uint8_t) (w->held >> 8 * i);
    }
#endif
    w->out += w->count >> 3;
    w->held >>= w->count & ~7;
    w->count &= 7;
}

/* A symbol with its extra bits, ready to write. */
typedef struct {
    uint32_t value;
    int bits;
} ready;

typedef struct {
    huffman_code literals, distances;
    ready lengths[MATCH_MAX + 1];
} block_code;

static ready make_ready(const huffman_code *code, extended e)
{
    int bits = code->bits[e.symbol];
    return (ready){code->code[e.symbol] | e.extra << bits, bits + (int) e.extra_bits};
}

/* Builds the codes and returns how many bits the tokens will take in them. */
static uint64_t build_codes(const png_screen *screen, const png_strip *strip, uint8_t filter,
                            block_code *code)
{
    uint32_t literals[LITERALS];
    for (int i = 0; i < 256; i++) {
        literals[i] = screen->red[i] + screen->green[i] + screen->blue[i];
    }
    memset(literals + 256, 0, sizeof literals - 256 * sizeof *literals);
    literals[filter] += (uint32_t) strip->rows;
    literals[END_OF_BLOCK] = 1;
    uint64_t bits = 0;
    for (uint32_t i = 1; i <= MATCH_MAX; i++) {
        extended e = length_symbol(3 * i);
        literals[e.symbol] += screen->match_lengths[i];
        bits += (uint64_t) screen->match_lengths[i] * e.extra_bits;
    }
    huffman_build(&code->literals, literals, LITERALS, LITERAL_BITS);
    huffman_build(&code->distances, screen->distances, DISTANCES, LITERAL_BITS);
    for (uint32_t i = 1; i <= MATCH_MAX; i++) {
        code->lengths[i] = make_ready(&code->literals, length_symbol(3 * i));
    }
    for (int i = 0; i < LITERALS; i++) {
        bits += (uint64_t) literals[i] * code->literals.bits[i];
    }
    for (int i = 0; i < DISTANCES; i++) {
        bits += (uint64_t) screen->distances[i] *
                (code->distances.bits[i] + (i < 4 ? 0u : (unsigned) i / 2 - 1));
    }
    return bits;
}

/* The lengths of both codes in deflate's run-length form: 16 repeats the last length 3..6 times, 17
 * and 18 are 3..10 and 11..138 zeros. Returns how many entries. */
static int run_lengths(const uint8_t *lengths, int count, uint8_t *symbols, uint8_t *extras)
{
    int n = 0;
    for (int i = 0; i < count;) {
        int run = 1;
        while (i + run < count && lengths[i + run] == lengths[i]) {
            run++;
        }
        if (lengths[i] == 0 && run >= 3) {
            run = run < 138 ? run : 138;
            symbols[n] = run < 11 ? 17 : 18;
            extras[n++] = (uint8_t) (run - (run < 11 ? 3 : 11));
        } else if (run >= 4) {
            run = run < 7 ? run : 7;
            symbols[n] = lengths[i];
            extras[n++] = 0;
            symbols[n] = 16;
            extras[n++] = (uint8_t) (run - 4);
        } else {
            run = 1;
            symbols[n] = lengths[i];
            extras[n++] = 0;
        }
        i += run;
    }
    return n;
}

static int used_symbols(const huffman_code *code, int count, int least)
{
    while (count > least && code->bits[count - 1] == 0) {
        count--;
    }
    return count;
}

static void write_header(bit_writer *w, const block_code *code)
{
    static const uint8_t order[CODE_LENGTHS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    static const uint8_t extra_bits[CODE_LENGTHS] = {[16] = 2, [17] = 3, [18] = 7};
    uint8_t lengths[LITERALS + DISTANCES], symbols[LITERALS + DISTANCES];
    uint8_t extras[LITERALS + DISTANCES];
    int literals = used_symbols(&code->literals, LITERALS, 257);
    int distances = used_symbols(&code->distances, DISTANCES, 1);
    memcpy(lengths, code->literals.bits, (size_t) literals);
    memcpy(lengths + literals, code->distances.bits, (size_t) distances);
    int count = run_lengths(lengths, literals + distances, symbols, extras);
    uint32_t frequency[CODE_LENGTHS] = {0};
    for (int i = 0; i < count; i++) {
        frequency[symbols[i]]++;
    }
    huffman_code lengths_code;
    huffman_build(&lengths_code, frequency, CODE_LENGTHS, CODE_LENGTH_BITS);
    int orders = CODE_LENGTHS;
    while (orders > 4 && lengths_code.bits[order[orders - 1]] == 0) {
        orders--;
    }
    bits_put(w, 4, 3); /* not final, dynamic codes */
    bits_put(w, (uint64_t) (literals - 257), 5);
    bits_put(w, (uint64_t) (distances - 1), 5);
    bits_put(w, (uint64_t) (orders - 4), 4);
    for (int i = 0; i < orders; i++) {
        bits_flush(w);
        bits_put(w, lengths_code.bits[order[i]], 3);
    }
    for (int i = 0; i < count; i++) {
        bits_flush(w);
        bits_put(w, lengths_code.code[symbols[i]], lengths_code.bits[symbols[i]]);
        bits_put(w, extras[i], extra_bits[symbols[i]]);
    }
    bits_flush(w);
}

/* At most 48 bits a token: one flush each is enough. */
static inline void write_token(bit_writer *w, const block_code *code, uint32_t token,
                               uint8_t filter)
{
    const huffman_code *literals = &code->literals;
    if (token & TOKEN_MATCH) {
        ready length = code->lengths[token >> 15 & 127];
        ready distance = make_ready(&code->distances, distance_symbol((token & 0x7fff) + 1));
        bits_put(w, length.value, length.bits);
        bits_put(w, distance.value, distance.bits);
    } else if (token & TOKEN_ROW) {
        bits_put(w, literals->code[filter], literals->bits[filter]);
    } else {
        uint32_t red = token >> 16, green = token >> 8 & 255, blue = token & 255;
        bits_put(w, literals->code[red], literals->bits[red]);
        bits_put(w, literals->code[green], literals->bits[green]);
        bits_put(w, literals->code[blue], literals->bits[blue]);
    }
    bits_flush(w);
}

static uint8_t *write_block(const png_screen *screen, const block_code *code, uint8_t filter,
                            uint8_t *out)
{
    bit_writer w = {0, 0, out};
    write_header(&w, code);
    for (size_t i = 0; i < screen->token_count; i++) {
        write_token(&w, code, screen->tokens[i], filter);
    }
    bits_put(&w, code->literals.code[END_OF_BLOCK], code->literals.bits[END_OF_BLOCK]);
    /* The full flush: an empty stored block, whose length begins on a byte. */
    bits_put(&w, 0, 3);
    bits_put(&w, 0, -w.count & 7);
    bits_flush(&w);
    memcpy(w.out, "\x00\x00\xff\xff", 4);
    return w.out + 4;
}

/* For what does not compress. The bytes go to the end of the room first and are then cut into
 * blocks towards its beginning, which never catches up with them. */
static size_t write_stored(const png_strip *strip, uint8_t filter, uint8_t *out)
{
    size_t bytes = png_row_bytes(strip->width) * (size_t) strip->rows;
    uint8_t *from = out + png_bound(strip->width, strip->rows) - bytes;
    png_strip_bytes(strip, filter, from);
    uint8_t *to = out;
    for (size_t left = bytes; left > 0;) {
        size_t part = left < PNG_STORED_MAX ? left : PNG_STORED_MAX;
        uint8_t header[PNG_FLUSH_BYTES] = {0, (uint8_t) part, (uint8_t) (part >> 8),
                                           (uint8_t) ~part, (uint8_t) (~part >> 8)};
        memcpy(to, header, sizeof header);
        memmove(to + sizeof header, from, part);
        to += sizeof header + part;
        from += part;
        left -= part;
    }
    memcpy(to, "\x00\x00\x00\xff\xff", PNG_FLUSH_BYTES);
    return (size_t) (to - out) + PNG_FLUSH_BYTES;
}

size_t png_screen_strip(png_screen *screen, const png_strip *strip, uint8_t filter, uint8_t *out)
{
    block_code code;
    tokenize(screen, strip);
    uint64_t bits = build_codes(screen, strip, filter, &code);
    if (bits / 8 >= png_row_bytes(strip->width) * (size_t) strip->rows) {
        return write_stored(strip, filter, out);
    }
    return (size_t) (write_block(screen, &code, filter, out) - out);
}
