/*
 * x11_selection_owner.h: what we put into the clipboard, as the owner of the CLIPBOARD selection.
 */
#ifndef DESK_X11_X11_SELECTION_OWNER_H
#define DESK_X11_X11_SELECTION_OWNER_H

#include "x11_events.h"

/* Used by the selection, and by transfers that go on when it holds something else. */
typedef struct {
    size_t uses;
    desk_clipboard_kind kind;
    size_t length;
    char bytes[];
} x11_content;

typedef struct {
    xcb_window_t requestor;
    xcb_atom_t property, type;
    x11_content *content; /* NULL: this slot is free */
    size_t sent;
    uint64_t heard; /* when its requestor last took a part, ns */
} x11_transfer;

enum { X11_TRANSFERS = 16 };

struct x11_selection {
    xcb_window_t window;        /* ours, which owns the clipboard; 0 until it first does */
    xcb_timestamp_t now, since; /* the server's clock when it told us, and when we became owner */
    x11_content *content;       /* NULL while we own nothing */
    x11_transfer transfers[X11_TRANSFERS];
};

void x11_selection_ops(desk_ops *ops);
/* Whether other programs may request what we own, or are taking it. */
bool x11_selection_busy(const x11_desk *x);
x11_event_handler x11_selection_request_event, x11_selection_property_event;
x11_event_handler x11_selection_clear_event, x11_selection_destroy_event;
void x11_selection_close(x11_desk *x);

#endif
