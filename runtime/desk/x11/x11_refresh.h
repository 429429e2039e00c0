/*
 * x11_refresh.h: how many pictures a second the screen's monitor says that it shows.
 */
#ifndef DESK_X11_X11_REFRESH_H
#define DESK_X11_X11_REFRESH_H

#include "x11_connection.h"

void x11_refresh_ops(desk_ops *ops);

#endif
