/*
 * The front of the backends: what it refuses before a backend sees it, and what it answers where a
 * backend leaves an op out. The null desk shows by its log that nothing was done; a backend of this
 * test's own has the ops that a check needs and no others. Which backend is taken: test_backends.c.
 */
#include "bare_desk.h"
#include "desk/null/null.h"
#include "fails.h"

#include <stdlib.h>

/* --- what is refused ----------------------------------------------------------------------------
 */

static void test_points(desk *d)
{
    int x, y;
    FAILS(desk_pointer_move(d, -101, 0, &err), BASE_INVALID,
          "The point -101,0 is outside the screen of 640 x 480 at -100,-50.");
    FAILS(desk_pointer_move(d, 540, 0, &err), BASE_INVALID,
          "The point 540,0 is outside the screen of 640 x 480 at -100,-50.");
    FAILS(desk_pointer_move(d, 0, 430, &err), BASE_INVALID,
          "The point 0,430 is outside the screen of 640 x 480 at -100,-50.");
    CHECK(!desk_pointer_move(d, 2147483647, -2147483647 - 1, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(desk_pointer_move(d, -100, -50, &err) && desk_pointer_move(d, 539, 429, &err));
    CHECK(desk_pointer_get(d, &x, &y, &err) && x == 539 && y == 429);
    CHECK_STR(desk_log(d, &err), "move -100 -50\nmove 539 429\n");
}

static void test_parts(desk *d)
{
    static const image_rect outside[] = {
        {-101, 0, 10, 10},         {0, -51, 10, 10},        {531, 0, 10, 10},
        {0, 421, 10, 10},          {0, 0, 0, 10},           {0, 0, 10, -1},
        {2147483647, 0, 10, 10},   {0, 0, 2147483647, 10},  {-2147483647 - 1, 0, 2147483647, 10},
        {0, 2147483647, 10, 2000}, {0, 0, 10, -2147483647},
    };
    image_bitmap image = {0};
    FAILS(desk_capture(d, &(image_rect){531, 0, 10, 10}, false, &image, &err), BASE_INVALID,
          "The region 531,0 of 10 x 10 pixels is not inside the screen of 640 x 480 at -100,-50.");
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        CHECK(!desk_capture(d, &outside[i], false, &image, &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    CHECK_STR(desk_log(d, &err), "");
    CHECK(desk_capture(d, &(image_rect){530, 420, 10, 10}, false, &image, &err));
    CHECK_EQ(image.width, 10);
    CHECK(desk_capture(d, NULL, false, &image, &err));
    CHECK(image.width == 640 && image.height == 480);
    image_free(&image);
    CHECK_STR(desk_log(d, &err), "capture 530 420 10 10\ncapture -100 -50 640 480\n");
}

static void test_mouse(desk *d)
{
    FAILS(desk_pointer_button(d, (desk_button) 0, true, &err), BASE_INVALID,
          "There is no mouse button 0: they are 1 to 5.");
    FAILS(desk_pointer_button(d, (desk_button) 6, true, &err), BASE_INVALID,
          "There is no mouse button 6: they are 1 to 5.");
    FAILS(desk_pointer_wheel(d, 0, (DESK_NOTCHES_MAX * DESK_NOTCH) + 1, &err), BASE_INVALID,
          "The wheel turns at most 1000 notches at once.");
    FAILS(desk_pointer_wheel(d, -2147483647 - 1, 0, &err), BASE_INVALID,
          "The wheel turns at most 1000 notches at once.");
    CHECK_STR(desk_log(d, &err), "");
    CHECK(desk_pointer_wheel(d, 0, -DESK_NOTCHES_MAX * DESK_NOTCH, &err));
    CHECK(desk_pointer_button(d, DESK_FORWARD, true, &err));
    CHECK_STR(desk_log(d, &err), "wheel 0 -1000\nbutton 5 down\n");
}

static void test_keyboard(desk *d)
{
    desk_text_step step = {.consumed = 9, .remapped = true};
    FAILS(desk_keyboard_key(d, UINT32_MAX, true, &err), BASE_INVALID,
          "There is no key number 4294967295.");
    CHECK(!desk_keyboard_key(d, DESK_KEY_END_OF_LIST, true, &err));
    FAILS(desk_keyboard_key(d, DESK_KEY_NONE, true, &err), BASE_INVALID,
          "There is no key number 0.");
    FAILS(desk_type_text(d, "ab\xff", 3, &step, &err), BASE_INVALID,
          "The text is not valid UTF-8 at byte 3.");
    CHECK(step.consumed == 0 && !step.remapped);
    FAILS(desk_type_text(d, "a\x1b[2J", 5, &step, &err), BASE_INVALID,
          "The text has a control character (U+001B) at byte 2; press keys by name instead.");
    FAILS(desk_type_text(d, "\0", 1, &step, &err), BASE_INVALID,
          "The text has a control character (U+0000) at byte 1; press keys by name instead.");
    FAILS(desk_type_text(d, "\x7f", 1, &step, &err), BASE_INVALID,
          "The text has a control character (U+007F) at byte 1; press keys by name instead.");
    CHECK_STR(desk_log(d, &err), "");
    CHECK(desk_type_text(d, "é\t\r\n", 5, &step, &err));
    CHECK_EQ(step.consumed, 5);
}

static void test_windows(desk *d)
{
    static const char no_window[] = "There is no window 0: take an id from the list of windows.";
    desk_window_picture picture;
    FAILS(desk_window_focus(d, 0, &err), BASE_NOT_FOUND, no_window);
    FAILS(desk_window_close(d, 0, &err), BASE_NOT_FOUND, no_window);
    FAILS(desk_window_place(d, 0, (image_rect){0, 0, 9, 9}, &err), BASE_NOT_FOUND, no_window);
    FAILS(desk_window_set_state(d, 0, DESK_WINDOW_NORMAL, &err), BASE_NOT_FOUND, no_window);
    FAILS(desk_window_stack(d, 0, true, &err), BASE_NOT_FOUND, no_window);
    FAILS(desk_window_workspace(d, 0, 1, &err), BASE_NOT_FOUND, no_window);
    FAILS(desk_window_capture(d, 0, false, &picture, &err), BASE_NOT_FOUND, no_window);
    FAILS(desk_window_focus(d, 99, &err), BASE_NOT_FOUND, "There is no window 99 any more.");
    FAILS(desk_window_place(d, NULL_WINDOW, (image_rect){0, 0, 0, 9}, &err), BASE_INVALID,
          "A window cannot be 0 x 9 pixels large.");
    FAILS(desk_window_place(d, NULL_WINDOW, (image_rect){0, 0, 9, 32768}, &err), BASE_INVALID,
          "A window cannot be 9 x 32768 pixels large.");
    FAILS(desk_window_place(d, NULL_WINDOW, (image_rect){-32768, 0, 9, 9}, &err), BASE_INVALID,
          "A window cannot be placed at -32768,0.");
    FAILS(desk_window_set_state(d, NULL_WINDOW, (desk_window_state) 3, &err), BASE_INVALID,
          "A window has no state 3.");
    FAILS(desk_window_set_state(d, NULL_WINDOW, (desk_window_state) -1, &err), BASE_INVALID,
          "A window has no state -1.");
    CHECK_STR(desk_log(d, &err), "");
}

static void test_workspaces(desk *d)
{
    FAILS(desk_workspace_go(d, 0, &err), BASE_NOT_FOUND,
          "There is no workspace 0: there are 2, counted from 1.");
    FAILS(desk_workspace_go(d, 3, &err), BASE_NOT_FOUND,
          "There is no workspace 3: there are 2, counted from 1.");
    FAILS(desk_window_workspace(d, NULL_WINDOW, -1, &err), BASE_NOT_FOUND,
          "There is no workspace -1: there are 2, counted from 1.");
    CHECK_STR(desk_log(d, &err), "");
    CHECK(desk_workspace_go(d, 2, &err));
}

static void test_clipboard(desk *d)
{
    static const char png[] = "\x89PNG\r\n\x1a\nrest";
    char *large = calloc(1, DESK_CLIPBOARD_MAX + 1), *data = large;
    size_t length = 9;
    bool pending = true;
    FAILS(desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "ab\xff", 3, &pending, &err), BASE_INVALID,
          "The text is not valid UTF-8 at byte 3.");
    CHECK(!pending);
    FAILS(desk_clipboard_set(d, DESK_CLIPBOARD_PNG, "GIF89a and more", 15, &pending, &err),
          BASE_INVALID, "A picture for the clipboard must be a PNG file.");
    FAILS(desk_clipboard_set(d, DESK_CLIPBOARD_PNG, png, 8, &pending, &err), BASE_INVALID,
          "A picture for the clipboard must be a PNG file."); /* nothing after its signature */
    FAILS(desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, large, DESK_CLIPBOARD_MAX + 1, &pending, &err),
          BASE_REFUSED, "What is put into the clipboard can be 16 MiB at most.");
    FAILS(desk_clipboard_set(d, DESK_CLIPBOARD_KINDS, "a", 1, &pending, &err), BASE_INVALID,
          "A clipboard holds nothing of kind 2.");
    FAILS(desk_clipboard_get(d, (desk_clipboard_kind) -1, &data, &length, &pending, &err),
          BASE_INVALID, "A clipboard holds nothing of kind -1.");
    CHECK(!data && length == 0);
    CHECK_STR(desk_log(d, &err), "");
    CHECK(desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, large, DESK_CLIPBOARD_MAX, &pending, &err));
    CHECK(desk_clipboard_set(d, DESK_CLIPBOARD_PNG, png, sizeof png, &pending, &err));
    free(large);
}

static void test_regions(desk *d)
{
    int first = -1, region;
    CHECK(desk_watch_start(d, &err));
    CHECK(desk_watch_region(d, (image_rect){0, 0, 10, 10}, &first, &err));
    for (int i = 1; i < DESK_REGIONS; i++) {
        CHECK(desk_watch_region(d, (image_rect){5000, 0, 10, 10}, &region, &err));
    }
    FAILS(desk_watch_region(d, (image_rect){0, 0, 1, 1}, &region, &err), BASE_REFUSED,
          "No more than 16 regions of the screen are watched at once.");
    CHECK_EQ(desk_region_changed(d, first), 0);
    CHECK(desk_pointer_button(d, DESK_LEFT, true, &err)); /* the null desk is drawn anew then */
    CHECK(desk_region_changed(d, first) != 0 && desk_last_change(d) != 0);
    desk_unwatch_region(d, first);
    desk_unwatch_region(d, -1);
    desk_unwatch_region(d, 1000);
    CHECK_EQ(desk_region_changed(d, first), 0);
    CHECK(desk_watch_region(d, (image_rect){0, 0, 1, 1}, &region, &err) && region == first);
}

static void test_refused(void)
{
    static void (*const tests[])(desk *d) = {
        test_points,  test_parts,      test_mouse,     test_keyboard,
        test_windows, test_workspaces, test_clipboard, test_regions,
    };
    desk_options options = {.width = 640, .height = 480, .x = -100, .y = -50};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        desk *d = NULL;
        if (CHECK(desk_open(&d, "null", &options, &err))) {
            tests[i](d);
            desk_close(d);
        }
    }
}

