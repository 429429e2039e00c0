#include "x11_damage.h"

#include <stdlib.h>
#include <uv.h>

/* A blinking text cursor is no change worth waiting for: GTK's is 3x18, Chromium's 1x15. */
enum { CARET_WIDTH = 4, CARET_HEIGHT = 40 };

/* The report level is "delta rectangles": the server reports a rectangle once, until the damage is
 * subtracted (x11_damage_rearm), so that a video that plays while nobody pumps cannot fill our
 * memory. The price: what is drawn again in the same place between the report and the subtraction
 * is not reported. Such a change is at most a round trip younger than the reported one, and the
 * reaction to our own input is never lost, because the subtraction is sent before the input. */
static bool x11_watch_start(desk *d, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    if (!x->has_damage) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "The X display \"%s\" lacks the DAMAGE extension, so changes of the "
                         "screen cannot be watched.",
                         x->name);
    }
    x11_watch_stop(d);
    x->damage->object = xcb_generate_id(x->c);
    xcb_void_cookie_t created = xcb_damage_create_checked(x->c, x->damage->object, x->root,
                                                          XCB_DAMAGE_REPORT_LEVEL_DELTA_RECTANGLES);
    xcb_damage_subtract(x->c, x->damage->object, XCB_NONE, XCB_NONE);
    if (!x11_check(x, created, "to tell of changes of the screen", err) || !x11_sync(x, err)) {
        x->damage->object = 0;
        return false;
    }
    /* The first report says that the whole screen has changed: it has arrived by now. */
    x11_take_events(x);
    x->damage->last_change = 0;
    return true;
}

void x11_watch_stop(desk *d)
{
    x11_desk *x = (x11_desk *) d;
    if (x->damage->object) {
        xcb_damage_destroy(x->c, x->damage->object);
        xcb_flush(x->c);
    }
    x->damage->object = 0;
    x->damage->seen = false;
    x->damage->last_change = 0;
}

static uint64_t x11_last_change(desk *d)
{
    return ((x11_desk *) d)->damage->last_change;
}

void x11_damage_ignore(x11_desk *x, unsigned request)
{
    x->damage->ignored = request;
}

void x11_damage_event(x11_desk *x, const xcb_generic_event_t *generic)
{
    const xcb_damage_notify_event_t *event = (const void *) generic;
    if (!x->damage->object || event->damage != x->damage->object) {
        return; /* of another damage object, or of a watch that has been stopped */
    }
    x->damage->seen = true;
    if (generic->full_sequence == x->damage->ignored) {
        return;
    }
    if (event->area.width > CARET_WIDTH || event->area.height > CARET_HEIGHT) {
        image_rect area = {event->area.x, event->area.y, event->area.width, event->area.height};
        uint64_t now = uv_hrtime();
        x->damage->last_change = now;
        desk_regions_note(&x->base.regions, area, now);
        if (desk_motion_note(&x->base.motion, area, x->damage->looked, now)) {
            x->base.motion.changed = now;
        }
    }
}

void x11_damage_rearm(x11_desk *x)
{
    if (x->damage->seen) {
        xcb_damage_subtract(x->c, x->damage->object, XCB_NONE, XCB_NONE);
        xcb_flush(x->c);
    }
    x->damage->seen = false;
    x->damage->looked = uv_hrtime();
}

void x11_damage_ops(desk_ops *ops)
{
    ops->watch_start = x11_watch_start;
    ops->watch_stop = x11_watch_stop;
    ops->last_change = x11_last_change;
}
