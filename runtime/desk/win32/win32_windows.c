#include "win32_internal.h"

#include <dwmapi.h>
#include <stdlib.h>
#include <string.h>

/* Titles and classes are whatever a program, or a web page, chose: both are cut short. */
enum { TITLE_MAX = 512, CLASS_MAX = 128, PATH_MAX_UNITS = 4096, WINDOWS_MAX = 4096 };

static HWND window_of(uint64_t id)
{
    return (HWND) (uintptr_t) id;
}

static image_rect rect_of(RECT r)
{
    return (image_rect){r.left, r.top, r.right - r.left, r.bottom - r.top};
}

/* --- which windows --------------------------------------------------------------------------- */

/* The shell's own windows: the desktop with its icons, and the task bars. */
static bool is_shell(HWND window)
{
    static const wchar_t *const classes[] = {L"Progman", L"WorkerW", L"Shell_TrayWnd",
                                             L"Shell_SecondaryTrayWnd"};
    wchar_t name[CLASS_MAX] = L"";
    GetClassNameW(window, name, CLASS_MAX);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (wcscmp(name, classes[i]) == 0) {
            return true;
        }
    }
    return window == GetShellWindow();
}

/* What a user would call a window; a minimized one is "visible" to Windows. A cloaked one is on
 * another virtual desktop, or a store app's that has been put to sleep. */
static bool is_shown(HWND window)
{
    LONG_PTR style = GetWindowLongPtrW(window, GWL_EXSTYLE);
    DWORD cloaked = 0;
    RECT rect;
    if (!IsWindowVisible(window) || ((style & WS_EX_TOOLWINDOW) && !(style & WS_EX_APPWINDOW)) ||
        !GetWindowRect(window, &rect) || IsRectEmpty(&rect) || is_shell(window)) {
        return false;
    }
    return FAILED(DwmGetWindowAttribute(window, DWMWA_CLOAKED, &cloaked, sizeof cloaked)) ||
           !cloaked;
}

typedef struct {
    HWND *items; /* top to bottom */
    size_t count;
} found_windows;

static BOOL CALLBACK collect(HWND window, LPARAM context)
{
    found_windows *found = (found_windows *) context;
    if (is_shown(window)) {
        found->items[found->count++] = window;
    }
    return found->count < WINDOWS_MAX - 1; /* room for the active one */
}

static HWND active_window(void)
{
    return GetAncestor(GetForegroundWindow(), GA_ROOT);
}

/* Whatever gets the keys is listed: EnumWindows leaves out what lies above all others (the start
 * menu, search), and a tool window may be typed into as well. Only the desktop is no window to type
 * to. */
static void collect_active(found_windows *found)
{
    HWND active = active_window();
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i] == active) {
            return;
        }
    }
    if (active && IsWindowVisible(active) && !is_shell(active)) {
        memmove(found->items + 1, found->items, found->count++ * sizeof active);
        found->items[0] = active;
    }
}

/* --- what they are --------------------------------------------------------------------------- */

static char *title_of(HWND window)
{
    wchar_t title[TITLE_MAX] = L"";
    /* The text that Windows keeps for the frame; WM_GETTEXT would wait for a program that hangs. */
    int length = InternalGetWindowText(window, title, TITLE_MAX);
    return win32_clean_utf8(title, length, TITLE_MAX);
}

static char *class_of(HWND window)
{
    wchar_t name[CLASS_MAX] = L"";
    int length = GetClassNameW(window, name, CLASS_MAX);
    return win32_clean_utf8(name, length, CLASS_MAX);
}

static char *executable_of(DWORD pid)
{
    wchar_t path[PATH_MAX_UNITS] = L"";
    DWORD length = PATH_MAX_UNITS;
    HANDLE process = pid ? OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid) : NULL;
    if (!process || !QueryFullProcessImageNameW(process, 0, path, &length)) {
        length = 0;
    }
    if (process) {
        CloseHandle(process);
    }
    return win32_clean_utf8(path, (int) length, PATH_MAX_UNITS);
}

/* Windows keeps minimized windows at a place far outside the screen; one that comes back may still
 * be there when it is no icon any more. */
