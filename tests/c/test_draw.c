#include "check.h"
#include "image/difference.h"
#include "image/draw.h"
#include "image/draw_font.h"
#include "picture.h"

#include <limits.h>

static const image_colour red = {255, 0, 0, 255};
static uint32_t seed = 7;

static int random_between(int least, int most)
{
    return least + (int) (picture_random(&seed) % (uint32_t) (most - least + 1));
}

static void make(image_bitmap *image, int width, int height)
{
    if (!image_alloc(image, width, height, NULL)) {
        abort();
    }
}

static int count_colour(const image_bitmap *image, uint32_t rgb)
{
    int count = 0;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            count += picture_get(image, x, y) == rgb;
        }
    }
    return count;
}

/* --- clipping -----------------------------------------------------------------------------------
 */

typedef struct {
    int kind, x0, y0, x1, y1, width;
} stroke;

static void paint(image_bitmap *image, stroke s, int dx, int dy, image_colour colour)
{
    image_rect rect = {s.x0 + dx, s.y0 + dy, s.x1, s.y1};
    if (s.kind == 0) {
        image_draw_fill(image, rect, colour);
    } else if (s.kind == 1) {
        image_draw_frame(image, rect, s.width, colour);
    } else if (s.kind == 2) {
        image_draw_line(image, s.x0 + dx, s.y0 + dy, s.x1 + dx, s.y1 + dy, s.width, colour);
    } else {
        image_draw_text(image, s.x0 + dx, s.y0 + dy, "Ag|j\xc3\xa9#", 7, 1 + s.width % 3, colour);
    }
}

/* A small picture shows of each stroke exactly what a large one around it shows there; a half
 * transparent colour would tell of a pixel that is painted twice. */
static void test_clipping(void)
{
    enum { WIDTH = 37, HEIGHT = 23, AROUND = 80, STROKES = 3000 };
    const image_colour half = {200, 100, 50, 128};
    image_bitmap small = {0}, large = {0}, part = {0};
    make(&small, WIDTH, HEIGHT);
    make(&large, WIDTH + 2 * AROUND, HEIGHT + 2 * AROUND);
    for (int i = 0; i < STROKES; i++) {
        stroke s = {i % 4,
                    random_between(-50, WIDTH + 40),
                    random_between(-50, HEIGHT + 40),
                    random_between(-40, WIDTH + 40),
                    random_between(-40, HEIGHT + 40),
                    random_between(1, 6)};
        memset(small.pixels, 0, small.stride * HEIGHT);
        memset(large.pixels, 0, large.stride * (size_t) large.height);
        paint(&small, s, 0, 0, half);
        paint(&large, s, AROUND, AROUND, half);
        image_crop(&part, &large, (image_rect){AROUND, AROUND, WIDTH, HEIGHT}, NULL);
        if (!CHECK(picture_equal(&small, &part))) {
            printf("    kind %d: %d %d %d %d, width %d\n", s.kind, s.x0, s.y0, s.x1, s.y1, s.width);
        }
        int painted = count_colour(&large, 0x643219);
        CHECK(painted + count_colour(&large, 0) == large.width * large.height);
    }
    image_free(&small);
    image_free(&large);
    image_free(&part);
}

/* Numbers without sense: the sanitizers say whether anything is touched that should not be. */
static void test_hostile_numbers(void)
{
    static const int odd[] = {INT_MIN, INT_MIN + 1, -32768, -1,          0,
                              1,       5,           32767,  INT_MAX - 1, INT_MAX};
    enum { ODD = sizeof odd / sizeof *odd };
    image_bitmap image = {0};
    make(&image, 9, 7);
    for (int i = 0; i < ODD * ODD * ODD * ODD; i++) {
        int a = odd[i % ODD], b = odd[i / ODD % ODD], c = odd[i / ODD / ODD % ODD];
        int d = odd[i / ODD / ODD / ODD];
        image_draw_fill(&image, (image_rect){a, b, c, d}, red);
        image_draw_frame(&image, (image_rect){a, b, c, d}, 1 + i % 40, red);
        image_draw_frame(&image, (image_rect){a, b, c, d}, INT_MAX, red);
        image_draw_line(&image, a, b, c, d, 1 + i % 255, red);
        if (i < ODD * ODD) {
            image_draw_text(&image, a, b, "text", 4, IMAGE_FONT_MAX_SCALE, red);
        }
    }
    memset(image.pixels, 0, image.stride * 7);
    image_draw_line(&image, INT_MIN, INT_MIN, INT_MAX, INT_MAX, 1, red);
    for (int i = 0; i < 7; i++) {
        CHECK(picture_get(&image, i, i) == 0xff0000);
    }
    CHECK_EQ(count_colour(&image, 0xff0000), 7);
    image_free(&image);
}

