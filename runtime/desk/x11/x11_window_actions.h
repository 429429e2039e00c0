/*
 * x11_window_actions.h: focusing, closing, placing and stacking windows.
 */
#ifndef DESK_X11_X11_WINDOW_ACTIONS_H
#define DESK_X11_X11_WINDOW_ACTIONS_H

#include "x11_connection.h"

/* Puts the operations of this file into the table. */
void x11_window_action_ops(desk_ops *ops);

#endif
