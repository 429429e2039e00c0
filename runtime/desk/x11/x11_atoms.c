#include "x11_atoms.h"

#include <stdlib.h>
#include <string.h>

void x11_atoms_intern(xcb_connection_t *c, xcb_atom_t out[X11_ATOM_COUNT])
{
    static const char *const names[X11_ATOM_COUNT] = {
#define NAME(number, name) [number] = name,
        X11_ATOMS(NAME)
#undef NAME
    };
    xcb_intern_atom_cookie_t cookies[X11_ATOM_COUNT];
    for (int i = 0; i < X11_ATOM_COUNT; i++) {
        cookies[i] = xcb_intern_atom(c, 0, (uint16_t) strlen(names[i]), names[i]);
    }
    for (int i = 0; i < X11_ATOM_COUNT; i++) {
        xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(c, cookies[i], NULL);
        out[i] = reply ? reply->atom : XCB_ATOM_NONE;
        free(reply);
    }
}
