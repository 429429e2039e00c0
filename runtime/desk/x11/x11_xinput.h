/*
 * x11_xinput.h: the XInput 2 extension: what each device does, whoever has grabbed it.
 */
#ifndef DESK_X11_X11_XINPUT_H
#define DESK_X11_X11_XINPUT_H

#include "base/error.h"

#include <xcb/xcb.h>
#include <xcb/xinput.h>

/* Asks to be told of every device's keys, buttons and moves, and of devices that come and go.
 * `*opcode` is what its events carry as their extension. */
bool x11_xinput_select(xcb_connection_t *c, xcb_window_t root, uint8_t *opcode, base_error *err);

/* The numbers of the devices that XTEST sends by: the first `capacity` of them; returns how many.
 */
size_t x11_xinput_test_devices(xcb_connection_t *c, uint16_t *out, size_t capacity);

#endif
