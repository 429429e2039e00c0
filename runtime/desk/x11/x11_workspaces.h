/*
 * x11_workspaces.h: the window manager's workspaces.
 */
#ifndef DESK_X11_X11_WORKSPACES_H
#define DESK_X11_X11_WORKSPACES_H

#include "x11_connection.h"

void x11_workspace_ops(desk_ops *ops);
/* The number for a window's _NET_WM_DESKTOP, as desk_window has it. */
int x11_workspace_number(x11_desk *x, xcb_get_property_cookie_t cookie);

#endif
