/* Parts of the screen whose changes are told apart. */
#include "desk/regions.h"

#include "check.h"

#include <limits.h>

static void check_common(image_rect a, image_rect b, image_rect wanted)
{
    image_rect got = image_rect_common(a, b), other = image_rect_common(b, a);
    CHECK_EQ(got.width, wanted.width);
    CHECK_EQ(got.height, wanted.height);
    if (wanted.width) {
        CHECK(got.x == wanted.x && got.y == wanted.y);
    }
    CHECK_EQ(other.width, wanted.width);
}

static void test_common(void)
{
    image_rect a = {10, 20, 30, 40}, none = {0};
    check_common(a, a, a);
    check_common(a, (image_rect){15, 25, 2, 3}, (image_rect){15, 25, 2, 3});
    check_common(a, (image_rect){-5, -5, 16, 26}, (image_rect){10, 20, 1, 1});
    check_common(a, (image_rect){39, 59, 100, 100}, (image_rect){39, 59, 1, 1});
    check_common(a, (image_rect){40, 20, 5, 5}, none);
    check_common(a, (image_rect){10, 60, 5, 5}, none);
    check_common(a, (image_rect){0, 0, 10, 100}, none);
    check_common(a, (image_rect){20, 30, 0, 5}, none);
    check_common(a, (image_rect){20, 30, -4, 5}, none);
    check_common((image_rect){INT_MAX, INT_MAX, INT_MAX, INT_MAX},
                 (image_rect){INT_MIN, INT_MIN, INT_MAX, INT_MAX}, none);
    check_common((image_rect){INT_MAX - 1, 0, INT_MAX, 5}, (image_rect){0, 0, INT_MAX, 5},
                 (image_rect){INT_MAX - 1, 0, 1, 5});
}

static void test_places(void)
{
    desk_regions regions = {0};
    for (int i = 0; i < DESK_REGIONS; i++) {
        CHECK_EQ(desk_regions_add(&regions, (image_rect){i * 10, 0, 10, 10}), i);
    }
    CHECK_EQ(desk_regions_add(&regions, (image_rect){0, 0, 10, 10}), -1);
    desk_regions_note(&regions, (image_rect){15, 5, 10, 1}, 77);
    CHECK_EQ(desk_regions_changed(&regions, 0), 0);
    CHECK_EQ(desk_regions_changed(&regions, 1), 77);
    CHECK_EQ(desk_regions_changed(&regions, 2), 77);
    CHECK_EQ(desk_regions_changed(&regions, 3), 0);
    desk_regions_remove(&regions, 1);
    CHECK_EQ(desk_regions_changed(&regions, 1), 0);
    desk_regions_note(&regions, (image_rect){15, 5, 10, 1}, 78);
    CHECK_EQ(desk_regions_changed(&regions, 1), 0);
    CHECK_EQ(desk_regions_changed(&regions, 2), 78);
    CHECK_EQ(desk_regions_add(&regions, (image_rect){0, 0, 10, 10}), 1);
    CHECK_EQ(desk_regions_changed(&regions, 1), 0);
    /* Places that there are not. */
    desk_regions_remove(&regions, -1);
    desk_regions_remove(&regions, DESK_REGIONS);
    CHECK_EQ(desk_regions_changed(&regions, -1), 0);
    CHECK_EQ(desk_regions_changed(&regions, DESK_REGIONS), 0);
}

int main(void)
{
    test_common();
    test_places();
    return check_done();
}
