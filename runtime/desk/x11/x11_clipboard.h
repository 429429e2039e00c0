/*
 * x11_clipboard.h: the clipboard's contents, whoever owns it.
 */
#ifndef DESK_X11_X11_CLIPBOARD_H
#define DESK_X11_X11_CLIPBOARD_H

#include "x11_events.h"

typedef enum {
    X11_NO_CONVERSION,
    X11_REQUESTED,
    X11_INCREMENTAL,
    X11_CONVERTED, /* this and the next two: for the caller, when it asks again */
    X11_TOO_LARGE,
    X11_NO_MEMORY
} x11_conversion_state;

/* What was requested from the clipboard's owner, and what came of it. */
typedef struct {
    desk_clipboard_kind kind;
    x11_conversion_state state;
    xcb_window_t window; /* ours, where the answer goes */
    xcb_window_t owner;
    xcb_atom_t target;
    uint64_t wanted; /* when the caller asked last, ns */
    char *data;      /* as it came, without a terminator; NULL while there is none */
    size_t length, capacity;
    bool latin1;
} x11_conversion;

struct x11_clipboard {
    x11_conversion conversions[DESK_CLIPBOARD_KINDS]; /* one each */
};

void x11_clipboard_ops(desk_ops *ops);
x11_event_handler x11_clipboard_selection_event, x11_clipboard_property_event;
void x11_clipboard_close(x11_desk *x);

#endif
