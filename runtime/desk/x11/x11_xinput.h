/*
 * x11_xinput.h: the XInput 2 extension: what each device does, whoever has grabbed it. Its library
 * (libxcb-xinput) is opened when first used, so that a machine without it can do everything else.
 */
#ifndef DESK_X11_XINPUT_H
#define DESK_X11_XINPUT_H

#include "error.h"

#include <xcb/xcb.h>
#include <xcb/xinput.h>

typedef struct {
    xcb_extension_t *id;
    __typeof__(xcb_input_xi_query_version) *query_version;
    __typeof__(xcb_input_xi_query_version_reply) *query_version_reply;
    __typeof__(xcb_input_xi_select_events_checked) *select_events;
    __typeof__(xcb_input_xi_query_device) *query_device;
    __typeof__(xcb_input_xi_query_device_reply) *query_device_reply;
    __typeof__(xcb_input_xi_query_device_infos_iterator) *infos;
    __typeof__(xcb_input_xi_device_info_next) *next_info;
    __typeof__(xcb_input_xi_device_info_name) *info_name;
    __typeof__(xcb_input_xi_device_info_name_length) *info_name_length;
} x11_xinput;

/* The library's functions, for the life of the process; NULL with DESK_UNAVAILABLE where it is not
 * installed. For one thread. */
const x11_xinput *x11_xinput_open(desk_error *err);

/* Asks to be told of every device's keys, buttons and moves, and of devices that come and go.
 * `*opcode` is what its events carry as their extension. */
bool x11_xinput_select(const x11_xinput *xi, xcb_connection_t *c, xcb_window_t root,
                       uint8_t *opcode, desk_error *err);

/* The numbers of the devices that XTEST sends by: the first `room` of them; returns how many. */
size_t x11_xinput_test_devices(const x11_xinput *xi, xcb_connection_t *c, uint16_t *out,
                               size_t room);

#endif
