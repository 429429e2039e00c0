/* A number that grows when something is put into the clipboard: XFIXES tells when the CLIPBOARD
 * selection gets an owner, also where that is the same one again, and when it loses it. */
#include "x11_clipboard_watch.h"

#include <xcb/xfixes.h>

static bool x11_clipboard_changes(desk *d, uint64_t *number, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    *number = 0;
    if (!x->has_fixes) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "The X display \"%s\" lacks the XFIXES extension, so changes of the "
                         "clipboard cannot be watched.",
                         x->name);
    }
    if (!x->clipboard_watch->changes) {
        x->clipboard_watch->changes = 1;
        xcb_xfixes_select_selection_input(x->c, x->root, x->atoms[X11_CLIPBOARD],
                                          XCB_XFIXES_SELECTION_EVENT_MASK_SET_SELECTION_OWNER);
        if (!x11_sync(x, err)) { /* what comes after this is heard */
            return false;
        }
    }
    *number = x->clipboard_watch->changes;
    return x11_alive(x, err);
}

void x11_clipboard_owner_event(x11_desk *x, const xcb_generic_event_t *generic)
{
    const xcb_xfixes_selection_notify_event_t *event = (const void *) generic;
    if (x->clipboard_watch->changes && event->selection == x->atoms[X11_CLIPBOARD] &&
        event->owner) {
        x->clipboard_watch->changes++;
    }
}

void x11_clipboard_watch_ops(desk_ops *ops)
{
    ops->clipboard_changes = x11_clipboard_changes;
}
