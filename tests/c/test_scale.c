#include "base/parallel.h"
#include "check.h"
#include "image/scale.h"
#include "picture.h"

#include <math.h>

static const int sizes[][4] = {
    {1920, 1080, 1536, 864}, {1920, 1080, 512, 288}, {641, 479, 640, 478}, {100, 100, 1, 1},
    {33, 17, 7, 5},          {5, 5, 5, 5},           {1, 1, 9, 4},         {7, 1, 3, 1},
    {1, 300, 1, 77},         {17, 9, 40, 3},         {32767, 2, 3, 1},     {3, 1000, 2, 999},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The average by its definition, in floating point. */
static double average(const image_bitmap *from, const image_bitmap *to, int x, int y, int channel)
{
    double x0 = (double) x * from->width / to->width;
    double x1 = (double) (x + 1) * from->width / to->width;
    double y0 = (double) y * from->height / to->height;
    double y1 = (double) (y + 1) * from->height / to->height;
    double sum = 0;
    for (int j = (int) y0; j < y1 && j < from->height; j++) {
        for (int i = (int) x0; i < x1 && i < from->width; i++) {
            sum += (fmin(i + 1, x1) - fmax(i, x0)) * (fmin(j + 1, y1) - fmax(j, y0)) *
                   from->pixels[(size_t) j * from->stride + 4 * (size_t) i + (size_t) channel];
        }
    }
    return sum / ((x1 - x0) * (y1 - y0));
}

static double worst_error(const image_bitmap *from, const image_bitmap *to)
{
    double worst = 0;
    int step = to->width > 200 ? 7 : 1;
    for (int y = 0; y < to->height; y += step) {
        for (int x = 0; x < to->width; x += step) {
            for (int c = 0; c < 3; c++) {
                worst = fmax(
                    worst, fabs(average(from, to, x, y, c) -
                                to->pixels[(size_t) y * to->stride + 4 * (size_t) x + (size_t) c]));
            }
        }
    }
    return worst;
}

static void test_size(const int s[4], picture_kind kind)
{
    image_bitmap from = {0}, fast = {0}, slow = {0};
    picture_make(&from, kind, s[0], s[1]);
    CHECK(image_scale(&fast, &from, s[2], s[3], NULL));
    CHECK(image_scale_scalar(&slow, &from, s[2], s[3], NULL));
    CHECK_EQ(fast.width, s[2]);
    CHECK_EQ(fast.height, s[3]);
    CHECK(memcmp(fast.pixels, slow.pixels, fast.stride * (size_t) fast.height) == 0);
    if (kind == SOLID) {
        CHECK(picture_get(&fast, 0, 0) == 0x336699 &&
              picture_get(&fast, s[2] - 1, s[3] - 1) == 0x336699);
    } else {
        CHECK(worst_error(&from, &fast) < (s[0] < 10000 ? 0.6 : 3));
    }
    image_free(&from);
    image_free(&fast);
    image_free(&slow);
}

static void test_white_stays_white(void)
{
    image_bitmap from = {0}, to = {0};
    image_alloc(&from, 777, 333, NULL);
    memset(from.pixels, 255, from.stride * (size_t) from.height);
    for (int side = 1; side < 333; side += 31) {
        CHECK(image_scale(&to, &from, side * 2, side, NULL));
        CHECK_EQ(picture_get(&to, side, side / 2), 0xffffff);
    }
    image_free(&from);
    image_free(&to);
}

static void test_refusals(void)
{
    image_bitmap from = {0}, to = {0};
    base_error err = {0};
    image_alloc(&from, 2, 2, NULL);
    CHECK(!image_scale(&to, &from, 0, 1, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!image_scale(&to, &from, 1, 40000, &err));
    CHECK(to.pixels == NULL);
    image_free(&from);
}

static void check_fit(int w, int h, int max_w, int max_h, int expected_w, int expected_h)
{
    int fw, fh;
    image_fit(w, h, max_w, max_h, &fw, &fh);
    CHECK_EQ(fw, expected_w);
    CHECK_EQ(fh, expected_h);
}

static void test_fit(void)
{
    check_fit(1920, 1080, 1536, 864, 1536, 864);
    check_fit(1920, 1080, 1000, 1000, 1000, 563);
    check_fit(1080, 1920, 1000, 1000, 563, 1000);
    check_fit(800, 600, 1920, 1080, 800, 600);
    check_fit(32767, 1, 100, 100, 100, 1);
    check_fit(1, 32767, 32767, 10, 1, 10);
    check_fit(3, 3, 1, 32767, 1, 1);
}

int main(void)
{
    for (int i = 0; i < SIZES; i++) {
        for (picture_kind kind = SOLID; kind < PICTURES; kind++) {
            test_size(sizes[i], kind);
        }
    }
    test_white_stays_white();
    test_refusals();
    test_fit();
    base_parallel_stop();
    return check_done();
}
