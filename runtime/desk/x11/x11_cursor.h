/*
 * x11_cursor.h: the pointer's picture.
 */
#ifndef DESK_X11_X11_CURSOR_H
#define DESK_X11_X11_CURSOR_H

#include "image/image.h"

#include <xcb/xfixes.h>

/* Blends the pointer's picture into `image`, which shows `rect` of the screen. */
void x11_cursor_draw(const xcb_xfixes_get_cursor_image_reply_t *cursor, image_rect rect,
                     image_bitmap *image);

#endif
