#include "x11.h"

#include <stdlib.h>
#include <uv.h>

/* The reply goes to the root window, where the window manager hears it too; whoever selects
 * SubstructureNotify there gets a copy. */
static void listen_at_root(x11_desk *x)
{
    if (!x->root_selected) {
        uint32_t mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
        xcb_change_window_attributes(x->c, x->root, XCB_CW_EVENT_MASK, &mask);
        x->root_selected = true;
        /* Tokens start at the clock, so that two programs on one display do not share any. */
        x->ping_sent = x->ping_seen = (uint32_t) (uv_hrtime() / 1000);
    }
}

static void send_ping(x11_desk *x, xcb_window_t window)
{
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE,
        .format = 32,
        .window = window,
        .type = x->atoms[X11_WM_PROTOCOLS],
        .data.data32 = {x->atoms[X11_NET_WM_PING], x->ping_sent, window, 0, 0},
    };
    xcb_send_event(x->c, 0, window, XCB_EVENT_MASK_NO_EVENT, (const char *) &event);
    xcb_flush(x->c);
}

bool x11_ping(desk *d, uint64_t *token, desk_error *err)
{
    x11_desk *x = (x11_desk *) d;
    *token = 0;
    xcb_window_t window = x11_active_window(x);
    if (!window || !x11_has_protocol(x, window, X11_NET_WM_PING)) {
        return x11_alive(x, err);
    }
    listen_at_root(x);
    if (++x->ping_sent == 0) {
        ++x->ping_sent; /* 0 means none */
    }
    send_ping(x, window);
    *token = x->ping_sent;
    return x11_alive(x, err);
}

void x11_ping_event(x11_desk *x, const xcb_client_message_event_t *event)
{
    uint32_t token = event->data.data32[1];
    bool ours = event->window == x->root && event->type == x->atoms[X11_WM_PROTOCOLS] &&
                event->format == 32 && event->data.data32[0] == x->atoms[X11_NET_WM_PING] &&
                x->ping_sent - token < 1u << 16;
    if (ours && token == x->sitting.ping) {
        x->sitting.heard = uv_hrtime(); /* of another window: it answers no question but that one */
    } else if (ours && (int32_t) (token - x->ping_seen) > 0) {
        x->ping_seen = token;
    }
}

bool x11_ping_answered(desk *d, uint64_t token)
{
    x11_desk *x = (x11_desk *) d;
    /* Applications answer in order, so a later answer settles the earlier questions as well. */
    return token != 0 && (int32_t) (x->ping_seen - (uint32_t) token) >= 0;
}

uint32_t x11_ping_send(x11_desk *x, xcb_window_t window)
{
    listen_at_root(x);
    if (++x->ping_sent == 0) {
        ++x->ping_sent;
    }
    send_ping(x, window);
    return x->ping_sent;
}
