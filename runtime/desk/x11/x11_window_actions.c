/* What is asked of windows. With a window manager by its protocol (the extended window manager
 * hints), because it places and restacks them; without one, directly. */
#include "x11_window_actions.h"

#include "x11_manager.h"
#include "x11_properties.h"

#include <stdlib.h>
#include <string.h>

enum {
    SOURCE_PAGER = 2, /* a request that comes from a pager or the user's tool */
    ICONIC_STATE = 3,
    STATE_REMOVE = 0,
    STATE_ADD = 1,
    FRAME_LONGS = 4,
};

static void activate(x11_desk *x, xcb_window_t window)
{
    uint32_t data[5] = {SOURCE_PAGER, XCB_CURRENT_TIME};
    x11_tell_manager(x, window, X11_NET_ACTIVE_WINDOW, data);
}

static bool x11_window_focus(desk *d, uint64_t id, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    xcb_window_t window = (xcb_window_t) id;
    if (!x11_check_exists(x, id, err)) {
        return false;
    }
    if (x11_has_manager(x)) {
        activate(x, window);
        return x11_sync(x, err);
    }
    uint32_t above = XCB_STACK_MODE_ABOVE;
    xcb_configure_window(x->c, window, XCB_CONFIG_WINDOW_STACK_MODE, &above);
    return x11_check(
        x, xcb_set_input_focus_checked(x->c, XCB_INPUT_FOCUS_PARENT, window, XCB_CURRENT_TIME),
        "to focus the window", err);
}

static bool ask_to_close(x11_desk *x, xcb_window_t window, base_error *err)
{
    if (!x11_has_protocol(x, window, X11_WM_DELETE_WINDOW)) {
        return base_fail(err, BASE_REFUSED,
                         "The window does not take a request to close; end its program instead.");
    }
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE,
        .format = 32,
        .window = window,
        .type = x->atoms[X11_WM_PROTOCOLS],
        .data.data32 = {x->atoms[X11_WM_DELETE_WINDOW], XCB_CURRENT_TIME, 0, 0, 0},
    };
    xcb_send_event(x->c, 0, window, XCB_EVENT_MASK_NO_EVENT, (const char *) &event);
    return x11_sync(x, err);
}

static bool x11_window_close(desk *d, uint64_t id, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    if (!x11_check_exists(x, id, err)) {
        return false;
    }
    if (x11_has_manager(x)) {
        uint32_t data[5] = {XCB_CURRENT_TIME, SOURCE_PAGER};
        x11_tell_manager(x, (xcb_window_t) id, X11_NET_CLOSE_WINDOW, data);
        return x11_sync(x, err);
    }
    return ask_to_close(x, (xcb_window_t) id, err);
}

/* --- order -------------------------------------------------------------------------------------
 */

static bool x11_window_stack(desk *d, uint64_t id, bool above, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    uint32_t mode = above ? XCB_STACK_MODE_ABOVE : XCB_STACK_MODE_BELOW;
    if (!x11_check_exists(x, id, err)) {
        return false;
    }
    if (x11_has_manager(x) && x11_manager_knows(x, X11_NET_RESTACK_WINDOW)) {
        uint32_t data[5] = {SOURCE_PAGER, XCB_NONE, mode};
        x11_tell_manager(x, (xcb_window_t) id, X11_NET_RESTACK_WINDOW, data);
        return x11_sync(x, err);
    }
    return x11_check(
        x,
        xcb_configure_window_checked(x->c, (xcb_window_t) id, XCB_CONFIG_WINDOW_STACK_MODE, &mode),
        "to restack the window", err);
}

/* --- state -------------------------------------------------------------------------------------
 */

static bool is_maximized(x11_desk *x, xcb_window_t window)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply =
        xcb_get_property_reply(x->c, x11_ask_property(x, window, x->atoms[X11_NET_WM_STATE]), &e);
    bool found = reply && (x11_has_atom(reply, x->atoms[X11_NET_WM_STATE_MAXIMIZED_VERT]) ||
                           x11_has_atom(reply, x->atoms[X11_NET_WM_STATE_MAXIMIZED_HORZ]));
    free(e);
    free(reply);
    return found;
}

static void maximize(x11_desk *x, xcb_window_t window, uint32_t action)
{
    uint32_t data[5] = {action, x->atoms[X11_NET_WM_STATE_MAXIMIZED_VERT],
                        x->atoms[X11_NET_WM_STATE_MAXIMIZED_HORZ], SOURCE_PAGER};
    x11_tell_manager(x, window, X11_NET_WM_STATE, data);
}

