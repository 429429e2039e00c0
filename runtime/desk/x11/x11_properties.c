#include "x11_properties.h"

#include <stdlib.h>
#include <string.h>

enum { PROPERTY_LONGS = 256 };

xcb_get_property_cookie_t x11_ask_property(x11_desk *x, xcb_window_t window, xcb_atom_t property)
{
    return xcb_get_property(x->c, 0, window, property, XCB_GET_PROPERTY_TYPE_ANY, 0,
                            PROPERTY_LONGS);
}

uint32_t x11_take_value(x11_desk *x, xcb_get_property_cookie_t cookie)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, cookie, &e);
    uint32_t value = 0;
    if (reply && reply->format == 32 && xcb_get_property_value_length(reply) >= 4) {
        memcpy(&value, xcb_get_property_value(reply), 4);
    }
    free(e);
    free(reply);
    return value;
}

bool x11_has_atom(const xcb_get_property_reply_t *reply, xcb_atom_t atom)
{
    const xcb_atom_t *atoms = xcb_get_property_value(reply);
    int count = reply->format == 32 ? xcb_get_property_value_length(reply) / 4 : 0;
    for (int i = 0; i < count; i++) {
        if (atoms[i] == atom) {
            return true;
        }
    }
    return false;
}

bool x11_has_protocol(x11_desk *x, xcb_window_t window, x11_atom protocol)
{
    return x11_take_protocol(x, x11_ask_property(x, window, x->atoms[X11_WM_PROTOCOLS]), protocol);
}

bool x11_take_protocol(x11_desk *x, xcb_get_property_cookie_t asked, x11_atom protocol)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, asked, &e);
    bool found = reply && x11_has_atom(reply, x->atoms[protocol]);
    free(e);
    free(reply);
    return found;
}
