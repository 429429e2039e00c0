/*
 * A window's own pixels. Where all of it is in sight they are copied from the screen; else the
 * window is asked to draw itself (win32_compose.c), which its program may do badly or not at all:
 * that is told from a colour that is there beforehand.
 */
#include "win32_internal.h"

#include <dwmapi.h>
#include <string.h>

enum {
    PIXELS_MAX = 1 << 26, /* 256 MB of them */
    NOTHING = 0x02fd01,   /* a colour that no window is painted in, as it is in memory */
    COLOURS = 0xffffff,
    ABOVE_MAX = 4096,
    PARKED = -32000, /* where Windows keeps minimized windows */
};

/* --- in sight ------------------------------------------------------------------------------------
 */

static bool is_cloaked(HWND window)
{
    DWORD cloaked = 0;
    return SUCCEEDED(DwmGetWindowAttribute(window, DWMWA_CLOAKED, &cloaked, sizeof cloaked)) &&
           cloaked;
}

static bool is_over(HWND other, const RECT *seen)
{
    RECT its, common;
    return IsWindowVisible(other) && !IsIconic(other) && !is_cloaked(other) &&
           win32_seen_frame(other, &its) && IntersectRect(&common, &its, seen);
}

static bool is_covered(HWND window, const RECT *seen)
{
    int count = 0;
    for (HWND above = window; (above = GetWindow(above, GW_HWNDPREV));) {
        if (is_over(above, seen) || ++count > ABOVE_MAX) {
            return true;
        }
    }
    return false;
}

typedef struct {
    const RECT *seen;
    int64_t pixels;
} sight;

static BOOL CALLBACK add_sight(HMONITOR monitor, HDC dc, LPRECT rect, LPARAM context)
{
    sight *s = (sight *) context;
    RECT common;
    (void) monitor;
    (void) dc;
    if (IntersectRect(&common, rect, s->seen)) {
        s->pixels += (int64_t) (common.right - common.left) * (common.bottom - common.top);
    }
    return TRUE;
}

/* Between monitors of different sizes there is nothing to be seen. */
static bool is_on_monitors(const RECT *seen)
{
    sight s = {seen, 0};
    EnumDisplayMonitors(NULL, NULL, add_sight, (LPARAM) &s);
    return s.pixels == (int64_t) (seen->right - seen->left) * (seen->bottom - seen->top);
}

/* Whether the screen shows just what the window draws. Layered windows may be seen through. */
static bool is_in_sight(HWND window, const RECT *seen)
{
    return GetAncestor(window, GA_ROOT) == window &&
           !(GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_LAYERED) && is_on_monitors(seen) &&
           !is_covered(window, seen);
}

/* --- asked to draw -------------------------------------------------------------------------------
 */

/* Gives what has not been drawn the colour of windows; false if nothing has been. */
static bool fill_gaps(win32_surface *s, RECT part)
{
    DWORD plain = GetSysColor(COLOR_BTNFACE);
    uint32_t colour =
        (uint32_t) (GetRValue(plain) << 16 | GetGValue(plain) << 8 | GetBValue(plain));
    bool drawn = false;
    GdiFlush();
    for (LONG y = part.top; y < part.bottom; y++) {
        uint8_t *row = s->pixels + (size_t) y * (size_t) s->width * 4;
        for (LONG x = part.left; x < part.right; x++) {
            uint32_t pixel;
            memcpy(&pixel, row + (size_t) x * 4, 4);
            if ((pixel & COLOURS) != NOTHING) {
                drawn = true;
            } else {
                memcpy(row + (size_t) x * 4, &colour, 4);
            }
        }
    }
    return drawn;
}

static void fill_with_nothing(win32_surface *s, int width, int height)
{
    uint32_t nothing = NOTHING;
    GdiFlush();
    for (int y = 0; y < height; y++) {
        uint8_t *row = s->pixels + (size_t) y * (size_t) s->width * 4;
        for (int x = 0; x < width; x++) {
            memcpy(row + (size_t) x * 4, &nothing, 4);
        }
    }
}

