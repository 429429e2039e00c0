/*
 * x11_window_actions.h: focusing, closing, placing and stacking windows.
 */
#ifndef DESK_X11_X11_WINDOW_ACTIONS_H
#define DESK_X11_X11_WINDOW_ACTIONS_H

#include "x11_connection.h"

void x11_window_action_ops(desk_ops *ops);

#endif
