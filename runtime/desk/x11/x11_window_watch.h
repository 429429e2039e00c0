/*
 * x11_window_watch.h: hearing of windows that come, go and change, and which there were last.
 */
#ifndef DESK_X11_X11_WINDOW_WATCH_H
#define DESK_X11_X11_WINDOW_WATCH_H

#include "x11_events.h"

enum { X11_WINDOWS_KNOWN = 32 };

struct x11_window_watch {
    uint64_t changes;     /* 0 until somebody asks */
    xcb_window_t manager; /* the window that the window manager was known by last, 0 for none */
    /* The windows that were listed last, as far as they fit, and whether their changes are heard.
     */
    xcb_window_t known[X11_WINDOWS_KNOWN];
    size_t known_count;
    bool known_heard;
};

void x11_window_watch_ops(desk_ops *ops);
/* Hears of that window's title and state, if anybody wants to know. */
void x11_window_listen(x11_desk *x, xcb_window_t window);
x11_event_handler x11_window_event, x11_window_property_event;

#endif
