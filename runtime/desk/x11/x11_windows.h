/*
 * x11_windows.h: listing the windows.
 */
#ifndef DESK_X11_X11_WINDOWS_H
#define DESK_X11_X11_WINDOWS_H

#include "x11_connection.h"

bool x11_windows(desk *d, desk_window_list *out, base_error *err);
uint64_t x11_window_active(desk *d);

#endif