/* --- what is painted ----------------------------------------------------------------------------
 */

static void test_shapes(void)
{
    image_bitmap image = {0};
    make(&image, 40, 30);
    image_draw_frame(&image, (image_rect){5, 6, 10, 8}, 1, red);
    CHECK_EQ(count_colour(&image, 0xff0000), 2 * 10 + 2 * 6);
    CHECK(picture_get(&image, 5, 6) == 0xff0000 && picture_get(&image, 14, 13) == 0xff0000);
    CHECK(picture_get(&image, 6, 7) == 0 && picture_get(&image, 15, 13) == 0);
    make(&image, 40, 30);
    image_draw_frame(&image, (image_rect){5, 6, 3, 8}, 2, red); /* no room within */
    CHECK_EQ(count_colour(&image, 0xff0000), 24);
    make(&image, 40, 30);
    image_draw_line(&image, 3, 4, 23, 14, 1, red);
    CHECK_EQ(count_colour(&image, 0xff0000), 21);
    CHECK(picture_get(&image, 3, 4) == 0xff0000 && picture_get(&image, 23, 14) == 0xff0000);
    CHECK(picture_get(&image, 13, 9) == 0xff0000);
    make(&image, 40, 30);
    image_draw_line(&image, 8, 20, 8, 4, 3, red);
    CHECK_EQ(count_colour(&image, 0xff0000), 17 * 3);
    CHECK(picture_get(&image, 7, 4) == 0xff0000 && picture_get(&image, 9, 20) == 0xff0000);
    make(&image, 40, 30);
    image_draw_line(&image, 2, 2, 2, 2, 1, red);
    CHECK_EQ(count_colour(&image, 0xff0000), 1);
    image_draw_fill(&image, (image_rect){0, 0, 40, 30}, (image_colour){0, 0, 255, 0});
    CHECK_EQ(count_colour(&image, 0xff0000), 1);
    image_draw_fill(&image, (image_rect){0, 0, 40, 30}, (image_colour){255, 255, 255, 51});
    CHECK(picture_get(&image, 30, 20) == 0x333333 && picture_get(&image, 2, 2) == 0xff3333);
    image_free(&image);
}

/* Every character differs from every other and stays within its own cell. */
static void test_font(void)
{
    enum { CHARACTERS = '~' - ' ' + 2 }; /* the box too */
    image_bitmap images[CHARACTERS] = {0};
    for (int i = 0; i < CHARACTERS; i++) {
        char text[] = {(char) (' ' + i)};
        make(&images[i], IMAGE_FONT_WIDTH + 2, IMAGE_FONT_HEIGHT + 2);
        image_draw_text(&images[i], 1, 1, text, 1, 1, red);
        int dots = 0;
        for (int y = 0; y < FONT_ROWS; y++) {
            for (int x = 0; x < FONT_COLUMNS; x++) {
                dots += font_dot((uint32_t) (' ' + i), x, y);
            }
        }
        CHECK_EQ(count_colour(&images[i], 0xff0000), dots);
        CHECK(i == 0 ? dots == 0 : dots >= 3);
        for (int k = 0; k < i; k++) {
            if (!CHECK(!picture_equal(&images[i], &images[k]))) {
                printf("    %c and %c look the same\n", ' ' + i, ' ' + k);
            }
        }
    }
    for (int i = 0; i < CHARACTERS; i++) {
        image_free(&images[i]);
    }
}

static void test_text(void)
{
    image_bitmap image = {0}, other = {0};
    CHECK_EQ(image_text_width("Hello", 5), 5 * IMAGE_FONT_WIDTH);
    CHECK_EQ(image_text_width("h\xc3\xa9\xff\xf0\x9f\x98\x80", 8), 4 * IMAGE_FONT_WIDTH);
    CHECK_EQ(image_text_width("", 0), 0);
    make(&image, 60, 20);
    make(&other, 60, 20);
    image_draw_text(&image, 2, 3, "a\xc3\xa9\n\xff", 5, 1, red);
    image_draw_text(&other, 2, 3, "a\x7f\x7f\x7f", 4, 1, red);
    CHECK(picture_equal(&image, &other)); /* boxes */
    make(&image, 60, 40);
    image_draw_text(&image, 0, 0, "8", 1, 3, red);
    CHECK_EQ(count_colour(&image, 0xff0000) % 9, 0);
    CHECK(picture_get(&image, 3, 0) == 0xff0000 && picture_get(&image, 5, 2) == 0xff0000);
    CHECK(picture_get(&image, 2, 0) == 0 && picture_get(&image, 2, 3) == 0xff0000);
    image_free(&image);
    image_free(&other);
}