/* --- what a backend leaves out ------------------------------------------------------------------
 */

static desk *open_bare(void)
{
    desk *d = NULL;
    CHECK(desk_open_from(bare, &d, NULL, NULL, &err));
    return d;
}

#define LACKS(call, what, reason)                                                                  \
    FAILS(call, BASE_UNSUPPORTED, "This desktop (bare) cannot " what reason ".")

/* What each unsupported op tells, and that a backend's reason ends the sentence. */
static void test_unsupported(void)
{
    desk *d = open_bare();
    image_bitmap image = {0};
    image_rect rect;
    desk_window_picture picture;
    desk_text_step step;
    desk_window_list windows;
    desk_workspace_list workspaces;
    desk_monitor_list monitors;
    char *data;
    size_t length;
    uint64_t number;
    bool pending;
    int x, y;
    CHECK_STR(desk_backend_name(d), "bare");
    LACKS(desk_log(d, &err), "tell what it was asked to do", ": only the null desk keeps a log");
    LACKS(desk_screen_rect(d, &rect, &err), "tell how large its screen is", "");
    LACKS(desk_monitors(d, &monitors, &err), "tell how large its screen is", "");
    LACKS(desk_capture(d, NULL, false, &image, &err), "take a picture of its screen", "");
    LACKS(desk_highlight(d, NULL, &err), "draw a frame on its screen", "");
    LACKS(desk_watch_start(d, &err), "tell when its screen changes", "");
    d->lacks.input = "it has no mouse; press elements";
    LACKS(desk_pointer_get(d, &x, &y, &err), "tell where the pointer is",
          ": it has no mouse; press elements");
    LACKS(desk_pointer_move(d, 1, 1, &err), "move the pointer",
          ": it has no mouse; press elements");
    LACKS(desk_pointer_button(d, (desk_button) 77, true, &err), "press a mouse button",
          ": it has no mouse; press elements");
    LACKS(desk_pointer_wheel(d, 1, 1, &err), "turn the mouse wheel",
          ": it has no mouse; press elements");
    LACKS(desk_keyboard_key(d, 'a', true, &err), "press a key",
          ": it has no mouse; press elements");
    LACKS(desk_type_text(d, "a", 1, &step, &err), "type text", ": it has no mouse; press elements");
    LACKS(desk_windows(d, &windows, &err), "list windows", "");
    CHECK(windows.count == 0 && !windows.items);
    LACKS(desk_window_capture(d, 1, false, &picture, &err), "take a picture of one window alone",
          "");
    LACKS(desk_window_focus(d, 1, &err), "give a window the focus", "");
    LACKS(desk_window_close(d, 1, &err), "close a window", "");
    LACKS(desk_window_place(d, 1, (image_rect){0, 0, 9, 9}, &err), "place a window", "");
    LACKS(desk_window_set_state(d, 1, DESK_WINDOW_NORMAL, &err), "minimize or maximize a window",
          "");
    d->lacks.windows = "nobody tells of them";
    LACKS(desk_window_stack(d, 1, true, &err), "change the order of windows",
          ": nobody tells of them");
    d->lacks.workspaces = "there is one";
    LACKS(desk_workspaces(d, &workspaces, &err), "list workspaces", ": there is one");
    LACKS(desk_workspace_go(d, 1, &err), "go to a workspace", ": there is one");
    LACKS(desk_window_workspace(d, 1, 1, &err), "send a window to a workspace", ": there is one");
    d->lacks.clipboard = "there is none";
    LACKS(desk_clipboard_get(d, DESK_CLIPBOARD_TEXT, &data, &length, &pending, &err),
          "read a clipboard", ": there is none");
    LACKS(desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "a", 1, &pending, &err), "fill a clipboard",
          ": there is none");
    LACKS(desk_clipboard_changes(d, &number, &err), "tell of changes of a clipboard",
          ": there is none");
    desk_close(d);
}

