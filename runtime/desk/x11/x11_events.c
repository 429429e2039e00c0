/* The event pump: events go to whoever was registered for their type. */
#include "x11_events.h"

#include <assert.h>
#include <stdlib.h>

enum { TYPE_MASK = 0x7f /* the other bit says that a client sent the event */ };

void x11_events_on(x11_desk *x, uint8_t type, x11_event_handler *handler)
{
    x11_event_handler **handlers = x->events->handlers[type & TYPE_MASK];
    size_t count = 0;
    while (handlers[count]) {
        count++;
    }
    assert(count < X11_HANDLERS_MAX);
    handlers[count] = handler;
}

/* Type 0, which has no handlers, is an error of an unchecked request: a window that has closed
 * meanwhile. */
void x11_take_events(x11_desk *x)
{
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(x->c))) {
        x11_event_handler **handler = x->events->handlers[event->response_type & TYPE_MASK];
        for (; *handler; handler++) {
            (*handler)(x, event);
        }
        free(event);
    }
    if (x->events->taken) {
        x->events->taken(x);
    }
}

void x11_listen_at_root(x11_desk *x, uint32_t events)
{
    if ((x->events->root_mask | events) != x->events->root_mask) {
        x->events->root_mask |= events;
        xcb_change_window_attributes(x->c, x->root, XCB_CW_EVENT_MASK, &x->events->root_mask);
    }
}
