/* Pictures of another desktop, put together from its windows: exact pixels, the order of windows,
 * one that hangs, and no leak whatever fails. The windows are this process's own, because Wine's
 * PrintWindow draws no others. The backend's files are part of this one, so that the system calls
 * they make can be made to fail. */
#include "check.h"
#include "desk/win32/win32_internal.h"
#include "test_win32_leaks.h"

static unsigned fail_every; /* each call fails once in so many; 0: never */
static unsigned calls;

static bool fails(void)
{
    return fail_every && ++calls % fail_every == 0;
}

static win32_desk used;
static desk *const d = &used.base;

#define CreateCompatibleDC(dc) (fails() ? NULL : CreateCompatibleDC(dc))
#define CreateDIBSection(...) (fails() ? NULL : CreateDIBSection(__VA_ARGS__))
#define SelectObject(dc, o) (fails() ? NULL : SelectObject(dc, o))
#define PrintWindow(...) (fails() ? FALSE : PrintWindow(__VA_ARGS__))
#define GetWindowRect(...) (fails() ? FALSE : GetWindowRect(__VA_ARGS__))
#define OpenDesktopW(...) (fails() ? NULL : OpenDesktopW(__VA_ARGS__))
#define SetThreadDesktop(to) (to == used.desktop && fails() ? FALSE : SetThreadDesktop(to))
#define CreateThread(...) (fails() ? NULL : CreateThread(__VA_ARGS__))
#include "desk/win32/win32_compose.c"
#include "desk/win32/win32_desktop.c"
#include "desk/win32/win32_screen.c"
#include "desk/win32/win32_surface.c"
#undef SetThreadDesktop
#undef CreateThread

#define NAME L"deskpilot-compose"

enum { CAPTURES = 300, MEMORY_SLACK = 1024 * 1024, LIMIT = 30000 /* milliseconds */ };

typedef struct {
    int x, y, width, height, seed;
    bool hangs;
    HWND window;
    HANDLE thread, ready;
} plate;

static HDESK made;
static HANDLE hanging, resume; /* a window hangs after WM_APP, and says so, until it may go on */

/* Tells the place and the window: any shift shows. */
static COLORREF colour(int seed, int x, int y)
{
    return RGB((x * 3 + seed) & 255, (y * 5 + seed) & 255, seed);
}

static void paint(HWND window, HDC dc)
{
    int seed = (int) GetWindowLongPtrW(window, GWLP_USERDATA);
    RECT r;
    GetClientRect(window, &r);
    for (int y = 0; y < r.bottom; y++) {
        for (int x = 0; x < r.right; x++) {
            SetPixel(dc, x, y, colour(seed, x, y));
        }
    }
}

