/* Monitors: those that are there against the system's own numbers, then others that are imagined:
 * places left of and above the primary one, scales, ones that have just been unplugged; and the
 * arithmetic of an absolute movement on such a screen. Two real ones: two_monitors. */
#include "check.h"

#include "desk/win32/win32_internal.h"

#include <shellscalingapi.h>
#include <stdlib.h>

typedef struct {
    RECT rect, work;
    DWORD flags;
    UINT dpi; /* 0: not told */
    const wchar_t *device;
    bool gone;
} imagined;

static const imagined *monitors; /* NULL: the real ones */
static size_t monitor_count;

static BOOL enumerate(HDC dc, const RECT *clip, MONITORENUMPROC call, LPARAM context)
{
    BOOL more = TRUE;
    if (!monitors) {
        return EnumDisplayMonitors(dc, clip, call, context);
    }
    for (size_t i = 0; more && i < monitor_count; i++) {
        RECT rect = monitors[i].rect;
        more = call((HMONITOR) &monitors[i], NULL, &rect, context);
    }
    return more;
}

static BOOL look_at(HMONITOR monitor, MONITORINFO *info)
{
    const imagined *m = (const imagined *) monitor;
    if (!monitors) {
        return GetMonitorInfoW(monitor, info);
    }
    info->rcMonitor = m->rect;
    info->rcWork = m->work;
    info->dwFlags = m->flags;
    wcscpy(((MONITORINFOEXW *) info)->szDevice, m->device);
    return !m->gone;
}

static HRESULT dpi_of(HMONITOR monitor, MONITOR_DPI_TYPE type, UINT *across, UINT *down)
{
    const imagined *m = (const imagined *) monitor;
    if (!monitors) {
        return GetDpiForMonitor(monitor, type, across, down);
    }
    *across = *down = m->dpi;
    return m->dpi ? S_OK : E_INVALIDARG;
}

static int metrics(int index)
{
    RECT all = {0, 0, 0, 0};
    if (!monitors) {
        return GetSystemMetrics(index);
    }
    for (size_t i = 0; i < monitor_count; i++) {
        UnionRect(&all, &all, &monitors[i].rect);
    }
    return index == SM_XVIRTUALSCREEN    ? all.left
           : index == SM_YVIRTUALSCREEN  ? all.top
           : index == SM_CXVIRTUALSCREEN ? all.right - all.left
                                         : all.bottom - all.top;
}

#define EnumDisplayMonitors enumerate
#define GetMonitorInfoW look_at
#define GetDpiForMonitor dpi_of
#define GetSystemMetrics metrics
#include "desk/win32/win32_compose.c"
#undef request
#include "desk/win32/win32_screen.c"
#include "desk/win32/win32_surface.c"
#define request monitors_request
#include "desk/win32/win32_monitors.c"
#undef request
#include "desk/win32/win32_pointer.c"
#undef EnumDisplayMonitors
#undef GetMonitorInfoW
#undef GetDpiForMonitor
#undef GetSystemMetrics

static win32_desk used;
static desk *const d = &used.base;
static base_error err;

static void check_rect(image_rect is, RECT wanted)
{
    CHECK_EQ(is.x, wanted.left);
    CHECK_EQ(is.y, wanted.top);
    CHECK_EQ(is.width, wanted.right - wanted.left);
    CHECK_EQ(is.height, wanted.bottom - wanted.top);
}

static void test_real(void)
{
    desk_monitor_list list;
    if (!CHECK(desk_monitors(d, &list, &err)) ||
        !CHECK_EQ(list.count, GetSystemMetrics(SM_CMONITORS))) {
        return;
    }
    size_t primaries = 0;
    for (size_t i = 0; i < list.count; i++) {
        RECT size = {0, 0, GetSystemMetrics(SM_CXSCREEN), GetSystemMetrics(SM_CYSCREEN)};
        CHECK(strncmp(list.items[i].name, "DISPLAY", 7) == 0);
        CHECK(list.items[i].scale >= 1);
        if (list.items[i].primary) {
            check_rect(list.items[i].rect, size);
            primaries++;
        }
    }
    CHECK_EQ(primaries, 1);
    desk_monitor_list_free(&list);
}

