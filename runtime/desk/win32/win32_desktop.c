#include "win32_internal.h"

#include <stdlib.h>
#include <string.h>

/* All that listing, asking and drawing windows takes, and none to play input. */
enum {
    RIGHTS = DESKTOP_READOBJECTS | DESKTOP_WRITEOBJECTS | DESKTOP_CREATEWINDOW | DESKTOP_ENUMERATE |
             DESKTOP_HOOKCONTROL
};

HDESK win32_desktop_open(const char *name, base_error *err)
{
    wchar_t *wide = win32_wide(name, strlen(name), NULL, err);
    if (!wide) {
        return NULL;
    }
    HDESK desktop = OpenDesktopW(wide, 0, FALSE, RIGHTS);
    DWORD error = GetLastError();
    free(wide);
    if (!desktop) {
        win32_fail(err, BASE_UNAVAILABLE,
                   "That Windows desktop cannot be opened; leave the display out to work on the "
                   "user's own",
                   error);
    }
    return desktop;
}

void win32_desktop_close(HDESK desktop)
{
    if (desktop) {
        CloseDesktop(desktop);
    }
}

typedef struct {
    HDESK desktop;
    win32_call call;
    void *context;
    base_error *err;
    bool ok;
} visit;

static DWORD WINAPI visit_thread(void *context)
{
    visit *v = context;
    HDESK own = GetThreadDesktop(GetCurrentThreadId()); /* needs no closing */
    if (!SetThreadDesktop(v->desktop)) {
        win32_fail(v->err, BASE_UNAVAILABLE, "The private desktop cannot be worked on",
                   GetLastError());
        return 0;
    }
    v->ok = v->call(v->context, v->err);
    SetThreadDesktop(own); /* Wine closes the handle of the desktop on which a thread ends */
    return 0;
}

bool win32_desktop_run(HDESK desktop, win32_call call, void *context, base_error *err)
{
    visit v = {desktop, call, context, err, false};
    if (!desktop) {
        return call(context, err);
    }
    HANDLE thread = CreateThread(NULL, 0, visit_thread, &v, 0, NULL);
    if (!thread) {
        return win32_fail(err, BASE_UNAVAILABLE, "Windows gave no thread for the private desktop",
                          GetLastError());
    }
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return v.ok;
}
