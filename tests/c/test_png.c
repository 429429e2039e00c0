#include "base/checksum.h"
#include "base/parallel.h"
#include "check.h"
#include "image/png/png.h"
#include "image/png/png_huffman.h"
#include "picture.h"

#include <png.h> /* libpng's */
#include <zlib.h>

static const png_options screen = {PNG_SCREEN, 0, false}, zlib1 = {PNG_ZLIB, 1, false};
static const png_options screen_once = {PNG_SCREEN, 0, true}, zlib_once = {PNG_ZLIB, 1, true};

/* --- checksums and codes ------------------------------------------------------------------------
 */

static void test_checksums(void)
{
    static uint8_t data[70000];
    uint32_t state = 7;
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t) picture_random(&state);
    }
    for (size_t size = 0; size < sizeof data; size += size < 300 ? 1 : 4999) {
        for (size_t from = 0; from < 3 && from <= size; from++) {
            CHECK_EQ(base_crc32(99, data + from, size - from),
                     crc32(99, data + from, (uInt) (size - from)));
            CHECK_EQ(base_adler32(0x1230456, data + from, size - from),
                     adler32(0x1230456, data + from, (uInt) (size - from)));
        }
    }
    memset(data, 255, sizeof data); /* the largest sums there are */
    CHECK_EQ(base_adler32(0xfff0fff0, data, sizeof data),
             adler32(0xfff0fff0, data, (uInt) sizeof data));
}

static void check_row_sum(int width, uint32_t start, bool white)
{
    uint32_t *row = malloc(sizeof *row * (size_t) width);
    uint8_t *bytes = malloc((size_t) width * 3 + 1);
    uint32_t state = (uint32_t) width;
    bool copied = true;
    uint8_t filter = bytes[0] = width % 2;
    for (int x = 0; x < width; x++) {
        row[x] = white ? 0xffffffff : picture_random(&state);
        for (int c = 0; c < 3; c++) {
            bytes[1 + 3 * x + c] = (uint8_t) (row[x] >> (16 - 8 * c));
        }
    }
    uint32_t *to = malloc(sizeof *to * (size_t) width);
    uint32_t sum = base_adler32_take_row(start, filter, to, row, width);
    CHECK_EQ(sum, adler32(start, bytes, (uInt) width * 3 + 1));
    for (int x = 0; x < width; x++) {
        copied = copied && to[x] == (row[x] & 0xffffff);
    }
    CHECK(copied);
    free(to);
    free(row);
    free(bytes);
}

static void test_row_sums(void)
{
    for (int width = 1; width < 100; width++) {
        check_row_sum(width, 1, false);
    }
    check_row_sum(1920, 0xfff0fff0, true);
    check_row_sum(IMAGE_MAX_SIDE, 0xfff0fff0, true);
    check_row_sum(IMAGE_MAX_SIDE, 5, false);
}

static void check_code(const uint32_t *frequency, int count, int max_bits)
{
    huffman_code code;
    huffman_build(&code, frequency, count, max_bits);
    uint32_t kraft = 0;
    for (int i = 0; i < count; i++) {
        CHECK(code.bits[i] <= max_bits);
        CHECK(!frequency[i] || code.bits[i]);
        if (code.bits[i]) {
            kraft += 1u << (max_bits - code.bits[i]);
        }
    }
    CHECK_EQ(kraft, 1u << max_bits);
}

static void test_codes(void)
{
    uint32_t none[30] = {0}, one[30] = {[17] = 5}, steep[30], flat[286];
    for (int i = 0; i < 30; i++) { /* Fibonacci-like: the deepest tree there is */
        steep[i] = i < 2 ? 1 : steep[i - 1] + steep[i - 2];
    }
    for (int i = 0; i < 286; i++) {
        flat[i] = 1;
    }
    check_code(none, 30, 15);
    check_code(one, 30, 15);
    check_code(one, 19, 7);
    check_code(steep, 30, 15);
    check_code(steep, 19, 7);
    check_code(flat, 286, 15);
    uint32_t state = 3;
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 286; i++) {
            flat[i] = picture_random(&state) >> (8 + picture_random(&state) % 24);
        }
        check_code(flat, 286, 15);
        check_code(flat, 19, 7);
    }
}

