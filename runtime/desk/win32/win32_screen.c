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

static bool check_inside(image_rect r, image_rect screen, base_error *err)
{
    /* Written as differences, so that no sum of hostile numbers can overflow. */
    if (r.width >= 1 && r.height >= 1 && r.x >= screen.x && r.y >= screen.y &&
        r.width <= screen.width && r.height <= screen.height &&
        r.x - screen.x <= screen.width - r.width && r.y - screen.y <= screen.height - r.height) {
        return true;
    }
    return base_fail(err, BASE_INVALID,
                     "The area %d,%d %dx%d does not lie inside the screen, which is %d,%d %dx%d.",
                     r.x, r.y, r.width, r.height, screen.x, screen.y, screen.width, screen.height);
}

bool win32_capture(desk *d, image_rect rect, bool cursor, image_bitmap *out, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    win32_surface *s = &w->frame;
    image_rect screen;
    if (!win32_screen_rect(d, &screen, err) || !check_inside(rect, screen, err) ||
        !win32_surface_fit(s, rect.width, rect.height, err) || !win32_grab(w, s, rect, err)) {
        return false;
    }
    if (cursor && !w->desktop) {
        win32_cursor_draw(s, rect);
    }
    image_free(out);
    *out =
        (image_bitmap){rect.width, rect.height, (size_t) s->width * 4, s->pixels, .borrowed = true};
    return true;
}

void win32_screen_close(win32_desk *w)
{
    win32_surface_close(&w->frame);
    win32_surface_close(&w->scratch);
}
