/*
 * x11_windows.h: listing the windows.
 */
#ifndef DESK_X11_X11_WINDOWS_H
#define DESK_X11_X11_WINDOWS_H

#include "x11_connection.h"

void x11_windows_ops(desk_ops *ops);

#endif
