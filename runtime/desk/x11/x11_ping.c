#include "x11_internal.h"

#include <stdlib.h>
#include <uv.h>

/* The reply goes to the root window, where the window manager hears it too; whoever selects
 * SubstructureNotify there gets a copy. */
static void listen_at_root(x11_desk *x)
{
    x11_listen_at_root(x, XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY);
    if (!x->ping_sent) {
        /* Tokens start at the clock, so that two programs on one display do not share any. */
        x->ping_sent = x->ping_seen = (uint32_t) (uv_hrtime() / 1000);
    }
}

static uint32_t next_token(x11_desk *x)
{
    listen_at_root(x);
    if (++x->ping_sent == 0) {
        ++x->ping_sent; /* 0 means none */
    }
    return x->ping_sent;
}

uint32_t x11_ping_send(x11_desk *x, xcb_window_t window)
{
    uint32_t token = next_token(x);
    xcb_client_message_event_t event = {
        .response_type = XCB_CLIENT_MESSAGE,
        .format = 32,
        .window = window,
        .type = x->atoms[X11_WM_PROTOCOLS],
        .data.data32 = {x->atoms[X11_NET_WM_PING], token, window, 0, 0},
    };
    xcb_send_event(x->c, 0, window, XCB_EVENT_MASK_NO_EVENT, (const char *) &event);
    xcb_flush(x->c);
    return token;
}

bool x11_ping(desk *d, uint64_t *token, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    *token = 0;
    x->idle.pid = 0; /* whoever was watched is not any more */
    xcb_window_t window = x11_active_window(x);
    if (window && x11_has_protocol(x, window, X11_NET_WM_PING)) {
        *token = x11_ping_send(x, window);
    } else if (window && x11_idle_start(x, window)) {
        *token = next_token(x) | DESK_PING_WATCHED;
    }
    return x11_alive(x, err);
}

void x11_ping_look(x11_desk *x)
{
    if (x11_idle_seen(x)) {
        x->ping_seen = x->ping_sent;
    }
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
