/* The front of the backends: the screen, windows' own pixels, and changes of what is shown. */
#include "desk_internal.h"

#include <uv.h>

#include <stdint.h>

/* --- what there is ------------------------------------------------------------------------------
 */

bool desk_screen_rect(desk *d, image_rect *out, base_error *err)
{
    return d->ops.screen_rect ? d->ops.screen_rect(d, out, err)
                              : desk_cannot(d, "tell how large its screen is", NULL, err);
}

/* Where there is a screen and no monitor: some desktops know none, and while the last one is
 * unplugged there is none for a moment. */
static bool one_monitor(desk *d, desk_monitor_list *out, base_error *err)
{
    image_rect screen;
    if (!desk_screen_rect(d, &screen, err)) {
        return false;
    }
    desk_monitor whole = {.rect = screen, .work = screen, .scale = 1, .primary = true};
    if (!desk_monitor_list_add(out, "screen", whole)) {
        desk_monitor_list_free(out);
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
    }
    return true;
}

bool desk_monitors(desk *d, desk_monitor_list *out, base_error *err)
{
    *out = (desk_monitor_list){0};
    if ((d->ops.monitors && !d->ops.monitors(d, out, err)) ||
        (out->count == 0 && !one_monitor(d, out, err))) {
        return false;
    }
    desk_monitor_list_order(out);
    return true;
}

bool desk_set_refresh_rate(desk *d, int hertz, base_error *err)
{
    if (hertz < 1 || hertz > DESK_MOST_HERTZ) {
        return base_fail(err, BASE_INVALID, "A refresh rate is 1 to %d Hz, not %d.",
                         DESK_MOST_HERTZ, hertz);
    }
    return d->ops.set_refresh_rate ? d->ops.set_refresh_rate(d, hertz, err)
                                   : desk_cannot(d, "set its refresh rate", NULL, err);
}

/* --- pictures -----------------------------------------------------------------------------------
 */

static bool check_part(image_rect r, image_rect screen, base_error *err)
{
    /* Differences of wide numbers: no sum of hostile ones can overflow. */
    int64_t left = (int64_t) r.x - screen.x, top = (int64_t) r.y - screen.y;
    if (r.width > 0 && r.height > 0 && left >= 0 && top >= 0 && r.width <= screen.width - left &&
        r.height <= screen.height - top) {
        return true;
    }
    return base_fail(err, BASE_INVALID,
                     "The region %d,%d of %d x %d pixels is not inside the screen of %d x %d at "
                     "%d,%d.",
                     r.x, r.y, r.width, r.height, screen.width, screen.height, screen.x, screen.y);
}

bool desk_capture(desk *d, const image_rect *part, bool cursor, image_bitmap *out, base_error *err)
{
    image_rect screen = {0};
    if (!d->ops.capture) {
        return desk_cannot(d, "take a picture of its screen", NULL, err);
    }
    if (!desk_screen_rect(d, &screen, err) || (part && !check_part(*part, screen, err))) {
        return false;
    }
    d->same_frame = false;
    bool ok = d->ops.capture(d, screen, part ? *part : screen, cursor, out, err);
    d->frame += !ok || !d->same_frame;
    return ok;
}

uint64_t desk_frame(const desk *d)
{
    return d->frame;
}

bool desk_window_capture(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                         base_error *err)
{
    *out = (desk_window_picture){0};
    if (!d->ops.window_capture) {
        return desk_cannot(d, "take a picture of one window alone", d->lacks.windows, err);
    }
    return desk_check_window(id, err) && d->ops.window_capture(d, id, cursor, out, err);
}

void desk_window_capture_end(desk *d)
{
    if (d->ops.window_capture_end) {
        d->ops.window_capture_end(d);
    }
}

/* --- the frame ----------------------------------------------------------------------------------
 */

static void cut_strips(image_rect r, image_rect out[4])
{
    int width = r.width < DESK_HIGHLIGHT_WIDTH ? r.width : DESK_HIGHLIGHT_WIDTH;
    int height = r.height < DESK_HIGHLIGHT_WIDTH ? r.height : DESK_HIGHLIGHT_WIDTH;
    out[0] = (image_rect){r.x, r.y, r.width, height};
    out[1] = (image_rect){r.x, r.y + r.height - height, r.width, height};
    out[2] = (image_rect){r.x, r.y, width, r.height};
    out[3] = (image_rect){r.x + r.width - width, r.y, width, r.height};
}

bool desk_highlight(desk *d, const image_rect *frame, base_error *err)
{
    image_rect screen = {0}, strips[4];
    if (!d->ops.highlight) {
        return desk_cannot(d, "draw a frame on its screen", NULL, err);
    }
    if (!frame) {
        return d->ops.highlight(d, NULL, NULL, err);
    }
    if (!desk_screen_rect(d, &screen, err) || !check_part(*frame, screen, err)) {
        return false;
    }
    cut_strips(*frame, strips);
    return d->ops.highlight(d, frame, strips, err);
}

/* --- changes ------------------------------------------------------------------------------------
 */

bool desk_watch_start(desk *d, base_error *err)
{
    bool ok = d->ops.watch_start ? d->ops.watch_start(d, err)
                                 : desk_cannot(d, "tell when its screen changes", NULL, err);
    desk_motion_clear(&d->motion);
    return ok;
}

void desk_watch_stop(desk *d)
{
    if (d->ops.watch_stop) {
        d->ops.watch_stop(d);
    }
    desk_motion_clear(&d->motion);
}

uint64_t desk_last_change(desk *d)
{
    return d->ops.last_change ? d->ops.last_change(d) : 0;
}

bool desk_watch_region(desk *d, image_rect part, int *region, base_error *err)
{
    *region = desk_regions_add(&d->regions, part);
    return *region >= 0 ||
           base_fail(err, BASE_REFUSED,
                     "No more than %d regions of the screen are watched at once.", DESK_REGIONS);
}

void desk_unwatch_region(desk *d, int region)
{
    desk_regions_remove(&d->regions, region);
}

uint64_t desk_region_changed(desk *d, int region)
{
    return desk_regions_changed(&d->regions, region);
}

void desk_act_begins(desk *d)
{
    desk_motion_act(&d->motion, uv_hrtime());
}

uint64_t desk_last_act_change(desk *d)
{
    return d->motion.changed;
}
