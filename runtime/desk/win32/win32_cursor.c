#include "win32_internal.h"

/* Where in its picture a cursor points. False for one that this process may not look at. */
static bool find_hotspot(HCURSOR cursor, POINT *out)
{
    ICONINFO info;
    if (!cursor || !GetIconInfo(cursor, &info)) {
        return false;
    }
    *out = (POINT){(LONG) info.xHotspot, (LONG) info.yHotspot};
    /* Both bitmaps are copies that are ours now; a cursor of one colour has no second one. */
    DeleteObject(info.hbmMask);
    if (info.hbmColor) {
        DeleteObject(info.hbmColor);
    }
    return true;
}

void win32_cursor_draw(const win32_surface *s, image_rect origin)
{
    CURSORINFO info = {.cbSize = sizeof info};
    POINT hot = {0, 0};
    if (!GetCursorInfo(&info) || !(info.flags & CURSOR_SHOWING)) {
        return;
    }
    HCURSOR cursor = info.hCursor;
    if (!find_hotspot(cursor, &hot)) {
        /* Wine does not hand out other processes' cursors (1402): better an arrow than none. This
         * one belongs to the system and must not be destroyed. */
        cursor = LoadCursorW(NULL, (const wchar_t *) IDC_ARROW);
        find_hotspot(cursor, &hot);
    }
    if (cursor) {
        DrawIconEx(s->memory, info.ptScreenPos.x - hot.x - origin.x,
                   info.ptScreenPos.y - hot.y - origin.y, cursor, 0, 0, 0, NULL, DI_NORMAL);
        GdiFlush();
    }
}
