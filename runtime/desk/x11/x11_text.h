/*
 * x11_text.h: typing text.
 */
#ifndef DESK_X11_X11_TEXT_H
#define DESK_X11_X11_TEXT_H

#include "x11_connection.h"

struct x11_text {
    bool caps_lock_taken; /* it was on; x11_type_end turns it on again */
};

bool x11_text_step(desk *d, const char *text, size_t length, desk_text_step *out, base_error *err);
bool x11_type_end(desk *d, base_error *err);

/* Puts the operations of this file into the table. */
void x11_text_ops(desk_ops *ops);

#endif
