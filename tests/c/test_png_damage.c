/* Reading PNG files that are broken, cut off, too large or made to harm. */
#include "check.h"
#include "image/png/png.h"
#include "png_file.h"

#include <zlib.h>

static void check_refused(const png_file *f, base_code code, const char *message)
{
    image_bitmap image = {0};
    base_error err = {0};
    CHECK(!png_decode(&image, f->data, f->size, &err));
    CHECK_EQ(err.code, code);
    CHECK_STR(err.message, message);
    CHECK(image.pixels == NULL);
}

static void put_crc(uint8_t *chunk, size_t length)
{
    uint32_t crc = (uint32_t) crc32(0, chunk + 4, (uInt) length + 4);
    for (int i = 0; i < 4; i++) {
        chunk[8 + length + (size_t) i] = (uint8_t) (crc >> (24 - 8 * i));
    }
}

static size_t chunk_length(const uint8_t *p)
{
    return (size_t) p[0] << 24 | (size_t) p[1] << 16 | (size_t) p[2] << 8 | p[3];
}

static uint8_t *find_chunk(png_file *f, const char *type)
{
    for (size_t at = 8; at + 12 <= f->size; at += chunk_length(f->data + at) + 12) {
        if (memcmp(f->data + at + 4, type, 4) == 0) {
            return f->data + at;
        }
    }
    abort();
}

static void remove_chunk(png_file *f, const char *type)
{
    uint8_t *chunk = find_chunk(f, type);
    size_t whole = chunk_length(chunk) + 12;
    size_t after = f->size - (size_t) (chunk - f->data) - whole;
    memmove(chunk, chunk + whole, after);
    f->size -= whole;
}

static void insert_chunk(png_file *f, size_t at, const char *type, const void *data, size_t length)
{
    memmove(f->data + at + length + 12, f->data + at, f->size - at);
    f->size += length + 12;
    uint8_t *p = f->data + at;
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t) (length >> (24 - 8 * i));
        p[4 + i] = (uint8_t) type[i];
    }
    memcpy(p + 8, data, length);
    put_crc(p, length);
}

enum { AFTER_HEADER = 33, GREY_8 = 3, RGB_8 = 5, PALETTE_4 = 9 };

/* A header with another byte at `at`, its checksum made right again. */
static void check_header_refused(size_t at, uint8_t value, const char *why)
{
    static png_file f;
    char message[200];
    png_file_seed(&f, RGB_8, 0, false);
    f.data[at] = value;
    put_crc(f.data + 8, 13);
    snprintf(message, sizeof message, "The PNG file is broken: Invalid IHDR data (%s).", why);
    check_refused(&f, BASE_BAD_PROTOCOL, message);
}

static void test_headers(void)
{
    enum { WIDTH_END = 19, DEPTH = 24, COLOUR, COMPRESSION, FILTER, INTERLACE };
    static const char no_such_pair[] = "Invalid color type/bit depth combination in IHDR";
    check_header_refused(WIDTH_END, 0, "Image width is zero in IHDR");
    check_header_refused(DEPTH, 99, "Invalid bit depth in IHDR");
    check_header_refused(DEPTH, 4, no_such_pair);
    check_header_refused(COLOUR, 3 | 4, "Invalid color type in IHDR");
    check_header_refused(COLOUR, 1, "Invalid color type in IHDR");
    check_header_refused(COMPRESSION, 1, "Unknown compression method in IHDR");
    check_header_refused(FILTER, 1, "Invalid filter method in IHDR");
    check_header_refused(INTERLACE, 2, "Unknown interlace method in IHDR");
}

static void test_signatures(void)
{
    static png_file f;
    static const char not_png[] = "This is not a PNG file.";
    for (size_t at = 0; at < 8; at++) { /* with a bit lost, line ends changed, ... */
        png_file_seed(&f, RGB_8, 0, false);
        f.data[at] ^= 0x0d ^ 0x0a;
        check_refused(&f, BASE_BAD_PROTOCOL, not_png);
    }
    for (f.size = 0; f.size < 8; f.size++) {
        check_refused(&f, BASE_BAD_PROTOCOL, not_png);
    }
    CHECK(!png_recognise(NULL, 0));
}