/* --- the encoder, against libpng ----------------------------------------------------------------
 */

/* Does libpng read these bytes as this picture? */
static bool libpng_agrees(const image_bitmap *image, const uint8_t *data, size_t size)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&png, data, size)) {
        printf("    libpng: %s\n", png.message);
        return false;
    }
    png.format = PNG_FORMAT_BGRA;
    image_bitmap read = {0};
    if ((int) png.width != image->width || (int) png.height != image->height ||
        !image_alloc(&read, image->width, image->height, NULL)) {
        png_image_free(&png);
        return false;
    }
    bool ok = png_image_finish_read(&png, NULL, read.pixels, (png_int_32) read.stride, NULL);
    if (!ok || png.warning_or_error) {
        printf("    libpng: %s\n", png.message);
    }
    ok = ok && !png.warning_or_error && picture_equal(image, &read);
    for (size_t i = 3; ok && image->alpha && i < read.stride * (size_t) read.height; i += 4) {
        ok = image->pixels[i] == read.pixels[i];
    }
    image_free(&read);
    return ok;
}

static bool decoder_agrees(const image_bitmap *image, const uint8_t *data, size_t size)
{
    image_bitmap read = {0};
    base_error err = {0};
    bool ok = png_decode(&read, data, size, &err) && picture_equal(image, &read);
    if (err.code) {
        printf("    %s\n", err.message);
    }
    image_free(&read);
    return ok;
}

static void check_pngcheck(const uint8_t *data, size_t size)
{
    static int available = -1;
    if (available < 0) {
        available = system("pngcheck >/dev/null 2>&1; test $? -ne 127") == 0;
    }
    char name[] = "/tmp/test_png_XXXXXX", command[100];
    int fd = available ? mkstemp(name) : -1;
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file) {
        return;
    }
    CHECK_EQ(fwrite(data, 1, size, file), size);
    fclose(file);
    snprintf(command, sizeof command, "pngcheck -q %s", name);
    CHECK_EQ(system(command), 0);
    remove(name);
}

static void check_encode(png_encoder *encoder, const image_bitmap *image, png_options options,
                         bool with_pngcheck)
{
    const uint8_t *data;
    size_t size;
    base_error err = {0};
    if (!CHECK(png_encode(encoder, image, options, &data, &size, &err))) {
        return;
    }
    bool ok = CHECK(libpng_agrees(image, data, size));
    ok = CHECK(decoder_agrees(image, data, size)) && ok;
    if (!ok) {
        printf("    %d x %d, compressor %d\n", image->width, image->height, options.compressor);
    }
    if (with_pngcheck) {
        check_pngcheck(data, size);
    }
}

static void test_pictures(void)
{
    const int sizes[][2] = {
        {1, 1},   {1, 64},    {1, 1000},    {1000, 1},    {2, 2},      {63, 63},    {64, 64},
        {65, 65}, {127, 129}, {1919, 1079}, {1920, 1080}, {10922, 65}, {10923, 65}, {32767, 3},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (picture_kind kind = SOLID; kind < PICTURES; kind++) {
            image_bitmap image = {0};
            png_encoder *encoder = png_encoder_new();
            picture_make(&image, kind, sizes[i][0], sizes[i][1]);
            check_encode(encoder, &image, screen, kind == UI || kind == NOISE);
            check_encode(encoder, &image, zlib1, kind == UI);
            check_encode(encoder, &image, screen_once, false);
            check_encode(encoder, &image, zlib_once, false);
            png_encoder_free(encoder);
            image_free(&image);
        }
    }
}