static bool is_minimized(HWND window)
{
    enum { OUTSIDE = -32000 };
    RECT rect;
    return IsIconic(window) ||
           (GetWindowRect(window, &rect) && rect.left == OUTSIDE && rect.top == OUTSIDE);
}

/* Where a minimized window will be again. Its placement counts from the work area's corner, but a
 * tool window's from the screen's. */
static bool restored_rect(HWND window, RECT *out)
{
    WINDOWPLACEMENT placement = {.length = sizeof placement};
    MONITORINFO monitor = {.cbSize = sizeof monitor};
    if (!GetWindowPlacement(window, &placement)) {
        return false;
    }
    *out = placement.rcNormalPosition;
    bool tool = (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_TOOLWINDOW) != 0;
    if (!tool && GetMonitorInfoW(MonitorFromRect(out, MONITOR_DEFAULTTONEAREST), &monitor)) {
        OffsetRect(out, monitor.rcWork.left - monitor.rcMonitor.left,
                   monitor.rcWork.top - monitor.rcMonitor.top);
    }
    return true;
}

/* Since Windows 10 a window's own rect has invisible borders to grab. */
static bool seen_frame(HWND window, RECT *out)
{
    return SUCCEEDED(DwmGetWindowAttribute(window, DWMWA_EXTENDED_FRAME_BOUNDS, out, sizeof *out));
}

bool win32_seen_frame(HWND window, RECT *out)
{
    return seen_frame(window, out) || GetWindowRect(window, out);
}

static image_rect frame_of(HWND window)
{
    RECT rect = {0};
    if (!(is_minimized(window) && restored_rect(window, &rect)) && !seen_frame(window, &rect)) {
        GetWindowRect(window, &rect);
    }
    return rect_of(rect);
}

DWORD win32_process_of(HWND window)
{
    DWORD pid = 0;
    HWND inside = FindWindowExW(window, NULL, L"Windows.UI.Core.CoreWindow", NULL);
    GetWindowThreadProcessId(inside ? inside : window, &pid);
    return pid;
}

static bool fill(HWND window, HWND active, desk_window *out)
{
    DWORD pid = win32_process_of(window);
    bool minimized = is_minimized(window);
    *out = (desk_window){
        .id = (uintptr_t) window,
        .title = title_of(window),
        .klass = class_of(window),
        .executable = executable_of(pid),
        .pid = (long) pid,
        .rect = frame_of(window),
        .active = window == active,
        .visible = !minimized,
        .minimized = minimized,
        .maximized = IsZoomed(window) != 0,
        .layer = (GetWindowLongPtrW(window, GWL_EXSTYLE) & WS_EX_TOPMOST) != 0,
    };
    return out->title && out->klass && out->executable;
}

static bool describe(const found_windows *found, desk_window_list *out)
{
    HWND active = active_window();
    bool ok = true;
    for (size_t i = found->count; ok && i > 0; i--) {
        HWND window = found->items[i - 1];
        if (IsWindow(window)) { /* else it has closed meanwhile */
            ok = fill(window, active, &out->items[out->count++]);
        }
    }
    return ok;
}

static uint64_t win32_window_active(desk *d)
{
    (void) d;
    return (uint64_t) (uintptr_t) active_window();
}

static bool win32_windows(desk *d, desk_window_list *out, base_error *err)
{
    found_windows found = {.count = 0};
    (void) d;
    *out = (desk_window_list){0};
    found.items = malloc(WINDOWS_MAX * sizeof *found.items);
    if (found.items) {
        EnumWindows(collect, (LPARAM) &found);
        collect_active(&found);
        out->items = calloc(found.count ? found.count : 1, sizeof *out->items);
    }
    bool ok = out->items && describe(&found, out);
    free(found.items);
    if (!ok) {
        desk_window_list_free(out);
        return base_fail(err, BASE_NO_MEMORY, "There is no memory for the list of windows.");
    }
    return true;
}

/* --- what can be done to them ---------------------------------------------------------------- */

bool win32_find_window(uint64_t id, HWND *out, base_error *err)
{
    *out = window_of(id);
    if (IsWindow(*out)) {
        return true;
    }
    return base_fail(err, BASE_NOT_FOUND, "There is no window %llu: it has been closed.",
                     (unsigned long long) id);
}

