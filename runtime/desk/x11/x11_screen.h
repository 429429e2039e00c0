/*
 * x11_screen.h: the screen's size and pixels.
 */
#ifndef DESK_X11_X11_SCREEN_H
#define DESK_X11_X11_SCREEN_H

#include "x11_events.h"

#include <xcb/damage.h>
#include <xcb/shm.h>

/* A picture in a segment that is shared with the server. */
typedef struct {
    image_share share; /* first; the screen is one of its users while the segment is attached */
    xcb_shm_seg_t segment;
    size_t size; /* bytes */

    /* What it shows, so that what has not changed need not be fetched again: see x11_screen.c. */
    uint64_t
        drawn; /* that of x11_frames before it was fetched; 0: it is no picture of the screen */
    image_rect rect;
    bool with_cursor;
    uint32_t cursor_serial; /* of its picture */
    int16_t cursor_x, cursor_y;
} x11_frame;

enum { X11_PART, X11_WHOLE, X11_FRAMES = 6 };

/* Where captured pictures lie. That of a part of the screen, or of a pixmap, lies in list[X11_PART]
 * until the next one is taken; those of the whole screen lie in the others, each for as long as an
 * image has it, and in the first one too where all others are had. */
struct x11_frames {
    x11_frame *list[X11_FRAMES];  /* NULL until they are needed, and without MIT-SHM */
    const x11_frame *latest;      /* that of the capture before */
    xcb_get_image_reply_t *reply; /* of a capture without MIT-SHM */

    xcb_damage_damage_t damage; /* 0 until the first capture, and where it cannot be trusted */
    image_rect screen;          /* that all this is of */
    uint64_t drawn;             /* how often something was */
    uint64_t *bands;            /* of the screen as it is now (image_bands) */
};

bool x11_screen_rect(desk *d, image_rect *out, base_error *err);
void x11_screen_ops(desk_ops *ops);
/* The pixels of a part of a pixmap: valid until the next fetch. NULL with `err`. */
uint8_t *x11_fetch_pixmap(x11_desk *x, xcb_pixmap_t pixmap, image_rect r, base_error *err);
x11_event_handler x11_screen_damaged;
void x11_screen_close(x11_desk *x);

#endif