/* Where there is nothing to say, and no reason to fail. */
static void test_neutral(void)
{
    desk *d = open_bare();
    uint64_t token = 9;
    int region;
    CHECK_EQ(desk_poll_fd(d), -1);
    CHECK_EQ(desk_poll_every(d), 0);
    CHECK(desk_pump(d, &err));
    char other[DESK_HOLDER_SIZE], longest[DESK_HOLDER_SIZE + 1];
    CHECK(desk_hold(d, "a test", other, &err) && !other[0]);
    memset(longest, 'x', sizeof longest);
    longest[DESK_HOLDER_SIZE] = '\0';
    FAILS(desk_hold(d, longest, other, &err), BASE_INVALID,
          "Who holds a desktop is told in 1 to 199 bytes.");
    FAILS(desk_hold(d, "", other, &err), BASE_INVALID,
          "Who holds a desktop is told in 1 to 199 bytes.");
    FAILS(desk_hold(d, "\xff", other, &err), BASE_INVALID,
          "who holds it is not valid UTF-8 at byte 1.");
    CHECK_EQ(desk_last_change(d), 0);
    desk_watch_stop(d);
    desk_window_capture_end(d);
    CHECK(!desk_pointer_button_waits(d));
    CHECK(desk_type_end(d, &err));
    CHECK(desk_ping(d, &token, &err) && token == 0);
    CHECK(!desk_ping_answered(d, 5));
    CHECK_EQ(desk_window_active(d), 0);
    CHECK_EQ(desk_window_changes(d), 0);
    CHECK(desk_watch_region(d, (image_rect){0, 0, 1, 1}, &region, &err));
    CHECK_EQ(desk_region_changed(d, region), 0);
    int before = bare_closed;
    desk_close(d);
    CHECK_EQ(bare_closed, before + 1);
}

