/* The part of a watch that is the same everywhere: which keys make a hotkey, when a input is told
 * of. The null desk's watch has no keyboard, so the test plays one: its codes are 1, 2, 3 in the
 * order of the combination. */
#include "check.h"
#include "desk/activity_internal.h"

#include <string.h>

static int pressed, used;

static void on_hotkey(void *context)
{
    pressed += context == &pressed;
}

static void on_input(void *context)
{
    used += context == &used;
}

static desk_activity *open_watch(void)
{
    desk_activity *h = NULL;
    base_error err = {0};
    CHECK(desk_activity_open(&h, "null", NULL, on_input, &used, &err));
    pressed = used = 0;
    return h;
}

static int add(desk_activity *h, const char *text, desk_hotkey_kind kind, base_error *err)
{
    desk_combo combo;
    CHECK(desk_combo_parse(text, &combo, err));
    return desk_activity_add(h, &combo, kind, on_hotkey, &pressed, err);
}

static void a_hotkey_is_all_of_its_keys_once(void)
{
    base_error err = {0};
    desk_activity *h = open_watch();
    int number = add(h, "ctrl+alt+escape", DESK_HOTKEY_WATCHED, &err);
    CHECK(number > 0);
    activity_key(h, 1, true);
    activity_key(h, 2, true);
    activity_key(h, 77, true);
    CHECK_EQ(pressed, 0);
    activity_key(h, 3, true);
    CHECK_EQ(pressed, 1);
    for (int i = 0; i < 5; i++) {
        activity_key(h, 3, true); /* repeats */
    }
    CHECK_EQ(pressed, 1);
    activity_key(h, 3, false);
    activity_key(h, 3, true);
    CHECK_EQ(pressed, 2);
    activity_key(h, 1, false);
    activity_key(h, 1, true); /* in any order */
    CHECK_EQ(pressed, 3);
    activity_forget_keys(h);
    activity_key(h, 3, true);
    CHECK_EQ(pressed, 3);
    desk_activity_remove(h, number);
    activity_key(h, 1, true);
    activity_key(h, 2, true);
    CHECK_EQ(pressed, 3);
    activity_key(h, 256, true); /* no such code */
    desk_activity_close(h);
}

static void keys_held_since_before_are_no_press(void)
{
    base_error err = {0};
    desk_activity *h = open_watch();
    activity_key(h, 1, true);
    activity_key(h, 2, true);
    CHECK(add(h, "ctrl+a", DESK_HOTKEY_WATCHED, &err) > 0);
    activity_key(h, 9, true);
    CHECK_EQ(pressed, 0);
    desk_activity_close(h);
}

static void what_can_be_taken(void)
{
    base_error err = {0};
    desk_activity *h = open_watch();
    CHECK_EQ(add(h, "ctrl+alt", DESK_HOTKEY_GRABBED, &err), 0);
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK_EQ(add(h, "a+b", DESK_HOTKEY_GRABBED, &err), 0);
    CHECK_EQ(err.code, BASE_INVALID);
    int first = add(h, "ctrl+alt+a", DESK_HOTKEY_GRABBED, &err);
    CHECK(first > 0);
    activity_key(h, 1, true);
    activity_key(h, 2, true);
    activity_key(h, 3, true);
    CHECK_EQ(pressed, 0); /* a platform says when a taken one is pressed */
    activity_taken_pressed(h, first);
    activity_taken_pressed(h, first + 100);
    activity_taken_pressed(h, 0);
    CHECK_EQ(pressed, 1);
    for (int i = 1; i < DESK_HOTKEYS_MAX; i++) {
        CHECK(add(h, "f5", DESK_HOTKEY_GRABBED, &err) > 0);
    }
    CHECK_EQ(add(h, "f6", DESK_HOTKEY_GRABBED, &err), 0);
    CHECK_EQ(err.code, BASE_REFUSED);
    desk_activity_remove(h, first);
    desk_activity_remove(h, first);
    CHECK(add(h, "f6", DESK_HOTKEY_GRABBED, &err) > 0);
    desk_activity_close(h);
}

static void what_is_pressed_is_kept_up_to_a_number(void)
{
    base_error err = {0};
    size_t lost = 0;
    desk_input_event event = {.button = 1}, taken[4];
    desk_activity *h = open_watch();
    CHECK(!desk_activity_record(h, true, &err)); /* nobody sits at the null desk */
    CHECK_EQ(err.code, BASE_UNSUPPORTED);
    CHECK(!activity_keeps(h));
    desk_activity_ops ops = *h->ops;
    ops.records = true;
    h->ops = &ops;
    activity_keep(h, &event);
    CHECK_EQ(desk_activity_take(h, taken, 4, &lost), 0); /* nothing before it is asked for */
    CHECK(desk_activity_record(h, true, &err) && activity_keeps(h));
    for (int i = 0; i < DESK_INPUT_EVENTS_MAX + 3; i++) {
        event.x = i;
        activity_keep(h, &event);
    }
    CHECK_EQ(desk_activity_take(h, taken, 4, &lost), 4);
    CHECK_EQ(lost, 3);
    CHECK_EQ(taken[3].x, 3);
    activity_keep(h, &event); /* round the end of the ring */
    int count = 0, last = 3;
    while (desk_activity_take(h, taken, 1, &lost)) {
        CHECK(taken[0].x >= last);
        last = taken[0].x;
        count++;
    }
    CHECK_EQ(count, DESK_INPUT_EVENTS_MAX - 3);
    CHECK_EQ(lost, 0);
    activity_keep(h, &event);
    CHECK(desk_activity_record(h, false, &err));
    CHECK_EQ(desk_activity_take(h, taken, 4, &lost), 0);
    desk_activity_close(h);
}

static void touches_are_told_of_at_times(void)
{
    desk_activity *h = open_watch();
    CHECK_EQ(desk_activity_last_input(h), 0);
    activity_noticed(h);
    CHECK(desk_activity_last_input(h) > 0);
    CHECK_EQ(used, 0);
    desk_activity_report_input(h, true);
    uint64_t began = uv_hrtime();
    for (int i = 0; i < 1000; i++) {
        activity_noticed(h);
    }
    int told = used; /* once in a tenth of a second: a busy machine may take longer for these */
    CHECK(told >= 1 && (uint64_t) told <= 1 + (uv_hrtime() - began) / 100000000u);
    uv_sleep(110);
    activity_noticed(h);
    CHECK_EQ(used, told + 1);
    desk_activity_close(h);
}

static void a_backend_that_is_none(void)
{
    desk_activity *h = NULL;
    base_error err = {0};
    CHECK(!desk_activity_open(&h, "wayland", NULL, NULL, NULL, &err));
    CHECK_EQ(err.code, BASE_UNSUPPORTED);
}

int main(void)
{
    a_hotkey_is_all_of_its_keys_once();
    keys_held_since_before_are_no_press();
    what_can_be_taken();
    what_is_pressed_is_kept_up_to_a_number();
    touches_are_told_of_at_times();
    a_backend_that_is_none();
    return check_done();
}