/* The primary one of 4K at twice the size, one left of and higher than it, one below. */
static const imagined three[] = {
    {{0, 0, 3840, 2160}, {0, 0, 3840, 2080}, MONITORINFOF_PRIMARY, 192, L"\\\\.\\DISPLAY1", false},
    {{-1920, -300, 0, 780}, {-1920, -300, 0, 780}, 0, 96, L"\\\\.\\DISPLAY2", false},
    {{9000, 0, 9100, 100}, {9000, 0, 9100, 100}, 0, 96, L"\\\\.\\DISPLAY4", true},
    {{0, 2160, 1280, 3184}, {40, 2160, 1280, 3184}, 0, 120, L"\\\\.\\DISPLAY3", false},
};

static void test_imagined(void)
{
    static const size_t order[] = {1, 0, 3};
    static const double scales[] = {1, 2, 1.25};
    desk_monitor_list list;
    monitors = three;
    monitor_count = sizeof three / sizeof *three;
    if (CHECK(desk_monitors(d, &list, &err)) && CHECK_EQ(list.count, 3)) {
        for (size_t i = 0; i < 3; i++) {
            const imagined *wanted = &three[order[i]];
            check_rect(list.items[i].rect, wanted->rect);
            check_rect(list.items[i].work, wanted->work);
            CHECK(list.items[i].scale == scales[i]);
            CHECK_EQ(list.items[i].primary, order[i] == 0);
        }
        CHECK_STR(list.items[0].name, "DISPLAY2");
    }
    desk_monitor_list_free(&list);
    monitors = NULL;
}

/* While the last one is unplugged there is none for a moment, but a screen. */
static void test_none(void)
{
    static const imagined gone = {{0, 0, 800, 600}, {0, 0, 800, 600}, 1, 0, L"x", true};
    desk_monitor_list list;
    monitors = &gone;
    monitor_count = 1;
    if (CHECK(desk_monitors(d, &list, &err)) && CHECK_EQ(list.count, 1)) {
        check_rect(list.items[0].rect, gone.rect);
        CHECK(list.items[0].primary && list.items[0].scale == 1);
    }
    desk_monitor_list_free(&list);
    monitors = NULL;
}

/* What Windows makes of an absolute place: 65536ths of the virtual screen. */
static int pixel_of(LONG place, int origin, int side)
{
    return origin + (int) ((int64_t) place * side / ABSOLUTE_SIDE);
}

static void test_absolute(void)
{
    image_rect screen;
    unsigned wrong = 0;
    monitors = three;
    monitor_count = sizeof three / sizeof *three;
    CHECK(win32_screen_rect(d, &screen, &err));
    check_rect(screen, (RECT){-1920, -300, 9100, 3184});
    for (int x = screen.x; x < screen.x + screen.width; x++) {
        wrong += pixel_of(absolute(x, screen.x, screen.width), screen.x, screen.width) != x;
    }
    for (int y = screen.y; y < screen.y + screen.height; y++) {
        wrong += pixel_of(absolute(y, screen.y, screen.height), screen.y, screen.height) != y;
    }
    CHECK_EQ(wrong, 0);
    static const image_rect outside[] = {{-1921, 0, 10, 10}, {0, -301, 5, 5}, {9091, 0, 10, 1}};
    image_bitmap image = {0};
    for (size_t i = 0; i < 3; i++) {
        CHECK(!desk_capture(d, &outside[i], false, &image, &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    CHECK(!desk_pointer_move(d, -1921, 0, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    monitors = NULL;
}

int main(void)
{
    win32_screen_ops(&used.base.ops);
    win32_monitor_ops(&used.base.ops);
    win32_pointer_ops(&used.base.ops);
    test_real();
    test_imagined();
    test_none();
    test_absolute();
    return check_done();
}
