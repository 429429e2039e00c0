/*
 * Monitors, by RandR 1.5, whose list includes those that a user has joined or split (xrandr
 * --setmonitor); where it is missing the whole screen is one monitor. They are read each time,
 * because monitors are plugged in and rotated while a desk is open.
 *
 * The scale comes from Xft.dpi, which toolkits use and which is one number for all monitors. A
 * monitor's size in millimetres plays no part: applications ignore it.
 */
#include "x11_monitors.h"

#include "base/utf8.h"
#include "x11_manager.h"
#include "x11_properties.h"
#include "x11_screen.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/randr.h>

enum { NAME_MAX_BYTES = 64, RESOURCE_LONGS = 16384, WORKAREA_LONGS = 4 * 64, MONITORS_MAX = 64 };

bool x11_has_randr(x11_desk *x, uint32_t minor)
{
    const xcb_query_extension_reply_t *randr = xcb_get_extension_data(x->c, &xcb_randr_id);
    if (!randr || !randr->present) {
        return false;
    }
    xcb_randr_query_version_reply_t *version =
        xcb_randr_query_version_reply(x->c, xcb_randr_query_version(x->c, 1, 5), NULL);
    bool able = version && (version->major_version > 1 ||
                            (version->major_version == 1 && version->minor_version >= minor));
    free(version);
    return able;
}

/* --- scale and work area -------------------------------------------------------------------------
 */

/* The number behind "Xft.dpi:" in the resources that xrdb keeps at the root; 0 if there is none. */
static double resource_dpi(const char *text)
{
    static const char key[] = "Xft.dpi:";
    const char *at = text;
    while ((at = strstr(at, key)) && at != text && at[-1] != '\n') {
        at += sizeof key - 1;
    }
    return at ? strtod(at + sizeof key - 1, NULL) : 0;
}

static double take_scale(x11_desk *x, xcb_get_property_cookie_t cookie)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, cookie, NULL);
    size_t length = reply && reply->format == 8 ? (size_t) xcb_get_property_value_length(reply) : 0;
    char *text = length ? strndup(xcb_get_property_value(reply), length) : NULL;
    double dpi = text ? resource_dpi(text) : 0;
    free(text);
    free(reply);
    return dpi >= 24 && dpi <= 960 ? dpi / 96 : 1;
}

/* What the window manager leaves free on the desktop in use, all monitors together; `whole` without
 * a window manager that says so. */
static image_rect take_work(x11_desk *x, xcb_get_property_cookie_t area_cookie,
                            xcb_get_property_cookie_t number_cookie, image_rect whole)
{
    xcb_get_property_reply_t *areas = xcb_get_property_reply(x->c, area_cookie, NULL);
    xcb_get_property_reply_t *number = xcb_get_property_reply(x->c, number_cookie, NULL);
    size_t count =
        areas && areas->format == 32 ? (size_t) xcb_get_property_value_length(areas) / 4 : 0;
    uint32_t desktop = 0, side[4];
    if (number && number->format == 32 && xcb_get_property_value_length(number) >= 4) {
        memcpy(&desktop, xcb_get_property_value(number), 4);
    }
    image_rect work = whole;
    if (desktop < count / 4 && x11_has_manager(x)) {
        memcpy(side, (const uint8_t *) xcb_get_property_value(areas) + desktop * sizeof side,
               sizeof side);
        work = (image_rect){(int) side[0], (int) side[1], (int) side[2], (int) side[3]};
    }
    free(areas);
    free(number);
    return work;
}

static bool intersect(image_rect a, image_rect b, image_rect *out)
{
    int64_t left = a.x > b.x ? a.x : b.x, top = a.y > b.y ? a.y : b.y;
    int64_t right_a = (int64_t) a.x + a.width, right_b = (int64_t) b.x + b.width;
    int64_t bottom_a = (int64_t) a.y + a.height, bottom_b = (int64_t) b.y + b.height;
    int64_t right = right_a < right_b ? right_a : right_b;
    int64_t bottom = bottom_a < bottom_b ? bottom_a : bottom_b;
    *out = (image_rect){(int) left, (int) top, (int) (right - left), (int) (bottom - top)};
    return right > left && bottom > top;
}

