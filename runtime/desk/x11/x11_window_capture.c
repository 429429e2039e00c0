/*
 * A window's own pixels. The Composite extension redirects the window into a pixmap for as long as
 * we ask for that: nothing covers it there, and no edge of the screen cuts it off. (Its place on
 * the screen stays the same.) What was hidden until then has to be drawn by its application, which
 * the server asks for it by Expose events:
 *
 *   - no part was asked for (x11_exposed.c): the picture is complete at once, as it is under a
 *     compositing manager, which keeps all windows redirected;
 *   - all parts that were asked for have been drawn, as a damage object on the window tells: taken
 *     when the application has been quiet for a moment, or goes on drawing without end;
 *   - some parts were not drawn (plain background has been filled in by the server itself): taken
 *     when the application has answered a ping (_NET_WM_PING, which it reads after the Expose
 *     events) and is quiet;
 *   - none of these within TIMEOUT: the picture is given as `incomplete`.
 */
#include "x11_window_capture.h"

#include "x11_cursor.h"
#include "x11_damage.h"
#include "x11_ping.h"
#include "x11_properties.h"
#include "x11_screen.h"

#include <stdlib.h>
#include <uv.h>
#include <xcb/composite.h>

enum { BITS_OF_COLOUR = 24, PIXELS_MAX = 1 << 26 /* 256 MB of them */ };

#define MILLISECOND (uint64_t) 1000000 /* in nanoseconds */
#define TIMEOUT (1000 * MILLISECOND)
#define PAUSE (20 * MILLISECOND)      /* the longest between two parts of one drawing */
#define DRAWS_ON (100 * MILLISECOND)  /* a complete picture is taken after so long in any case */
#define QUIET (60 * MILLISECOND)      /* for an application that has answered */
#define NO_ANSWER (300 * MILLISECOND) /* for one that cannot be asked and has drawn nothing */

static bool has_composite(x11_desk *x)
{
    const xcb_query_extension_reply_t *e = xcb_get_extension_data(x->c, &xcb_composite_id);
    if (!e || !e->present || !x->has_damage) {
        return false;
    }
    xcb_composite_query_version_reply_t *version =
        xcb_composite_query_version_reply(x->c, xcb_composite_query_version(x->c, 0, 4), NULL);
    bool able = version && (version->major_version > 0 || version->minor_version >= 2);
    free(version);
    return able;
}

/* --- beginning -----------------------------------------------------------------------------------
 */

static bool gone(uint64_t id, base_error *err)
{
    return base_fail(err, BASE_NOT_FOUND, "There is no window %llu: it has been closed.",
                     (unsigned long long) id);
}

static bool hidden(base_error *err)
{
    return base_fail(err, BASE_UNAVAILABLE,
                     "The window is not shown (minimized, or on another workspace), so it has no "
                     "pixels: restore or focus it first.");
}

/* Whether there is something to take a picture of; `*mask` is what we listen to on it already. */
static bool check_window(x11_desk *x, uint64_t id, uint32_t *mask, base_error *err)
{
    xcb_window_t window = (xcb_window_t) id;
    xcb_get_window_attributes_cookie_t look = xcb_get_window_attributes(x->c, window);
    xcb_get_geometry_cookie_t place = xcb_get_geometry(x->c, window);
    xcb_get_window_attributes_reply_t *a = xcb_get_window_attributes_reply(x->c, look, NULL);
    xcb_get_geometry_reply_t *g = xcb_get_geometry_reply(x->c, place, NULL);
    bool ok = false;
    if (!x11_alive(x, err)) {
        /* says so */
    } else if (!a || !g || id != window || window == x->root) {
        gone(id, err);
    } else if (a->map_state != XCB_MAP_STATE_VIEWABLE ||
               a->_class != XCB_WINDOW_CLASS_INPUT_OUTPUT) {
        hidden(err);
    } else if (g->depth < BITS_OF_COLOUR) {
        base_fail(err, BASE_UNSUPPORTED, "A window of %d bits a pixel cannot be captured.",
                  g->depth);
    } else if (g->width * (uint32_t) g->height > PIXELS_MAX) {
        base_fail(err, BASE_UNSUPPORTED, "A window of %u x %u pixels is too large to capture.",
                  g->width, g->height);
    } else {
        *mask = a->your_event_mask;
        ok = true;
    }
    free(a);
    free(g);
    return ok;
}

/* With the server grabbed, so that the damage holds the application's drawing alone, and not that
 * of the redirection itself. */
