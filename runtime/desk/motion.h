/*
 * motion.h: what moves on the screen by itself: a video, a banner, a clock. The screen is divided
 * into cells. One that has changed again and again for a second in which nobody did anything goes
 * on at its pace whatever is done next, so its changes are not an act's.
 */
#ifndef DESK_MOTION_H
#define DESK_MOTION_H

#include "image/image.h"

enum { DESK_MOTION_CELL = 16 /* pixels, the side of a cell */ };

typedef struct desk_motion_cell desk_motion_cell;

/* Zeroed at first. */
typedef struct {
    desk_motion_cell *cells;
    int columns, rows;
    uint64_t changed; /* the backend's: ns, when something else than such cells changed last */
} desk_motion;

/* Something was drawn in `area`, pixels of the screen, after `since`, when nothing new was there,
 * and at `when` at the latest; no call has an earlier `when` than the one before. Whether any of it
 * is in a cell that does not move by itself; also without memory. */
bool desk_motion_note(desk_motion *m, image_rect area, uint64_t since, uint64_t when);
/* An act begins: what moves by itself by now, and for how long it goes on doing so, is left out. */
void desk_motion_act(desk_motion *m, uint64_t when);
/* Forgets everything, and frees it. */
void desk_motion_clear(desk_motion *m);

#endif
