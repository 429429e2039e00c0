/*
 * x11_monitors.h: the monitors that make up the screen.
 */
#ifndef DESK_X11_X11_MONITORS_H
#define DESK_X11_X11_MONITORS_H

#include "x11_connection.h"

/* Whether the server has RandR 1.`minor`, or newer. */
bool x11_has_randr(x11_desk *x, uint32_t minor);
void x11_monitor_ops(desk_ops *ops);

#endif
