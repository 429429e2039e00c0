#include "x11_pointer.h"

#include "x11_input.h"
#include "x11_screen.h"

#include <stdlib.h>

enum { MOVE_ATTEMPTS = 3 };

/* X numbers the wheel's four directions as buttons 4 to 7; the thumb buttons come after. */
enum { WHEEL_UP = 4, WHEEL_DOWN, WHEEL_LEFT, WHEEL_RIGHT, THUMB_BACK, THUMB_FORWARD };

static bool x11_pointer_get(desk *d, int *px, int *py, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    xcb_generic_error_t *e = NULL;
    xcb_query_pointer_reply_t *reply =
        xcb_query_pointer_reply(x->c, xcb_query_pointer(x->c, x->root), &e);
    if (!reply) {
        return x11_refused(x, "to tell where the pointer is", e, err);
    }
    *px = reply->root_x;
    *py = reply->root_y;
    free(reply);
    return true;
}

static bool x11_pointer_move(desk *d, int px, int py, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    int at_x = -1, at_y = -1;
    /* More than once, because the user may move the mouse in between. */
    for (int attempt = 0; attempt < MOVE_ATTEMPTS; attempt++) {
        x11_fake_motion(x, px, py);
        if (!x11_pointer_get(d, &at_x, &at_y, err)) {
            return false;
        }
        if (at_x == px && at_y == py) {
            return true;
        }
    }
    return base_fail(err, BASE_REFUSED,
                     "The pointer was sent to %d,%d but is at %d,%d: something holds it, or no "
                     "monitor is there.",
                     px, py, at_x, at_y);
}

/* The button to press so that applications see `logical`: left-handed users have them swapped, and
 * the server applies the swap to our presses as well. */
static uint8_t physical_button(x11_desk *x, uint8_t logical)
{
    xcb_get_pointer_mapping_reply_t *reply =
        xcb_get_pointer_mapping_reply(x->c, xcb_get_pointer_mapping(x->c), NULL);
    uint8_t physical = logical;
    if (reply) {
        const uint8_t *map = xcb_get_pointer_mapping_map(reply);
        for (int i = 0; i < reply->map_len; i++) {
            if (map[i] == logical) {
                physical = (uint8_t) (i + 1);
                break;
            }
        }
    }
    free(reply);
    return physical;
}

static bool press(x11_desk *x, uint8_t physical, bool down, base_error *err)
{
    uint8_t type = down ? XCB_BUTTON_PRESS : XCB_BUTTON_RELEASE;
    if (!x11_fake_checked(x, type, physical, "to press a mouse button", err)) {
        return false;
    }
    uint32_t bit = 1u << (physical & 31);
    x->pointer->held = down ? x->pointer->held | bit : x->pointer->held & ~bit;
    return true;
}

static bool x11_button(desk *d, desk_button button, bool down, base_error *err)
{
    static const uint8_t logical[] = {0, 1, 2, 3, THUMB_BACK, THUMB_FORWARD};
    x11_desk *x = (x11_desk *) d;
    x->pointer->released = down ? 0 : logical[button];
    return press(x, physical_button(x, logical[button]), down, err);
}

/* While a window manager has grabbed the pointer to look at a press, the server holds the release
 * back, and reports the button as pressed. It reports the first five only. */
static bool x11_button_waits(desk *d)
{
    x11_desk *x = (x11_desk *) d;
    if (x->pointer->released == 0 || x->pointer->released > WHEEL_DOWN) {
        return false;
    }
    xcb_query_pointer_reply_t *reply =
        xcb_query_pointer_reply(x->c, xcb_query_pointer(x->c, x->root), NULL);
    bool down = reply && reply->mask & XCB_BUTTON_MASK_1 << (x->pointer->released - 1);
    free(reply);
    x->pointer->released = down ? x->pointer->released : 0;
    return down;
}

/* A notch of the wheel is a press of a button, so parts of a notch are rounded. */
static int whole_notches(int parts)
{
    int notches = (abs(parts) + DESK_NOTCH / 2) / DESK_NOTCH;
    return parts == 0 ? 0 : (notches ? notches : 1) * (parts < 0 ? -1 : 1);
}

static void turn(x11_desk *x, int parts, uint8_t backward, uint8_t forward)
{
    int notches = whole_notches(parts);
    uint8_t button = physical_button(x, notches < 0 ? backward : forward);
    for (int i = abs(notches); i > 0; i--) {
        x11_fake(x, XCB_BUTTON_PRESS, button);
        x11_fake(x, XCB_BUTTON_RELEASE, button);
    }
}

static bool x11_wheel(desk *d, int dx, int dy, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    turn(x, dx, WHEEL_LEFT, WHEEL_RIGHT);
    turn(x, dy, WHEEL_UP, WHEEL_DOWN);
    return x11_input_sync(x, err);
}

void x11_pointer_close(x11_desk *x)
{
    for (uint8_t button = 1; button < 32; button++) {
        if (x->pointer->held & 1u << button) {
            x11_fake(x, XCB_BUTTON_RELEASE, button);
        }
    }
    x->pointer->held = 0;
}

void x11_pointer_ops(desk_ops *ops)
{
    ops->pointer_get = x11_pointer_get;
    ops->pointer_move = x11_pointer_move;
    ops->pointer_button = x11_button;
    ops->pointer_button_waits = x11_button_waits;
    ops->pointer_wheel = x11_wheel;
}
