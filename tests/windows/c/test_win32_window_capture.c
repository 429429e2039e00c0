/* Windows' own pixels: in sight, covered, over the screen's edge; windows that hang, draw nothing,
 * are minimized or closed; and no leak whatever fails. The windows are this process's own, because
 * Wine's PrintWindow draws no others. The backend's files are part of this one, so that the system
 * calls they make can be made to fail. */
#include "check.h"
#include "desk/win32/win32_internal.h"
#include "test_win32_leaks.h"

static unsigned fail_every; /* each call fails once in so many; 0: never */
static unsigned calls, prints;

static bool fails(void)
{
    return fail_every && ++calls % fail_every == 0;
}

#define CreateCompatibleDC(dc) (fails() ? NULL : CreateCompatibleDC(dc))
#define CreateDIBSection(...) (fails() ? NULL : CreateDIBSection(__VA_ARGS__))
#define PrintWindow(...) (prints++, fails() ? FALSE : PrintWindow(__VA_ARGS__))
#define GetWindowRect(...) (fails() ? FALSE : GetWindowRect(__VA_ARGS__))
#include "desk/win32/win32_compose.c"
#include "desk/win32/win32_screen.c"
#include "desk/win32/win32_surface.c"
#define request capture_request
#define fill capture_fill
#include "desk/win32/win32_window_capture.c"
#undef request
#undef fill

enum { LIMIT = 30000 /* milliseconds */, CAPTURES = 400, MEMORY_SLACK = 1024 * 1024 };

typedef struct {
    RECT place;
    DWORD style, extended;
    int seed;
    bool silent; /* draws only what Windows itself asks for, and nothing when it is to print */
    HWND window;
    HANDLE thread, ready;
    HANDLE hanging, resume; /* it hangs after WM_APP, and says so, until it may go on */
} plate;

static win32_desk used;
static desk *const d = &used.base;

/* Tells the place and the window: any shift shows. */
static COLORREF colour(int seed, int x, int y)
{
    return RGB((x * 3 + seed) & 255, (y * 5 + seed) & 255, seed);
}

static void paint(const plate *p, HDC dc)
{
    RECT r;
    GetClientRect(p->window, &r);
    for (int y = 0; y < r.bottom; y++) {
        for (int x = 0; x < r.right; x++) {
            SetPixel(dc, x, y, colour(p->seed, x, y));
        }
    }
}

static LRESULT CALLBACK procedure(HWND window, UINT message, WPARAM w, LPARAM l)
{
    plate *p = (plate *) GetWindowLongPtrW(window, GWLP_USERDATA);
    PAINTSTRUCT painting;
    switch (p ? message : 0) {
    case WM_PAINT:
        BeginPaint(window, &painting);
        paint(p, painting.hdc);
        EndPaint(window, &painting);
        return 0;
    case WM_PRINT:
        if (p->silent) {
            return 0;
        }
        break;
    case WM_PRINTCLIENT:
        paint(p, (HDC) w);
        return 0;
    case WM_APP:
        SetEvent(p->hanging);
        WaitForSingleObject(p->resume, LIMIT);
        return 0;
    case WM_DESTROY:
        PostQuitMessage(0);
        return 0;
    }
    return DefWindowProcW(window, message, w, l);
}

static DWORD WINAPI plate_thread(void *context)
{
    plate *p = context;
    MSG message;
    p->window =
        CreateWindowExW(p->extended, L"capture plate", L"plate", p->style, p->place.left,
                        p->place.top, p->place.right - p->place.left,
                        p->place.bottom - p->place.top, NULL, NULL, GetModuleHandleW(NULL), NULL);
    SetWindowLongPtrW(p->window, GWLP_USERDATA, (LONG_PTR) p);
    ShowWindow(p->window, SW_SHOWNA);
    SetWindowPos(p->window, HWND_TOP, 0, 0, 0, 0, SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE);
    UpdateWindow(p->window);
    SetEvent(p->ready);
    while (GetMessageW(&message, NULL, 0, 0) > 0) {
        DispatchMessageW(&message);
    }
    return 0;
}

static void show(plate *p)
{
    p->style = p->style ? p->style : WS_POPUP;
    p->ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    p->hanging = CreateEventW(NULL, TRUE, FALSE, NULL);
    p->resume = CreateEventW(NULL, TRUE, FALSE, NULL);
    p->thread = CreateThread(NULL, 0, plate_thread, p, 0, NULL);
    CHECK_EQ(WaitForSingleObject(p->ready, LIMIT), WAIT_OBJECT_0);
}

static void hide(plate *p)
{
    PostMessageW(p->window, WM_CLOSE, 0, 0);
    CHECK_EQ(WaitForSingleObject(p->thread, LIMIT), WAIT_OBJECT_0);
    CloseHandle(p->thread);
    CloseHandle(p->ready);
    CloseHandle(p->hanging);
    CloseHandle(p->resume);
}

static unsigned long wrong_pixels(const plate *p, const image_bitmap *image)
{
    unsigned long wrong = 0;
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            const uint8_t *at = image->pixels + (size_t) y * image->stride + (size_t) x * 4;
            COLORREF wanted = colour(p->seed, x, y);
            wrong += at[0] != GetBValue(wanted) || at[1] != GetGValue(wanted) ||
                     at[2] != GetRValue(wanted);
        }
    }
    return wrong;
}

