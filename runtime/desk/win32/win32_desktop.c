#include "win32.h"

#include <stdlib.h>
#include <string.h>

enum {
    RIGHTS = DESKTOP_READOBJECTS | DESKTOP_WRITEOBJECTS | DESKTOP_CREATEWINDOW | DESKTOP_ENUMERATE |
             DESKTOP_JOURNALPLAYBACK | DESKTOP_HOOKCONTROL
};

bool win32_desktop_enter(win32_desk *w, const char *name, desk_error *err)
{
    wchar_t *wide = win32_wide(name, strlen(name), NULL, err);
    if (!wide) {
        return false;
    }
    w->desktop = OpenDesktopW(wide, 0, FALSE, RIGHTS);
    DWORD error = GetLastError();
    free(wide);
    if (!w->desktop) {
        return win32_fail(err, DESK_UNAVAILABLE,
                          "That Windows desktop cannot be opened; leave the display out to work on "
                          "the user's own",
                          error);
    }
    w->desktop_before = GetThreadDesktop(GetCurrentThreadId());
    if (!SetThreadDesktop(w->desktop)) {
        error = GetLastError();
        CloseDesktop(w->desktop);
        w->desktop = NULL;
        return win32_fail(err, DESK_UNAVAILABLE, "That Windows desktop cannot be worked on", error);
    }
    return true;
}

void win32_desktop_leave(win32_desk *w)
{
    if (w->desktop) {
        SetThreadDesktop(w->desktop_before);
        CloseDesktop(w->desktop);
    }
    w->desktop = NULL;
}
