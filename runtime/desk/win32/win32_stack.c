/* The order of windows, and what Windows does not let other programs do. */
#include "win32_internal.h"

/* Asked for, not waited for: the thread of a window that hangs would hold us. */
enum { STAY = SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_ASYNCWINDOWPOS };

/* Windows lets a program that is not in front place no window on top of the others, but it does let
 * it make one a topmost window, and an ordinary one again, which stays where it is then. */
static bool raise(HWND window)
{
    bool topmost = (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_TOPMOST) != 0;
    if (topmost) {
        return SetWindowPos(window, HWND_TOP, 0, 0, 0, 0, STAY);
    }
    return SetWindowPos(window, HWND_TOPMOST, 0, 0, 0, 0, STAY) &&
           SetWindowPos(window, HWND_NOTOPMOST, 0, 0, 0, 0, STAY);
}

static bool lower(HWND window)
{
    return SetWindowPos(window, HWND_BOTTOM, 0, 0, 0, 0, STAY);
}

static bool win32_window_stack(desk *d, uint64_t id, bool above, base_error *err)
{
    HWND window;
    (void) d;
    if (!win32_find_window(id, &window, err)) {
        return false;
    }
    if (!(above ? raise(window) : lower(window))) {
        return win32_refused("The window cannot be restacked", err);
    }
    /* What its thread answers now it answers after what was asked for; otherwise a look would find
     * one that was in front already, and is about to be a topmost one for a moment. */
    win32_window_answers(window);
    return true;
}

/* A hook for events of windows needs a thread with a message loop; a look costs less: nothing tells
 * of changes. */
void win32_stack_ops(desk_ops *ops)
{
    ops->window_stack = win32_window_stack;
}
