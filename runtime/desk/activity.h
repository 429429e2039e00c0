/*
 * activity.h: what people do at the mouse and the keyboard of a desktop. A watch has a thread of
 * its own (on X11 a connection too), so it notices whatever the rest of the program is busy with;
 * none runs before one is opened.
 *
 * A person's input is any input that is not this program's own: from a device, or from another
 * program that sends input, as remote desktops do. Own input is told apart by the program's books,
 * not by its kind (x11_own_input.c; on Windows by a mark in each event).
 *
 * All functions are for one thread. Notices come on the watch's thread and must be quick; they may
 * not call anything here. After close, or remove, none comes any more.
 */
#ifndef DESK_ACTIVITY_H
#define DESK_ACTIVITY_H

#include "desk.h"

typedef struct desk_activity desk_activity;

typedef void (*desk_activity_notice)(void *context);

typedef enum {
    /* Noticed beside whoever gets the keys, also while another program has grabbed the keyboard.
     * Only keys that people press count, none of our own. */
    DESK_HOTKEY_WATCHED,
    /* Ours alone: applications do not get its last key. Modifiers and one other key; counts
     * whoever presses it. */
    DESK_HOTKEY_GRABBED,
} desk_hotkey_kind;

/* Starts to watch the desktop that `where` names as for a desk (NULL: the user's). `backend` as for
 * desk_open. `on_input` may be NULL. Errors: unavailable, unsupported, refused, no_memory. */
bool desk_activity_open(desk_activity **out, const char *backend, const desk_options *where,
                        desk_activity_notice on_input, void *context, base_error *err);
void desk_activity_close(desk_activity *h);

/* When somebody used mouse or keyboard last (uv_hrtime); 0 if nobody has since the watch began.
 */
uint64_t desk_activity_last_input(desk_activity *h);

/* Turns the notice of input on or off (as it is at first). It comes at most every 100 ms. */
void desk_activity_report_input(desk_activity *h, bool on);

/* From now on `notice` is called each time that all keys of the combination are down (once, however
 * long they are held). Returns the hotkey's number, 0 on failure: BASE_REFUSED where another
 * program has taken it, BASE_UNSUPPORTED where the keyboard lacks a key of it, BASE_INVALID. */
int desk_activity_add(desk_activity *h, const desk_combo *combo, desk_hotkey_kind kind,
                      desk_activity_notice notice, void *context, base_error *err);
/* Unknown numbers are ignored. */
void desk_activity_remove(desk_activity *h, int hotkey);

enum { DESK_HOTKEYS_MAX = 32 }; /* at most so many on one watch */

#endif
