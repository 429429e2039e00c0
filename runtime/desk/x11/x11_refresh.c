/*
 * The refresh rate of a server that shows its pictures to nobody, by RandR 1.2: its monitor gets a
 * mode of its own that differs from the present one in the rate only. Such servers name no rate,
 * and browsers then take 60 Hz.
 */
#include "x11_refresh.h"

#include "x11_monitors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/randr.h>

/* The one monitor that there is. */
typedef struct {
    xcb_randr_crtc_t crtc;
    xcb_randr_output_t output;
    xcb_timestamp_t configured;
    xcb_randr_get_crtc_info_reply_t *now;
} monitor;

static bool find_monitor(x11_desk *x, monitor *out)
{
    xcb_randr_get_screen_resources_current_reply_t *all =
        xcb_randr_get_screen_resources_current_reply(
            x->c, xcb_randr_get_screen_resources_current(x->c, x->root), NULL);
    bool one = all && all->num_crtcs == 1 && all->num_outputs == 1;
    if (one) {
        out->crtc = xcb_randr_get_screen_resources_current_crtcs(all)[0];
        out->output = xcb_randr_get_screen_resources_current_outputs(all)[0];
        out->configured = all->config_timestamp;
        out->now = xcb_randr_get_crtc_info_reply(
            x->c, xcb_randr_get_crtc_info(x->c, out->crtc, out->configured), NULL);
    }
    free(all);
    return one && out->now && out->now->width && out->now->height;
}

/* The rate of a mode is its pixels per second by its pixels. */
static bool add_mode(x11_desk *x, const monitor *m, uint32_t pixels_per_second, int hertz,
                     xcb_randr_mode_t *out, base_error *err)
{
    static const char doing[] = "give the monitor a mode";
    char name[48];
    uint16_t width = m->now->width, height = m->now->height;
    snprintf(name, sizeof name, "%ux%u@%d", width, height, hertz);
    xcb_randr_mode_info_t mode = {.width = width,
                                  .height = height,
                                  .dot_clock = pixels_per_second,
                                  .hsync_start = width,
                                  .hsync_end = width,
                                  .htotal = width,
                                  .vsync_start = height,
                                  .vsync_end = height,
                                  .vtotal = height,
                                  .name_len = (uint16_t) strlen(name)};
    xcb_generic_error_t *e = NULL;
    xcb_randr_create_mode_reply_t *made = xcb_randr_create_mode_reply(
        x->c, xcb_randr_create_mode(x->c, x->root, mode, mode.name_len, name), &e);
    if (!made) {
        return x11_refused(x, doing, e, err);
    }
    *out = made->mode;
    free(made);
    return x11_check(x, xcb_randr_add_output_mode_checked(x->c, m->output, *out), doing, err);
}

static bool use_mode(x11_desk *x, const monitor *m, xcb_randr_mode_t mode, base_error *err)
{
    xcb_generic_error_t *e = NULL;
    xcb_randr_set_crtc_config_reply_t *set = xcb_randr_set_crtc_config_reply(
        x->c,
        xcb_randr_set_crtc_config(x->c, m->crtc, XCB_CURRENT_TIME, m->configured, m->now->x,
                                  m->now->y, mode, m->now->rotation, 1, &m->output),
        &e);
    bool done = set && set->status == XCB_RANDR_SET_CONFIG_SUCCESS;
    free(set);
    return done || x11_refused(x, "change the monitor's mode", e, err);
}

static bool set_refresh_rate(desk *d, int hertz, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    monitor m = {0};
    xcb_randr_mode_t mode = XCB_NONE;
    if (!x11_has_randr(x, 2) || !find_monitor(x, &m)) {
        free(m.now);
        return x11_alive(x, err) && base_fail(err, BASE_UNSUPPORTED,
                                              "This display has no single monitor whose refresh "
                                              "rate could be set.");
    }
    uint64_t pixels = (uint64_t) m.now->width * m.now->height * (unsigned) hertz;
    bool ok =
        pixels <= UINT32_MAX
            ? add_mode(x, &m, (uint32_t) pixels, hertz, &mode, err) && use_mode(x, &m, mode, err)
            : base_fail(err, BASE_UNSUPPORTED,
                        "A screen of %u x %u pixels cannot have a refresh rate of %d Hz.",
                        m.now->width, m.now->height, hertz);
    free(m.now);
    return ok;
}

void x11_refresh_ops(desk_ops *ops)
{
    ops->set_refresh_rate = set_refresh_rate;
}
