/*
 * x11_events.h: the event pump. It gives each event to those that are registered for its type;
 * x11_ops.c registers them, so that the parts need not know of each other.
 */
#ifndef DESK_X11_X11_EVENTS_H
#define DESK_X11_X11_EVENTS_H

#include "x11_connection.h"

/* Takes in an event of a type that it is registered for. */
typedef void x11_event_handler(x11_desk *x, const xcb_generic_event_t *event);

enum { X11_EVENT_TYPES = 128, X11_HANDLERS_MAX = 3 /* for one type */ };

struct x11_events {
    x11_event_handler *handlers[X11_EVENT_TYPES][X11_HANDLERS_MAX + 1]; /* each ends with NULL */
    void (*taken)(x11_desk *x); /* called when all events that had arrived have been taken in */
    uint32_t root_mask;         /* of the events that are selected on the root window */
};

/* From now on `handler` is given the events of that type, after those registered before it. */
void x11_events_on(x11_desk *x, uint8_t type, x11_event_handler *handler);
/* Takes in the events that have arrived, without waiting. */
void x11_take_events(x11_desk *x);
/* Selects those events on the root window, beside the others. */
void x11_listen_at_root(x11_desk *x, uint32_t events);

#endif