static LRESULT CALLBACK procedure(HWND window, UINT message, WPARAM w, LPARAM l)
{
    PAINTSTRUCT painting;
    switch (message) {
    case WM_PAINT:
        paint(window, BeginPaint(window, &painting));
        EndPaint(window, &painting);
        return 0;
    case WM_PRINTCLIENT:
        paint(window, (HDC) w);
        return 0;
    case WM_APP:
        SetEvent(hanging);
        WaitForSingleObject(resume, LIMIT);
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
    HDESK own = GetThreadDesktop(GetCurrentThreadId());
    SetThreadDesktop(made);
    p->window = CreateWindowExW(0, L"plate", L"plate", WS_POPUP, p->x, p->y, p->width, p->height,
                                NULL, NULL, GetModuleHandleW(NULL), NULL);
    SetWindowLongPtrW(p->window, GWLP_USERDATA, p->seed);
    ShowWindow(p->window, SW_SHOWNA);
    SetWindowPos(p->window, HWND_TOP, 0, 0, 0, 0, SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE);
    SetEvent(p->ready);
    while (GetMessageW(&message, NULL, 0, 0) > 0) {
        DispatchMessageW(&message);
    }
    SetThreadDesktop(own);
    return 0;
}

static void show(plate *p)
{
    p->ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    p->thread = CreateThread(NULL, 0, plate_thread, p, 0, NULL);
    CHECK_EQ(WaitForSingleObject(p->ready, LIMIT), WAIT_OBJECT_0);
}

static void hide(plate *p)
{
    PostMessageW(p->window, WM_CLOSE, 0, 0);
    CHECK_EQ(WaitForSingleObject(p->thread, LIMIT), WAIT_OBJECT_0);
    CloseHandle(p->thread);
    CloseHandle(p->ready);
}

/* From the bottom to the top; the last one lies partly outside the screen. */
static plate plates[] = {{.x = 50, .y = 40, .width = 120, .height = 100, .seed = 40},
                         {.x = 110, .y = 90, .width = 100, .height = 90, .seed = 90},
                         {.x = -30, .y = -20, .width = 70, .height = 50, .seed = 140}};
enum { PLATES = sizeof plates / sizeof *plates };

/* What is to be seen there. */
static COLORREF wanted_at(int x, int y, size_t count)
{
    for (size_t i = count; i > 0; i--) {
        const plate *p = &plates[i - 1];
        if (x >= p->x && y >= p->y && x < p->x + p->width && y < p->y + p->height) {
            return colour(p->seed, x - p->x, y - p->y);
        }
    }
    return GetSysColor(COLOR_DESKTOP);
}

static void check_picture(image_rect r, size_t count)
{
    image_bitmap image = {0};
    base_error err = {0};
    unsigned long wrong = 0;
    if (!CHECK(desk_capture(d, &r, true, &image, &err) && image.pixels)) {
        printf("    %s\n", err.message);
        return;
    }
    for (int y = 0; y < r.height; y++) {
        for (int x = 0; x < r.width; x++) {
            const uint8_t *p = image.pixels + (size_t) y * image.stride + (size_t) x * 4;
            COLORREF wanted = wanted_at(r.x + x, r.y + y, count);
            bool same =
                p[0] == GetBValue(wanted) && p[1] == GetGValue(wanted) && p[2] == GetRValue(wanted);
            if (!same && wrong++ == 0) {
                printf("    at %d,%d: %02x%02x%02x, not %06lx (BGR)\n", r.x + x, r.y + y, p[0],
                       p[1], p[2], wanted);
            }
        }
    }
    CHECK_EQ(wrong, 0);
}

static BOOL CALLBACK find_topmost(HWND window, LPARAM top)
{
    for (size_t i = 0; i < PLATES; i++) {
        if (window == plates[i].window) {
            *(HWND *) top = window;
            return FALSE;
        }
    }
    return TRUE;
}

/* To the top of the desktop, as soon as the system's own list says so, and of `plates`. */
static void raise_plate(size_t i)
{
    plate raised = plates[i];
    HWND top = NULL;
    ULONGLONG limit = GetTickCount64() + LIMIT;
    SetWindowPos(raised.window, HWND_TOP, 0, 0, 0, 0, SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE);
    while (top != raised.window && GetTickCount64() < limit) {
        EnumDesktopWindows(made, find_topmost, (LPARAM) &top);
        Sleep(1);
    }
    CHECK(top == raised.window);
    memmove(&plates[i], &plates[i + 1], (PLATES - 1 - i) * sizeof raised);
    plates[PLATES - 1] = raised;
}

static void test_pictures(void)
{
    image_rect screen = {0}, part = {100, 80, 60, 70};
    CHECK(win32_screen_rect(d, &screen, NULL));
    for (size_t i = 0; i < PLATES; i++) {
        raise_plate(0);
    }
    check_picture(screen, PLATES);
    check_picture(part, PLATES); /* smaller than the kept picture, and with parts of windows */
    ShowWindow(plates[0].window, SW_HIDE);
    plate first = plates[0];
    plates[0].width = 0;
    check_picture(screen, PLATES);
    plates[0] = first;
    ShowWindow(plates[0].window, SW_SHOWNA);
    raise_plate(0);
    check_picture(part, PLATES);
}

/* Left out, and at the cost of one question for all windows of its thread. */
static void test_hung(void)
{
    image_rect screen = {0};
    hanging = CreateEventW(NULL, TRUE, FALSE, NULL);
    resume = CreateEventW(NULL, TRUE, FALSE, NULL);
    CHECK(win32_screen_rect(d, &screen, NULL));
    PostMessageW(plates[PLATES - 1].window, WM_APP, 0, 0);
    CHECK_EQ(WaitForSingleObject(hanging, LIMIT), WAIT_OBJECT_0);
    ULONGLONG began = GetTickCount64();
    check_picture(screen, PLATES - 1);
    ULONGLONG took = GetTickCount64() - began;
    printf("a picture beside a hung window in %llu ms\n", took);
    CHECK(took < LIMIT / 3); /* it hangs until it is told to go on */
    SetEvent(resume);
    DWORD_PTR answer;
    CHECK(
        SendMessageTimeoutW(plates[PLATES - 1].window, WM_NULL, 0, 0, SMTO_BLOCK, LIMIT, &answer));
    check_picture(screen, PLATES);
    CloseHandle(hanging);
    CloseHandle(resume);
}

static int capture_often(int count)
{
    static const unsigned periods[] = {0, 3, 5, 7, 11, 13};
    image_bitmap image = {0};
    int succeeded = 0;
    for (int i = 0; i < count; i++) {
        image_rect r = {20, 10, 100 + i % 7 * 20, 100 + i % 3 * 30};
        fail_every = periods[i % 6];
        if (i % 10 == 0) {
            win32_screen_close(&used);
        }
        base_error err = {0};
        bool ok = desk_capture(d, &r, false, &image, &err);
        if (!ok && !fail_every) {
            printf("    %s\n", err.message);
        }
        succeeded += ok;
        win32_desktop_close(win32_desktop_open("deskpilot-compose", NULL));
    }
    fail_every = 0;
    win32_screen_close(&used);
    return succeeded;
}

/* How many handles there are; Wine does not tell, but gives out the lowest number that is free. */
static unsigned long handles_used(void)
{
    DWORD count = 0;
    GetProcessHandleCount(GetCurrentProcess(), &count);
    HANDLE next = CreateEventW(NULL, TRUE, FALSE, NULL);
    CloseHandle(next);
    return count ? count : (unsigned long) (uintptr_t) next;
}

static void test_no_leaks(void)
{
    capture_often(60); /* what the system makes once and keeps */
    unsigned long gdi = gdi_objects(), handles = handles_used();
    size_t memory = memory_used();
    int succeeded = capture_often(CAPTURES);
    unsigned long gdi_after = gdi_objects(), handles_after = handles_used();
    size_t memory_after = memory_used();
    printf(
        "%d captures, %d with pictures: GDI objects %lu and %lu, handles %lu and %lu, memory %zu "
        "and %zu bytes\n",
        CAPTURES, succeeded, gdi, gdi_after, handles, handles_after, memory, memory_after);
    CHECK(succeeded > CAPTURES / 6 && succeeded < CAPTURES);
    CHECK(gdi > 0);
    CHECK_EQ(gdi_after, gdi);
    CHECK_EQ(handles_after, handles);
    CHECK(memory > 0 && memory_after < memory + MEMORY_SLACK);
}

int main(void)
{
    WNDCLASSW class = {
        .lpfnWndProc = procedure, .lpszClassName = L"plate", .hInstance = GetModuleHandleW(NULL)};
    RegisterClassW(&class);
    win32_screen_ops(&used.base.ops);
    made = CreateDesktopW(NAME, NULL, NULL, 0, GENERIC_ALL, NULL);
    used.desktop = win32_desktop_open("deskpilot-compose", NULL);
    if (CHECK(made != NULL) && CHECK(used.desktop != NULL)) {
        for (size_t i = 0; i < PLATES; i++) {
            show(&plates[i]);
        }
        test_pictures();
        test_hung();
        test_no_leaks();
        for (size_t i = 0; i < PLATES; i++) {
            hide(&plates[i]);
        }
    }
    win32_desktop_close(used.desktop);
    CloseDesktop(made);
    return check_done();
}
