/*
 * What the server asks an application to draw: the Expose events of a window and of all windows in
 * it, which any client may select. They come in answer to the request that uncovers the window, so
 * they are selected for that long only.
 */
#include "x11_exposed.h"

#include <stdlib.h>

static x11_listened *reserve(x11_exposed *e, size_t more)
{
    if (e->count + more > X11_LISTENED_MAX) {
        return NULL;
    }
    x11_listened *items = realloc(e->items, (e->count + more) * sizeof *items);
    if (items) {
        e->items = items;
    }
    return items;
}

/* Adds those of `children` that show something; their places are told from inside `parent`. */
static void add_shown(x11_desk *x, x11_exposed *e, const x11_listened *parent,
                      const xcb_window_t *children, size_t count)
{
    xcb_get_geometry_cookie_t places[X11_LISTENED_MAX];
    xcb_get_window_attributes_cookie_t looks[X11_LISTENED_MAX];
    int x0 = parent->x, y0 = parent->y; /* `parent` is in the list, which may move */
    if (count == 0 || !reserve(e, count)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = xcb_get_geometry(x->c, children[i]);
        looks[i] = xcb_get_window_attributes(x->c, children[i]);
    }
    for (size_t i = 0; i < count; i++) {
        xcb_get_geometry_reply_t *g = xcb_get_geometry_reply(x->c, places[i], NULL);
        xcb_get_window_attributes_reply_t *a =
            xcb_get_window_attributes_reply(x->c, looks[i], NULL);
        if (g && a && a->map_state == XCB_MAP_STATE_VIEWABLE &&
            a->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT) {
            e->items[e->count++] = (x11_listened){children[i], x0 + g->x + g->border_width,
                                                  y0 + g->y + g->border_width, a->your_event_mask};
        }
        free(g);
        free(a);
    }
}

static void add_children(x11_desk *x, x11_exposed *e, size_t parent)
{
    xcb_query_tree_cookie_t cookie = xcb_query_tree(x->c, e->items[parent].window);
    xcb_query_tree_reply_t *tree = xcb_query_tree_reply(x->c, cookie, NULL);
    if (tree) {
        add_shown(x, e, &e->items[parent], xcb_query_tree_children(tree),
                  (size_t) xcb_query_tree_children_length(tree));
    }
    free(tree);
}

static void select_events(x11_desk *x, const x11_exposed *e, uint32_t more)
{
    for (size_t i = 0; i < e->count; i++) {
        uint32_t mask = e->items[i].mask | more;
        xcb_change_window_attributes(x->c, e->items[i].window, XCB_CW_EVENT_MASK, &mask);
    }
}

bool x11_exposed_start(x11_desk *x, x11_exposed *e, xcb_window_t window, uint32_t mask)
{
    x11_exposed_stop(x, e);
    if (!reserve(e, 1)) {
        return false;
    }
    e->rect_count = 0;
    e->items[e->count++] = (x11_listened){window, 0, 0, mask};
    /* Windows beyond the capacity are left out: when those have drawn is then told by the
     * application's being quiet alone. */
    for (size_t i = 0; i < e->count; i++) {
        add_children(x, e, i);
    }
    select_events(x, e, XCB_EVENT_MASK_EXPOSURE);
    return true;
}

void x11_exposed_stop(x11_desk *x, x11_exposed *e)
{
    select_events(x, e, 0);
    free(e->items);
    e->items = NULL;
    e->count = 0;
}

/* Beyond the capacity they are united with the last one. */
static void add_rect(x11_exposed *e, xcb_rectangle_t r)
{
    if (e->rect_count < X11_EXPOSED_MAX) {
        e->rects[e->rect_count++] = r;
        return;
    }
    xcb_rectangle_t *last = &e->rects[X11_EXPOSED_MAX - 1];
    int left = r.x < last->x ? r.x : last->x, top = r.y < last->y ? r.y : last->y;
    int right = r.x + r.width, bottom = r.y + r.height;
    right = last->x + last->width > right ? last->x + last->width : right;
    bottom = last->y + last->height > bottom ? last->y + last->height : bottom;
    *last = (xcb_rectangle_t){(int16_t) left, (int16_t) top, (uint16_t) (right - left),
                              (uint16_t) (bottom - top)};
}

void x11_exposed_note(x11_exposed *e, const xcb_expose_event_t *event)
{
    for (size_t i = 0; i < e->count; i++) {
        if (e->items[i].window == event->window) {
            add_rect(e, (xcb_rectangle_t){(int16_t) (e->items[i].x + event->x),
                                          (int16_t) (e->items[i].y + event->y), event->width,
                                          event->height});
            return;
        }
    }
}
