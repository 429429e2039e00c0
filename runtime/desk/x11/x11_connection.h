/*
 * x11_connection.h: an open X display, and what every file of this folder stands on.
 *
 * One XCB connection does everything; requests that do not depend on each other are sent together
 * before the first reply is read. The server may vanish at any moment: XCB then fails every call
 * without ending the program, and x11_alive or x11_refused turn that into BASE_UNAVAILABLE. X
 * errors about windows that have closed meanwhile are expected and come back as "not found" or
 * nothing.
 *
 * Needed: XTEST and a true-colour screen of 32-bit little-endian pixels. MIT-SHM, XFIXES, DAMAGE,
 * RANDR and COMPOSITE are used where present: without them capture is slower, has no pointer drawn
 * in it and no frame can be shown, watch_start fails, the screen is one monitor, and windows have
 * no pixels of their own.
 *
 * Each part of the backend is a file with a header; its includes are the parts that it uses, and
 * none uses one that uses it (tests/graph). From the bottom: the connection; events and properties;
 * input and the window manager; what the ops do; x11_ops.c, which alone knows all of them and what
 * memory a desk has. A part's x11_..._ops puts its operations into the table.
 */
#ifndef DESK_X11_X11_CONNECTION_H
#define DESK_X11_X11_CONNECTION_H

#include "desk/backend.h"
#include "x11_atoms.h"

#include <xcb/xcb.h>

/* What each part keeps for a desk: see its header. */
typedef struct x11_events x11_events;
typedef struct x11_watchdog x11_watchdog;
typedef struct x11_input x11_input;
typedef struct x11_keymap x11_keymap;
typedef struct x11_keyboard x11_keyboard;
typedef struct x11_text x11_text;
typedef struct x11_pointer x11_pointer;
typedef struct x11_frames x11_frames;
typedef struct x11_damage x11_damage;
typedef struct x11_highlight x11_highlight;
typedef struct x11_capture_session x11_capture_session;
typedef struct x11_pings x11_pings;
typedef struct x11_idle x11_idle;
typedef struct x11_window_watch x11_window_watch;
typedef struct x11_clipboard x11_clipboard;
typedef struct x11_clipboard_watch x11_clipboard_watch;
typedef struct x11_selection x11_selection;

typedef struct {
    desk base;
    char name[128];  /* of the display */
    char cookie[33]; /* as given to open; "" for what the user's Xauthority file says */
    xcb_connection_t *c;
    const xcb_screen_t *screen;
    xcb_window_t root;
    xcb_atom_t atoms[X11_ATOM_COUNT];
    bool has_shm, has_fixes, has_damage;
    uint8_t fixes_event, damage_event; /* the first event type of the extension */

    x11_events *events;
    x11_watchdog *watchdog;
    x11_input *input;
    x11_keymap *keymap;
    x11_keyboard *keyboard;
    x11_text *text;
    x11_pointer *pointer;
    x11_frames *frames;
    x11_damage *damage;
    x11_highlight *highlight;
    x11_capture_session *session;
    x11_pings *pings;
    x11_idle *idle;
    x11_window_watch *window_watch;
    x11_clipboard *clipboard;
    x11_clipboard_watch *clipboard_watch;
    x11_selection *selection;
} x11_desk;

/* Connects to the display that the options name; `*number` is the screen's. Never NULL; has an
 * error, with `err` filled, where it cannot be opened, or has not answered for X11_CONNECT_SECONDS.
 */
xcb_connection_t *x11_connect(const desk_options *options, int *number, base_error *err);
enum { X11_CONNECT_SECONDS = 10 };
/* Fills `err` for a display that cannot be opened; NULL is that of the environment. Returns false.
 */
bool x11_no_display(const char *name, base_error *err);
const xcb_screen_t *x11_screen_number(xcb_connection_t *c, int number);

/* Connects a new desk and finds out what its display can do. Closed in either case. */
bool x11_connection_open(x11_desk *x, const desk_options *options, base_error *err);
void x11_connection_close(x11_desk *x);

/* False, with `err` filled, if the connection has gone. */
bool x11_alive(x11_desk *x, base_error *err);
/* Fills `err` for a request that failed while `doing` something; frees `e`, which may be NULL.
 * Returns false. */
bool x11_refused(x11_desk *x, const char *doing, xcb_generic_error_t *e, base_error *err);
/* Waits for a checked request. */
bool x11_check(x11_desk *x, xcb_void_cookie_t cookie, const char *doing, base_error *err);
/* Sends what is queued and waits until the server has done it. */
bool x11_sync(x11_desk *x, base_error *err);

#endif
