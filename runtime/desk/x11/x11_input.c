/* Input by the XTEST extension. Each event is told to the watchdog process and to the record before
 * it is sent. */
#include "x11_input.h"

#include "x11_watchdog.h"

#include <xcb/xtest.h>

void x11_input_open(x11_desk *x)
{
    x->input->own_input = x11_own_input_open(x->name);
}

void x11_input_close(x11_desk *x)
{
    x11_watchdog_close(x, x11_sync(x, NULL));
    x11_own_input_close(x->input->own_input);
}

static void announce(x11_desk *x, uint8_t type, uint8_t detail)
{
    x11_watchdog_input(x, type, detail);
    x11_own_input_sent(x->input->own_input, type, detail);
}

void x11_fake(x11_desk *x, uint8_t type, uint8_t detail)
{
    announce(x, type, detail);
    xcb_test_fake_input(x->c, type, detail, XCB_CURRENT_TIME, x->root, 0, 0, 0);
}

bool x11_fake_checked(x11_desk *x, uint8_t type, uint8_t detail, const char *doing, base_error *err)
{
    announce(x, type, detail);
    xcb_void_cookie_t cookie =
        xcb_test_fake_input_checked(x->c, type, detail, XCB_CURRENT_TIME, x->root, 0, 0, 0);
    if (!x11_check(x, cookie, doing, err)) {
        return false;
    }
    x11_watchdog_done(x);
    return true;
}

void x11_fake_motion(x11_desk *x, int px, int py)
{
    x11_own_input_sent(x->input->own_input, XCB_MOTION_NOTIFY, 0);
    xcb_test_fake_input(x->c, XCB_MOTION_NOTIFY, 0, XCB_CURRENT_TIME, x->root, (int16_t) px,
                        (int16_t) py, 0);
}

bool x11_input_sync(x11_desk *x, base_error *err)
{
    if (!x11_sync(x, err)) {
        return false;
    }
    x11_watchdog_done(x);
    return true;
}
