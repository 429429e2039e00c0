#include "x11_connection.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/damage.h>
#include <xcb/shm.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>
#include <xcb/xtest.h>

bool x11_alive(x11_desk *x, base_error *err)
{
    if (!xcb_connection_has_error(x->c)) {
        return true;
    }
    return base_fail(err, BASE_UNAVAILABLE,
                     "The connection to the X display \"%s\" was lost: the desktop has gone.",
                     x->name);
}

bool x11_refused(x11_desk *x, const char *doing, xcb_generic_error_t *e, base_error *err)
{
    int code = e ? e->error_code : 0;
    free(e);
    if (!x11_alive(x, err)) {
        return false;
    }
    return base_fail(err, BASE_REFUSED, "The X display refused %s (X error %d).", doing, code);
}

bool x11_check(x11_desk *x, xcb_void_cookie_t cookie, const char *doing, base_error *err)
{
    xcb_generic_error_t *e = xcb_request_check(x->c, cookie);
    return e ? x11_refused(x, doing, e, err) : x11_alive(x, err);
}

bool x11_sync(x11_desk *x, base_error *err)
{
    free(xcb_get_input_focus_reply(x->c, xcb_get_input_focus(x->c), NULL));
    return x11_alive(x, err);
}

const xcb_screen_t *x11_screen_number(xcb_connection_t *c, int number)
{
    xcb_screen_iterator_t it = xcb_setup_roots_iterator(xcb_get_setup(c));
    while (number-- > 0 && it.rem > 1) {
        xcb_screen_next(&it);
    }
    return it.rem ? it.data : NULL;
}

static int bits_per_pixel(const xcb_setup_t *setup, uint8_t depth)
{
    xcb_format_iterator_t it = xcb_setup_pixmap_formats_iterator(setup);
    for (; it.rem; xcb_format_next(&it)) {
        if (it.data->depth == depth) {
            return it.data->bits_per_pixel;
        }
    }
    return 0;
}

/* Pixels must be blue, green, red, unused in memory, as image.h says. */
static bool check_pixels(x11_desk *x, base_error *err)
{
    const xcb_setup_t *setup = xcb_get_setup(x->c);
    uint8_t depth = x->screen->root_depth;
    if ((depth == 24 || depth == 32) && bits_per_pixel(setup, depth) == 32 &&
        setup->image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST) {
        return true;
    }
    return base_fail(err, BASE_UNSUPPORTED,
                     "The X display \"%s\" has a depth of %d bits; only screens of depth 24 or 32 "
                     "with 32-bit little-endian pixels can be captured.",
                     x->name, depth);
}

static bool present(x11_desk *x, xcb_extension_t *extension)
{
    const xcb_query_extension_reply_t *reply = xcb_get_extension_data(x->c, extension);
    return reply && reply->present;
}

/* In place of XCB's own, for all of its functions. That one waits for ever where it found no memory
 * for the answer: it has read it, gives up the connection, and asks for more without a look at
 * that.
 */
void *xcb_wait_for_reply(xcb_connection_t *c, unsigned request, xcb_generic_error_t **e)
{
    enum { LOOK_AGAIN = 1000 /* milliseconds: another thread may have read it */ };
    struct pollfd socket = {.fd = xcb_get_file_descriptor(c), .events = POLLIN};
    void *reply = NULL;
    xcb_flush(c);
    while (!xcb_poll_for_reply(c, request, &reply, e)) {
        poll(&socket, 1, LOOK_AGAIN);
    }
    return reply;
}

/* The number of its first event; 0 where the connection has broken since. */
static uint8_t first_event(x11_desk *x, xcb_extension_t *extension)
{
    const xcb_query_extension_reply_t *reply = xcb_get_extension_data(x->c, extension);
    return reply ? reply->first_event : 0;
}

static bool find_extensions(x11_desk *x, base_error *err)
{
    xcb_prefetch_extension_data(x->c, &xcb_test_id);
    xcb_prefetch_extension_data(x->c, &xcb_shm_id);
    xcb_prefetch_extension_data(x->c, &xcb_xfixes_id);
    xcb_prefetch_extension_data(x->c, &xcb_damage_id);
    if (!present(x, &xcb_test_id)) {
        return !x11_alive(x, err) ? false
                                  : base_fail(err, BASE_UNSUPPORTED,
                                              "The X display \"%s\" lacks the XTEST extension, "
                                              "without which the mouse and the keyboard cannot "
                                              "be driven.",
                                              x->name);
    }
    x->has_shm = present(x, &xcb_shm_id);
    x->has_fixes = present(x, &xcb_xfixes_id);
    x->has_damage = x->has_fixes && present(x, &xcb_damage_id);
    if (x->has_fixes) { /* the server answers nothing else until it knows our version */
        free(xcb_xfixes_query_version_reply(x->c, xcb_xfixes_query_version(x->c, 4, 0), NULL));
        x->fixes_event = first_event(x, &xcb_xfixes_id);
    }
    if (x->has_damage) {
        free(xcb_damage_query_version_reply(x->c, xcb_damage_query_version(x->c, 1, 1), NULL));
        x->damage_event = first_event(x, &xcb_damage_id);
    }
    return x11_alive(x, err);
}

bool x11_connection_open(x11_desk *x, const desk_options *options, base_error *err)
{
    int number = 0;
    const char *display = options->display;
    x->c = x11_connect(options, &number, err);
    if (xcb_connection_has_error(x->c)) {
        return false;
    }
    const char *name = display ? display : getenv("DISPLAY");
    snprintf(x->name, sizeof x->name, "%s", name ? name : "");
    snprintf(x->cookie, sizeof x->cookie, "%s", options->cookie ? options->cookie : "");
    x->screen = x11_screen_number(x->c, number);
    if (!x->screen) {
        return x11_no_display(display, err);
    }
    x->root = x->screen->root;
    x11_atoms_intern(x->c, x->atoms);
    return check_pixels(x, err) && find_extensions(x, err);
}

void x11_connection_close(x11_desk *x)
{
    xcb_disconnect(x->c);
}
