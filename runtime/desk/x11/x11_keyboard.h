/*
 * x11_keyboard.h: keys by name, and which of them are held down.
 */
#ifndef DESK_X11_X11_KEYBOARD_H
#define DESK_X11_X11_KEYBOARD_H

#include "x11_keymap.h"

enum { X11_MAX_HELD = 32 };

typedef struct {
    desk_key key;
    x11_stroke stroke; /* modifiers are set only where we pressed them ourselves */
} x11_held_key;

struct x11_keyboard {
    x11_held_key held[X11_MAX_HELD];
    size_t held_count;
};

void x11_keyboard_ops(desk_ops *ops);
/* Releases what is held down. */
void x11_keyboard_close(x11_desk *x);

#endif
