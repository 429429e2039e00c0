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

/* --- keeping what people do --------------------------------------------------------------------
 */

enum {
    DESK_HELD_CTRL = 1,
    DESK_HELD_ALT = 2,
    DESK_HELD_SHIFT = 4,
    DESK_HELD_WIN = 8,
};

/* A key or a button that a person has pressed or let go. Keys that repeat while they are held come
 * once. */
typedef struct {
    uint64_t at; /* uv_hrtime, when the watch heard of it */
    bool down;
    int button;    /* 1 left, 2 middle, 3 right, wheel: 4 up, 5 down, 6 left, 7 right; 0: a key */
    int x, y;      /* the pointer, in pixels of the screen */
    unsigned held; /* DESK_HELD_...: the modifiers that were down, this key aside */
    desk_key key;  /* by its plain meaning, without shift; DESK_KEY_NONE where that has no name */
    uint32_t character; /* what it types with the modifiers that are down, 0 for nothing */
    /* It types something that cannot be told: a dead key, an input method's, an unknown symbol. */
    bool composes;
} desk_input_event;

enum { DESK_INPUT_EVENTS_MAX = 1024 }; /* so many are kept for whoever takes them */

/* From now on keeps what people press, or no longer; what was not taken is forgotten then. Nothing
 * is kept before the first call. Errors: BASE_UNSUPPORTED where this kind of desktop does not tell,
 * BASE_NO_MEMORY. */
bool desk_activity_record(desk_activity *h, bool on, base_error *err);

/* Takes up to `capacity` of the oldest events and returns how many. `*lost` is how many more there
 * were than could be kept, since the last call. */
size_t desk_activity_take(desk_activity *h, desk_input_event *out, size_t capacity, size_t *lost);

#endif
