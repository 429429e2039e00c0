#include "win32_internal.h"

bool win32_screen_rect(desk *d, image_rect *out, base_error *err)
{
    (void) d;
    *out = (image_rect){GetSystemMetrics(SM_XVIRTUALSCREEN), GetSystemMetrics(SM_YVIRTUALSCREEN),
                        GetSystemMetrics(SM_CXVIRTUALSCREEN), GetSystemMetrics(SM_CYVIRTUALSCREEN)};
    if (out->width < 1 || out->height < 1) {
        return base_fail(err, BASE_UNAVAILABLE,
                         "There is no screen to work on: this session has no desktop. Run from a "
                         "user's session, not from a service.");
    }
    if (out->width > IMAGE_MAX_SIDE || out->height > IMAGE_MAX_SIDE) {
        return base_fail(err, BASE_UNSUPPORTED, "A screen of %d x %d pixels is too large.",
                         out->width, out->height);
    }
    return true;
}

static bool win32_capture(desk *d, image_rect screen, image_rect part, bool cursor,
                          image_bitmap *out, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    win32_surface *s = &w->frame;
    (void) screen;
    if (!win32_surface_fit(s, part.width, part.height, err) || !win32_grab(w, s, part, err)) {
        return false;
    }
    if (cursor && !w->desktop) {
        win32_cursor_draw(s, part);
    }
    image_free(out);
    *out =
        (image_bitmap){part.width, part.height, (size_t) s->width * 4, s->pixels, .borrowed = true};
    return true;
}

void win32_screen_close(win32_desk *w)
{
    win32_surface_close(&w->frame);
    win32_surface_close(&w->scratch);
}

void win32_screen_ops(desk_ops *ops)
{
    ops->screen_rect = win32_screen_rect;
    ops->capture = win32_capture;
}
