#include "win32_internal.h"

#include <stdlib.h>

void win32_surface_close(win32_surface *s)
{
    if (s->before) {
        SelectObject(s->memory, s->before);
    }
    if (s->section) {
        DeleteObject(s->section);
    }
    if (s->memory) {
        DeleteDC(s->memory);
    }
    *s = (win32_surface){0};
}

static bool make(win32_surface *s, int width, int height)
{
    BITMAPINFO info = {
        .bmiHeader = {.biSize = sizeof info.bmiHeader,
                      .biWidth = width,
                      .biHeight = -height, /* negative: rows from the top */
                      .biPlanes = 1,
                      .biBitCount = 32,
                      .biCompression = BI_RGB},
    };
    void *pixels = NULL;
    s->memory = CreateCompatibleDC(NULL);
    if (!s->memory) {
        return false;
    }
    s->section = CreateDIBSection(NULL, &info, DIB_RGB_COLORS, &pixels, NULL, 0);
    if (!s->section) {
        return false;
    }
    s->before = SelectObject(s->memory, s->section);
    s->pixels = pixels;
    s->width = width;
    s->height = height;
    return s->before != NULL;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

bool win32_surface_fit(win32_surface *s, int width, int height, base_error *err)
{
    if (s->pixels && s->width >= width && s->height >= height) {
        return true;
    }
    /* Both sides grow only, so that a tall and a wide region in turn do not make it anew. */
    int new_width = larger(width, s->width), new_height = larger(height, s->height);
    win32_surface_close(s);
    if (!make(s, new_width, new_height)) {
        DWORD error = GetLastError();
        win32_surface_close(s);
        return win32_fail(err, BASE_NO_MEMORY, "Windows gave no memory for a picture of the screen",
                          error);
    }
    return true;
}

bool win32_surface_grab(win32_surface *s, image_rect rect, base_error *err)
{
    HDC screen = GetDC(NULL);
    /* Without CAPTUREBLT: since Windows 8 the desktop is always composed, so layered windows are in
     * the picture anyway, and the flag makes the mouse pointer flicker at every copy. */
    bool copied =
        screen && BitBlt(s->memory, 0, 0, rect.width, rect.height, screen, rect.x, rect.y, SRCCOPY);
    if (screen) {
        ReleaseDC(NULL, screen);
    }
    if (!copied) {
        return base_fail(err, BASE_REFUSED,
                         "The screen can't be captured: the workstation is locked or a UAC prompt "
                         "is shown.");
    }
    GdiFlush(); /* drawing is queued per thread; the pixels are read without GDI knowing */
    return true;
}
