/*
 * x11_pointer.h: the pointer, its buttons and the wheel.
 */
#ifndef DESK_X11_X11_POINTER_H
#define DESK_X11_X11_POINTER_H

#include "x11_connection.h"

struct x11_pointer {
    uint32_t held;    /* bit n: button n */
    uint8_t released; /* the button released last, as applications number it; 0: that is over */
};

void x11_pointer_ops(desk_ops *ops);
/* Releases what is held down. */
void x11_pointer_close(x11_desk *x);

#endif
