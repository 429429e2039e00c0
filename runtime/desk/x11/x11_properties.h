/*
 * x11_properties.h: reading the properties of windows.
 */
#ifndef DESK_X11_X11_PROPERTIES_H
#define DESK_X11_X11_PROPERTIES_H

#include "x11_connection.h"

/* Asks for a property of any type, as much of it as is ever wanted of a window. */
xcb_get_property_cookie_t x11_ask_property(x11_desk *x, xcb_window_t window, xcb_atom_t property);
/* The first 32-bit value of a property, 0 if there is none. */
uint32_t x11_take_value(x11_desk *x, xcb_get_property_cookie_t cookie);
/* Whether a property that is a list of atoms holds that one. */
bool x11_has_atom(const xcb_get_property_reply_t *reply, xcb_atom_t atom);
/* Whether a window's WM_PROTOCOLS lists that one. */
bool x11_has_protocol(x11_desk *x, xcb_window_t window, x11_atom protocol);
/* The same of that property, which was asked for before. */
bool x11_take_protocol(x11_desk *x, xcb_get_property_cookie_t asked, x11_atom protocol);

#endif
