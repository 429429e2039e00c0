/*
 * x11_ping.h: whether an application has read what was sent to it. It is asked by _NET_WM_PING,
 * which it answers when it comes to that event, or watched until it is idle (x11_idle.h).
 */
#ifndef DESK_X11_X11_PING_H
#define DESK_X11_X11_PING_H

#include "x11_events.h"

struct x11_pings {
    xcb_window_t window; /* asked last; 0: none */
    uint32_t sent, seen; /* tokens */
    uint32_t aside;      /* the token of a ping whose answer is no answer to the others; 0: none */
    uint64_t *answered;  /* of that one */
};

void x11_ping_ops(desk_ops *ops);
/* Looks whether an application that cannot be asked is idle. */
void x11_ping_poll(x11_desk *x);
x11_event_handler x11_ping_event;

/* Asks a window that answers pings, apart from those of the op: `*answered` becomes the time (ns)
 * of its answer, if that comes before x11_ping_aside_end. One at a time. */
void x11_ping_aside(x11_desk *x, xcb_window_t window, uint64_t *answered);
void x11_ping_aside_end(x11_desk *x);

#endif
