/*
 * human.h: what people do at the mouse and the keyboard of a desktop. A watch has a thread of its
 * own (on X11 a connection too), so it notices whatever the rest of the program is busy with; none
 * runs before one is opened.
 *
 * A touch is any input that is not this program's own: from a device, or from another program that
 * sends input, as remote desktops do. Own input is told apart by the program's books, not by its
 * kind (x11_ledger.c; on Windows by a mark in each event).
 *
 * All functions are for one thread. Notices come on the watch's thread and must be quick; they may
 * not call anything here. After close, or remove, none comes any more.
 */
#ifndef DESK_HUMAN_H
#define DESK_HUMAN_H

#include "desk.h"

typedef struct desk_human desk_human;

typedef void (*desk_human_notice)(void *context);

typedef enum {
    /* Noticed beside whoever gets the keys, also while another program has grabbed the keyboard.
     * Only keys that people press count, none of our own. */
    DESK_CHORD_SEEN,
    /* Ours alone: applications do not get its last key. Modifiers and one other key; counts
     * whoever presses it. */
    DESK_CHORD_TAKEN,
} desk_chord_kind;

/* Starts to watch the desktop that `where` names as for a desk (NULL: the user's). `backend` as for
 * desk_open. `touched` may be NULL. Errors: unavailable, unsupported, refused, no_memory. */
bool desk_human_open(desk_human **out, const char *backend, const desk_options *where,
                     desk_human_notice touched, void *context, base_error *err);
void desk_human_close(desk_human *h);

/* When somebody touched mouse or keyboard last (uv_hrtime); 0 if nobody has since the watch began.
 */
uint64_t desk_human_last_touch(desk_human *h);

/* Turns the notice of touches on or off (as it is at first). It comes at most every 100 ms. */
void desk_human_tell_touches(desk_human *h, bool on);

/* From now on `notice` is called each time that all keys of the combination are down (once, however
 * long they are held). Returns the chord's number, 0 on failure: BASE_REFUSED where another program
 * has taken it, BASE_UNSUPPORTED where the keyboard lacks a key of it, BASE_INVALID. */
int desk_human_add(desk_human *h, const desk_combo *combo, desk_chord_kind kind,
                   desk_human_notice notice, void *context, base_error *err);
/* Unknown numbers are ignored. */
void desk_human_remove(desk_human *h, int chord);

enum { DESK_HUMAN_CHORDS = 32 }; /* at most so many on one watch */

#endif
