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

bool x11_pointer_get(desk *d, int *px, int *py, base_error *err);
bool x11_pointer_move(desk *d, int px, int py, base_error *err);
bool x11_button(desk *d, desk_button button, bool down, base_error *err);
bool x11_button_waits(desk *d);
bool x11_wheel(desk *d, int dx, int dy, base_error *err);
/* Releases what is held down. */
void x11_pointer_close(x11_desk *x);

#endif
