/*
 * x11_keymap.h: the server's keyboard map, as the core protocol tells it, and the spare keycodes:
 * those that the user leaves empty, on which characters and keys that the layout lacks are typed.
 */
#ifndef DESK_X11_X11_KEYMAP_H
#define DESK_X11_X11_KEYMAP_H

#include "x11_events.h"

enum { X11_MAX_SPARES = 64 };

typedef struct {
    xcb_keycode_t keycode;
    xcb_keysym_t keysym; /* what we wrote; 0 while it is empty as the user left it */
    bool used;           /* keystrokes that need `keysym` may still be on their way */
    int pins;            /* keys held down on it */
} x11_spare;

/* A keycode with the modifiers that turn it into the wanted keysym. */
typedef struct {
    xcb_keycode_t keycode;
    bool shift, level3;
} x11_stroke;

struct x11_keymap {
    xcb_keycode_t min, max;
    int columns;        /* keysyms per keycode */
    xcb_keysym_t *map;  /* (max - min + 1) rows; NULL until first needed */
    xcb_keycode_t lock; /* the caps lock key; this and the next two are 0 if there is none */
    xcb_keycode_t shift, level3;
    uint16_t num_lock_mask;
    uint8_t modifiers[256]; /* by keycode: what is in the state while it is held; locks are not */
    bool known;             /* the server has told of no change since `map` was read */
    x11_spare spares[X11_MAX_SPARES];
    size_t spare_count;
};

/* Brings `x->keymap` up to date and hands out the server's modifier and button state. */
bool x11_keymap_ready(x11_desk *x, uint16_t *state, base_error *err);
x11_event_handler x11_keymap_event;
void x11_keymap_close(x11_desk *x);

/* The keystroke that gives `keysym` in layout `group` of the user's own map. */
bool x11_keymap_find(const x11_keymap *k, xcb_keysym_t keysym, int group, x11_stroke *out);
/* The layout in use, from a state. */
int x11_state_group(uint16_t state);
/* The keypad's digits share their keys with arrows, and num lock says which of the two a key is:
 * gives the stroke for `keysym` the shift that it needs in that state. */
void x11_keymap_heed_num_lock(const x11_keymap *k, xcb_keysym_t keysym, uint16_t state,
                              x11_stroke *stroke);

/* A spare keycode that gives `keysym`: one that does already or a free one; NULL if all are used.
 * A new one is written to the server's map, and `*changed` set. */
x11_spare *x11_spare_for(x11_desk *x, xcb_keysym_t keysym, bool *changed);
/* Makes every spare keycode free for another keysym; until then it keeps the one it has. */
void x11_spares_forget(x11_desk *x);
/* Empties the spare keycodes again, but for those held down and those that others changed. */
void x11_spares_restore(x11_desk *x);
/* Where the keycode is a spare one: `by` (1 or -1) more keys are held down on it. */
void x11_spare_pin(x11_desk *x, xcb_keycode_t keycode, int by);

#endif
