/* Whether an application has read what was sent to it: it is asked by _NET_WM_PING, which it
 * answers when it comes to that event, or watched until it sleeps (x11_idle.c). */
#include "x11_ping.h"

#include "x11_idle.h"
#include "x11_manager.h"
#include "x11_properties.h"

#include <stdlib.h>
#include <uv.h>

/* The answer goes to the root window, for the window manager; a client that selects
 * SubstructureNotify there gets a copy. Of Qt's answers it takes StructureNotify. */
static uint32_t next_token(x11_desk *x)
{
    x11_pings *p = x->pings;
    x11_listen_at_root(x, XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_STRUCTURE_NOTIFY);
    if (!p->sent) {
        /* Tokens start at the clock, so that two programs on one display do not share any. */
        p->sent = p->seen = (uint32_t) (uv_hrtime() / 1000);
    }
    if (++p->sent == 0) {
        ++p->sent; /* 0 means none */
    }
    return p->sent;
}

static uint32_t send_ping(x11_desk *x, xcb_window_t window)
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

/* The active window, and whether it answers pings: what the window of the last time says of that is
 * asked along. */
static xcb_window_t find_window(x11_desk *x, bool *answers)
{
    bool managed;
    xcb_window_t last = x->pings->window;
    x11_active_question question = x11_ask_active(x);
    xcb_get_property_cookie_t protocols =
        x11_ask_property(x, last ? last : x->root, x->atoms[X11_WM_PROTOCOLS]);
    xcb_window_t window = x11_take_active(x, question, &managed);
    *answers = x11_take_protocol(x, protocols, X11_NET_WM_PING);
    if (window != last) {
        *answers = window && x11_has_protocol(x, window, X11_NET_WM_PING);
        x->pings->window = window;
    }
    return window;
}

static bool x11_ping(desk *d, uint64_t *token, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    bool answers;
    *token = 0;
    x11_idle_stop(x);
    xcb_window_t window = find_window(x, &answers);
    if (window && answers) {
        *token = send_ping(x, window);
    } else if (window && x11_idle_start(x, window)) {
        *token = next_token(x) | DESK_PING_WATCHED;
    }
    return x11_alive(x, err);
}

void x11_ping_aside(x11_desk *x, xcb_window_t window, uint64_t *answered)
{
    x->pings->aside = send_ping(x, window);
    x->pings->answered = answered;
}

void x11_ping_aside_end(x11_desk *x)
{
    x->pings->aside = 0;
}

void x11_ping_poll(x11_desk *x)
{
    if (x11_idle_seen(x)) {
        x->pings->seen = x->pings->sent;
    }
}

void x11_ping_event(x11_desk *x, const xcb_generic_event_t *generic)
{
    const xcb_client_message_event_t *event = (const void *) generic;
    x11_pings *p = x->pings;
    uint32_t token = event->data.data32[1];
    bool ours = event->window == x->root && event->type == x->atoms[X11_WM_PROTOCOLS] &&
                event->format == 32 && event->data.data32[0] == x->atoms[X11_NET_WM_PING] &&
                p->sent - token < 1u << 16;
    if (ours && token == p->aside) {
        *p->answered = uv_hrtime();
    } else if (ours && (int32_t) (token - p->seen) > 0) {
        p->seen = token;
    }
}

static bool x11_ping_answered(desk *d, uint64_t token)
{
    x11_desk *x = (x11_desk *) d;
    /* Applications answer in order, so a later answer is one to the earlier pings as well. */
    return (int32_t) (x->pings->seen - (uint32_t) token) >= 0;
}

void x11_ping_ops(desk_ops *ops)
{
    ops->ping = x11_ping;
    ops->ping_answered = x11_ping_answered;
}
