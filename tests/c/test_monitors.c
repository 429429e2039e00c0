/* Lists of monitors, and those of the desk that is not there. */
#include "check.h"
#include "desk/desk.h"
#include "desk/null/null.h"

static base_error err;

/* Three monitors side by side, the corner of the first at a negative place. */
static void test_monitors(void)
{
    static const image_rect wanted[] = {
        {-100, -50, 333, 200}, {233, -50, 333, 200}, {566, -50, 334, 200}};
    desk_options options = {.width = 1000, .height = 200, .x = -100, .y = -50, .monitors = 3};
    desk_options too_many = {.width = 4, .height = 4, .monitors = 5};
    desk_monitor_list list;
    desk_window_picture picture;
    image_bitmap image = {0};
    desk *d = NULL;
    CHECK(!desk_open(&d, "null", &too_many, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    if (!CHECK(desk_open(&d, "null", &options, &err)) || !CHECK(desk_monitors(d, &list, &err)) ||
        !CHECK_EQ(list.count, 3)) {
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK(memcmp(&list.items[i].rect, &wanted[i], sizeof *wanted) == 0);
        CHECK_EQ(list.items[i].primary, i == 0);
    }
    desk_monitor_list_free(&list);
    CHECK(desk_pointer_move(d, -100, -50, &err));
    CHECK(!desk_pointer_move(d, 900, 0, &err));
    CHECK(!desk_pointer_move(d, 2147483647, 0, &err));
    CHECK(desk_capture(d, &wanted[0], false, &image, &err));
    CHECK(!desk_capture(d, &(image_rect){-101, 0, 10, 10}, false, &image, &err));
    image_free(&image);
    CHECK(desk_window_place(d, NULL_WINDOW, (image_rect){-200, -80, 70, 80}, &err));
    CHECK(desk_window_capture(d, NULL_WINDOW, false, &picture, &err));
    CHECK(picture.rect.x == -200 && picture.image.width == 70 && !picture.pending);
    image_free(&picture.image);
    CHECK(!desk_window_capture(d, 7, false, &picture, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    desk_close(d);
}

/* Ordered from left to right, then downwards, with one primary whatever they say. */
static void test_order(void)
{
    static const desk_monitor monitors[] = {{.rect = {500, 0, 9, 9}, .primary = true},
                                            {.rect = {-500, 70, 9, 9}, .primary = true},
                                            {.rect = {-500, -70, 9, 9}}};
    static const char *const names[] = {"right", "lower", "upper"};
    desk_monitor_list list = {0};
    for (size_t i = 0; i < 3; i++) {
        CHECK(desk_monitor_list_add(&list, names[i], monitors[i]));
    }
    desk_monitor_list_order(&list);
    CHECK_STR(list.items[0].name, "upper");
    CHECK_STR(list.items[1].name, "lower");
    CHECK_STR(list.items[2].name, "right");
    CHECK(!list.items[0].primary && list.items[1].primary && !list.items[2].primary);
    list.items[1].primary = false;
    desk_monitor_list_order(&list);
    CHECK(list.items[0].primary);
    desk_monitor_list_free(&list);
    desk_monitor_list_order(&list);
}

int main(void)
{
    test_order();
    test_monitors();
    return check_done();
}
