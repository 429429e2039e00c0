/*
 * x11_input.h: input by the XTEST extension. Each event is told to the watchdog process, and to the
 * record by which a watch of the user's activity knows our own events, before it is sent.
 */
#ifndef DESK_X11_X11_INPUT_H
#define DESK_X11_X11_INPUT_H

#include "x11_connection.h"
#include "x11_own_input.h"

struct x11_input {
    x11_own_input *own_input; /* may be NULL */
};

void x11_input_open(x11_desk *x);
/* After everything that is held down was released. */
void x11_input_close(x11_desk *x);

/* Queues one key or button event; errors turn up in x11_input_sync. */
void x11_fake(x11_desk *x, uint8_t type, uint8_t detail);
/* Sends one and waits until the server has done it. */
bool x11_fake_checked(x11_desk *x, uint8_t type, uint8_t detail, const char *doing,
                      base_error *err);
/* Queues a move of the pointer to that place of the screen. */
void x11_fake_motion(x11_desk *x, int px, int py);
/* Sends what is queued and waits until the server has done it. */
bool x11_input_sync(x11_desk *x, base_error *err);

#endif