static bool win32_window_focus(desk *d, uint64_t id, base_error *err)
{
    HWND window;
    INPUT nothing = {.type = INPUT_MOUSE};
    (void) d;
    if (!win32_find_window(id, &window, err)) {
        return false;
    }
    if (IsHungAppWindow(window)) { /* to activate it would be to wait for it */
        return base_fail(err, BASE_REFUSED, "The window's program does not respond.");
    }
    if (IsIconic(window)) {
        ShowWindowAsync(window, SW_RESTORE);
    }
    /* Only the process that made the last input may choose the active window: an empty movement of
     * the mouse makes that us. A tap of alt would do too, but opens menus. */
    win32_send(&nothing, 1, NULL);
    bool active = SetForegroundWindow(window);
    /* Without a window manager below Wine the order changes by this only. */
    SetWindowPos(window, HWND_TOP, 0, 0, 0, 0, SWP_NOMOVE | SWP_NOSIZE | SWP_ASYNCWINDOWPOS);
    if (!active && GetForegroundWindow() != window) {
        return base_fail(err, BASE_REFUSED,
                         "Windows did not let the window come to the front; click on it instead.");
    }
    /* Asked for only, so far: what is clicked now would be what was in front of it. */
    win32_window_answers(window);
    return true;
}

bool win32_refused(const char *what, base_error *err)
{
    DWORD error = GetLastError();
    if (error == ERROR_ACCESS_DENIED) {
        return base_fail(err, BASE_REFUSED,
                         "%s: the window belongs to a program that runs as administrator.", what);
    }
    return win32_fail(err, BASE_REFUSED, what, error);
}

static bool win32_window_close(desk *d, uint64_t id, base_error *err)
{
    HWND window;
    (void) d;
    if (!win32_find_window(id, &window, err)) {
        return false;
    }
    return PostMessageW(window, WM_CLOSE, 0, 0) ||
           win32_refused("The window cannot be closed", err);
}

/* A window that was maximized when it was minimized is restored to be maximized again, so it takes
 * two steps to make it a normal one; the second does nothing to others. */
static bool show_normal(HWND window)
{
    if (IsIconic(window)) {
        ShowWindowAsync(window, SW_RESTORE);
    }
    return ShowWindowAsync(window, SW_RESTORE);
}

static bool win32_window_place(desk *d, uint64_t id, image_rect rect, base_error *err)
{
    HWND window;
    RECT outer, seen;
    (void) d;
    if (!win32_find_window(id, &window, err)) {
        return false;
    }
    if (IsIconic(window) || IsZoomed(window)) {
        show_normal(window); /* its borders are not known until it is done */
    } else if (GetWindowRect(window, &outer) && seen_frame(window, &seen)) {
        rect.x -= seen.left - outer.left;
        rect.y -= seen.top - outer.top;
        rect.width += (outer.right - outer.left) - (seen.right - seen.left);
        rect.height += (outer.bottom - outer.top) - (seen.bottom - seen.top);
    }
    return SetWindowPos(window, NULL, rect.x, rect.y, rect.width, rect.height,
                        SWP_NOZORDER | SWP_NOACTIVATE | SWP_ASYNCWINDOWPOS) ||
           win32_refused("The window cannot be placed", err);
}

static bool win32_window_state(desk *d, uint64_t id, desk_window_state state, base_error *err)
{
    HWND window;
    (void) d;
    if (!win32_find_window(id, &window, err)) {
        return false;
    }
    SetLastError(0);
    bool done = state == DESK_WINDOW_MINIMIZED   ? ShowWindowAsync(window, SW_MINIMIZE)
                : state == DESK_WINDOW_MAXIMIZED ? ShowWindowAsync(window, SW_SHOWMAXIMIZED)
                                                 : show_normal(window);
    return done || !GetLastError() || win32_refused("The window's state cannot be changed", err);
}

void win32_windows_ops(desk_ops *ops)
{
    ops->windows = win32_windows;
    ops->window_active = win32_window_active;
    ops->window_focus = win32_window_focus;
    ops->window_close = win32_window_close;
    ops->window_place = win32_window_place;
    ops->window_set_state = win32_window_state;
}
