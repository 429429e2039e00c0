/* Reading PNG files. Each kind of file is written by libpng from samples that the test knows, so
 * that what a pixel has to be follows from the format's definition and not from what a library
 * makes of it. */
#include "check.h"
#include "image/png/png.h"
#include "picture.h"

#include <png.h> /* libpng's */
#include <zlib.h>

typedef struct {
    uint8_t data[1 << 18];
    size_t size;
} file;

enum { MOST_SIDE = 64 };

typedef struct {
    int depth, colour, interlace, width, height;
    bool transparent; /* by tRNS: the colour of one pixel, or the first colours of the palette */
    int channels;
    uint16_t samples[MOST_SIDE][MOST_SIDE][4];
} source;

static const int kinds[][2] = {
    {1, PNG_COLOR_TYPE_GRAY},        {2, PNG_COLOR_TYPE_GRAY},      {4, PNG_COLOR_TYPE_GRAY},
    {8, PNG_COLOR_TYPE_GRAY},        {16, PNG_COLOR_TYPE_GRAY},     {8, PNG_COLOR_TYPE_RGB},
    {16, PNG_COLOR_TYPE_RGB},        {1, PNG_COLOR_TYPE_PALETTE},   {2, PNG_COLOR_TYPE_PALETTE},
    {4, PNG_COLOR_TYPE_PALETTE},     {8, PNG_COLOR_TYPE_PALETTE},   {8, PNG_COLOR_TYPE_GRAY_ALPHA},
    {16, PNG_COLOR_TYPE_GRAY_ALPHA}, {8, PNG_COLOR_TYPE_RGB_ALPHA}, {16, PNG_COLOR_TYPE_RGB_ALPHA},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const png_byte palette_alphas[] = {0, 255, 7, 128, 1};

static png_color palette_colour(int i)
{
    return (png_color){(png_byte) (i * 3), (png_byte) (i * 5), (png_byte) (255 - i)};
}

/* How many colours of the palette tRNS tells of. */
static int transparent_colours(int depth)
{
    return depth == 1 ? 2 : depth == 2 ? 3 : 5;
}

/* --- making files -------------------------------------------------------------------------------
 */

static source make_source(const int kind[2], int width, int height, int interlace, bool transparent)
{
    static const int channels_of[] = {1, 0, 3, 1, 2, 0, 4};
    source s = {.depth = kind[0],
                .colour = kind[1],
                .interlace = interlace,
                .width = width,
                .height = height,
                .transparent = transparent,
                .channels = channels_of[kind[1]]};
    uint32_t state = (uint32_t) (kind[0] * 100 + kind[1] * 10 + width + 1);
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (int c = 0; c < s.channels; c++) {
                s.samples[y][x][c] = (uint16_t) (picture_random(&state) & ((1u << s.depth) - 1));
            }
        }
    }
    return s;
}

/* The samples of one row as they lie in a file, before its filter. */
static void pack_row(uint8_t *row, const source *s, int y)
{
    memset(row, 0, MOST_SIDE * 8);
    for (int i = 0; i < s->width * s->channels; i++) {
        unsigned value = s->samples[y][i / s->channels][i % s->channels];
        if (s->depth == 16) {
            row[2 * i] = (uint8_t) (value >> 8);
            row[2 * i + 1] = (uint8_t) value;
        } else {
            int bit = i * s->depth;
            row[bit / 8] |= (uint8_t) (value << (8 - s->depth - bit % 8));
        }
    }
}

static void append(png_structp png, png_bytep data, png_size_t size)
{
    file *f = png_get_io_ptr(png);
    if (size > sizeof f->data - f->size) {
        abort();
    }
    memcpy(f->data + f->size, data, size);
    f->size += size;
}

static void write_header(png_structp png, png_infop info, const source *s)
{
    png_set_IHDR(png, info, (png_uint_32) s->width, (png_uint_32) s->height, s->depth, s->colour,
                 s->interlace, 0, 0);
    if (s->colour == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[256];
        for (int i = 0; i < 256; i++) {
            palette[i] = palette_colour(i);
        }
        png_set_PLTE(png, info, palette, 1 << s->depth);
        if (s->transparent) {
            png_set_tRNS(png, info, palette_alphas, transparent_colours(s->depth), NULL);
        }
    } else if (s->transparent) {
        const uint16_t *hole = s->samples[0][0];
        const png_color_16 colour = {0, hole[0], hole[1], hole[2], hole[0]};
        png_set_tRNS(png, info, NULL, 0, &colour);
    }
    png_write_info(png, info);
}