static bool ask(win32_desk *w, HWND window, RECT outer, RECT seen, base_error *err)
{
    int width = outer.right - outer.left, height = outer.bottom - outer.top;
    RECT part = seen;
    if (!win32_window_answers(window)) {
        return base_fail(err, BASE_REFUSED,
                         "Not all of the window is in sight, and its program does not respond, so "
                         "it cannot be asked for its pixels.");
    }
    if (!win32_surface_fit(&w->scratch, width, height, err)) {
        return false;
    }
    OffsetRect(&part, -outer.left, -outer.top);
    fill_with_nothing(&w->scratch, width, height);
    win32_print(window, &w->scratch);
    if (!fill_gaps(&w->scratch, part)) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "Not all of the window is in sight, and its program draws nothing when it "
                         "is asked to: bring the window to the front and onto the screen, or "
                         "capture it as it is there.");
    }
    BitBlt(w->frame.memory, 0, 0, part.right - part.left, part.bottom - part.top, w->scratch.memory,
           part.left, part.top, SRCCOPY);
    GdiFlush();
    return true;
}

/* --- the picture ---------------------------------------------------------------------------------
 */

typedef struct {
    win32_desk *desk;
    uint64_t id;
    RECT seen;
} request;

/* The window's rectangles; of the outer one, the seen part is what `windows` lists. */
static bool find(HWND window, uint64_t id, RECT *outer, RECT *seen, base_error *err)
{
    if (!IsWindow(window)) {
        return base_fail(err, BASE_NOT_FOUND, "There is no window %llu: it has been closed.",
                         (unsigned long long) id);
    }
    bool placed = GetWindowRect(window, outer) && win32_seen_frame(window, seen) &&
                  IntersectRect(seen, seen, outer);
    if (!placed || !IsWindowVisible(window) || IsIconic(window) || is_cloaked(window) ||
        (outer->left == PARKED && outer->top == PARKED)) {
        return base_fail(err, BASE_UNAVAILABLE,
                         "The window is not shown (minimized, or on another virtual desktop), so "
                         "it has no pixels: restore or focus it first.");
    }
    int64_t width = (int64_t) outer->right - outer->left;
    int64_t height = (int64_t) outer->bottom - outer->top;
    if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE || width * height > PIXELS_MAX) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "A window of %lld x %lld pixels is too large to capture.",
                         (long long) width, (long long) height);
    }
    return true;
}

static bool take(void *context, base_error *err)
{
    request *q = context;
    win32_desk *w = q->desk;
    HWND window = (HWND) (uintptr_t) q->id;
    RECT outer = {0}, seen = {0};
    if (!find(window, q->id, &outer, &seen, err)) {
        return false;
    }
    q->seen = seen;
    image_rect rect = {seen.left, seen.top, seen.right - seen.left, seen.bottom - seen.top};
    if (!win32_surface_fit(&w->frame, rect.width, rect.height, err)) {
        return false;
    }
    return !w->desktop && is_in_sight(window, &seen) ? win32_surface_grab(&w->frame, rect, err)
                                                     : ask(w, window, outer, seen, err);
}

static bool win32_window_capture(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                                 base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    request q = {.desk = w, .id = id};
    *out = (desk_window_picture){0};
    if (!win32_desktop_run(w->desktop, take, &q, err)) {
        return false;
    }
    out->rect = (image_rect){q.seen.left, q.seen.top, q.seen.right - q.seen.left,
                             q.seen.bottom - q.seen.top};
    if (cursor && !w->desktop) {
        win32_cursor_draw(&w->frame, out->rect);
    }
    out->image = (image_bitmap){out->rect.width, out->rect.height, (size_t) w->frame.width * 4,
                                .pixels = w->frame.pixels, .borrowed = true};
    return true;
}

/* It is drawn while its picture is taken, so nothing is ever pending. */
void win32_window_capture_ops(desk_ops *ops)
{
    ops->window_capture = win32_window_capture;
}
