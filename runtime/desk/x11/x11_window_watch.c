/* A number that grows when windows come, go or change: told by the root window's properties, which
 * the window manager keeps; without one by the root's children; and by each window's properties. */
#include "x11_window_watch.h"

static uint64_t x11_window_changes(desk *d)
{
    x11_desk *x = (x11_desk *) d;
    if (!x->window_watch->changes) {
        x->window_watch->changes = 1;
        x11_listen_at_root(x, XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY);
        x11_sync(x, NULL); /* what comes after this call is heard */
    }
    return x->window_watch->changes;
}

void x11_window_listen(x11_desk *x, xcb_window_t window)
{
    uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    if (x->window_watch->changes && window != x->root) {
        xcb_change_window_attributes(x->c, window, XCB_CW_EVENT_MASK, &mask);
    }
}

static bool is_change(const x11_desk *x, const xcb_property_notify_event_t *event)
{
    static const x11_atom of_root[] = {X11_NET_ACTIVE_WINDOW, X11_NET_CLIENT_LIST,
                                       X11_NET_CLIENT_LIST_STACKING, X11_NET_CURRENT_DESKTOP};
    static const x11_atom of_windows[] = {X11_NET_WM_NAME, X11_NET_WM_STATE, X11_NET_WM_DESKTOP,
                                          X11_WM_STATE};
    const x11_atom *atoms = event->window == x->root ? of_root : of_windows;
    for (size_t i = 0; i < sizeof of_root / sizeof of_root[0]; i++) {
        if (event->atom == x->atoms[atoms[i]]) {
            return true;
        }
    }
    return event->atom == XCB_ATOM_WM_NAME;
}

void x11_window_event(x11_desk *x, const xcb_generic_event_t *event)
{
    (void) event; /* a window was mapped, unmapped or destroyed */
    if (x->window_watch->changes) {
        x->window_watch->changes++;
    }
}

void x11_window_property_event(x11_desk *x, const xcb_generic_event_t *event)
{
    if (x->window_watch->changes && is_change(x, (const void *) event)) {
        x->window_watch->changes++;
    }
}

void x11_window_watch_ops(desk_ops *ops)
{
    ops->window_changes = x11_window_changes;
}