/* A backend that says nothing of one op can still have those beside it. */
static bool known_screen(desk *d, image_rect *out, base_error *failure)
{
    (void) d;
    (void) failure;
    *out = (image_rect){-20, 10, 300, 200};
    return true;
}

static bool two_monitors(desk *d, desk_monitor_list *out, base_error *failure)
{
    (void) d;
    (void) failure;
    return desk_monitor_list_add(out, "right", (desk_monitor){.rect = {130, 10, 150, 200}}) &&
           desk_monitor_list_add(out, "left", (desk_monitor){.rect = {-20, 10, 150, 200}});
}

static bool no_monitors(desk *d, desk_monitor_list *out, base_error *failure)
{
    (void) d;
    (void) out;
    (void) failure;
    return true;
}

static void check_one_monitor(desk *d)
{
    desk_monitor_list list;
    if (CHECK(desk_monitors(d, &list, &err)) && CHECK_EQ(list.count, 1)) {
        CHECK_STR(list.items[0].name, "screen");
        CHECK(list.items[0].rect.x == -20 && list.items[0].rect.width == 300);
        CHECK(list.items[0].work.height == 200 && list.items[0].scale == 1);
        CHECK(list.items[0].primary);
    }
    desk_monitor_list_free(&list);
}

static void test_monitors(void)
{
    desk *d = open_bare();
    desk_monitor_list list;
    d->ops.screen_rect = known_screen;
    check_one_monitor(d);
    d->ops.monitors = no_monitors;
    check_one_monitor(d);
    d->ops.monitors = two_monitors;
    if (CHECK(desk_monitors(d, &list, &err)) && CHECK_EQ(list.count, 2)) {
        CHECK_STR(list.items[0].name, "left");
        CHECK(list.items[0].primary && !list.items[1].primary);
    }
    desk_monitor_list_free(&list);
    desk_close(d);
}

