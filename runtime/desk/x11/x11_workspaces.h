/*
 * x11_workspaces.h: the window manager's workspaces.
 */
#ifndef DESK_X11_X11_WORKSPACES_H
#define DESK_X11_X11_WORKSPACES_H

#include "x11_connection.h"

bool x11_workspaces(desk *d, desk_workspaces *out, base_error *err);
bool x11_workspace_go(desk *d, int number, base_error *err);
bool x11_window_workspace(desk *d, uint64_t id, int number, base_error *err);
/* The number for a window's _NET_WM_DESKTOP, as desk_window has it. */
int x11_workspace_number(x11_desk *x, xcb_get_property_cookie_t cookie);

#endif
