/*
 * find_screens.h: made-up screens of windows, buttons, letters and icons to find pictures in, the
 * same in every run; and what may become of a picture.
 */
#ifndef FIND_SCREENS_H
#define FIND_SCREENS_H

#include "picture.h"

static uint32_t find_seed = 0x1234567;

static inline int random_below(int limit)
{
    return (int) (picture_random(&find_seed) % (uint32_t) limit);
}

/* --- made-up screens ----------------------------------------------------------------------------
 */

static inline void paint(image_bitmap *image, image_rect r, uint32_t rgb)
{
    for (int y = r.y < 0 ? 0 : r.y; y < r.y + r.height && y < image->height; y++) {
        for (int x = r.x < 0 ? 0 : r.x; x < r.x + r.width && x < image->width; x++) {
            picture_set(image, x, y, rgb);
        }
    }
}

/* A line of letters that are made of dots, one or two pixels thick. */
static inline void paint_text(image_bitmap *image, int x, int y, int letters, uint32_t rgb)
{
    for (int i = 0; i < letters; i++, x += 8) {
        uint32_t shape = picture_random(&find_seed);
        for (int bit = 0; bit < 30; bit++) {
            if (shape >> bit & 1) {
                paint(image, (image_rect){x + bit % 5, y + bit / 5 * 2, 1, 1 + (int) (shape >> 31)},
                      rgb);
            }
        }
    }
}

/* Windows with a title, a tool bar of buttons, text and icons. */
static inline void paint_window(image_bitmap *image, image_rect r)
{
    paint(image, r, 0x808080);
    paint(image, (image_rect){r.x + 1, r.y + 1, r.width - 2, r.height - 2}, 0xf6f5f4);
    paint(image, (image_rect){r.x + 1, r.y + 1, r.width - 2, 24}, 0x3465a4);
    paint_text(image, r.x + 10, r.y + 7, 4 + random_below(16), 0xffffff);
    for (int y = r.y + 30; y < r.y + r.height - 30; y += 30) {
        for (int x = r.x + 8; x < r.x + r.width - 80; x += 90) {
            paint(image, (image_rect){x, y, 80, 24}, 0xb0b0b0);
            paint(image, (image_rect){x + 1, y + 1, 78, 22}, random_below(3) ? 0xe8e8e7 : 0xffffff);
            paint_text(image, x + 8, y + 6, 3 + random_below(5), 0x202020);
            if (random_below(4) == 0) {
                for (int i = 0; i < 6; i++) {
                    paint(image,
                          (image_rect){x + 60 + random_below(12), y + 4 + random_below(12),
                                       1 + random_below(4), 1 + random_below(4)},
                          picture_random(&find_seed) & 0xffffff);
                }
            }
        }
    }
}

static inline void make_screen(image_bitmap *image, int width, int height)
{
    if (!image_alloc(image, width, height, NULL)) {
        abort();
    }
    paint(image, (image_rect){0, 0, width, height}, 0x204a87);
    for (int i = 0; i < 6; i++) {
        paint_window(image,
                     (image_rect){random_below(width * 3 / 4), random_below(height * 3 / 4),
                                  200 + random_below(width / 2), 150 + random_below(height / 2)});
    }
}

typedef enum { SAME, NOISY, BRIGHTER, DARKER, EDITED, CHANGES } change;

static inline uint32_t changed_pixel(uint32_t rgb, change how)
{
    uint32_t out = 0;
    for (int c = 0; c < 3; c++) {
        int v = (int) (rgb >> 8 * c & 255);
        if (how == NOISY) {
            v += random_below(9) - 4;
        }
        v = how == BRIGHTER ? 20 + v * 235 / 255 : how == DARKER ? v * 200 / 255 : v;
        out |= (uint32_t) (v < 0 ? 0 : v > 255 ? 255 : v) << 8 * c;
    }
    return out;
}

/* EDITED: one pixel in 250 has the colour of its neighbour. */
static inline void change_all(image_bitmap *image, change how)
{
    for (int y = 0; y < image->height; y++) {
        for (int x = 0; x < image->width; x++) {
            bool edit = how == EDITED && x > 0 && random_below(250) == 0;
            picture_set(image, x, y, changed_pixel(picture_get(image, x - edit, y), how));
        }
    }
}

#endif