static void test_refusals(void)
{
    static png_file f;
    png_file_seed(&f, RGB_8, 0, false);
    f.data[29]++;
    check_refused(&f, BASE_BAD_PROTOCOL, "The PNG file is broken: IHDR: CRC error.");
    png_file_seed(&f, RGB_8, 0, false);
    uint8_t *pixels = find_chunk(&f, "IDAT");
    pixels[8 + chunk_length(pixels)]++;
    check_refused(&f, BASE_BAD_PROTOCOL, "The PNG file is broken: IDAT: CRC error.");
    png_file_seed(&f, GREY_8, 0, false);
    find_chunk(&f, "IDAT")[8]++;
    check_refused(&f, BASE_BAD_PROTOCOL, "The PNG file is broken: IDAT: incorrect header check.");
    png_file_seed(&f, GREY_8, 0, false);
    remove_chunk(&f, "IDAT");
    check_refused(&f, BASE_BAD_PROTOCOL, "The PNG file is broken: IEND: out of place.");
    png_file_seed(&f, PALETTE_4, 0, false);
    remove_chunk(&f, "PLTE");
    check_refused(&f, BASE_BAD_PROTOCOL, "The PNG file is broken: IDAT: Missing PLTE before IDAT.");
    png_file_seed(&f, RGB_8, 0, false);
    remove_chunk(&f, "IEND");
    check_refused(&f, BASE_BAD_PROTOCOL, "The PNG file is broken: it ends too soon.");
    png_file_seed(&f, RGB_8, 0, false);
    insert_chunk(&f, AFTER_HEADER, "NEWS", "what a reader has to know", 25);
    check_refused(&f, BASE_BAD_PROTOCOL, "The PNG file is broken: NEWS: unhandled critical chunk.");
    png_file_seed(&f, RGB_8, 0, false);
    f.data[23] = 12; /* one row more than there is */
    put_crc(f.data + 8, 13);
    check_refused(&f, BASE_BAD_PROTOCOL, "The PNG file is broken: Not enough image data.");
}

static void test_sizes(void)
{
    static png_file f;
    static const uint8_t huge[][8] = {{0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff},
                                      {0, 0, 0x80, 0, 0, 0, 0, 1},
                                      {0, 0, 0x20, 0, 0, 0, 0x20, 1}};
    static const char *const messages[] = {
        "The picture of 2147483647 x 2147483647 is too large: at most 32767 pixels a side and 64 "
        "million in all.",
        "The picture of 32768 x 1 is too large: at most 32767 pixels a side and 64 million in all.",
        "The picture of 8192 x 8193 is too large: at most 32767 pixels a side and 64 million in "
        "all.",
    };
    for (int i = 0; i < 3; i++) {
        png_file_seed(&f, RGB_8, i & 1, false);
        memcpy(f.data + 16, huge[i], 8);
        put_crc(f.data + 8, 13);
        check_refused(&f, BASE_INVALID, messages[i]);
    }
}

/* A small file may hold a text or a colour profile of any size, compressed. They are passed over.
 */
static void test_what_would_blow_up(void)
{
    static png_file f;
    static uint8_t zeroes[32 << 20], packed[64 << 10];
    static const char *const types[] = {"zTXt", "iCCP"};
    uLongf length = sizeof packed - 16;
    memcpy(packed, "Comment\0\0", 9); /* a keyword and the method */
    CHECK_EQ(compress2(packed + 9, &length, zeroes, sizeof zeroes, 9), Z_OK);
    for (int i = 0; i < 2; i++) {
        image_bitmap image = {0};
        base_error err = {0};
        png_file_seed(&f, RGB_8, 0, false);
        insert_chunk(&f, AFTER_HEADER, types[i], packed, length + 9);
        CHECK(png_decode(&image, f.data, f.size, &err));
        CHECK_STR(err.message, "");
        image_free(&image);
    }
}

