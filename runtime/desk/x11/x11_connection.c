#include "x11_connection.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/damage.h>
#include <xcb/shm.h>
#include <xcb/xfixes.h>
#include <xcb/xtest.h>

static bool no_display(const char *name, base_error *err)
{
    if (!name && !getenv("DISPLAY")) {
        return base_fail(err, BASE_NOT_FOUND,
                         "There is no desktop to work on: DISPLAY is not set. Use --desktop "
                         "private, or set DISPLAY to a running X server.");
    }
    return base_fail(err, BASE_UNAVAILABLE,
                     "The X display \"%.100s\" cannot be opened. Use --desktop private, or set "
                     "DISPLAY to a running X server that lets you in.",
                     name ? name : getenv("DISPLAY"));
}

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
        x->fixes_event = xcb_get_extension_data(x->c, &xcb_xfixes_id)->first_event;
    }
    if (x->has_damage) {
        free(xcb_damage_query_version_reply(x->c, xcb_damage_query_version(x->c, 1, 1), NULL));
        x->damage_event = xcb_get_extension_data(x->c, &xcb_damage_id)->first_event;
    }
    return x11_alive(x, err);
}

/* Writing to a server that has died raises SIGPIPE, which would end the program; XCB reports the
 * same as an error. A handler that somebody else has set is left alone. */
static void ignore_broken_pipe(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
        signal(SIGPIPE, SIG_IGN);
    }
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    return (int) (strchr(digits, c) - digits);
}

static xcb_connection_t *connect_with(const char *display, const char *cookie, int *number)
{
    static char name[] = "MIT-MAGIC-COOKIE-1";
    char data[16];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char) (hex_digit(cookie[2 * i]) << 4 | hex_digit(cookie[2 * i + 1]));
    }
    xcb_auth_info_t auth = {sizeof name - 1, name, sizeof data, data};
    return xcb_connect_to_display_with_auth_info(display, &auth, number);
}

xcb_connection_t *x11_connect(const desk_options *options, int *number, base_error *err)
{
    ignore_broken_pipe();
    xcb_connection_t *c = options->cookie ? connect_with(options->display, options->cookie, number)
                                          : xcb_connect(options->display, number);
    if (xcb_connection_has_error(c)) {
        no_display(options->display, err);
    }
    return c;
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
        return no_display(display, err);
    }
    x->root = x->screen->root;
    x11_atoms_intern(x->c, x->atoms);
    return check_pixels(x, err) && find_extensions(x, err);
}

void x11_connection_close(x11_desk *x)
{
    xcb_disconnect(x->c);
}
