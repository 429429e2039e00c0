/*
 * The picture of a desktop that is on no screen: Windows draws the windows of the input desktop
 * only, so each window is asked for its own picture, and these are laid on each other from the
 * bottom to the top. There is no wallpaper, and no mouse pointer.
 *
 * A window draws when its program does (WM_PRINT, or what the compositor has of it), so a program
 * that does not answer would hold us up: it is asked first, and left out. One that stops between
 * the two still would.
 */
#include "win32_internal.h"

#include <dwmapi.h>

#ifndef PW_RENDERFULLCONTENT
#define PW_RENDERFULLCONTENT 2 /* what is drawn by DirectX too; since Windows 8.1 */
#endif

enum { WINDOWS_MAX = 512, TIMEOUT = 100 /* milliseconds */ };

typedef struct {
    HWND items[WINDOWS_MAX]; /* top to bottom */
    size_t count;
} window_stack;

static BOOL CALLBACK collect(HWND window, LPARAM context)
{
    window_stack *stack = (window_stack *) context;
    if (IsWindowVisible(window) && !IsIconic(window)) {
        stack->items[stack->count++] = window;
    }
    return stack->count < WINDOWS_MAX;
}

bool win32_window_answers(HWND window)
{
    DWORD_PTR result;
    return !IsHungAppWindow(window) &&
           SendMessageTimeoutW(window, WM_NULL, 0, 0, SMTO_ABORTIFHUNG | SMTO_BLOCK, TIMEOUT,
                               &result);
}

/* Windows of one thread are silent together: the others cost no time then. */
static bool answers(HWND window, DWORD *silent)
{
    DWORD thread = GetWindowThreadProcessId(window, NULL);
    if (thread == 0 || thread == *silent) {
        return false;
    }
    if (win32_window_answers(window)) {
        return true;
    }
    *silent = thread;
    return false;
}

void win32_print(HWND window, win32_surface *on)
{
    PrintWindow(window, on->memory, PW_RENDERFULLCONTENT);
}

/* The part of the window that is to be seen: without its invisible borders, inside the picture. */
static bool visible_part(HWND window, RECT outer, image_rect picture, RECT *out)
{
    RECT seen,
        whole = {picture.x, picture.y, picture.x + picture.width, picture.y + picture.height};
    if (FAILED(DwmGetWindowAttribute(window, DWMWA_EXTENDED_FRAME_BOUNDS, &seen, sizeof seen))) {
        seen = outer;
    }
    return IntersectRect(&seen, &seen, &outer) && IntersectRect(out, &seen, &whole);
}

static void fill(HDC dc, int width, int height, int colour)
{
    RECT all = {0, 0, width, height};
    FillRect(dc, &all, GetSysColorBrush(colour));
}

/* False where there is no memory for the window's picture. A window that draws nothing is a plain
 * area: something lies there. */
static bool draw(win32_surface *on, image_rect picture, HWND window, win32_surface *scratch,
                 base_error *err)
{
    RECT outer, part;
    if (!GetWindowRect(window, &outer) || !visible_part(window, outer, picture, &part)) {
        return true;
    }
    /* From its own corner on, as it draws itself, but no further than is needed. In 64 bits: the
     * rectangle is another program's. */
    int64_t width = (int64_t) part.right - outer.left, height = (int64_t) part.bottom - outer.top;
    if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE) {
        return true;
    }
    if (!win32_surface_fit(scratch, (int) width, (int) height, err)) {
        return false;
    }
    fill(scratch->memory, (int) width, (int) height, COLOR_BTNFACE);
    win32_print(window, scratch);
    BitBlt(on->memory, part.left - picture.x, part.top - picture.y, part.right - part.left,
           part.bottom - part.top, scratch->memory, part.left - outer.left, part.top - outer.top,
           SRCCOPY);
    return true;
}

bool win32_compose(win32_surface *s, image_rect rect, win32_surface *scratch, base_error *err)
{
    window_stack stack = {.count = 0};
    DWORD silent = 0;
    bool ok = true;
    EnumWindows(collect, (LPARAM) &stack);
    fill(s->memory, rect.width, rect.height, COLOR_DESKTOP);
    for (size_t i = stack.count; ok && i > 0; i--) {
        if (answers(stack.items[i - 1], &silent)) {
            ok = draw(s, rect, stack.items[i - 1], scratch, err);
        }
    }
    GdiFlush(); /* drawing is queued per thread */
    return ok;
}

typedef struct {
    win32_desk *desk;
    win32_surface *surface;
    image_rect rect;
} request;

static bool compose_there(void *context, base_error *err)
{
    request *q = context;
    return win32_compose(q->surface, q->rect, &q->desk->scratch, err);
}

bool win32_grab(win32_desk *w, win32_surface *s, image_rect rect, base_error *err)
{
    request q = {w, s, rect};
    return w->desktop ? win32_desktop_run(w->desktop, compose_there, &q, err)
                      : win32_surface_grab(s, rect, err);
}
