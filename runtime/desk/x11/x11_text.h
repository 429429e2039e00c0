/*
 * x11_text.h: typing text.
 */
#ifndef DESK_X11_X11_TEXT_H
#define DESK_X11_X11_TEXT_H

#include "x11_connection.h"

struct x11_text {
    bool caps_lock_taken; /* it was on; x11_type_end turns it on again */
    bool begun;           /* since the last x11_type_end */
    xcb_window_t focus;   /* what the steps so far were typed into, */
    xcb_window_t holder;  /* and the application's window that it is a part of */
};

void x11_text_ops(desk_ops *ops);
bool x11_type_end(desk *d, base_error *err);

#endif
