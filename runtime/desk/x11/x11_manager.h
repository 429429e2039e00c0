/*
 * x11_manager.h: the window manager, by the extended window manager hints (EWMH): whether there is
 * one, what it is asked for, and which window it has made the active one.
 */
#ifndef DESK_X11_X11_MANAGER_H
#define DESK_X11_X11_MANAGER_H

#include "x11_connection.h"

/* Whether a window manager that follows the hints is running. */
bool x11_has_manager(x11_desk *x);
/* Whether it says that it understands `message`. */
bool x11_manager_knows(x11_desk *x, x11_atom message);
/* Queues a request to it: a message to the root window about `window`. */
void x11_tell_manager(x11_desk *x, xcb_window_t window, x11_atom what, const uint32_t data[5]);
/* The window that has the keyboard's focus, as the manager names it, or without one the child of
 * the root that has it; 0 if none has. */
xcb_window_t x11_active_window(x11_desk *x);
/* The same in two steps, so that it is asked together with other things: the questions, and what
 * x11_active_window gives. `*managed` is what x11_has_manager would give. */
typedef struct {
    xcb_get_property_cookie_t manager, active;
    xcb_get_input_focus_cookie_t focus;
    xcb_window_t guess; /* the manager's window of the last time, asked along; 0 for none */
    xcb_get_property_cookie_t guessed;
} x11_active_question;
x11_active_question x11_ask_active(x11_desk *x);
xcb_window_t x11_take_active(x11_desk *x, x11_active_question asked, bool *managed);
/* The window that keys are sent to, which may be a part of the active one; 0 if there is none. In
 * two steps as well. */
xcb_get_input_focus_cookie_t x11_ask_focus(x11_desk *x);
xcb_window_t x11_take_focus(x11_desk *x, xcb_get_input_focus_cookie_t asked);
/* The application's window that `window` is a part of; 0 for no window. */
xcb_window_t x11_holder_of(x11_desk *x, xcb_window_t window);
/* BASE_NOT_FOUND for a window that has closed. */
bool x11_check_exists(x11_desk *x, uint64_t id, base_error *err);

#endif
