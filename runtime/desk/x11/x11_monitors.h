/*
 * x11_monitors.h: the monitors that make up the screen.
 */
#ifndef DESK_X11_X11_MONITORS_H
#define DESK_X11_X11_MONITORS_H

#include "x11_connection.h"

bool x11_monitors(desk *d, desk_monitor_list *out, base_error *err);

#endif
