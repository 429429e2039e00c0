/* The desk that is not there: it writes down what it is asked, and its picture is always the same.
 */
#include "check.h"
#include "desk/null/null.h"

#include <stdlib.h>

static base_error err;

static void test_log(desk *d)
{
    desk_text_step step;
    null_log_clear(d);
    CHECK(desk_pointer_move(d, 10, 20, &err));
    CHECK(desk_pointer_button(d, DESK_LEFT, true, &err));
    CHECK(desk_pointer_button(d, DESK_LEFT, false, &err));
    CHECK(desk_pointer_wheel(d, 0, -3 * DESK_NOTCH, &err));
    CHECK(desk_keyboard_key(d, DESK_KEY_CTRL, true, &err));
    CHECK(desk_keyboard_key(d, 0xe9, false, &err));
    CHECK(desk_type_text(d, "a\n\\é", 5, &step, &err));
    CHECK_EQ(step.consumed, 5);
    CHECK(!step.remapped);
    CHECK(desk_type_end(d, &err));
    CHECK_STR(desk_log(d, &err),
              "move 10 20\nbutton 1 down\nbutton 1 up\nwheel 0 -3\nkey ctrl down\n"
              "key é up\ntext a\\n\\\\é\ntext_end\n");
    null_log_clear(d);
    CHECK_STR(desk_log(d, &err), "");
    CHECK(desk_keyboard_tap(d, (desk_key[]){DESK_KEY_CTRL, 's'}, 2, &err));
    CHECK_STR(desk_log(d, &err), "key ctrl down\nkey s down\nkey s up\nkey ctrl up\n");
    null_log_clear(d);
}

