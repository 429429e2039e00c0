/*
 * x11_clipboard_watch.h: hearing of what is put into the clipboard.
 */
#ifndef DESK_X11_X11_CLIPBOARD_WATCH_H
#define DESK_X11_X11_CLIPBOARD_WATCH_H

#include "x11_events.h"

struct x11_clipboard_watch {
    uint64_t changes; /* 0 until somebody asks */
};

void x11_clipboard_watch_ops(desk_ops *ops);
x11_event_handler x11_clipboard_owner_event;

#endif
