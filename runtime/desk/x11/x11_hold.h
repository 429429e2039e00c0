/*
 * x11_hold.h: who works on the display, told to others by a selection.
 */
#ifndef DESK_X11_X11_HOLD_H
#define DESK_X11_X11_HOLD_H

#include "x11_connection.h"

void x11_hold_ops(desk_ops *ops);

#endif