/* --- differences --------------------------------------------------------------------------------
 */

static image_difference by_hand(const image_bitmap *a, const image_bitmap *b, image_rect area,
                                int most)
{
    image_difference d = {0};
    int x1 = -1, y1 = -1;
    for (int y = area.y; y < area.y + area.height; y++) {
        for (int x = area.x; x < area.x + area.width; x++) {
            uint32_t p = picture_get(a, x, y), q = picture_get(b, x, y);
            bool same = true;
            for (int c = 0; c < 24; c += 8) {
                same = same && abs((int) (p >> c & 255) - (int) (q >> c & 255)) <= most;
            }
            if (same) {
                continue;
            }
            if (d.pixels++ == 0) {
                d.bounds = (image_rect){x, y, 0, 0};
            }
            d.bounds.x = x < d.bounds.x ? x : d.bounds.x;
            x1 = x > x1 ? x : x1;
            y1 = y;
        }
    }
    d.bounds.width = d.pixels ? x1 - d.bounds.x + 1 : 0;
    d.bounds.height = d.pixels ? y1 - d.bounds.y + 1 : 0;
    return d;
}

static void check_difference(image_difference got, image_difference want)
{
    CHECK_EQ(got.pixels, want.pixels);
    CHECK_EQ(got.bounds.x, want.bounds.x);
    CHECK_EQ(got.bounds.y, want.bounds.y);
    CHECK_EQ(got.bounds.width, want.bounds.width);
    CHECK_EQ(got.bounds.height, want.bounds.height);
}

/* Where it is known of some bands that they are the same. */
static image_difference compare_by_bands(image_bitmap a, image_bitmap b, image_rect area, int most)
{
    uint64_t bands[3] = {1, 2, 3}, others[3] = {1, 2, 3};
    image_share share = {.pixels = a.pixels, .bands = bands};
    image_share other = {.pixels = b.pixels, .bands = others};
    for (int y = 0; y < a.height; y++) {
        size_t row = (size_t) y * a.stride;
        if (memcmp(a.pixels + row, b.pixels + row, a.stride) != 0) {
            others[y / IMAGE_BAND_ROWS] = 4;
        }
    }
    a.share = &share;
    b.share = &other;
    image_difference got = image_compare(&a, &b, area, most);
    return got;
}

static void test_difference(void)
{
    image_bitmap a = {0}, b = {0};
    picture_make(&a, PHOTO, 61, 47);
    for (int i = 0; i < 500; i++) {
        image_crop(&b, &a, (image_rect){0, 0, 61, 47}, NULL);
        for (int k = random_between(0, 4); k > 0; k--) {
            int x = random_between(0, 60), y = random_between(0, 46);
            picture_set(&b, x, y, picture_get(&b, x, y) ^ (1u << random_between(0, 23)));
        }
        b.pixels[(size_t) random_between(0, 60) * 4 + 3] ^= 255; /* which counts for nothing */
        image_rect area = {random_between(0, 30), random_between(0, 30), random_between(1, 31),
                           random_between(1, 17)};
        int most = random_between(0, 3) * 21;
        image_difference got = image_compare(&a, &b, area, most),
                         want = by_hand(&a, &b, area, most);
        check_difference(got, want);
        check_difference(compare_by_bands(a, b, area, most), want);
    }
    image_free(&a);
    image_free(&b);
}

/* Wherever a picture is put, each pixel is the one that lies on top. */
static void test_image(void)
{
    image_bitmap canvas = {0}, part = {0};
    make(&part, 13, 7);
    for (int y = 0; y < 7; y++) {
        for (int x = 0; x < 13; x++) {
            picture_set(&part, x, y, (uint32_t) (y << 8 | x) + 1);
        }
    }
    static const int places[][2] = {
        {3, 2},   {0, 0},       {-5, -3},           {15, 9},     {-13, 0}, {20, 12},
        {0, -99}, {INT_MIN, 0}, {INT_MAX, INT_MAX}, {0, INT_MIN}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        make(&canvas, 20, 12);
        image_draw_image(&canvas, &part, places[i][0], places[i][1]);
        for (int y = 0; y < 12; y++) {
            for (int x = 0; x < 20; x++) {
                int64_t px = (int64_t) x - places[i][0], py = (int64_t) y - places[i][1];
                bool covered = px >= 0 && px < 13 && py >= 0 && py < 7;
                CHECK_EQ(picture_get(&canvas, x, y), covered ? (uint32_t) (py << 8 | px) + 1 : 0);
            }
        }
    }
    image_free(&canvas);
    image_free(&part);
}

int main(void)
{
    test_image();
    test_clipping();
    test_hostile_numbers();
    test_shapes();
    test_font();
    test_text();
    test_difference();
    return check_done();
}
