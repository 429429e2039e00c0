#include "x11_internal.h"

#include <stdlib.h>
#include <uv.h>

/* A blinking text caret is no change worth waiting for: GTK's is 3x18, Chromium's 1x15. */
enum { CARET_WIDTH = 4, CARET_HEIGHT = 40 };

/* Reports are asked for as deltas: the server tells of each rectangle once until it is cleared
 * (x11_damage_rearm), so that a film playing while nobody pumps cannot fill its memory. The price:
 * what is drawn again in the same place between a report and its clearing is not told of. It is at
 * most a round trip younger than the change that was, and an answer to our own input never falls
 * in that gap, because the clearing is sent before the input. */
bool x11_watch_start(desk *d, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    if (!x->has_damage) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "The X display \"%s\" lacks the DAMAGE extension, so changes of the "
                         "screen cannot be watched.",
                         x->name);
    }
    x11_watch_stop(d);
    x->damage = xcb_generate_id(x->c);
    xcb_void_cookie_t created = xcb_damage_create_checked(x->c, x->damage, x->root,
                                                          XCB_DAMAGE_REPORT_LEVEL_DELTA_RECTANGLES);
    xcb_damage_subtract(x->c, x->damage, XCB_NONE, XCB_NONE);
    if (!x11_check(x, created, "to tell of changes of the screen", err) || !x11_sync(x, err)) {
        x->damage = 0;
        return false;
    }
    /* The server begins by calling the whole screen changed: that has arrived by now. */
    x11_take_events(x);
    x->last_change = 0;
    return true;
}

void x11_watch_stop(desk *d)
{
    x11_desk *x = (x11_desk *) d;
    if (x->damage) {
        xcb_damage_destroy(x->c, x->damage);
        xcb_flush(x->c);
    }
    x->damage = 0;
    x->damage_seen = false;
    x->last_change = 0;
}

uint64_t x11_last_change(desk *d)
{
    return ((x11_desk *) d)->last_change;
}

void x11_damage_event(x11_desk *x, const xcb_damage_notify_event_t *event)
{
    unsigned number = ((const xcb_generic_event_t *) event)->full_sequence;
    if (x->frame.damage && event->damage == x->frame.damage) {
        /* What was reported before the clearing is in the frame that was fetched after it. */
        if ((int) (number - x->frame.cleared) >= 0) {
            x->frame.current = false;
        }
        return;
    }
    if (x->sitting.window && event->damage == x->sitting.damage) {
        x11_sitting_damaged(x);
        return;
    }
    if (!x->damage || event->damage != x->damage) {
        return; /* of a watch that has been stopped */
    }
    x->damage_seen = true;
    if (number == x->sitting.released) {
        return; /* a window that was captured is put back as it was */
    }
    if (event->area.width > CARET_WIDTH || event->area.height > CARET_HEIGHT) {
        x->last_change = uv_hrtime();
        desk_regions_note(
            &x->base.regions,
            (image_rect){event->area.x, event->area.y, event->area.width, event->area.height},
            x->last_change);
    }
}

void x11_damage_rearm(x11_desk *x)
{
    if (x->damage_seen) {
        xcb_damage_subtract(x->c, x->damage, XCB_NONE, XCB_NONE);
        xcb_flush(x->c);
    }
    x->damage_seen = false;
}
