#include "check.h"
#include "image/coords.h"

#include <math.h>

static const image_rect full_hd = {0, 0, 1920, 1080};

static void check_point(double xn, double yn, image_rect rect, int x, int y)
{
    int px = -1, py = -1;
    base_error err = {0};
    CHECK(image_norm_to_pixel(xn, yn, rect, &px, &py, &err));
    CHECK_EQ(px, x);
    CHECK_EQ(py, y);
}

static void check_refused(double xn, double yn, const char *message)
{
    int x, y;
    base_error err = {0};
    CHECK(!image_norm_to_pixel(xn, yn, full_hd, &x, &y, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK_STR(err.message, message);
}

static void test_points(void)
{
    check_point(0, 0, full_hd, 0, 0);
    check_point(500, 500, full_hd, 960, 540);
    check_point(1000, 1000, full_hd, 1919, 1079);
    check_point(333, 666, full_hd, 639, 719);
    check_point(500, 500, (image_rect){-1920, 200, 1920, 1080}, -960, 740);
    check_point(1000, 1000, (image_rect){7, 9, 1, 1}, 7, 9);
}

static void test_refusals(void)
{
    check_refused(-0.5, 0, "x is -0.5, which is outside the legal range 0 to 1000.");
    check_refused(0, 1000.5, "y is 1000.5, which is outside the legal range 0 to 1000.");
    check_refused(INFINITY, 0, "x is inf, which is outside the legal range 0 to 1000.");
    int x, y;
    base_error err = {0};
    CHECK(!image_norm_to_pixel(NAN, 0, full_hd, &x, &y, &err));
    CHECK(!image_norm_to_pixel(1, 1, (image_rect){0, 0, 0, 10}, &x, &y, &err));
    double xn, yn;
    CHECK(!image_pixel_to_norm(1920, 0, full_hd, &xn, &yn, &err));
    CHECK_STR(err.message, "x is 1920, which is outside the area's 0 to 1919.");
    CHECK(!image_pixel_to_norm(0, -1, full_hd, &xn, &yn, &err));
}

/* Every pixel of a side of this size comes back. Counts once per size: there are millions. */
static void check_round_trip(int size)
{
    image_rect rect = {-3, 5, size, size};
    bool ok = true;
    for (int i = 0; ok && i < size; i++) {
        double xn, yn;
        int x, y;
        base_error err;
        ok = image_pixel_to_norm(i - 3, size - 1 - i + 5, rect, &xn, &yn, &err) &&
             image_norm_to_pixel(xn, yn, rect, &x, &y, &err) && x == i - 3 && y == size - 1 - i + 5;
        if (!ok) {
            printf("    pixel %d of %d became %g\n", i, size, xn);
        }
    }
    CHECK(ok);
}

int main(void)
{
    test_points();
    test_refusals();
    for (int size = 1; size <= 2100; size++) {
        check_round_trip(size);
    }
    for (int size = 2101; size <= IMAGE_MAX_SIDE; size += 97) {
        check_round_trip(size);
    }
    check_round_trip(8191);
    check_round_trip(8192);
    check_round_trip(8193);
    check_round_trip(IMAGE_MAX_SIDE);
    return check_done();
}
