/* The frame that shows people a place, judged by another thread's window: what is on the screen,
 * which window is below the pointer, and who gets a click. */
#include "test_win32_window.h"

#include "desk/desk.h"

enum { FRAME = 0xff2d95 };

static desk *d;
static base_error err;

static uint32_t pixel(int x, int y)
{
    image_bitmap image = {0};
    if (!CHECK(desk_capture(d, &(image_rect){x, y, 1, 1}, false, &image, &err))) {
        printf("    %s\n", err.message);
        return 0;
    }
    return (uint32_t) image.pixels[2] << 16 | (uint32_t) image.pixels[1] << 8 | image.pixels[0];
}

static bool shows(image_rect r)
{
    int right = r.x + r.width - 1, bottom = r.y + r.height - 1, width = DESK_HIGHLIGHT_WIDTH;
    return pixel(r.x, r.y) == FRAME && pixel(right, bottom) == FRAME &&
           pixel(r.x + r.width / 2, r.y + width - 1) == FRAME &&
           pixel(right - width + 1, r.y + r.height / 2) == FRAME &&
           pixel(r.x + width, r.y + width) != FRAME &&
           pixel(right - width, bottom - width) != FRAME;
}

static bool pumped(bool held)
{
    desk_pump(d, &err);
    return held;
}

static void test_frame(test_window *t)
{
    image_rect inside = {t->place.left + 50, t->place.top + 60, 120, 80}, corner = {0, 0, 70, 50};
    COLORREF below = test_colour(50, 60);
    uint32_t plain =
        (uint32_t) GetRValue(below) << 16 | (uint32_t) GetGValue(below) << 8 | GetBValue(below);
    CHECK(desk_highlight(d, NULL, &err)); /* where there is none */
    CHECK_EQ(pixel(inside.x, inside.y), plain);
    if (!CHECK(desk_highlight(d, &inside, &err))) {
        printf("    %s\n", err.message);
        return;
    }
    WAIT_FOR(pumped(shows(inside)));
    CHECK(GetForegroundWindow() == t->window);
    CHECK(desk_highlight(d, &corner, &err)); /* moved */
    WAIT_FOR(pumped(shows(corner)));
    WAIT_FOR(pumped(pixel(inside.x, inside.y) == plain));
    CHECK(desk_highlight(d, &inside, &err));
    WAIT_FOR(pumped(shows(inside)));
    CHECK(desk_highlight(d, NULL, &err));
    WAIT_FOR(pumped(pixel(inside.x, inside.y) == plain));
    CHECK(!desk_highlight(d, &(image_rect){-1, 0, 20, 20}, &err));
    CHECK_EQ(err.code, BASE_INVALID);
}

/* For whoever looks below the pointer, and for whoever gets the click, it is not there. */
static void test_not_in_the_way(test_window *t)
{
    image_rect frame = {t->place.left + 50, t->place.top + 60, 120, 80};
    POINT at = {frame.x + 20, frame.y + 1};
    desk_window_list list;
    test_message press;
    CHECK(desk_highlight(d, &frame, &err));
    WAIT_FOR(pumped(shows(frame)));
    CHECK(WindowFromPoint(at) == t->window);
    CHECK(desk_windows(d, &list, &err));
    for (size_t i = 0; i < list.count; i++) {
        CHECK(strstr(list.items[i].klass, "highlight") == NULL);
    }
    desk_window_list_free(&list);
    test_window_clear(t);
    CHECK(desk_pointer_move(d, at.x, at.y, &err));
    CHECK(desk_pointer_button(d, DESK_LEFT, true, &err));
    CHECK(desk_pointer_button(d, DESK_LEFT, false, &err));
    WAIT_FOR(pumped(test_window_find(t, WM_LBUTTONDOWN, &press)));
    CHECK(GetForegroundWindow() == t->window);
}

int main(void)
{
    static test_window t = {.striped = true, .place = {100, 60, 500, 360}, .style = WS_POPUP};
    if (!CHECK(desk_open(&d, NULL, NULL, &err))) {
        printf("    %s\n", err.message);
        return check_done();
    }
    if (test_window_open(&t)) {
        test_frame(&t);
        test_not_in_the_way(&t);
        HWND frame = FindWindowW(L"deskpilot-highlight", NULL);
        CHECK(frame != NULL);
        desk_close(d);
        CHECK(!IsWindow(frame));
    }
    test_window_close(&t);
    return check_done();
}
