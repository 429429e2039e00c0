/* What counts as a change of the screen: the pure rules, and a window that really changes. */
#include "test_win32_window.h"

#include "desk/win32/win32_internal.h"

#include <stdlib.h>
#include <uv.h>

#include "desk/desk.h"

enum { WIDTH = 64, HEIGHT = 60, STRIDE = WIDTH * 4 + 16 };

static uint8_t before[HEIGHT * STRIDE], after[HEIGHT * STRIDE];

static void change(int x, int y, int width, int height)
{
    for (int j = y; j < y + height; j++) {
        for (int i = x; i < x + width; i++) {
            after[j * STRIDE + i * 4 + (i + j) % 3] ^= 1;
        }
    }
}

static bool compare(image_rect *out)
{
    return win32_difference(before, after, WIDTH, HEIGHT, STRIDE, out);
}

static void check_rect(image_rect r, int x, int y, int width, int height)
{
    CHECK_EQ(r.x, x);
    CHECK_EQ(r.y, y);
    CHECK_EQ(r.width, width);
    CHECK_EQ(r.height, height);
}

static void test_difference(void)
{
    image_rect r;
    CHECK(!compare(&r));
    for (int i = 3; i < HEIGHT * STRIDE; i += 4) {
        after[i] = 255; /* the fourth byte, and what lies between the rows */
    }
    CHECK(!compare(&r));
    change(10, 20, 1, 15);
    CHECK(compare(&r));
    check_rect(r, 10, 20, 1, 15);
    change(WIDTH - 1, HEIGHT - 1, 1, 1);
    change(0, 0, 1, 1);
    CHECK(compare(&r));
    check_rect(r, 0, 0, WIDTH, HEIGHT);
}

static void test_caret(void)
{
    static const struct {
        int width, height;
        bool worth;
    } sizes[] = {{1, 15, false}, {3, 18, false}, {4, 40, false},
                 {5, 1, true},   {1, 41, true},  {300, 200, true}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        CHECK_EQ(win32_worth_telling((image_rect){7, 7, sizes[i].width, sizes[i].height}),
                 sizes[i].worth);
    }
}

static void fill_at(test_window *t, int x, int y, int width, int height, COLORREF colour)
{
    HDC dc = GetDC(t->window);
    HBRUSH brush = CreateSolidBrush(colour);
    RECT r = {x, y, x + width, y + height};
    FillRect(dc, &r, brush);
    DeleteObject(brush);
    ReleaseDC(t->window, dc);
    SendMessageW(t->window, WM_NULL, 0, 0); /* Wine shows it when the window's thread waits again */
}

static void fill(test_window *t, int width, int height, COLORREF colour)
{
    fill_at(t, 20, 20, width, height, colour);
}

/* Pumps as often as told to, until a change is seen or `looks` looks have been due. */
static bool sees_change(desk *d, int looks)
{
    for (int i = 0; i < looks && !desk_last_change(d); i++) {
        int pause = desk_poll_every(d);
        CHECK(pause >= 1);
        Sleep((DWORD) pause);
        CHECK(desk_pump(d, NULL));
    }
    return desk_last_change(d) != 0;
}

static void test_window_changes(test_window *t)
{
    desk *d = NULL;
    base_error err = {0};
    if (!CHECK(desk_open(&d, NULL, NULL, &err))) {
        return;
    }
    CHECK_EQ(desk_poll_every(d), 0);
    CHECK_EQ(desk_poll_fd(d), -1);
    CHECK(desk_watch_start(d, &err));
    SetCursorPos(150, 150);
    CHECK(!sees_change(d, 5));
    fill(t, 2, 18, RGB(0, 0, 0));
    CHECK(!sees_change(d, 5));
    fill(t, 100, 50, RGB(255, 0, 0));
    CHECK(sees_change(d, 100));
    CHECK(desk_watch_start(d, &err)); /* anew: nothing has changed since */
    CHECK(!sees_change(d, 5));
    int drawn = desk_regions_add(&d->regions, (image_rect){130, 90, 10, 10});
    int beside = desk_regions_add(&d->regions, (image_rect){400, 300, 50, 50});
    /* On both sides of the second: the rectangle around all that changed covers it. */
    fill(t, 100, 50, RGB(0, 255, 0));
    fill_at(t, 370, 280, 20, 10, RGB(0, 0, 255));
    CHECK(sees_change(d, 100));
    CHECK(desk_regions_changed(&d->regions, drawn) > 0);
    CHECK_EQ(desk_regions_changed(&d->regions, beside), 0);
    desk_watch_stop(d);
    CHECK_EQ(desk_poll_every(d), 0);
    desk_close(d);
}

/* Draws one picture of what moves by itself, and looks until it has been seen. */
static void move(test_window *t, desk *d, int frame)
{
    uint64_t before = desk_last_change(d);
    fill(t, 100, 50, RGB(frame % 256, 255 - frame % 256, 0));
    for (int looks = 0; desk_last_change(d) == before && looks < 100; looks++) {
        Sleep((DWORD) desk_poll_every(d));
        CHECK(desk_pump(d, NULL));
    }
    CHECK(desk_last_change(d) > before);
}

/* Moves for more than a second, then an act begins. Whether what goes on to move then, with a caret
 * beside it, is left out. */
static bool is_left_out(test_window *t, desk *d, int *frame)
{
    for (uint64_t began = uv_hrtime(); uv_hrtime() < began + UINT64_C(1500000000);) {
        move(t, d, ++*frame);
    }
    desk_act_begins(d);
    uint64_t before = desk_last_act_change(d);
    for (int i = 0; i < 10; i++) {
        move(t, d, ++*frame);
    }
    fill_at(t, 2, 2, 2, 18, RGB(0, 0, *frame % 256));
    move(t, d, ++*frame);
    return desk_last_act_change(d) == before;
}

/* What has moved for more than a second is told from what an act draws, on both sides of it too. On
 * a busy machine this program may stand still for so long that it did not move at a pace: then it
 * moves once more. */
static void test_motion(test_window *t)
{
    enum { MOST_TRIES = 20 };
    desk *d = NULL;
    base_error err = {0};
    if (!CHECK(desk_open(&d, NULL, NULL, &err)) || !CHECK(desk_watch_start(d, &err))) {
        return;
    }
    int frame = 0, tries = 1;
    while (!is_left_out(t, d, &frame) && tries < MOST_TRIES) {
        tries++;
    }
    CHECK(tries < MOST_TRIES);
    uint64_t before = desk_last_act_change(d);
    CHECK(before > 0);
    fill_at(t, 370, 280, 20, 10, RGB(0, 0, frame % 256));
    fill_at(t, 2, 2, 10, 10, RGB(0, 0, frame % 256));
    move(t, d, ++frame);
    CHECK(desk_last_act_change(d) > before);
    desk_close(d);
}

int main(void)
{
    static test_window t = {.place = {100, 60, 400, 300}, .style = WS_POPUP};
    test_difference();
    test_caret();
    if (test_window_open(&t)) {
        test_window_changes(&t);
        test_motion(&t);
    }
    test_window_close(&t);
    return check_done();
}