static void test_refusals(desk *d)
{
    image_bitmap image = {0};
    desk_text_step step;
    CHECK(!desk_pointer_move(d, 640, 0, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_capture(d, &(image_rect){600, 0, 41, 10}, false, &image, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_capture(d, &(image_rect){2147483647, 0, 10, 10}, false, &image, &err));
    CHECK(!desk_keyboard_tap(d, (desk_key[]){DESK_KEY_CTRL, 0}, 2, &err)); /* and nothing is down */
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_type_text(d, "ab\xff", 3, &step, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_window_focus(d, 99, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    CHECK_STR(desk_log(d, &err), "");
}

static void test_picture(desk *d)
{
    image_bitmap image = {0};
    CHECK(desk_pointer_move(d, 0, 0, &err));
    CHECK(desk_capture(d, &(image_rect){0, 0, 640, 480}, false, &image, &err));
    CHECK_EQ(image.pixels[2], 0x20);                                /* outside the window */
    CHECK_EQ(image.pixels[240 * image.stride + 320 * 4 + 2], 0xc0); /* inside */
    uint8_t *kept = image.pixels;
    CHECK(desk_capture(d, &(image_rect){0, 0, 640, 480}, true, &image, &err));
    CHECK(image.pixels == kept);     /* same size, same memory */
    CHECK_EQ(image.pixels[2], 0xff); /* the pointer's tip */
    image_free(&image);
}

static void test_window(desk *d)
{
    desk_window_list list;
    CHECK(desk_windows(d, &list, &err));
    CHECK_EQ(list.count, 1);
    CHECK_STR(list.items[0].title, "Nowhere");
    CHECK(list.items[0].active);
    desk_window_list_free(&list);
    CHECK(desk_watch_start(d, &err));
    CHECK_EQ(desk_last_change(d), 0);
    CHECK(desk_window_close(d, NULL_WINDOW, &err));
    CHECK(desk_last_change(d) != 0);
    CHECK(desk_windows(d, &list, &err));
    CHECK_EQ(list.count, 0);
    desk_window_list_free(&list);
}

static desk_window only_window(desk *d)
{
    desk_window_list list;
    desk_window window = {0};
    if (CHECK(desk_windows(d, &list, &err)) && CHECK_EQ(list.count, 1)) {
        window = list.items[0];
        CHECK_STR(window.executable, "/nowhere/nothing");
    }
    desk_window_list_free(&list);
    return window; /* without its texts */
}

static void test_window_states(desk *d)
{
    desk_window w;
    null_log_clear(d);
    CHECK(desk_window_place(d, NULL_WINDOW, (image_rect){-5, 6, 70, 80}, &err));
    w = only_window(d);
    CHECK(w.rect.x == -5 && w.rect.y == 6 && w.rect.width == 70 && w.rect.height == 80);
    CHECK(desk_window_set_state(d, NULL_WINDOW, DESK_WINDOW_MINIMIZED, &err));
    w = only_window(d);
    CHECK(w.minimized && !w.maximized && !w.visible && !w.active);
    CHECK(desk_window_set_state(d, NULL_WINDOW, DESK_WINDOW_MAXIMIZED, &err));
    w = only_window(d);
    CHECK(!w.minimized && w.maximized && w.visible && w.rect.width == 640);
    CHECK(desk_window_set_state(d, NULL_WINDOW, DESK_WINDOW_NORMAL, &err));
    CHECK_EQ(only_window(d).rect.width, 70);
    CHECK_STR(desk_log(d, &err), "place_window 1 -5 6 70 80\nwindow_state 1 minimized\n"
                                 "window_state 1 maximized\nwindow_state 1 normal\n");
    CHECK(!desk_window_place(d, NULL_WINDOW, (image_rect){0, 0, 0, 9}, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_window_set_state(d, 7, DESK_WINDOW_NORMAL, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
}

static void test_clipboard(desk *d)
{
    char *text = NULL;
    size_t length = 9;
    bool pending = true;
    null_log_clear(d);
    CHECK(desk_clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err));
    CHECK(!pending && length == 0);
    CHECK_STR(text, "");
    free(text);
    CHECK(desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "a\n\0é", 5, &pending, &err));
    CHECK(!desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "\xff", 1, &pending, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(desk_clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err));
    CHECK_EQ(length, 5);
    CHECK(memcmp(text, "a\n\0é", 6) == 0);
    free(text);
    CHECK(desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "a\r\n\rb", 5, &pending, &err));
    CHECK(desk_clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err));
    CHECK_EQ(length, 4);
    CHECK_STR(text, "a\n\rb");
    free(text);
}

static void test_picture_in_clipboard(desk *d)
{
    static const char png[] = "\x89PNG\r\n\x1a\nrest";
    char *data = NULL;
    size_t length = 0;
    bool pending = true;
    uint64_t before, after;
    CHECK(desk_clipboard_changes(d, &before, &err));
    CHECK(desk_clipboard_set(d, DESK_CLIPBOARD_PNG, png, sizeof png, &pending, &err));
    CHECK(desk_clipboard_changes(d, &after, &err) && after == before + 1);
    CHECK(desk_clipboard_get(d, DESK_CLIPBOARD_PNG, &data, &length, &pending, &err));
    CHECK(length == sizeof png && memcmp(data, png, length) == 0);
    free(data);
    CHECK(desk_clipboard_get(d, DESK_CLIPBOARD_TEXT, &data, &length, &pending, &err));
    CHECK_EQ(length, 0);
    free(data);
    CHECK(!desk_clipboard_set(d, DESK_CLIPBOARD_PNG, "text", 4, &pending, &err));
    CHECK_EQ(err.code, BASE_INVALID);
}

static void test_workspaces(desk *d)
{
    desk_workspace_list all;
    null_log_clear(d);
    CHECK(desk_workspaces(d, &all, &err));
    CHECK_EQ(all.count, 2);
    CHECK(desk_workspace_go(d, 2, &err));
    CHECK(desk_window_workspace(d, NULL_WINDOW, 2, &err));
    CHECK(desk_window_stack(d, NULL_WINDOW, false, &err));
    CHECK(desk_workspaces(d, &all, &err) && all.current == 2);
    CHECK_STR(desk_log(d, &err), "workspace_go 2\nwindow_workspace 1 2\nwindow_stack 1 below\n");
    CHECK(!desk_workspace_go(d, 3, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    CHECK(!desk_window_stack(d, 7, true, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    CHECK_EQ(desk_window_changes(d), 0);
}

int main(void)
{
    desk *d = NULL;
    uint64_t token = 9;
    desk_options options = {.width = 640, .height = 480};
    desk_options too_large = {.width = 40000, .height = 480};
    CHECK(!desk_open(&d, "null", &too_large, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    if (CHECK(desk_open(&d, "null", &options, &err))) {
        CHECK_STR(desk_backend_name(d), "null");
        CHECK_EQ(desk_poll_fd(d), -1);
        CHECK_EQ(desk_poll_every(d), 0);
        CHECK(desk_ping(d, &token, &err));
        CHECK_EQ(token, 0);
        test_log(d);
        test_refusals(d);
        test_picture(d);
        test_window_states(d);
        test_clipboard(d);
        test_picture_in_clipboard(d);
        test_workspaces(d);
        test_window(d);
        desk_close(d);
    }
    return check_done();
}
