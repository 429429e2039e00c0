/* Workspaces, which the window manager keeps (extended window manager hints: it counts them from 0
 * and calls "all of them" 0xFFFFFFFF). */
#include "x11_workspaces.h"

#include "base/utf8.h"
#include "x11_manager.h"
#include "x11_properties.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCE_PAGER = 2, NAMES_LONGS = 1024 };

static uint32_t number_of(x11_desk *x, x11_atom what)
{
    return x11_take_value(x, x11_ask_property(x, x->root, x->atoms[what]));
}

static bool count_of(x11_desk *x, int *count, base_error *err)
{
    uint32_t told = x11_has_manager(x) ? number_of(x, X11_NET_NUMBER_OF_DESKTOPS) : 0;
    *count = told > DESK_WORKSPACES_MAX ? DESK_WORKSPACES_MAX : (int) told;
    if (!x11_alive(x, err)) {
        return false;
    }
    return told || base_fail(err, BASE_UNSUPPORTED,
                             "There are no workspaces: no window manager here keeps any.");
}

/* Names one after the other, each with its terminator. */
static void take_names(x11_desk *x, desk_workspace_list *out)
{
    xcb_get_property_reply_t *reply =
        xcb_get_property_reply(x->c,
                               xcb_get_property(x->c, 0, x->root, x->atoms[X11_NET_DESKTOP_NAMES],
                                                x->atoms[X11_UTF8_STRING], 0, NAMES_LONGS),
                               NULL);
    const char *text = reply ? xcb_get_property_value(reply) : NULL;
    size_t left = reply && reply->format == 8 ? (size_t) xcb_get_property_value_length(reply) : 0;
    for (int i = 0; i < out->count && left > 0; i++) {
        size_t length = strnlen(text, left), step = length < left ? length + 1 : left;
        base_utf8_clean(out->names[i], DESK_WORKSPACE_NAME, text, length);
        text += step;
        left -= step;
    }
    free(reply);
}

static bool x11_workspaces(desk *d, desk_workspace_list *out, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    *out = (desk_workspace_list){0};
    if (!count_of(x, &out->count, err)) {
        return false;
    }
    uint32_t current = number_of(x, X11_NET_CURRENT_DESKTOP);
    out->current = current < (uint32_t) out->count ? (int) current + 1 : 0;
    take_names(x, out);
    return x11_alive(x, err);
}

static bool x11_workspace_go(desk *d, int number, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    uint32_t data[5] = {(uint32_t) number - 1, XCB_CURRENT_TIME};
    x11_tell_manager(x, x->root, X11_NET_CURRENT_DESKTOP, data);
    return x11_sync(x, err);
}

static bool x11_window_workspace(desk *d, uint64_t id, int number, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    if (!x11_check_exists(x, id, err)) {
        return false;
    }
    uint32_t data[5] = {(uint32_t) number - 1, SOURCE_PAGER};
    x11_tell_manager(x, (xcb_window_t) id, X11_NET_WM_DESKTOP, data);
    return x11_sync(x, err);
}

int x11_workspace_number(x11_desk *x, xcb_get_property_cookie_t cookie)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, cookie, &e);
    uint32_t number = UINT32_MAX;
    if (reply && reply->format == 32 && xcb_get_property_value_length(reply) >= 4) {
        memcpy(&number, xcb_get_property_value(reply), 4);
    }
    free(e);
    free(reply);
    return number < DESK_WORKSPACES_MAX ? (int) number + 1 : 0;
}

void x11_workspace_ops(desk_ops *ops)
{
    ops->workspaces = x11_workspaces;
    ops->workspace_go = x11_workspace_go;
    ops->window_workspace = x11_window_workspace;
}