/* --- the list ------------------------------------------------------------------------------------
 */

typedef struct {
    image_rect screen, work;
    double scale;
} surroundings;

static void take_name(x11_desk *x, xcb_get_atom_name_cookie_t cookie, char out[NAME_MAX_BYTES])
{
    xcb_get_atom_name_reply_t *reply = xcb_get_atom_name_reply(x->c, cookie, NULL);
    out[0] = '\0';
    if (reply) {
        base_utf8_clean(out, NAME_MAX_BYTES, xcb_get_atom_name_name(reply),
                        (size_t) xcb_get_atom_name_name_length(reply));
    }
    free(reply);
}

/* A monitor that lies outside the screen is left out: nothing of it can be seen. */
static bool add(desk_monitor_list *list, const char *name, image_rect rect, bool primary,
                const surroundings *about)
{
    desk_monitor monitor = {.scale = about->scale, .primary = primary};
    if (!intersect(rect, about->screen, &monitor.rect)) {
        return true;
    }
    if (!intersect(monitor.rect, about->work, &monitor.work)) {
        monitor.work = monitor.rect; /* the work area lies on other monitors */
    }
    return desk_monitor_list_add(list, name, monitor);
}

static bool add_all(x11_desk *x, const xcb_randr_get_monitors_reply_t *reply,
                    const surroundings *about, desk_monitor_list *out)
{
    xcb_get_atom_name_cookie_t names[MONITORS_MAX];
    xcb_randr_monitor_info_iterator_t it = xcb_randr_get_monitors_monitors_iterator(reply);
    int count = 0;
    bool ok = true;
    for (xcb_randr_monitor_info_iterator_t i = it; i.rem && count < MONITORS_MAX;
         xcb_randr_monitor_info_next(&i)) {
        names[count++] = xcb_get_atom_name(x->c, i.data->name);
    }
    for (int n = 0; n < count; n++, xcb_randr_monitor_info_next(&it)) {
        char name[NAME_MAX_BYTES];
        image_rect rect = {it.data->x, it.data->y, it.data->width, it.data->height};
        take_name(x, names[n], name); /* every reply is taken, also where another one failed */
        ok = ok && add(out, name, rect, it.data->primary, about);
    }
    return ok;
}

static bool look_around(x11_desk *x, surroundings *out, base_error *err)
{
    xcb_get_property_cookie_t resources = xcb_get_property(
        x->c, 0, x->root, XCB_ATOM_RESOURCE_MANAGER, XCB_ATOM_STRING, 0, RESOURCE_LONGS);
    xcb_get_property_cookie_t areas = xcb_get_property(x->c, 0, x->root, x->atoms[X11_NET_WORKAREA],
                                                       XCB_ATOM_CARDINAL, 0, WORKAREA_LONGS);
    xcb_get_property_cookie_t number =
        x11_ask_property(x, x->root, x->atoms[X11_NET_CURRENT_DESKTOP]);
    bool ok = x11_screen_rect(&x->base, &out->screen, err);
    out->scale = take_scale(x, resources);
    out->work = take_work(x, areas, number, out->screen);
    return ok;
}

static bool x11_monitors(desk *d, desk_monitor_list *out, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    surroundings about;
    *out = (desk_monitor_list){0};
    xcb_randr_get_monitors_reply_t *reply = NULL;
    if (x11_has_randr(x, 5)) {
        reply = xcb_randr_get_monitors_reply(x->c, xcb_randr_get_monitors(x->c, x->root, 1), NULL);
    }
    bool known = look_around(x, &about, err);
    bool ok = known && (!reply || add_all(x, reply, &about, out)) &&
              (out->count > 0 || add(out, "screen", about.screen, true, &about));
    free(reply);
    if (ok) {
        return true;
    }
    desk_monitor_list_free(out);
    return known ? base_fail(err, BASE_NO_MEMORY, "There is not enough memory.") : false;
}

void x11_monitor_ops(desk_ops *ops)
{
    ops->monitors = x11_monitors;
}
