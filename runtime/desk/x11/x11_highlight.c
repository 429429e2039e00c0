/* The frame is one window, which is cut to its four sides and takes no input: for the server the
 * pointer is in what lies below. Window managers leave an override-redirect window alone, and the
 * server paints it by itself and takes it away with the connection, however that ends. */
#include "x11_highlight.h"

#include <xcb/xfixes.h>

enum { COLOUR = 0xff2d95, SIDES = 4 };

static const char NAME[] = "deskpilot highlight";

static xcb_rectangle_t rectangle_of(image_rect r, const image_rect *origin)
{
    return (xcb_rectangle_t){(int16_t) (r.x - origin->x), (int16_t) (r.y - origin->y),
                             (uint16_t) r.width, (uint16_t) r.height};
}

/* Cuts the window (XCB_SHAPE_SK_BOUNDING), or what of it takes input, to these parts. */
static void cut(x11_desk *x, xcb_shape_kind_t kind, const xcb_rectangle_t *parts, uint32_t count)
{
    xcb_xfixes_region_t region = xcb_generate_id(x->c);
    xcb_xfixes_create_region(x->c, region, count, parts);
    xcb_xfixes_set_window_shape_region(x->c, x->highlight->window, kind, 0, 0, region);
    xcb_xfixes_destroy_region(x->c, region);
}

static bool create(x11_desk *x, base_error *err)
{
    const uint32_t values[] = {COLOUR, 1};
    xcb_window_t window = xcb_generate_id(x->c);
    xcb_void_cookie_t cookie = xcb_create_window_checked(
        x->c, XCB_COPY_FROM_PARENT, window, x->root, 0, 0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
        XCB_COPY_FROM_PARENT, XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT, values);
    if (!x11_check(x, cookie, "to draw a frame", err)) {
        return false;
    }
    x->highlight->window = window;
    xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
                        sizeof NAME - 1, NAME);
    cut(x, XCB_SHAPE_SK_INPUT, NULL, 0);
    return true;
}

static bool hide(x11_desk *x, base_error *err)
{
    if (!x->highlight->window) {
        return true;
    }
    xcb_destroy_window(x->c, x->highlight->window);
    x->highlight->window = 0;
    return x11_sync(x, err);
}

static bool show(x11_desk *x, const image_rect *frame, const image_rect *strips, base_error *err)
{
    const uint32_t place[] = {(uint32_t) frame->x, (uint32_t) frame->y, (uint32_t) frame->width,
                              (uint32_t) frame->height, XCB_STACK_MODE_ABOVE};
    xcb_rectangle_t sides[SIDES];
    for (int i = 0; i < SIDES; i++) {
        sides[i] = rectangle_of(strips[i], frame);
    }
    if (!x->highlight->window && !create(x, err)) {
        return false;
    }
    cut(x, XCB_SHAPE_SK_BOUNDING, sides, SIDES);
    xcb_configure_window(x->c, x->highlight->window,
                         XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_WIDTH |
                             XCB_CONFIG_WINDOW_HEIGHT | XCB_CONFIG_WINDOW_STACK_MODE,
                         place);
    xcb_map_window(x->c, x->highlight->window);
    return x11_sync(x, err);
}

static bool x11_highlight_frame(desk *d, const image_rect *frame, const image_rect *strips,
                                base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    if (!x->has_fixes) { /* without a shape it would be in the way */
        return base_fail(err, BASE_UNSUPPORTED,
                         "This X display has no XFIXES extension, without which no frame can be "
                         "drawn on it.");
    }
    return frame ? show(x, frame, strips, err) : hide(x, err);
}

void x11_highlight_ops(desk_ops *ops)
{
    ops->highlight = x11_highlight_frame;
}
