/*
 * x11_windows.h: listing the windows.
 */
#ifndef DESK_X11_X11_WINDOWS_H
#define DESK_X11_X11_WINDOWS_H

#include "x11_connection.h"

/* Puts the operations of this file into the table. */
void x11_windows_ops(desk_ops *ops);

#endif