/* --- damage -------------------------------------------------------------------------------------
 */

/* Reads exactly these bytes, so that a step beyond the end is seen (the sanitizers watch): a
 * picture or a reason. */
static bool read_exactly(const uint8_t *data, size_t size, base_error *err)
{
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    image_bitmap image = {0};
    *err = (base_error){0};
    bool ok = png_decode(&image, exact, size, err);
    CHECK(ok ? image.pixels != NULL : err->code && err->message[0] && !image.pixels);
    image_free(&image);
    free(exact);
    return ok;
}

static void test_cut_off(void)
{
    static png_file f;
    base_error err;
    for (int kind = 0; kind < PNG_KINDS; kind++) {
        png_file_seed(&f, kind, kind & 1, false);
        CHECK(read_exactly(f.data, f.size, &err));
        for (size_t size = 8; size < f.size; size++) {
            if (!CHECK(!read_exactly(f.data, size, &err)) ||
                !CHECK_STR(err.message, "The PNG file is broken: it ends too soon.")) {
                printf("    kind %d, %zu of %zu bytes\n", kind, size, f.size);
            }
        }
    }
}

/* Makes every checksum right again, so that damage gets past the first gate. */
static void mend(png_file *f)
{
    for (size_t at = 8; at + 12 <= f->size;) {
        size_t length = chunk_length(f->data + at);
        if (length > f->size - at - 12) {
            return;
        }
        put_crc(f->data + at, length);
        at += length + 12;
    }
}

static void test_flipped_bytes(void)
{
    static png_file seed, f;
    base_error err;
    uint32_t state = 23;
    int read = 0, refused = 0;
    for (int kind = 0; kind < PNG_KINDS; kind++) {
        png_file_seed(&seed, kind, kind & 1, !(png_kinds[kind][1] & PNG_COLOR_MASK_ALPHA));
        for (size_t at = 0; at < seed.size; at++) {
            for (int mended = 0; mended < 2; mended++) {
                f.size = seed.size;
                memcpy(f.data, seed.data, seed.size);
                f.data[at] ^= (uint8_t) (1 + picture_random(&state) % 255);
                if (mended) {
                    mend(&f);
                }
                *(read_exactly(f.data, f.size, &err) ? &read : &refused) += 1;
            }
        }
    }
    CHECK(read > 100 && refused > 1000);
}

static void damage(png_file *f, uint32_t *state)
{
    int changes = 1 + (int) (picture_random(state) % 4);
    while (changes--) {
        size_t at = picture_random(state) % f->size;
        if (picture_random(state) % 3 == 0) {
            at %= 80; /* the headers, more often than their share */
        }
        if (picture_random(state) % 16 == 0) {
            f->size = at + 1;
        } else if (at < f->size) {
            f->data[at] ^= (uint8_t) (1 << picture_random(state) % 8);
        }
    }
    if (picture_random(state) % 4 != 0) {
        mend(f);
    }
}

static void test_damaged_files(void)
{
    static png_file seeds[PNG_KINDS], f;
    base_error err;
    uint32_t state = 17;
    int read = 0, refused = 0;
    for (int kind = 0; kind < PNG_KINDS; kind++) {
        png_file_seed(&seeds[kind], kind, kind & 1, !(png_kinds[kind][1] & PNG_COLOR_MASK_ALPHA));
    }
    for (int round = 0; round < 20000; round++) {
        const png_file *seed = &seeds[round % PNG_KINDS];
        f.size = seed->size;
        memcpy(f.data, seed->data, seed->size);
        damage(&f, &state);
        *(read_exactly(f.data, f.size, &err) ? &read : &refused) += 1;
    }
    CHECK(read > 100 && refused > 10000);
}

int main(void)
{
    test_headers();
    test_signatures();
    test_refusals();
    test_sizes();
    test_what_would_blow_up();
    test_cut_off();
    test_flipped_bytes();
    test_damaged_files();
    return check_done();
}
