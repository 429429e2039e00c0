/* Captures of the Windows backend: exact pixels, and no leak whatever fails. The backend's files
 * are part of this one, so that the system calls they make can be made to fail. */
#include "test_win32_leaks.h"
#include "test_win32_window.h"

/* Each call fails once in so many; 0: never. Odd periods, so that they fall on each other. */
static unsigned fail_every;
static unsigned calls;

static bool fails(void)
{
    return fail_every && ++calls % fail_every == 0;
}

#define GetDC(w) (fails() ? NULL : GetDC(w))
#define CreateCompatibleDC(dc) (fails() ? NULL : CreateCompatibleDC(dc))
#define CreateDIBSection(...) (fails() ? NULL : CreateDIBSection(__VA_ARGS__))
#define SelectObject(dc, o) (fails() ? NULL : SelectObject(dc, o))
#define BitBlt(...) (fails() ? FALSE : BitBlt(__VA_ARGS__))
#define GetIconInfo(i, o) (fails() ? FALSE : GetIconInfo(i, o))
#define GetCursorInfo(i) (fails() ? FALSE : GetCursorInfo(i))
#define DrawIconEx(...) (fails() ? FALSE : DrawIconEx(__VA_ARGS__))
#include "desk/win32/win32_cursor.c"
#include "desk/win32/win32_screen.c"
#include "desk/win32/win32_surface.c"
#include "desk/win32/win32_watch.c"
#undef GetDC

enum { CAPTURES = 10000, MEMORY_SLACK = 1024 * 1024 /* bytes */ };

static win32_desk desk_under_test;
static desk *const d = &desk_under_test.base;

static void check_pixels(const image_bitmap *image, int left, int top)
{
    unsigned long wrong = 0;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const uint8_t *p = image->pixels + (size_t) y * image->stride + (size_t) x * 4;
            COLORREF wanted = test_colour(left + x, top + y);
            wrong +=
                p[0] != GetBValue(wanted) || p[1] != GetGValue(wanted) || p[2] != GetRValue(wanted);
        }
    }
    CHECK_EQ(wrong, 0);
}

static bool capture(image_rect r, bool cursor, image_bitmap *image)
{
    base_error err = {0};
    bool ok = desk_capture(d, &r, cursor, image, &err);
    if (!ok && !fail_every) {
        printf("capture: %s\n", err.message);
    }
    return ok;
}

static void test_exact(test_window *t)
{
    image_bitmap image = {0};
    image_rect screen, part = {137, 91, 50, 40};
    RECT r = t->place;
    SetCursorPos(r.right + 100, r.bottom + 100);
    image_rect whole = {r.left, r.top, r.right - r.left, r.bottom - r.top};
    if (CHECK(capture(whole, false, &image))) {
        check_pixels(&image, 0, 0);
    }
    if (CHECK(capture(part, false, &image))) { /* smaller than the kept picture: its stride */
        check_pixels(&image, part.x - r.left, part.y - r.top);
    }
    CHECK(win32_screen_rect(d, &screen, NULL));
    CHECK_EQ(screen.width, GetSystemMetrics(SM_CXVIRTUALSCREEN));
    if (CHECK(capture(screen, false, &image))) {
        CHECK_EQ(image.width, screen.width);
        CHECK_EQ(image.height, screen.height);
    }
    image_free(&image);
}

static unsigned long differences(image_rect r)
{
    static uint8_t before[200 * 200 * 4];
    image_bitmap image = {0};
    unsigned long count = 0;
    if (!CHECK(capture(r, false, &image) && image.pixels)) {
        return 0;
    }
    for (int y = 0; y < r.height; y++) {
        memcpy(before + y * r.width * 4, image.pixels + (size_t) y * image.stride,
               (size_t) r.width * 4);
    }
    CHECK(capture(r, true, &image));
    for (int y = 0; y < r.height; y++) {
        for (int x = 0; x < r.width; x++) {
            count += memcmp(before + (y * r.width + x) * 4,
                            image.pixels + (size_t) y * image.stride + (size_t) x * 4, 3) != 0;
        }
    }
    return count;
}

