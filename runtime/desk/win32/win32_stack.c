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

bool win32_window_stack(desk *d, uint64_t id, bool above, base_error *err)
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

/* A hook for events of windows needs a thread with a message loop; a look costs less. */
uint64_t win32_window_changes(desk *d)
{
    (void) d;
    return 0;
}

static bool no_workspaces(base_error *err)
{
    return base_fail(err, BASE_UNSUPPORTED,
                     "Windows tells no program of its virtual desktops, and lets none move another "
                     "program's window: press ctrl+win+left or ctrl+win+right instead.");
}

bool win32_workspaces(desk *d, desk_workspaces *out, base_error *err)
{
    (void) d;
    *out = (desk_workspaces){0};
    return no_workspaces(err);
}

bool win32_workspace_go(desk *d, int number, base_error *err)
{
    (void) d;
    (void) number;
    return no_workspaces(err);
}

bool win32_window_workspace(desk *d, uint64_t id, int number, base_error *err)
{
    (void) d;
    (void) id;
    (void) number;
    return no_workspaces(err);
}
