/*
 * x11_monitors.h: the monitors that make up the screen.
 */
#ifndef DESK_X11_X11_MONITORS_H
#define DESK_X11_X11_MONITORS_H

#include "x11_connection.h"

void x11_monitor_ops(desk_ops *ops);

#endif
