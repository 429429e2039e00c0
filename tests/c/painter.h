/*
 * painter.h: an X client of the test's own that shows windows and paints them in colours that tell
 * their place, only where the server asks for it, and as late as it is told to.
 */
#ifndef PAINTER_H
#define PAINTER_H

#include "xserver.h"

#include <xcb/xcb.h>

typedef struct {
    xcb_connection_t *c;
    const xcb_screen_t *screen;
    xcb_gcontext_t gc;
    uint8_t depth;
    xcb_visualid_t visual;
    double delay; /* seconds between what is asked for and its drawing */
    double due;   /* when the next thing is drawn; 0: nothing is asked for */
    xcb_rectangle_t asked[64];
    xcb_window_t asked_of[64];
    size_t count;
} painter;

typedef struct {
    image_rect rect;
    uint16_t border;
    bool unmanaged, with_alpha, plain;
    xcb_window_t parent;
} look;

static inline uint32_t colour(xcb_window_t window, int x, int y)
{
    return ((uint32_t) (x * 3) & 255) << 16 | ((uint32_t) (y * 5) & 255) << 8 | (window & 255);
}

static inline void find_alpha(painter *p)
{
    xcb_depth_iterator_t depth = xcb_screen_allowed_depths_iterator(p->screen);
    for (; depth.rem; xcb_depth_next(&depth)) {
        if (depth.data->depth == 32 && xcb_depth_visuals_length(depth.data) > 0) {
            p->visual = xcb_depth_visuals(depth.data)[0].visual_id;
        }
    }
}

static inline void flush(painter *p)
{
    free(xcb_get_input_focus_reply(p->c, xcb_get_input_focus(p->c), NULL));
}

static inline painter painter_open(void)
{
    painter p = {.c = xcb_connect(display, NULL)};
    p.screen = xcb_setup_roots_iterator(xcb_get_setup(p.c)).data;
    find_alpha(&p);
    return p;
}

/* A gc belongs to a depth. */
static inline void use_depth(painter *p, xcb_window_t window, uint8_t depth)
{
    p->gc = xcb_generate_id(p->c);
    p->depth = depth;
    xcb_create_gc(p->c, p->gc, window, 0, NULL);
}

static inline xcb_window_t show(painter *p, look l)
{
    xcb_window_t window = xcb_generate_id(p->c);
    xcb_colormap_t map = xcb_generate_id(p->c);
    uint32_t mask = XCB_CW_BORDER_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK;
    uint32_t values[6] = {0xff00ff, l.unmanaged, XCB_EVENT_MASK_EXPOSURE, 0}, more[6], n = 0;
    uint8_t depth = l.with_alpha ? 32 : p->screen->root_depth;
    xcb_visualid_t visual = l.with_alpha ? p->visual : p->screen->root_visual;
    xcb_create_colormap(p->c, XCB_COLORMAP_ALLOC_NONE, map, p->screen->root, visual);
    if (l.plain) {
        mask |= XCB_CW_BACK_PIXEL;
        more[n++] = 0x123456;
    }
    for (uint32_t i = 0; i < 3; i++) {
        more[n++] = values[i];
    }
    more[n++] = map;
    xcb_create_window(p->c, depth, window, l.parent ? l.parent : p->screen->root,
                      (int16_t) l.rect.x, (int16_t) l.rect.y, (uint16_t) l.rect.width,
                      (uint16_t) l.rect.height, l.border, XCB_WINDOW_CLASS_INPUT_OUTPUT, visual,
                      mask | XCB_CW_COLORMAP, more);
    use_depth(p, window, depth);
    xcb_map_window(p->c, window);
    flush(p);
    return window;
}

static inline void paint(painter *p, xcb_window_t window, xcb_rectangle_t r)
{
    static uint32_t row[4096];
    for (int y = r.y; y < r.y + r.height; y++) {
        for (int x = 0; x < r.width; x++) {
            row[x] = colour(window, r.x + x, y) | 0xff000000;
        }
        xcb_put_image(p->c, XCB_IMAGE_FORMAT_Z_PIXMAP, window, p->gc, r.width, 1, r.x, (int16_t) y,
                      0, p->depth, (uint32_t) r.width * 4, (const uint8_t *) row);
    }
}

/* Hears what it is asked for, and draws it when its delay is over. Always true. */
static inline bool work(painter *p)
{
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(p->c))) {
        xcb_expose_event_t *e = (xcb_expose_event_t *) event;
        if ((event->response_type & 0x7f) == XCB_EXPOSE && p->count < 64) {
            p->due = p->due > 0 ? p->due : now() + p->delay;
            p->asked_of[p->count] = e->window;
            p->asked[p->count++] =
                (xcb_rectangle_t){(int16_t) e->x, (int16_t) e->y, e->width, e->height};
        }
        free(event);
    }
    if (p->due > 0 && now() >= p->due) {
        for (size_t i = 0; i < p->count; i++) {
            paint(p, p->asked_of[i], p->asked[i]);
        }
        p->count = 0;
        p->due = 0;
        flush(p);
    }
    return true;
}

/* Until all that has been shown so far is drawn. */
static inline void settle(painter *p)
{
    double end = now() + 0.1;
    while (now() < end || p->due > 0) {
        work(p);
        nap(0.002);
    }
}

#endif