static bool redirect(x11_desk *x, xcb_window_t window, base_error *err)
{
    x11_capture_session *s = x->session;
    s->damage = xcb_generate_id(x->c);
    xcb_grab_server(x->c);
    xcb_void_cookie_t redirected =
        xcb_composite_redirect_window_checked(x->c, window, XCB_COMPOSITE_REDIRECT_AUTOMATIC);
    xcb_damage_create(x->c, s->damage, window, XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY);
    xcb_damage_subtract(x->c, s->damage, XCB_NONE, XCB_NONE);
    xcb_ungrab_server(x->c);
    s->window = window;
    xcb_generic_error_t *e = xcb_request_check(x->c, redirected);
    bool ok = e == NULL;
    free(e);
    return x11_alive(x, err) && (ok || gone(window, err));
}

/* What the application has been asked to draw is missing; the ping comes to it after that. */
static void wait_for_drawing(x11_desk *x)
{
    x11_capture_session *s = x->session;
    s->missing = xcb_generate_id(x->c);
    s->drawn_parts = xcb_generate_id(x->c);
    xcb_xfixes_create_region(x->c, s->missing, (uint32_t) s->exposed.rect_count, s->exposed.rects);
    xcb_xfixes_create_region(x->c, s->drawn_parts, 0, NULL);
    s->pinged = x11_has_protocol(x, s->window, X11_NET_WM_PING);
    if (s->pinged) {
        x11_ping_aside(x, s->window, &s->heard);
    }
}

static bool begin(x11_desk *x, uint64_t id, base_error *err)
{
    x11_capture_session *s = x->session;
    uint32_t mask;
    if (!has_composite(x)) {
        return !x11_alive(x, err)
                   ? false
                   : base_fail(err, BASE_UNSUPPORTED,
                               "The X display \"%s\" lacks the COMPOSITE or DAMAGE extension, so a "
                               "window cannot be captured by itself: capture it as it is on the "
                               "screen.",
                               x->name);
    }
    if (!check_window(x, id, &mask, err)) {
        return false;
    }
    if (!x11_exposed_start(x, &s->exposed, (xcb_window_t) id, mask)) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
    }
    bool ok = redirect(x, (xcb_window_t) id, err);
    x11_take_events(x); /* the Expose events came before the reply to the redirection */
    x11_exposed_stop(x, &s->exposed);
    s->began = s->drawn = uv_hrtime();
    s->heard = s->complete = 0;
    if (ok && s->exposed.rect_count > 0) {
        wait_for_drawing(x);
    }
    return ok;
}

/* --- waiting -------------------------------------------------------------------------------------
 */

void x11_window_capture_exposed(x11_desk *x, const xcb_generic_event_t *event)
{
    x11_exposed_note(&x->session->exposed, (const void *) event);
}

void x11_window_capture_damaged(x11_desk *x, const xcb_generic_event_t *event)
{
    x11_capture_session *s = x->session;
    if (!s->window || ((const xcb_damage_notify_event_t *) event)->damage != s->damage) {
        return;
    }
    s->drawn = uv_hrtime();
    if (!s->pinged && !s->heard) {
        s->heard = s->drawn;
    }
}

/* Subtracts what has been drawn from what is missing; true when nothing is missing any more. */
static bool all_drawn(x11_desk *x)
{
    x11_capture_session *s = x->session;
    xcb_damage_subtract(x->c, s->damage, XCB_NONE, s->drawn_parts);
    xcb_xfixes_subtract_region(x->c, s->missing, s->drawn_parts, s->missing);
    xcb_xfixes_fetch_region_reply_t *left =
        xcb_xfixes_fetch_region_reply(x->c, xcb_xfixes_fetch_region(x->c, s->missing), NULL);
    bool none = left && xcb_xfixes_fetch_region_rectangles_length(left) == 0;
    free(left);
    return none;
}

static bool is_ready(x11_desk *x)
{
    x11_capture_session *s = x->session;
    if (!s->missing) {
        return true;
    }
    bool drawn = all_drawn(x);
    x11_take_events(x);
    uint64_t now = uv_hrtime();
    if (drawn) {
        s->complete = s->complete ? s->complete : now;
        return now - s->drawn >= PAUSE || now - s->complete >= DRAWS_ON;
    }
    if (!s->pinged && !s->heard && now - s->began >= NO_ANSWER) {
        s->heard = now;
    }
    uint64_t last = s->drawn > s->heard ? s->drawn : s->heard;
    return s->heard && now - last >= QUIET;
}

/* --- the picture ---------------------------------------------------------------------------------
 */

typedef struct {
    image_rect inside; /* of the window, in its pixmap: without its border */
    image_rect rect;   /* on the screen */
} placement;

