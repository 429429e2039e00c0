/*
 * x11_window_actions.h: focusing, closing, placing and stacking windows.
 */
#ifndef DESK_X11_X11_WINDOW_ACTIONS_H
#define DESK_X11_X11_WINDOW_ACTIONS_H

#include "x11_connection.h"

bool x11_window_focus(desk *d, uint64_t id, base_error *err);
bool x11_window_close(desk *d, uint64_t id, base_error *err);
bool x11_window_place(desk *d, uint64_t id, image_rect rect, base_error *err);
bool x11_window_state(desk *d, uint64_t id, desk_window_state state, base_error *err);
bool x11_window_stack(desk *d, uint64_t id, bool above, base_error *err);

#endif
