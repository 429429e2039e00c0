/* The part of a watch that is the same everywhere: which keys make a chord, when a touch is told
 * of. The null desk's watch has no keyboard, so the test plays one: its codes are 1, 2, 3 in the
 * order of the combination. */
#include "check.h"
#include "desk/human_internal.h"

#include <string.h>

static int pressed, touched;

static void on_chord(void *context)
{
    pressed += context == &pressed;
}

static void on_touch(void *context)
{
    touched += context == &touched;
}

static desk_human *open_watch(void)
{
    desk_human *h = NULL;
    base_error err = {0};
    CHECK(desk_human_open(&h, "null", NULL, on_touch, &touched, &err));
    pressed = touched = 0;
    return h;
}

static int add(desk_human *h, const char *text, desk_chord_kind kind, base_error *err)
{
    desk_combo combo;
    CHECK(desk_combo_parse(text, &combo, err));
    return desk_human_add(h, &combo, kind, on_chord, &pressed, err);
}

static void a_chord_is_all_of_its_keys_once(void)
{
    base_error err = {0};
    desk_human *h = open_watch();
    int number = add(h, "ctrl+alt+escape", DESK_CHORD_SEEN, &err);
    CHECK(number > 0);
    human_key(h, 1, true);
    human_key(h, 2, true);
    human_key(h, 77, true);
    CHECK_EQ(pressed, 0);
    human_key(h, 3, true);
    CHECK_EQ(pressed, 1);
    for (int i = 0; i < 5; i++) {
        human_key(h, 3, true); /* repeats */
    }
    CHECK_EQ(pressed, 1);
    human_key(h, 3, false);
    human_key(h, 3, true);
    CHECK_EQ(pressed, 2);
    human_key(h, 1, false);
    human_key(h, 1, true); /* in any order */
    CHECK_EQ(pressed, 3);
    human_forget_keys(h);
    human_key(h, 3, true);
    CHECK_EQ(pressed, 3);
    desk_human_remove(h, number);
    human_key(h, 1, true);
    human_key(h, 2, true);
    CHECK_EQ(pressed, 3);
    human_key(h, 256, true); /* no such code */
    desk_human_close(h);
}

static void keys_held_since_before_are_no_press(void)
{
    base_error err = {0};
    desk_human *h = open_watch();
    human_key(h, 1, true);
    human_key(h, 2, true);
    CHECK(add(h, "ctrl+a", DESK_CHORD_SEEN, &err) > 0);
    human_key(h, 9, true);
    CHECK_EQ(pressed, 0);
    desk_human_close(h);
}

static void what_can_be_taken(void)
{
    base_error err = {0};
    desk_human *h = open_watch();
    CHECK_EQ(add(h, "ctrl+alt", DESK_CHORD_TAKEN, &err), 0);
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK_EQ(add(h, "a+b", DESK_CHORD_TAKEN, &err), 0);
    CHECK_EQ(err.code, BASE_INVALID);
    int first = add(h, "ctrl+alt+a", DESK_CHORD_TAKEN, &err);
    CHECK(first > 0);
    human_key(h, 1, true);
    human_key(h, 2, true);
    human_key(h, 3, true);
    CHECK_EQ(pressed, 0); /* a platform says when a taken one is pressed */
    human_taken_pressed(h, first);
    human_taken_pressed(h, first + 100);
    human_taken_pressed(h, 0);
    CHECK_EQ(pressed, 1);
    for (int i = 1; i < DESK_HUMAN_CHORDS; i++) {
        CHECK(add(h, "f5", DESK_CHORD_TAKEN, &err) > 0);
    }
    CHECK_EQ(add(h, "f6", DESK_CHORD_TAKEN, &err), 0);
    CHECK_EQ(err.code, BASE_REFUSED);
    desk_human_remove(h, first);
    desk_human_remove(h, first);
    CHECK(add(h, "f6", DESK_CHORD_TAKEN, &err) > 0);
    desk_human_close(h);
}

static void touches_are_told_of_at_times(void)
{
    desk_human *h = open_watch();
    CHECK_EQ(desk_human_last_touch(h), 0);
    human_touched(h);
    CHECK(desk_human_last_touch(h) > 0);
    CHECK_EQ(touched, 0);
    desk_human_tell_touches(h, true);
    uint64_t began = uv_hrtime();
    for (int i = 0; i < 1000; i++) {
        human_touched(h);
    }
    int told = touched; /* once in a tenth of a second: a busy machine may take longer for these */
    CHECK(told >= 1 && (uint64_t) told <= 1 + (uv_hrtime() - began) / 100000000u);
    uv_sleep(110);
    human_touched(h);
    CHECK_EQ(touched, told + 1);
    desk_human_close(h);
}

static void a_backend_that_is_none(void)
{
    desk_human *h = NULL;
    base_error err = {0};
    CHECK(!desk_human_open(&h, "wayland", NULL, NULL, NULL, &err));
    CHECK_EQ(err.code, BASE_UNSUPPORTED);
}

int main(void)
{
    a_chord_is_all_of_its_keys_once();
    keys_held_since_before_are_no_press();
    what_can_be_taken();
    touches_are_told_of_at_times();
    a_backend_that_is_none();
    return check_done();
}
