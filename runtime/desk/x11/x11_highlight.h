/*
 * x11_highlight.h: the frame by which people are shown a place.
 */
#ifndef DESK_X11_X11_HIGHLIGHT_H
#define DESK_X11_X11_HIGHLIGHT_H

#include "x11_connection.h"

struct x11_highlight {
    xcb_window_t window; /* 0 while none is shown */
};

void x11_highlight_ops(desk_ops *ops);

#endif
