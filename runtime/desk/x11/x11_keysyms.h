/*
 * x11_keysyms.h: what keys and characters are called in X: keysyms.
 */
#ifndef DESK_X11_X11_KEYSYMS_H
#define DESK_X11_X11_KEYSYMS_H

#include "desk/keys.h"

#include <xcb/xcb.h>

xcb_keysym_t x11_keysym_of_character(uint32_t codepoint);
/* The character that a keysym types; 0 for none, and for symbols that only an older table has. */
uint32_t x11_character_of_keysym(xcb_keysym_t keysym);
/* The key that a keysym is the plain meaning of; DESK_KEY_NONE for none. */
desk_key x11_key_of_keysym(xcb_keysym_t keysym);
/* The keysyms of a key: two, the preferred one first, 0 for none. */
void x11_keysyms_of_key(desk_key key, xcb_keysym_t out[2]);

#endif