static void write_file(file *f, const source *s)
{
    static uint8_t rows[MOST_SIDE][MOST_SIDE * 8];
    png_bytep pointers[MOST_SIDE];
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    f->size = 0;
    png_set_write_fn(png, f, append, NULL);
    png_set_filter(png, 0, PNG_ALL_FILTERS);
    png_set_compression_buffer_size(png, 512); /* many IDATs */
    write_header(png, info, s);
    for (int y = 0; y < s->height; y++) {
        pack_row(rows[y], s, y);
        pointers[y] = rows[y];
    }
    png_write_image(png, pointers);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

/* --- what a pixel has to be ---------------------------------------------------------------------
 */

/* A sample in 8 bits, rounded. */
static uint32_t level(const source *s, int y, int x, int channel)
{
    uint32_t most = (1u << s->depth) - 1;
    return (s->samples[y][x][channel] * 255u + most / 2) / most;
}

static bool is_hole(const source *s, int y, int x)
{
    bool may_be = s->transparent && s->colour != PNG_COLOR_TYPE_PALETTE;
    return may_be && memcmp(s->samples[y][x], s->samples[0][0], sizeof s->samples[0][0]) == 0;
}

/* 0xAARRGGBB. */
static uint32_t expected(const source *s, int y, int x)
{
    uint32_t alpha = is_hole(s, y, x) ? 0 : 255;
    if (s->colour == PNG_COLOR_TYPE_PALETTE) {
        int i = s->samples[y][x][0];
        png_color c = palette_colour(i);
        if (s->transparent && i < transparent_colours(s->depth)) {
            alpha = palette_alphas[i];
        }
        return alpha << 24 | (uint32_t) c.red << 16 | (uint32_t) c.green << 8 | c.blue;
    }
    if (s->colour & PNG_COLOR_MASK_ALPHA) {
        alpha = level(s, y, x, s->channels - 1);
    }
    if (s->colour & PNG_COLOR_MASK_COLOR) {
        return alpha << 24 | level(s, y, x, 0) << 16 | level(s, y, x, 1) << 8 | level(s, y, x, 2);
    }
    return alpha << 24 | level(s, y, x, 0) * 0x010101u;
}

static bool reads_as_expected(const file *f, const source *s)
{
    image_bitmap image = {0};
    base_error err = {0};
    if (!png_decode(&image, f->data, f->size, &err)) {
        printf("    %s\n", err.message);
        return false;
    }
    bool alpha = s->transparent || (s->colour & PNG_COLOR_MASK_ALPHA);
    bool ok = image.width == s->width && image.height == s->height && image.alpha == alpha;
    for (int i = 0; ok && i < s->width * s->height; i++) {
        int x = i % s->width, y = i / s->width;
        uint32_t alpha_read = image.pixels[(size_t) y * image.stride + (size_t) x * 4 + 3];
        uint32_t read = alpha_read << 24 | picture_get(&image, x, y);
        ok = read == expected(s, y, x);
        if (!ok) {
            printf("    pixel %d, %d is %08x and not %08x\n", x, y, read, expected(s, y, x));
        }
    }
    image_free(&image);
    return ok;
}

static void test_every_kind(void)
{
    static file f;
    static source s;
    int files = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        bool may_have_holes = !(kinds[kind][1] & PNG_COLOR_MASK_ALPHA);
        for (int variant = 0; variant < 4; variant++) {
            int interlace = variant & 1, transparent = variant >> 1;
            if (transparent && !may_have_holes) {
                continue;
            }
            for (int width = 1; width < 40; width += width < 9 ? 1 : 11) {
                s = make_source(kinds[kind], width, 1 + (width * 7) % 37, interlace, transparent);
                write_file(&f, &s);
                files++;
                if (!CHECK(reads_as_expected(&f, &s))) {
                    printf("    depth %d, colour type %d, interlaced %d, tRNS %d, %d x %d\n",
                           s.depth, s.colour, interlace, transparent, s.width, s.height);
                }
            }
        }
    }
    CHECK_EQ(files, (11 * 4 + 4 * 2) * 11);
}

/* --- what is refused ----------------------------------------------------------------------------
 */

static void check_refused(const file *f, base_code code, const char *message)
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

static uint8_t *find_chunk(file *f, const char *type)
{
    for (size_t at = 8; at + 12 <= f->size; at += chunk_length(f->data + at) + 12) {
        if (memcmp(f->data + at + 4, type, 4) == 0) {
            return f->data + at;
        }
    }
    abort();
}

static void remove_chunk(file *f, const char *type)
{
    uint8_t *chunk = find_chunk(f, type);
    size_t whole = chunk_length(chunk) + 12;
    size_t after = f->size - (size_t) (chunk - f->data) - whole;
    memmove(chunk, chunk + whole, after);
    f->size -= whole;
}

static void insert_chunk(file *f, size_t at, const char *type, const void *data, size_t length)
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

/* A small true file, to be damaged. */
static void write_seed(file *f, int kind, int interlace, bool transparent)
{
    static source s;
    s = make_source(kinds[kind], 19, 11, interlace, transparent);
    write_file(f, &s);
}

enum { AFTER_HEADER = 33, GREY_8 = 3, RGB_8 = 5, PALETTE_4 = 9 };