/* False while the window has changed its size since its pixmap was named. */
static bool place_in(x11_desk *x, xcb_window_t window, xcb_pixmap_t pixmap, placement *out)
{
    xcb_get_geometry_cookie_t of_window = xcb_get_geometry(x->c, window);
    xcb_get_geometry_cookie_t of_pixmap = xcb_get_geometry(x->c, pixmap);
    xcb_translate_coordinates_cookie_t position =
        xcb_translate_coordinates(x->c, window, x->root, 0, 0);
    xcb_get_geometry_reply_t *w = xcb_get_geometry_reply(x->c, of_window, NULL);
    xcb_get_geometry_reply_t *p = xcb_get_geometry_reply(x->c, of_pixmap, NULL);
    xcb_translate_coordinates_reply_t *at = xcb_translate_coordinates_reply(x->c, position, NULL);
    bool fits = w && p && at && p->width == w->width + 2 * w->border_width &&
                p->height == w->height + 2 * w->border_width;
    if (fits) {
        out->inside = (image_rect){w->border_width, w->border_width, w->width, w->height};
        out->rect = (image_rect){at->dst_x, at->dst_y, w->width, w->height};
    }
    free(w);
    free(p);
    free(at);
    return fits;
}

static void draw_pointer(x11_desk *x, desk_window_picture *picture)
{
    xcb_xfixes_get_cursor_image_reply_t *pointer =
        x->has_fixes
            ? xcb_xfixes_get_cursor_image_reply(x->c, xcb_xfixes_get_cursor_image(x->c), NULL)
            : NULL;
    if (pointer) {
        x11_cursor_draw(pointer, picture->rect, &picture->image);
    }
    free(pointer);
}

static bool take_picture(x11_desk *x, bool cursor, desk_window_picture *out, base_error *err)
{
    xcb_pixmap_t pixmap = xcb_generate_id(x->c);
    placement at;
    bool named =
        x11_check(x, xcb_composite_name_window_pixmap_checked(x->c, x->session->window, pixmap),
                  "to give a window's picture", NULL);
    if (!named) {
        return x11_alive(x, err) && hidden(err);
    }
    bool fits = place_in(x, x->session->window, pixmap, &at);
    uint8_t *pixels = fits ? x11_fetch_pixmap(x, pixmap, at.inside, err) : NULL;
    xcb_free_pixmap(x->c, pixmap);
    if (!fits) {
        out->pending = true;
        return x11_alive(x, err);
    }
    if (pixels) {
        out->rect = at.rect;
        out->image = (image_bitmap){.width = at.rect.width,
                                    .height = at.rect.height,
                                    .stride = (size_t) at.rect.width * 4,
                                    .pixels = pixels,
                                    .borrowed = true};
    }
    if (pixels && cursor) {
        draw_pointer(x, out);
    }
    return pixels != NULL;
}

void x11_window_capture_end(desk *d)
{
    x11_desk *x = (x11_desk *) d;
    x11_capture_session *s = x->session;
    if (s->missing) {
        xcb_xfixes_destroy_region(x->c, s->missing);
        xcb_xfixes_destroy_region(x->c, s->drawn_parts);
    }
    if (s->window) {
        xcb_damage_destroy(x->c, s->damage);
        /* The server draws the window on the screen again, as it was there: no change to report.
         * With the server grabbed, so that nobody else draws in that moment. */
        xcb_grab_server(x->c);
        x11_damage_ignore(
            x, xcb_composite_unredirect_window(x->c, s->window, XCB_COMPOSITE_REDIRECT_AUTOMATIC)
                   .sequence);
        xcb_ungrab_server(x->c);
        xcb_flush(x->c);
    }
    s->window = 0;
    s->missing = 0;
    s->pinged = false;
    x11_ping_aside_end(x);
}

static bool x11_window_capture(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                               base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    x11_capture_session *s = x->session;
    *out = (desk_window_picture){0};
    bool ok = true;
    if (!s->window || s->window != id) {
        x11_window_capture_end(d);
        ok = begin(x, id, err);
    }
    bool ready = ok && is_ready(x);
    bool late = ok && !ready && uv_hrtime() - s->began >= TIMEOUT;
    if (ok && !ready && !late) {
        out->pending = true;
        return x11_alive(x, err);
    }
    ok = ok && take_picture(x, cursor, out, err);
    out->incomplete = late;
    if (!ok || !out->pending) {
        x11_window_capture_end(d);
    }
    return ok;
}

void x11_window_capture_ops(desk_ops *ops)
{
    ops->window_capture = x11_window_capture;
    ops->window_capture_end = x11_window_capture_end;
}
