/* Hearing of windows that come, go and change: from the root window's properties, which the window
 * manager keeps; without one from the root's children; and from each window's own properties. */
#include "x11_internal.h"

uint64_t x11_window_changes(desk *d)
{
    x11_desk *x = (x11_desk *) d;
    if (!x->window_changes) {
        x->window_changes = 1;
        x11_listen_at_root(x, XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY);
        x11_sync(x, NULL); /* from now on, and not from some time on */
    }
    return x->window_changes;
}

void x11_window_listen(x11_desk *x, xcb_window_t window)
{
    uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    if (x->window_changes && window != x->root) {
        xcb_change_window_attributes(x->c, window, XCB_CW_EVENT_MASK, &mask);
    }
}

static bool tells(const x11_desk *x, const xcb_property_notify_event_t *event)
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
    uint8_t type = event->response_type & 0x7f;
    if (x->window_changes &&
        (type == XCB_MAP_NOTIFY || type == XCB_UNMAP_NOTIFY || type == XCB_DESTROY_NOTIFY ||
         (type == XCB_PROPERTY_NOTIFY && tells(x, (const void *) event)))) {
        x->window_changes++;
    }
}