/* A header with another byte at `at`, its checksum made right again. */
static void check_header_refused(size_t at, uint8_t value, const char *why)
{
    static file f;
    char message[200];
    write_seed(&f, RGB_8, 0, false);
    f.data[at] = value;
    put_crc(f.data + 8, 13);
    snprintf(message, sizeof message, "The PNG file is broken: Invalid IHDR data (%s).", why);
    check_refused(&f, BASE_PROTOCOL, message);
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
    static file f;
    static const char not_png[] = "This is not a PNG file.";
    for (size_t at = 0; at < 8; at++) { /* with a bit lost, line ends changed, ... */
        write_seed(&f, RGB_8, 0, false);
        f.data[at] ^= 0x0d ^ 0x0a;
        check_refused(&f, BASE_PROTOCOL, not_png);
    }
    for (f.size = 0; f.size < 8; f.size++) {
        check_refused(&f, BASE_PROTOCOL, not_png);
    }
    CHECK(!png_recognise(NULL, 0));
}

static void test_refusals(void)
{
    static file f;
    write_seed(&f, RGB_8, 0, false);
    f.data[29]++;
    check_refused(&f, BASE_PROTOCOL, "The PNG file is broken: IHDR: CRC error.");
    write_seed(&f, RGB_8, 0, false);
    find_chunk(&f, "IEND")[8]++;
    check_refused(&f, BASE_PROTOCOL, "The PNG file is broken: IEND: CRC error.");
    write_seed(&f, GREY_8, 0, false);
    find_chunk(&f, "IDAT")[8]++;
    check_refused(&f, BASE_PROTOCOL, "The PNG file is broken: IDAT: incorrect header check.");
    write_seed(&f, GREY_8, 0, false);
    remove_chunk(&f, "IDAT");
    check_refused(&f, BASE_PROTOCOL, "The PNG file is broken: IEND: out of place.");
    write_seed(&f, PALETTE_4, 0, false);
    remove_chunk(&f, "PLTE");
    check_refused(&f, BASE_PROTOCOL, "The PNG file is broken: IDAT: Missing PLTE before IDAT.");
    write_seed(&f, RGB_8, 0, false);
    remove_chunk(&f, "IEND");
    check_refused(&f, BASE_PROTOCOL, "The PNG file is broken: it ends too soon.");
    write_seed(&f, RGB_8, 0, false);
    insert_chunk(&f, AFTER_HEADER, "NEWS", "what a reader has to know", 25);
    check_refused(&f, BASE_PROTOCOL, "The PNG file is broken: NEWS: unhandled critical chunk.");
    write_seed(&f, RGB_8, 0, false);
    f.data[23] = 12; /* one row more than there is */
    put_crc(f.data + 8, 13);
    check_refused(&f, BASE_PROTOCOL, "The PNG file is broken: Not enough image data.");
}

static void test_sizes(void)
{
    static file f;
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
        write_seed(&f, RGB_8, i & 1, false);
        memcpy(f.data + 16, huge[i], 8);
        put_crc(f.data + 8, 13);
        check_refused(&f, BASE_INVALID, messages[i]);
    }
}

/* A small file may hold a text or a colour profile of any size, compressed. They are passed over.
 */
static void test_what_would_blow_up(void)
{
    static file f;
    static source s;
    static uint8_t zeroes[100 << 20], packed[200 << 10];
    uLongf length = sizeof packed - 16;
    memcpy(packed, "Comment\0\0", 9); /* a keyword and the method: as in zTXt and iCCP */
    CHECK_EQ(compress2(packed + 9, &length, zeroes, sizeof zeroes, 9), Z_OK);
    s = make_source(kinds[RGB_8], 19, 11, 0, false);
    static const char *const types[] = {"zTXt", "iCCP"};
    for (int i = 0; i < 2; i++) {
        write_file(&f, &s);
        insert_chunk(&f, AFTER_HEADER, types[i], packed, length + 9);
        CHECK(reads_as_expected(&f, &s));
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
    static file f;
    base_error err;
    for (int kind = 0; kind < KINDS; kind++) {
        write_seed(&f, kind, kind & 1, false);
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
static void mend(file *f)
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
    static file seed, f;
    base_error err;
    uint32_t state = 23;
    int read = 0, refused = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        write_seed(&seed, kind, kind & 1, !(kinds[kind][1] & PNG_COLOR_MASK_ALPHA));
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

static void damage(file *f, uint32_t *state)
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
    static file seeds[KINDS], f;
    base_error err;
    uint32_t state = 17;
    int read = 0, refused = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        write_seed(&seeds[kind], kind, kind & 1, !(kinds[kind][1] & PNG_COLOR_MASK_ALPHA));
    }
    for (int round = 0; round < 20000; round++) {
        const file *seed = &seeds[round % KINDS];
        f.size = seed->size;
        memcpy(f.data, seed->data, seed->size);
        damage(&f, &state);
        *(read_exactly(f.data, f.size, &err) ? &read : &refused) += 1;
    }
    CHECK(read > 100 && refused > 10000);
}

int main(void)
{
    test_every_kind();
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
