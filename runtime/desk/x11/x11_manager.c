/* The window manager, as the extended window manager hints (EWMH) have it: whether there is one,
 * what it is asked for, and which window it has made the active one. */
#include "x11_manager.h"

#include "x11_properties.h"
#include "x11_window_watch.h"

#include <stdlib.h>
#include <string.h>

static uint32_t get_value(x11_desk *x, xcb_window_t window, xcb_atom_t property)
{
    return x11_take_value(x, x11_ask_property(x, window, property));
}

static xcb_get_property_cookie_t ask_manager(x11_desk *x)
{
    return x11_ask_property(x, x->root, x->atoms[X11_NET_SUPPORTING_WM_CHECK]);
}

/* The property stays behind when a window manager dies; its window does not. */
static bool take_manager(x11_desk *x, xcb_get_property_cookie_t asked)
{
    xcb_window_t check = x11_take_value(x, asked);
    return check && get_value(x, check, x->atoms[X11_NET_SUPPORTING_WM_CHECK]) == check;
}

bool x11_has_manager(x11_desk *x)
{
    return take_manager(x, ask_manager(x));
}

bool x11_manager_knows(x11_desk *x, x11_atom message)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        x->c,
        xcb_get_property(x->c, 0, x->root, x->atoms[X11_NET_SUPPORTED], XCB_ATOM_ATOM, 0, 1024),
        NULL);
    bool known = reply && x11_has_atom(reply, x->atoms[message]);
    free(reply);
    return known;
}

void x11_tell_manager(x11_desk *x, xcb_window_t window, x11_atom what, const uint32_t data[5])
{
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE,
        .format = 32,
        .window = window,
        .type = x->atoms[what],
    };
    memcpy(event.data.data32, data, sizeof event.data.data32);
    xcb_send_event(x->c, 0, x->root,
                   XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
                   (const char *) &event);
}

xcb_get_input_focus_cookie_t x11_ask_focus(x11_desk *x)
{
    return xcb_get_input_focus(x->c);
}

xcb_window_t x11_take_focus(x11_desk *x, xcb_get_input_focus_cookie_t cookie)
{
    xcb_get_input_focus_reply_t *reply = xcb_get_input_focus_reply(x->c, cookie, NULL);
    xcb_window_t focus = reply ? reply->focus : 0;
    free(reply);
    return focus == XCB_INPUT_FOCUS_POINTER_ROOT ? 0 : focus;
}

/* The child of the root that `window` is or is inside of. */
static xcb_window_t top_level_of(x11_desk *x, xcb_window_t window)
{
    while (window && window != x->root) {
        xcb_generic_error_t *e = NULL;
        xcb_query_tree_reply_t *tree = xcb_query_tree_reply(x->c, xcb_query_tree(x->c, window), &e);
        xcb_window_t parent = tree ? tree->parent : 0;
        free(e);
        free(tree);
        if (parent == x->root) {
            return window;
        }
        window = parent;
    }
    return 0;
}

/* The application's window that `window` is or is inside of, told by the WM_STATE that every window
 * manager gives to those that it manages; 0 for windows of its own. */
static xcb_window_t managed_window_of(x11_desk *x, xcb_window_t window)
{
    while (window && window != x->root) {
        xcb_get_property_cookie_t state = x11_ask_property(x, window, x->atoms[X11_WM_STATE]);
        xcb_query_tree_cookie_t above = xcb_query_tree(x->c, window);
        bool managed = x11_take_value(x, state) != 0;
        xcb_query_tree_reply_t *tree = xcb_query_tree_reply(x->c, above, NULL);
        xcb_window_t parent = tree ? tree->parent : 0;
        free(tree);
        if (managed) {
            return window;
        }
        window = parent;
    }
    return 0;
}

xcb_window_t x11_holder_of(x11_desk *x, xcb_window_t window)
{
    xcb_window_t holder = managed_window_of(x, window);
    return holder ? holder : top_level_of(x, window);
}

x11_active_question x11_ask_active(x11_desk *x)
{
    x11_active_question question = {
        .manager = ask_manager(x),
        .active = x11_ask_property(x, x->root, x->atoms[X11_NET_ACTIVE_WINDOW]),
        .focus = x11_ask_focus(x),
        .guess = x->window_watch->manager,
    };
    if (question.guess) {
        question.guessed =
            x11_ask_property(x, question.guess, x->atoms[X11_NET_SUPPORTING_WM_CHECK]);
    }
    return question;
}

/* take_manager, without another wait where the manager is that of the last time. */
static bool take_guessed_manager(x11_desk *x, x11_active_question asked)
{
    xcb_window_t check = x11_take_value(x, asked.manager);
    xcb_window_t answer = asked.guess ? x11_take_value(x, asked.guessed) : 0;
    if (check && check != asked.guess) {
        answer = get_value(x, check, x->atoms[X11_NET_SUPPORTING_WM_CHECK]);
    }
    bool managed = check && answer == check;
    x->window_watch->manager = managed ? check : 0;
    return managed;
}

/* As the manager names it, though it gives the focus first and the name later: it closes, moves and
 * gives shortcuts to the window that it has named. */
xcb_window_t x11_take_active(x11_desk *x, x11_active_question asked, bool *managed)
{
    xcb_window_t named = x11_take_value(x, asked.active);
    xcb_window_t focused = x11_take_focus(x, asked.focus);
    *managed = take_guessed_manager(x, asked);
    return named && *managed ? named : top_level_of(x, focused);
}

xcb_window_t x11_active_window(x11_desk *x)
{
    bool managed;
    return x11_take_active(x, x11_ask_active(x), &managed);
}

bool x11_check_exists(x11_desk *x, uint64_t id, base_error *err)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_window_attributes_reply_t *reply =
        id == 0 || id > UINT32_MAX
            ? NULL
            : xcb_get_window_attributes_reply(
                  x->c, xcb_get_window_attributes(x->c, (xcb_window_t) id), &e);
    bool there = reply != NULL;
    free(e);
    free(reply);
    if (!there && x11_alive(x, err)) {
        return base_fail(err, BASE_NOT_FOUND, "There is no window %llu any more.",
                         (unsigned long long) id);
    }
    return there;
}
