/* Monitors as Windows has them, asked for each time: they are plugged in and turned while a desk is
 * open. The primary one's corner is 0,0. */
#include "win32_internal.h"

#include <shellscalingapi.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_DPI = 96, NAME_MAX_BYTES = 64 };

typedef struct {
    desk_monitor_list *list;
    bool ok;
} request;

static image_rect rect_of(RECT r)
{
    return (image_rect){r.left, r.top, r.right - r.left, r.bottom - r.top};
}

/* The user's choice for that monitor, by which Windows and applications draw on it. */
static double scale_of(HMONITOR monitor)
{
    UINT across = USUAL_DPI, down = USUAL_DPI;
    if (FAILED(GetDpiForMonitor(monitor, MDT_EFFECTIVE_DPI, &across, &down)) || across == 0) {
        return 1;
    }
    return (double) across / USUAL_DPI;
}

/* "DISPLAY1" of "\\.\DISPLAY1". */
static char *name_of(const wchar_t *device)
{
    const wchar_t *last = wcsrchr(device, L'\\');
    return win32_clean_utf8(last ? last + 1 : device, -1, NAME_MAX_BYTES);
}

static BOOL CALLBACK add(HMONITOR monitor, HDC dc, LPRECT rect, LPARAM context)
{
    request *q = (request *) context;
    MONITORINFOEXW info = {.cbSize = sizeof info};
    (void) dc;
    (void) rect;
    if (!GetMonitorInfoW(monitor, (MONITORINFO *) &info)) {
        return TRUE; /* it has just been unplugged */
    }
    char *name = name_of(info.szDevice);
    q->ok = name && desk_monitor_list_add(
                        q->list, name,
                        (desk_monitor){.rect = rect_of(info.rcMonitor),
                                       .work = rect_of(info.rcWork),
                                       .scale = scale_of(monitor),
                                       .primary = (info.dwFlags & MONITORINFOF_PRIMARY) != 0});
    free(name);
    return q->ok;
}

static bool win32_monitors(desk *d, desk_monitor_list *out, base_error *err)
{
    request q = {out, true};
    (void) d;
    *out = (desk_monitor_list){0};
    EnumDisplayMonitors(NULL, NULL, add, (LPARAM) &q);
    if (!q.ok) {
        desk_monitor_list_free(out);
        return base_fail(err, BASE_NO_MEMORY, "There is no memory for the list of monitors.");
    }
    return true;
}

void win32_monitor_ops(desk_ops *ops)
{
    ops->monitors = win32_monitors;
}