/* `printed`: whether the window had to draw for it. */
static void check_picture(const plate *p, bool printed)
{
    desk_window_picture picture;
    base_error err = {0};
    prints = 0;
    if (!CHECK(desk_window_capture(d, (uintptr_t) p->window, false, &picture, &err))) {
        printf("    %s\n", err.message);
        return;
    }
    CHECK(!picture.pending && !picture.incomplete);
    CHECK_EQ(picture.rect.x, p->place.left);
    CHECK_EQ(picture.rect.y, p->place.top);
    CHECK_EQ(picture.image.width, p->place.right - p->place.left);
    CHECK_EQ(picture.image.height, p->place.bottom - p->place.top);
    CHECK_EQ(wrong_pixels(p, &picture.image), 0);
    CHECK_EQ(prints > 0, printed);
}

/* What Windows paints comes to the screen a little later. */
static void wait_until_in_sight(const plate *p)
{
    desk_window_picture picture;
    ULONGLONG limit = GetTickCount64() + LIMIT;
    bool there = false;
    while (!there && GetTickCount64() < limit) {
        there = desk_window_capture(d, (uintptr_t) p->window, false, &picture, NULL) &&
                wrong_pixels(p, &picture.image) == 0;
        Sleep(5);
    }
    CHECK(there);
}

static void check_refused(const plate *p, base_code code)
{
    desk_window_picture picture;
    base_error err = {0};
    CHECK(!desk_window_capture(d, (uintptr_t) p->window, false, &picture, &err));
    CHECK_EQ(err.code, code);
    CHECK(err.message[0] != '\0');
}

static void test_pictures(void)
{
    plate one = {.place = {100, 80, 300, 200}, .seed = 40};
    plate edge = {.place = {-30, -20, 70, 60}, .seed = 90};
    plate cover = {.place = {150, 100, 400, 160}, .seed = 140};
    plate layered = {.place = {500, 300, 600, 380}, .seed = 70, .extended = WS_EX_LAYERED};
    show(&one);
    wait_until_in_sight(&one);
    check_picture(&one, false);
    show(&cover);
    wait_until_in_sight(&cover);
    check_picture(&one, true);
    check_picture(&cover, false);
    show(&edge);
    check_picture(&edge, true);
    show(&layered);
    SetLayeredWindowAttributes(layered.window, 0, 255, LWA_ALPHA);
    check_picture(&layered, true);
    ShowWindow(cover.window, SW_HIDE); /* what is hidden covers nothing */
    wait_until_in_sight(&one);
    check_picture(&one, false);
    check_refused(&cover, BASE_UNAVAILABLE);
    hide(&layered);
    hide(&edge);
    hide(&cover);
    hide(&one);
}

static void test_refused(void)
{
    plate silent = {.place = {100, 80, 300, 200}, .seed = 40, .silent = true};
    plate cover = {.place = {150, 100, 400, 160}, .seed = 140};
    show(&silent);
    show(&cover);
    check_refused(&silent, BASE_UNSUPPORTED);
    PostMessageW(silent.window, WM_APP, 0, 0);
    CHECK_EQ(WaitForSingleObject(silent.hanging, LIMIT), WAIT_OBJECT_0);
    ULONGLONG began = GetTickCount64();
    check_refused(&silent, BASE_REFUSED);
    CHECK(GetTickCount64() - began < LIMIT / 3); /* it hangs for longer */
    SetEvent(silent.resume);
    DWORD_PTR answer;
    CHECK(SendMessageTimeoutW(silent.window, WM_NULL, 0, 0, SMTO_BLOCK, LIMIT, &answer));
    check_refused(&silent, BASE_UNSUPPORTED);
    ShowWindow(silent.window, SW_MINIMIZE);
    check_refused(&silent, BASE_UNAVAILABLE);
    hide(&cover);
    hide(&silent);
    check_refused(&silent, BASE_NOT_FOUND);
    check_refused(&(plate){0}, BASE_NOT_FOUND);
}

static int capture_often(const plate *one, const plate *other, int count)
{
    static const unsigned periods[] = {0, 2, 3, 5, 7, 11};
    desk_window_picture picture;
    int succeeded = 0;
    for (int i = 0; i < count; i++) {
        fail_every = periods[i % 6];
        if (i % 10 == 0) {
            win32_screen_close(&used);
        }
        const plate *p = i % 2 ? one : other;
        succeeded += desk_window_capture(d, (uintptr_t) p->window, true, &picture, NULL);
    }
    fail_every = 0;
    win32_screen_close(&used);
    return succeeded;
}

static void test_no_leaks(void)
{
    plate one = {.place = {100, 80, 200, 140}, .seed = 40};
    plate cover = {.place = {150, 100, 250, 160}, .seed = 140};
    show(&one);
    show(&cover);
    capture_often(&one, &cover, 60); /* what the system makes once and keeps */
    unsigned long gdi = gdi_objects();
    size_t memory = memory_used();
    int succeeded = capture_often(&one, &cover, CAPTURES);
    unsigned long gdi_after = gdi_objects();
    size_t memory_after = memory_used();
    printf("%d captures, %d with pictures: GDI objects %lu and %lu, memory %zu and %zu bytes\n",
           CAPTURES, succeeded, gdi, gdi_after, memory, memory_after);
    CHECK(succeeded > CAPTURES / 6 && succeeded < CAPTURES);
    CHECK(gdi > 0);
    CHECK_EQ(gdi_after, gdi);
    CHECK(memory > 0 && memory_after < memory + MEMORY_SLACK);
    hide(&cover);
    hide(&one);
}

int main(void)
{
    WNDCLASSW class = {.lpfnWndProc = procedure,
                       .lpszClassName = L"capture plate",
                       .hInstance = GetModuleHandleW(NULL)};
    RegisterClassW(&class);
    win32_window_capture_ops(&used.base.ops);
    test_pictures();
    test_refused();
    test_no_leaks();
    win32_screen_close(&used);
    return check_done();
}