static image_rect told_screen, told_part;

static bool note_capture(desk *d, image_rect screen, image_rect part, bool cursor,
                         image_bitmap *out, base_error *failure)
{
    (void) out;
    told_screen = screen;
    told_part = part;
    d->same_frame = part.width == 1;
    return cursor || base_fail(failure, BASE_REFUSED, "The screen is locked.");
}

static void test_capture_op(void)
{
    desk *d = open_bare();
    image_bitmap image = {0};
    d->ops.screen_rect = known_screen;
    d->ops.capture = note_capture;
    CHECK(desk_capture(d, &(image_rect){-20, 10, 1, 1}, true, &image, &err));
    CHECK(told_screen.x == -20 && told_screen.width == 300);
    CHECK(told_part.x == -20 && told_part.width == 1);
    CHECK(desk_capture(d, NULL, true, &image, &err) && told_part.height == 200);
    FAILS(desk_capture(d, NULL, false, &image, &err), BASE_REFUSED, "The screen is locked.");
    uint64_t number = desk_frame(d);
    CHECK(desk_capture(d, &(image_rect){-20, 10, 1, 1}, true, &image, &err));
    CHECK(desk_frame(d) == number); /* the backend says so */
    CHECK(desk_capture(d, NULL, true, &image, &err) && desk_frame(d) == number + 1);
    CHECK(!desk_capture(d, &(image_rect){-20, 10, 1, 1}, false, &image, &err));
    CHECK(desk_frame(d) == number + 2);
    desk_close(d);
}

int main(void)
{
    test_refused();
    test_unsupported();
    test_neutral();
    test_monitors();
    test_capture_op();
    return check_done();
}
