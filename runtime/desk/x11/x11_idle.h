/*
 * x11_idle.h: an application that is watched until it has nothing to do.
 */
#ifndef DESK_X11_X11_IDLE_H
#define DESK_X11_X11_IDLE_H

#include "x11_connection.h"

struct x11_idle {
    long pid; /* 0: none is watched */
    bool asleep;
    unsigned long long switches; /* of context, when it was looked at last */
    uint64_t asked, since;       /* ns: when the watch began, and since when it has been as it is */
};

/* Begins to watch the application of a window; false where it cannot be watched. */
bool x11_idle_start(x11_desk *x, xcb_window_t window);
/* Whether it has nothing to do any more; to be called every few milliseconds, until it is true. */
bool x11_idle_seen(x11_desk *x);
void x11_idle_stop(x11_desk *x);
bool x11_idle_watching(const x11_desk *x);

#endif
