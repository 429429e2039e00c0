/*
 * The frame by which people are shown a place: one topmost window that is cut to the frame's four
 * sides. Layered and transparent, it is not there for the mouse; a tool window that is never
 * activated is in no list of windows. It belongs to the thread that asked for it, and Windows takes
 * it away with that.
 */
#include "win32_internal.h"

enum { SIDES = 4 };

static const wchar_t CLASS[] = L"deskpilot-highlight";

static bool register_class(void)
{
    WNDCLASSEXW class = {.cbSize = sizeof class,
                         .lpfnWndProc = DefWindowProcW,
                         .hInstance = GetModuleHandleW(NULL),
                         .hbrBackground = CreateSolidBrush(RGB(0xff, 0x2d, 0x95)),
                         .lpszClassName = CLASS};
    if (RegisterClassExW(&class)) { /* from now on the brush is its own */
        return true;
    }
    DWORD error = GetLastError();
    DeleteObject(class.hbrBackground);
    SetLastError(error);
    return error == ERROR_CLASS_ALREADY_EXISTS;
}

static HWND create(void)
{
    DWORD extended =
        WS_EX_LAYERED | WS_EX_TRANSPARENT | WS_EX_NOACTIVATE | WS_EX_TOOLWINDOW | WS_EX_TOPMOST;
    HWND window = register_class()
                      ? CreateWindowExW(extended, CLASS, L"deskpilot highlight", WS_POPUP, 0, 0, 1,
                                        1, NULL, NULL, GetModuleHandleW(NULL), NULL)
                      : NULL;
    if (window) {
        SetLayeredWindowAttributes(window, 0, 255, LWA_ALPHA); /* it shows nothing before that */
    }
    return window;
}

/* The window's shape; Windows owns it from now on. */
static bool cut(HWND window, const image_rect *frame, const image_rect *strips)
{
    HRGN whole = CreateRectRgn(0, 0, 0, 0), side = CreateRectRgn(0, 0, 0, 0);
    bool ok = whole && side;
    for (int i = 0; ok && i < SIDES; i++) {
        int x = strips[i].x - frame->x, y = strips[i].y - frame->y;
        ok = SetRectRgn(side, x, y, x + strips[i].width, y + strips[i].height) &&
             CombineRgn(whole, whole, side, RGN_OR) != ERROR;
    }
    ok = ok && SetWindowRgn(window, whole, FALSE);
    if (side) {
        DeleteObject(side);
    }
    if (whole && !ok) {
        DeleteObject(whole);
    }
    return ok;
}

static bool show(win32_desk *w, const image_rect *frame, const image_rect *strips)
{
    if (!w->highlight) {
        w->highlight = create();
    }
    /* Painted now: nothing says when its messages are fetched next. */
    return w->highlight && cut(w->highlight, frame, strips) &&
           SetWindowPos(w->highlight, HWND_TOPMOST, frame->x, frame->y, frame->width, frame->height,
                        SWP_NOACTIVATE | SWP_SHOWWINDOW) &&
           RedrawWindow(w->highlight, NULL, NULL, RDW_INVALIDATE | RDW_ERASE | RDW_UPDATENOW);
}

void win32_highlight_pump(win32_desk *w)
{
    MSG message;
    while (w->highlight && PeekMessageW(&message, w->highlight, 0, 0, PM_REMOVE)) {
        DispatchMessageW(&message);
    }
}

void win32_highlight_close(win32_desk *w)
{
    if (w->highlight) {
        DestroyWindow(w->highlight);
        w->highlight = NULL;
    }
}

static bool win32_highlight(desk *d, const image_rect *frame, const image_rect *strips,
                            base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    if (!frame) {
        win32_highlight_close(w);
        return true;
    }
    if (show(w, frame, strips)) {
        win32_highlight_pump(w);
        return true;
    }
    DWORD error = GetLastError();
    win32_highlight_close(w);
    return win32_fail(err, BASE_REFUSED, "Windows cannot draw a frame on the screen", error);
}

void win32_highlight_ops(desk_ops *ops)
{
    ops->highlight = win32_highlight;
}
