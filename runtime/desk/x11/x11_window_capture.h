/*
 * x11_window_capture.h: a window's own pixels, covered or not.
 */
#ifndef DESK_X11_X11_WINDOW_CAPTURE_H
#define DESK_X11_X11_WINDOW_CAPTURE_H

#include "x11_events.h"
#include "x11_exposed.h"

#include <xcb/damage.h>
#include <xcb/xfixes.h>

/* The capture that is going on: it may take several calls. */
struct x11_capture_session {
    xcb_window_t window; /* 0: there is none */
    x11_exposed exposed;
    xcb_damage_damage_t damage;
    xcb_xfixes_region_t missing; /* what has not been drawn yet; 0: nothing was hidden */
    xcb_xfixes_region_t drawn_parts;
    bool pinged;              /* else its application cannot be asked */
    uint64_t began, drawn;    /* ns; `drawn`: when it drew last */
    uint64_t heard, complete; /* ns: when it answered, when nothing was missing; 0: not yet */
};

void x11_window_capture_ops(desk_ops *ops);
void x11_window_capture_end(desk *d);
x11_event_handler x11_window_capture_exposed, x11_window_capture_damaged;

#endif
