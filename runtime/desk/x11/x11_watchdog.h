/*
 * x11_watchdog.h: the process that restores keyboard and mouse when ours is killed: x11_watchdog.c.
 * It is told of each act before that is sent.
 */
#ifndef DESK_X11_X11_WATCHDOG_H
#define DESK_X11_X11_WATCHDOG_H

#include "x11_connection.h"

#include <sys/types.h>

enum { X11_KINDS = 2 /* keys and buttons */, X11_CODES = 256 /* of each */ };

typedef struct x11_journal x11_journal; /* in memory shared with the watchdog */

struct x11_watchdog {
    bool tried;                      /* to start it, which is done once */
    pid_t pid;                       /* these three only while there is a journal */
    int pipe;                        /* our end; the watchdog wakes when it closes */
    x11_journal *journal;            /* NULL: there is no watchdog */
    bool down[X11_KINDS][X11_CODES]; /* when all that is queued has been done */
};

/* An XTEST key or button event. This and the next two start the watchdog if there is none yet. */
void x11_watchdog_input(x11_desk *x, uint8_t type, uint8_t detail);
/* An empty keycode gets this keysym on both levels; 0: it is emptied again. */
void x11_watchdog_keysym(x11_desk *x, xcb_keycode_t keycode, xcb_keysym_t keysym);
/* Caps lock, whose key this is, is turned off for a while; 0: it is on again. */
void x11_watchdog_caps_lock(x11_desk *x, xcb_keycode_t keycode);
/* The server has done everything that was sent. */
void x11_watchdog_done(x11_desk *x);
/* Ends the watchdog, or leaves the restoring to it where not everything was done. */
void x11_watchdog_close(x11_desk *x, bool all_done);

#endif
