/*
 * x11_damage.h: watching when and where the screen changes.
 */
#ifndef DESK_X11_X11_DAMAGE_H
#define DESK_X11_X11_DAMAGE_H

#include "x11_events.h"

#include <xcb/damage.h>

struct x11_damage {
    xcb_damage_damage_t object; /* 0 while nobody watches */
    bool seen;                  /* reported since it was last subtracted */
    unsigned ignored;           /* number of a request whose damage is no change */
    uint64_t last_change;       /* ns */
    uint64_t looked;            /* ns; what is reported next has been drawn since */
};

void x11_damage_ops(desk_ops *ops);
void x11_watch_stop(desk *d);
x11_event_handler x11_damage_event;
/* After a round of events: has the server report the next change. */
void x11_damage_rearm(x11_desk *x);
/* What that request (its sequence number) damages is no change of the screen. */
void x11_damage_ignore(x11_desk *x, unsigned request);

#endif