static void test_levels(void)
{
    image_bitmap image = {0};
    png_encoder *encoder = png_encoder_new();
    base_error err = {0};
    const uint8_t *data;
    size_t size, before = SIZE_MAX;
    picture_make(&image, TEXT, 300, 200);
    for (int level = 1; level <= 9; level++) {
        check_encode(encoder, &image, (png_options){PNG_ZLIB, level, false}, false);
    }
    for (int level = 1; level <= 9; level += 4) {
        CHECK(
            png_encode(encoder, &image, (png_options){PNG_ZLIB, level, false}, &data, &size, &err));
        CHECK(size <= before);
        before = size;
    }
    CHECK(!png_encode(encoder, &image, (png_options){PNG_ZLIB, 10, false}, &data, &size, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!png_encode(encoder, &image, (png_options){PNG_ZLIB, -1, false}, &data, &size, &err));
    png_encoder_free(encoder);
    image_free(&image);
}

/* A row that is longer than the image is wide. */
static void test_stride(void)
{
    image_bitmap whole = {0};
    picture_make(&whole, NOISE, 200, 150);
    image_bitmap view = {90, 140, whole.stride, whole.pixels + 10 * whole.stride + 40,
                         .borrowed = true};
    png_encoder *encoder = png_encoder_new();
    check_encode(encoder, &view, screen, false);
    check_encode(encoder, &view, zlib1, false);
    png_encoder_free(encoder);
    image_free(&whole);
}

/* Noise must come out hardly larger than it is. */
static void test_incompressible(void)
{
    image_bitmap image = {0};
    png_encoder *encoder = png_encoder_new();
    const uint8_t *data;
    size_t size;
    picture_make(&image, NOISE, 1000, 500);
    CHECK(png_encode(encoder, &image, screen, &data, &size, NULL));
    CHECK(size < 1000 * 500 * 3 + 500 + 1000);
    png_encoder_free(encoder);
    image_free(&image);
}

/* --- the cache ----------------------------------------------------------------------------------
 */

/* Paints a random rectangle, or only the unused bytes; returns which strips changed. */
static uint32_t change(image_bitmap *image, uint32_t *state)
{
    uint32_t strips = 0;
    int x0 = (int) (picture_random(state) % (uint32_t) image->width);
    int y0 = (int) (picture_random(state) % (uint32_t) image->height);
    int height = 1 + (int) (picture_random(state) % 40), width = 1 + height * 2;
    bool unused_only = picture_random(state) % 4 == 0;
    uint32_t colour = picture_random(state) & 0xffffff;
    for (int y = y0; y < y0 + height && y < image->height; y++) {
        for (int x = x0; x < x0 + width && x < image->width; x++) {
            uint8_t *unused = image->pixels + (size_t) y * image->stride + (size_t) x * 4 + 3;
            if (!unused_only && picture_get(image, x, y) != colour) {
                strips |= 1u << y / PNG_STRIP_ROWS;
            }
            if (!unused_only) {
                picture_set(image, x, y, colour);
            }
            (*unused)++;
        }
    }
    return strips;
}

static bool encoders_agree(png_encoder *old, const image_bitmap *image, png_options options)
{
    png_encoder *fresh = png_encoder_new();
    const uint8_t *a, *b;
    size_t size_a, size_b;
    bool ok = png_encode(old, image, options, &a, &size_a, NULL) &&
              png_encode(fresh, image, options, &b, &size_b, NULL) && size_a == size_b &&
              memcmp(a, b, size_a) == 0;
    png_encoder_free(fresh);
    return ok;
}

static void test_reuse(png_options options)
{
    image_bitmap image = {0};
    png_encoder *encoder = png_encoder_new();
    uint32_t state = 5;
    picture_make(&image, TEXT, 333, 411);
    CHECK(encoders_agree(encoder, &image, options));
    CHECK_EQ(png_encoder_stats(encoder).strips, 7);
    CHECK_EQ(png_encoder_stats(encoder).reused, 0);
    for (int round = 0; round < 200; round++) {
        int changed = __builtin_popcount(change(&image, &state));
        CHECK(encoders_agree(encoder, &image, options));
        CHECK_EQ(png_encoder_stats(encoder).reused, 7 - changed);
    }
    check_encode(encoder, &image, options, true);
    png_encoder_free(encoder);
    image_free(&image);
}

/* One encoder for pictures of many sizes and kinds, on any number of threads. */
static void test_one_encoder(void)
{
    png_encoder *encoder = png_encoder_new();
    uint32_t state = 11;
    for (int round = 0; round < 60; round++) {
        image_bitmap image = {0};
        int width = 1 + (int) (picture_random(&state) % 300);
        int height = 1 + (int) (picture_random(&state) % 300);
        picture_make(&image, round % PICTURES, width, height);
        check_encode(encoder, &image, round % 3 ? screen : zlib1, false);
        base_parallel_set_threads(1 + round % 4);
        CHECK(encoders_agree(encoder, &image, round % 2 ? screen : zlib1));
        image_free(&image);
    }
    base_parallel_set_threads(0);
    png_encoder_free(encoder);
}

static void test_threads_agree(void)
{
    image_bitmap image = {0};
    for (picture_kind kind = UI; kind < PICTURES; kind++) {
        png_encoder *encoder = png_encoder_new();
        picture_make(&image, kind, 700, 900);
        const uint8_t *data;
        size_t size;
        base_parallel_set_threads(1);
        CHECK(png_encode(encoder, &image, screen, &data, &size, NULL));
        base_parallel_set_threads(5);
        CHECK(encoders_agree(encoder, &image, screen));
        png_encoder_free(encoder);
    }
    base_parallel_set_threads(0);
    image_free(&image);
}

/* `test_png threads` is what runs on several threads, for the thread sanitizer. */
static void nobody(image_share *share)
{
    (void) share;
}

/* What is known not to have changed is not read: here it has, and nobody says so. */
static void test_bands(png_options options)
{
    enum { HEIGHT = 411, COUNT = (HEIGHT + IMAGE_BAND_ROWS - 1) / IMAGE_BAND_ROWS };
    image_bitmap image = {0};
    uint64_t bands[COUNT];
    uint8_t kept[4];
    png_encoder *encoder = png_encoder_new();
    picture_make(&image, TEXT, 333, HEIGHT);
    image_share share = {.users = 1, .unused = nobody, .pixels = image.pixels, .bands = bands};
    for (int i = 0; i < COUNT; i++) {
        bands[i] = image_new_band();
    }
    image.share = &share;
    CHECK(encoders_agree(encoder, &image, options));
    uint8_t *changed = image.pixels + (size_t) 130 * image.stride + 40; /* in the third strip */
    memcpy(kept, changed, sizeof kept);
    memcpy(changed, "\x12\x34\x56\0", sizeof kept);
    CHECK(!encoders_agree(encoder, &image, options));
    CHECK_EQ(png_encoder_stats(encoder).reused, 7);
    bands[130 / IMAGE_BAND_ROWS] = image_new_band();
    CHECK(encoders_agree(encoder, &image, options));
    CHECK_EQ(png_encoder_stats(encoder).reused, 6);
    bands[COUNT - 1] = image_new_band(); /* drawn the same */
    CHECK(encoders_agree(encoder, &image, options));
    CHECK_EQ(png_encoder_stats(encoder).reused, 7);
    image.share = NULL; /* not known any more */
    memcpy(changed, kept, sizeof kept);
    CHECK(encoders_agree(encoder, &image, options));
    CHECK_EQ(png_encoder_stats(encoder).reused, 6);
    image.share = &share; /* known, but not of what the encoder has kept since */
    memcpy(changed, "\x12\x34\x56\0", sizeof kept);
    CHECK(encoders_agree(encoder, &image, options));
    image.share = NULL;
    image_free(&image);
    png_encoder_free(encoder);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "threads") == 0) {
        test_one_encoder();
        test_threads_agree();
        base_parallel_stop();
        return check_done();
    }
    test_checksums();
    test_row_sums();
    test_codes();
    test_pictures();
    test_levels();
    test_stride();
    test_incompressible();
    test_reuse(screen);
    test_reuse(zlib1);
    test_bands(screen);
    test_bands(zlib1);
    test_one_encoder();
    test_threads_agree();
    base_parallel_stop();
    return check_done();
}
