/*
 * Who works on the display: the owner of the selection _DESKPILOT_HOLDER, as window managers own
 * theirs. Its window has a property of the same name that says who it is. The server itself keeps
 * it: it goes with our connection, whatever ends that, so nothing stale is left; and whoever can
 * reach the display sees it, other users and other machines too, where a file would be of one
 * machine and of one user.
 */
#include "x11_hold.h"

#include "x11_properties.h"

#include <stdlib.h>
#include <string.h>

static xcb_window_t owner_of(x11_desk *x, xcb_atom_t selection)
{
    xcb_get_selection_owner_reply_t *reply =
        xcb_get_selection_owner_reply(x->c, xcb_get_selection_owner(x->c, selection), NULL);
    xcb_window_t owner = reply ? reply->owner : XCB_NONE;
    free(reply);
    return owner;
}

static void read_name(x11_desk *x, xcb_window_t owner, char name[DESK_HOLDER_SIZE])
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        x->c, x11_ask_property(x, owner, x->atoms[X11_DESKPILOT_HOLDER]), NULL);
    int length = reply && reply->format == 8 ? xcb_get_property_value_length(reply) : 0;
    if (length > 0 && length < DESK_HOLDER_SIZE) {
        memcpy(name, xcb_get_property_value(reply), (size_t) length);
        name[length] = '\0';
    }
    free(reply);
}

static void own(x11_desk *x, const char *holder)
{
    xcb_atom_t selection = x->atoms[X11_DESKPILOT_HOLDER];
    xcb_window_t window = xcb_generate_id(x->c);
    uint32_t override_redirect = 1;
    xcb_create_window(x->c, XCB_COPY_FROM_PARENT, window, x->root, -1, -1, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_OVERRIDE_REDIRECT,
                      &override_redirect);
    xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, window, selection, x->atoms[X11_UTF8_STRING],
                        8, (uint32_t) strlen(holder), holder);
    xcb_set_selection_owner(x->c, window, selection, XCB_CURRENT_TIME);
}

/* Whether the window is of this connection: its ids begin alike. */
static bool is_ours(const x11_desk *x, xcb_window_t window)
{
    const xcb_setup_t *setup = xcb_get_setup(x->c);
    return (window & ~setup->resource_id_mask) == setup->resource_id_base;
}

/* With the server grabbed, so that of two who ask at the same time one is refused. */
static bool hold(desk *d, const char *holder, char other[DESK_HOLDER_SIZE], base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    xcb_grab_server(x->c);
    xcb_window_t owner = owner_of(x, x->atoms[X11_DESKPILOT_HOLDER]);
    bool taken = owner && !is_ours(x, owner);
    if (taken) {
        read_name(x, owner, other);
    } else if (!owner) {
        own(x, holder);
    }
    xcb_ungrab_server(x->c);
    if (taken) {
        return base_fail(err, BASE_REFUSED, "held"); /* the front says by whom */
    }
    return x11_sync(x, err);
}

void x11_hold_ops(desk_ops *ops)
{
    ops->hold = hold;
}