/* The pointer is drawn where it is, from its hotspot to the right and down, and only if asked. */
static void test_cursor(test_window *t)
{
    RECT r = t->place;
    SetCursorPos(r.left + 100, r.top + 100);
    CHECK(differences((image_rect){r.left + 100, r.top + 100, 40, 40}) > 20);
    CHECK_EQ(differences((image_rect){r.left + 50, r.top + 50, 40, 40}), 0);
}

static void test_refused(void)
{
    static const image_rect outside[] = {
        {-1, 0, 10, 10},    {0, -1, 10, 10},       {0, 0, 0, 10},
        {0, 0, 100000, 10}, {2147483647, 0, 2, 2}, {-2147483647 - 1, 0, 2147483647, 1}};
    image_bitmap image = {0};
    base_error err;
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        CHECK(!desk_capture(d, &outside[i], false, &image, &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    fail_every = 1;
    CHECK(!desk_capture(d, &(image_rect){0, 0, 10, 10}, false, &image, &err));
    CHECK_EQ(err.code, BASE_REFUSED);
    fail_every = 0;
}

static void look_often(int times)
{
    for (int i = 0; i < times; i++) {
        Sleep((DWORD) desk_poll_every(d));
        win32_watch_look(&desk_under_test);
    }
}

/* While the screen cannot be looked at there are no changes, and watching goes on afterwards. */
static void test_watch_locked(void)
{
    base_error err;
    fail_every = 1;
    CHECK(desk_watch_start(d, &err));
    look_often(3);
    CHECK_EQ(desk_last_change(d), 0);
    fail_every = 0;
    look_often(3);
    CHECK_EQ(desk_last_change(d), 0);
    CHECK(desk_under_test.watch.rect.width > 0);
    win32_watch_close(&desk_under_test);
}

/* A kept picture of another size every now and then, so that making one fails too. */
static int capture_often(int count)
{
    static const unsigned periods[] = {0, 3, 5, 7, 11, 13};
    image_bitmap image = {0};
    int succeeded = 0;
    for (int i = 0; i < count; i++) {
        fail_every = periods[i % 6];
        if (i % 50 == 0) {
            win32_screen_close(&desk_under_test);
        }
        image_rect r = {10, 10, 100 + i % 7 * 20, 100 + i % 3 * 30};
        succeeded += capture(r, true, &image);
    }
    fail_every = 0;
    image_free(&image);
    win32_screen_close(&desk_under_test);
    return succeeded;
}

static void test_no_leaks(void)
{
    capture_often(500); /* what the system makes once and keeps */
    HANDLE self = GetCurrentProcess();
    unsigned long gdi = gdi_objects(), user = GetGuiResources(self, GR_USEROBJECTS);
    size_t memory = memory_used();
    int succeeded = capture_often(CAPTURES);
    unsigned long gdi_after = gdi_objects();
    size_t memory_after = memory_used();
    printf("%d captures, %d with pictures: GDI objects %lu before and %lu after, memory %zu and "
           "%zu bytes\n",
           CAPTURES, succeeded, gdi, gdi_after, memory, memory_after);
    CHECK(succeeded > CAPTURES / 4 && succeeded < CAPTURES);
    CHECK(gdi > 0);
    CHECK_EQ(gdi_after, gdi);
    CHECK_EQ(GetGuiResources(self, GR_USEROBJECTS), user);
    CHECK(memory > 0 && memory_after < memory + MEMORY_SLACK);
}

int main(void)
{
    static test_window t = {.striped = true, .place = {100, 60, 400, 300}, .style = WS_POPUP};
    win32_screen_ops(&desk_under_test.base.ops);
    win32_watch_ops(&desk_under_test.base.ops);
    if (test_window_open(&t)) {
        test_exact(&t);
        test_cursor(&t);
        test_refused();
        test_watch_locked();
        test_no_leaks();
    }
    test_window_close(&t);
    return check_done();
}
