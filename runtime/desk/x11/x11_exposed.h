/*
 * x11_exposed.h: which parts of a window, and of the windows in it, the server asks to be drawn.
 */
#ifndef DESK_X11_X11_EXPOSED_H
#define DESK_X11_X11_EXPOSED_H

#include "x11_connection.h"

enum { X11_LISTENED_MAX = 512, X11_EXPOSED_MAX = 64 };

typedef struct {
    xcb_window_t window;
    int x, y;      /* of its inside, counted from that of the window to be captured */
    uint32_t mask; /* of the events that we had selected on it before */
} x11_listened;

typedef struct {
    x11_listened *items; /* NULL while nobody listens */
    size_t count;
    xcb_rectangle_t rects[X11_EXPOSED_MAX]; /* in the window to be captured */
    size_t rect_count;
} x11_exposed;

/* Selects the Expose events of `window`, on which we had selected the events of `mask`, and of the
 * windows in it. False without memory. */
bool x11_exposed_start(x11_desk *x, x11_exposed *e, xcb_window_t window, uint32_t mask);
void x11_exposed_stop(x11_desk *x, x11_exposed *e);
/* Adds what the event asks for, if it is of one of those windows. */
void x11_exposed_note(x11_exposed *e, const xcb_expose_event_t *event);

#endif
