/*
 * x11_screen.h: the screen's size and pixels.
 */
#ifndef DESK_X11_X11_SCREEN_H
#define DESK_X11_X11_SCREEN_H

#include "x11_events.h"

#include <xcb/damage.h>
#include <xcb/shm.h>

/* Where the last captured frame lies: a shared segment, or the reply that carried it. */
struct x11_frame {
    xcb_shm_seg_t segment;
    uint8_t *shared; /* NULL without MIT-SHM */
    size_t shared_size;
    xcb_get_image_reply_t *reply;

    /* What `shared` shows, so that an unchanged screen need not be fetched again: see
     * x11_screen.c. */
    xcb_damage_damage_t damage; /* 0 until the first capture, and where it cannot be trusted */
    unsigned cleared;           /* number of the request that subtracted the damage last */
    bool current;               /* nothing has been drawn since then */
    image_rect rect, screen;
    bool with_cursor;
    uint32_t cursor_serial; /* of its picture */
    int16_t cursor_x, cursor_y;
};

bool x11_screen_rect(desk *d, image_rect *out, base_error *err);
void x11_screen_ops(desk_ops *ops);
/* The pixels of a part of a pixmap, in the place of the last frame: valid until the next fetch.
 * NULL with `err`. */
uint8_t *x11_fetch_pixmap(x11_desk *x, xcb_pixmap_t pixmap, image_rect r, base_error *err);
x11_event_handler x11_screen_damaged;
void x11_screen_close(x11_desk *x);

#endif