/* Brings a minimized window back; leaves others alone, so that no focus moves for nothing. */
static void unhide(x11_desk *x, xcb_window_t window)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_window_attributes_reply_t *a =
        xcb_get_window_attributes_reply(x->c, xcb_get_window_attributes(x->c, window), &e);
    if (a && a->map_state != XCB_MAP_STATE_VIEWABLE) {
        xcb_map_window(x->c, window);
        activate(x, window);
    }
    free(e);
    free(a);
}

static void make_normal(x11_desk *x, xcb_window_t window)
{
    maximize(x, window, STATE_REMOVE);
    unhide(x, window);
}

static bool x11_window_state(desk *d, uint64_t id, desk_window_state state, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    xcb_window_t window = (xcb_window_t) id;
    if (!x11_check_exists(x, id, err)) {
        return false;
    }
    if (!x11_has_manager(x) && state != DESK_WINDOW_NORMAL) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "There is no window manager, without which windows cannot be minimized or "
                         "maximized.");
    }
    if (state == DESK_WINDOW_MINIMIZED) {
        uint32_t data[5] = {ICONIC_STATE};
        x11_tell_manager(x, window, X11_WM_CHANGE_STATE, data);
    } else if (state == DESK_WINDOW_MAXIMIZED) {
        unhide(x, window);
        maximize(x, window, STATE_ADD);
    } else {
        make_normal(x, window);
    }
    return x11_sync(x, err);
}

/* --- place -------------------------------------------------------------------------------------
 */

/* What lies between the corner that a request to move means (for windows of the usual, north-west,
 * gravity) and the window's own first pixel: the manager's frame, or the window's border. */
static void corner_offset(x11_desk *x, xcb_window_t window, int *left, int *top)
{
    xcb_generic_error_t *errors[2] = {NULL, NULL};
    xcb_get_property_cookie_t frame = x11_ask_property(x, window, x->atoms[X11_NET_FRAME_EXTENTS]);
    xcb_get_geometry_cookie_t geometry = xcb_get_geometry(x->c, window);
    xcb_get_property_reply_t *f = xcb_get_property_reply(x->c, frame, &errors[0]);
    xcb_get_geometry_reply_t *g = xcb_get_geometry_reply(x->c, geometry, &errors[1]);
    bool framed = f && f->format == 32 && xcb_get_property_value_length(f) >= FRAME_LONGS * 4;
    *left = *top = g ? g->border_width : 0;
    if (framed && x11_has_manager(x)) {
        const uint32_t *sides = xcb_get_property_value(f); /* left, right, top, bottom */
        *left = (int) (sides[0] & 0xffff);
        *top = (int) (sides[2] & 0xffff);
    }
    free(errors[0]);
    free(errors[1]);
    free(f);
    free(g);
}

/* Without a manager, or for one that knows no better. */
static void configure(x11_desk *x, xcb_window_t window, image_rect rect)
{
    int left, top;
    corner_offset(x, window, &left, &top);
    uint32_t values[] = {(uint32_t) (rect.x - left), (uint32_t) (rect.y - top),
                         (uint32_t) rect.width, (uint32_t) rect.height};
    xcb_configure_window(x->c, window,
                         XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                             XCB_CONFIG_WINDOW_HEIGHT,
                         values);
}

/* By the frame's corner: static gravity would name the window's own, but openbox adds to it a
 * border that it has taken from the window. A window that was maximized is about to get another
 * frame, so there static gravity is the lesser evil. */
static void move_resize(x11_desk *x, xcb_window_t window, bool was_maximized, image_rect rect)
{
    uint32_t all = 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11, gravity = XCB_GRAVITY_STATIC;
    int left = 0, top = 0;
    if (!was_maximized) {
        gravity = XCB_GRAVITY_NORTH_WEST;
        corner_offset(x, window, &left, &top);
    }
    uint32_t data[5] = {gravity | all | SOURCE_PAGER << 12, (uint32_t) (rect.x - left),
                        (uint32_t) (rect.y - top), (uint32_t) rect.width, (uint32_t) rect.height};
    x11_tell_manager(x, window, X11_NET_MOVERESIZE_WINDOW, data);
}

static bool x11_window_place(desk *d, uint64_t id, image_rect rect, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    xcb_window_t window = (xcb_window_t) id;
    if (!x11_check_exists(x, id, err)) {
        return false;
    }
    bool managed = x11_has_manager(x), was_maximized = managed && is_maximized(x, window);
    if (managed) {
        make_normal(x, window);
    }
    if (managed && x11_manager_knows(x, X11_NET_MOVERESIZE_WINDOW)) {
        move_resize(x, window, was_maximized, rect);
    } else {
        configure(x, window, rect);
    }
    return x11_sync(x, err);
}

void x11_window_action_ops(desk_ops *ops)
{
    ops->window_focus = x11_window_focus;
    ops->window_close = x11_window_close;
    ops->window_place = x11_window_place;
    ops->window_set_state = x11_window_state;
    ops->window_stack = x11_window_stack;
}
