#include "x11_windows.h"

#include "base/utf8.h"
#include "x11_manager.h"
#include "x11_properties.h"
#include "x11_window_watch.h"
#include "x11_workspaces.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Titles and classes come from programs and web pages, so their length is limited. */
enum { TITLE_MAX = 512, CLASS_MAX = 128, WINDOWS_MAX = 4096 };

enum { ICONIC_STATE = 3 /* of WM_STATE */ };

/* --- asking ------------------------------------------------------------------------------------
 */

typedef struct {
    xcb_get_property_cookie_t net_name, name, klass, pid, machine, net_state, state, workspace,
        type;
    xcb_get_geometry_cookie_t geometry;
    xcb_translate_coordinates_cookie_t position;
    xcb_get_window_attributes_cookie_t attributes;
} requests;

static requests request_all(x11_desk *x, xcb_window_t window)
{
    return (requests){
        x11_ask_property(x, window, x->atoms[X11_NET_WM_NAME]),
        x11_ask_property(x, window, XCB_ATOM_WM_NAME),
        x11_ask_property(x, window, XCB_ATOM_WM_CLASS),
        x11_ask_property(x, window, x->atoms[X11_NET_WM_PID]),
        x11_ask_property(x, window, XCB_ATOM_WM_CLIENT_MACHINE),
        x11_ask_property(x, window, x->atoms[X11_NET_WM_STATE]),
        x11_ask_property(x, window, x->atoms[X11_WM_STATE]),
        x11_ask_property(x, window, x->atoms[X11_NET_WM_DESKTOP]),
        x11_ask_property(x, window, x->atoms[X11_NET_WM_WINDOW_TYPE]),
        xcb_get_geometry(x->c, window),
        xcb_translate_coordinates(x->c, window, x->root, 0, 0),
        xcb_get_window_attributes(x->c, window),
    };
}

static void discard_all(x11_desk *x, const requests *q)
{
    const unsigned sequences[] = {
        q->net_name.sequence, q->name.sequence,      q->klass.sequence,    q->pid.sequence,
        q->machine.sequence,  q->net_state.sequence, q->state.sequence,    q->workspace.sequence,
        q->type.sequence,     q->geometry.sequence,  q->position.sequence, q->attributes.sequence,
    };
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        xcb_discard_reply(x->c, sequences[i]);
    }
}

/* What is asked of the windows of the last time before it is known which there are now. */
typedef struct {
    xcb_window_t ids[X11_WINDOWS_KNOWN]; /* 0 once it is somebody's answer */
    requests asked[X11_WINDOWS_KNOWN];
    size_t count;
} guess;

static void ask_guess(x11_desk *x, guess *g)
{
    const x11_window_watch *w = x->window_watch;
    g->count = w->changes && !w->known_heard ? 0 : w->known_count;
    for (size_t i = 0; i < g->count; i++) {
        g->ids[i] = w->known[i];
        g->asked[i] = request_all(x, w->known[i]);
    }
}

/* What was asked of that window, or is now. */
static requests take_guess(x11_desk *x, guess *g, xcb_window_t id)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->ids[i] == id) {
            g->ids[i] = 0;
            return g->asked[i];
        }
    }
    x11_window_listen(x, id); /* before, so that no change is missed */
    return request_all(x, id);
}

static void end_guess(x11_desk *x, const guess *g)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->ids[i]) {
            discard_all(x, &g->asked[i]);
        }
    }
}

/* --- which windows -----------------------------------------------------------------------------
 */

typedef struct {
    xcb_window_t *ids;
    size_t count;
} id_list;

static bool take_client_list(x11_desk *x, xcb_get_property_cookie_t cookie, id_list *out)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, cookie, &e);
    size_t bytes = reply && reply->format == 32 ? (size_t) xcb_get_property_value_length(reply) : 0;
    bool listed = reply && reply->type == XCB_ATOM_WINDOW;
    *out = (id_list){0};
    if (listed && bytes && (out->ids = malloc(bytes))) {
        memcpy(out->ids, xcb_get_property_value(reply), bytes);
        out->count = bytes / 4;
    }
    free(e);
    free(reply);
    return listed;
}

/* Without a window manager: the root's visible children that are not menus or tooltips. */
static bool find_top_levels(x11_desk *x, id_list *out)
{
    xcb_query_tree_reply_t *tree = xcb_query_tree_reply(x->c, xcb_query_tree(x->c, x->root), NULL);
    int count = tree ? xcb_query_tree_children_length(tree) : 0;
    count = count > WINDOWS_MAX ? WINDOWS_MAX : count;
    size_t capacity = count ? (size_t) count : 1;
    xcb_get_window_attributes_cookie_t *cookies = calloc(capacity, sizeof *cookies);
    *out = (id_list){calloc(capacity, sizeof *out->ids), 0};
    bool able = tree && cookies && out->ids;
    for (int i = 0; able && i < count; i++) {
        cookies[i] = xcb_get_window_attributes(x->c, xcb_query_tree_children(tree)[i]);
    }
    for (int i = 0; able && i < count; i++) {
        xcb_generic_error_t *e = NULL;
        xcb_get_window_attributes_reply_t *a =
            xcb_get_window_attributes_reply(x->c, cookies[i], &e);
        if (a && a->map_state == XCB_MAP_STATE_VIEWABLE && !a->override_redirect &&
            a->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT) {
            out->ids[out->count++] = xcb_query_tree_children(tree)[i];
        }
        free(e);
        free(a);
    }
    free(cookies);
    free(tree);
    return able;
}

static uint64_t x11_window_active(desk *d)
{
    return x11_active_window((x11_desk *) d);
}

/* The manager's own list, and the active window, asked together, and what the windows of the last
 * time are: each answer that is waited for costs as much as a hundred that come with it. The
 * manager's properties stay behind when it dies, so they count only while it is there. */
static bool list_managed(x11_desk *x, id_list *out, xcb_window_t *active, guess *g)
{
    x11_active_question question = x11_ask_active(x);
    xcb_get_property_cookie_t stacking = xcb_get_property(
        x->c, 0, x->root, x->atoms[X11_NET_CLIENT_LIST_STACKING], XCB_ATOM_WINDOW, 0, WINDOWS_MAX);
    xcb_get_property_cookie_t plain = xcb_get_property(
        x->c, 0, x->root, x->atoms[X11_NET_CLIENT_LIST], XCB_ATOM_WINDOW, 0, WINDOWS_MAX);
    ask_guess(x, g);
    id_list mapped;
    bool stacked = take_client_list(x, stacking, out);
    bool listed = take_client_list(x, plain, &mapped) || stacked;
    if (stacked) {
        free(mapped.ids);
    } else {
        *out = mapped;
    }
    bool managed;
    *active = x11_take_active(x, question, &managed);
    if (listed && managed) {
        return true;
    }
    free(out->ids);
    return false;
}

static bool list_ids(x11_desk *x, id_list *out, xcb_window_t *active, guess *g)
{
    return list_managed(x, out, active, g) || find_top_levels(x, out);
}

/* --- what they are -----------------------------------------------------------------------------
 */

static void clean_latin1(char *out, size_t size, const char *text, size_t length)
{
    char wide[2 * TITLE_MAX];
    size_t used = 0;
    for (size_t i = 0; i < length && used + 2 <= sizeof wide; i++) {
        used += base_utf8_write(wide + used, (unsigned char) text[i]);
    }
    base_utf8_clean(out, size, wide, used);
}

/* Text of a window as clean UTF-8; "" where there is none. */
static bool take_text(x11_desk *x, xcb_get_property_cookie_t cookie, char *out, size_t size)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, cookie, &e);
    out[0] = '\0';
    if (reply && reply->format == 8) {
        const char *text = xcb_get_property_value(reply);
        size_t length = (size_t) xcb_get_property_value_length(reply);
        if (reply->type == XCB_ATOM_STRING) {
            clean_latin1(out, size, text, length);
        } else {
            base_utf8_clean(out, size, text, length);
        }
    }
    free(e);
    free(reply);
    return out[0] != '\0';
}

/* WM_CLASS is two strings, each with its terminator: the instance's name and the class. */
static void take_class(x11_desk *x, xcb_get_property_cookie_t cookie, char out[CLASS_MAX])
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, cookie, &e);
    out[0] = '\0';
    if (reply && reply->format == 8) {
        const char *text = xcb_get_property_value(reply);
        size_t length = (size_t) xcb_get_property_value_length(reply);
        size_t first = strnlen(text, length);
        size_t skip = first < length ? first + 1 : length;
        clean_latin1(out, CLASS_MAX, text + skip, strnlen(text + skip, length - skip));
    }
    free(e);
    free(reply);
}

/* False if the window is gone. Every reply is taken, also where another one failed. */
static bool take_place(x11_desk *x, const requests *q, desk_window *out)
{
    xcb_generic_error_t *errors[3] = {NULL, NULL, NULL};
    xcb_get_geometry_reply_t *g = xcb_get_geometry_reply(x->c, q->geometry, &errors[0]);
    xcb_translate_coordinates_reply_t *t =
        xcb_translate_coordinates_reply(x->c, q->position, &errors[1]);
    xcb_get_window_attributes_reply_t *a =
        xcb_get_window_attributes_reply(x->c, q->attributes, &errors[2]);
    bool there = g && t && a;
    if (there) {
        out->rect = (image_rect){t->dst_x, t->dst_y, g->width, g->height};
        out->visible = a->map_state == XCB_MAP_STATE_VIEWABLE;
    }
    for (int i = 0; i < 3; i++) {
        free(errors[i]);
    }
    free(g);
    free(t);
    free(a);
    return there;
}

/* The program of a process of this machine, by Linux's /proc; "" where it may not be read. A number
 * from another machine (ssh -X) means nothing here. */
static void find_executable(long pid, const char *machine, char out[PATH_MAX])
{
    char here[256] = "", link[40], path[PATH_MAX];
    out[0] = '\0';
    gethostname(here, sizeof here - 1);
    snprintf(link, sizeof link, "/proc/%ld/exe", pid);
    ssize_t length = pid > 0 && strcmp(machine, here) == 0 ? readlink(link, path, sizeof path) : -1;
    if (length > 0) {
        base_utf8_clean(out, PATH_MAX, path, (size_t) length);
    }
}

/* The layer of panels and of the desktop follows from their type, that of others from their state.
 */
static void take_layer(x11_desk *x, const requests *q, const xcb_get_property_reply_t *state,
                       desk_window *out)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *type = xcb_get_property_reply(x->c, q->type, &e);
    bool above = (type && x11_has_atom(type, x->atoms[X11_NET_WM_WINDOW_TYPE_DOCK])) ||
                 (state && x11_has_atom(state, x->atoms[X11_NET_WM_STATE_ABOVE]));
    bool below = (type && x11_has_atom(type, x->atoms[X11_NET_WM_WINDOW_TYPE_DESKTOP])) ||
                 (state && x11_has_atom(state, x->atoms[X11_NET_WM_STATE_BELOW]));
    out->layer = below ? -1 : above;
    free(e);
    free(type);
}

static void take_state(x11_desk *x, const requests *q, desk_window *out)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, q->net_state, &e);
    bool iconic = x11_take_value(x, q->state) == ICONIC_STATE;
    if (reply && reply->type == XCB_ATOM_ATOM) {
        out->minimized = x11_has_atom(reply, x->atoms[X11_NET_WM_STATE_HIDDEN]);
        out->maximized = x11_has_atom(reply, x->atoms[X11_NET_WM_STATE_MAXIMIZED_VERT]) &&
                         x11_has_atom(reply, x->atoms[X11_NET_WM_STATE_MAXIMIZED_HORZ]);
    } else {
        /* Only where the newer hint is missing: for some managers a window on another desktop is
         * iconic too. */
        out->minimized = iconic;
    }
    take_layer(x, q, reply, out);
    free(e);
    free(reply);
}

static bool take_replies(x11_desk *x, const requests *q, desk_window *out)
{
    char title[TITLE_MAX], plain[TITLE_MAX], klass[CLASS_MAX], machine[256], executable[PATH_MAX];
    bool named = take_text(x, q->net_name, title, sizeof title);
    take_text(x, q->name, plain, sizeof plain);
    take_class(x, q->klass, klass);
    out->pid = (long) x11_take_value(x, q->pid);
    take_text(x, q->machine, machine, sizeof machine);
    take_state(x, q, out);
    out->workspace = x11_workspace_number(x, q->workspace);
    if (!take_place(x, q, out)) {
        return false;
    }
    find_executable(out->pid, machine, executable);
    out->title = strdup(named ? title : plain);
    out->klass = strdup(klass);
    out->executable = strdup(executable);
    if (out->title && out->klass && out->executable) {
        return true;
    }
    free(out->title);
    free(out->klass);
    free(out->executable);
    return false;
}

static void describe(x11_desk *x, const id_list *ids, const requests *asked, xcb_window_t active,
                     desk_window_list *out)
{
    for (size_t i = 0; i < ids->count; i++) {
        desk_window window = {.id = ids->ids[i], .active = ids->ids[i] == active};
        if (take_replies(x, &asked[i], &window)) {
            out->items[out->count++] = window;
        }
    }
}

/* Keeps which windows there are, for the next time. */
static void remember(x11_desk *x, const id_list *ids)
{
    x11_window_watch *w = x->window_watch;
    w->known_count = ids->count < X11_WINDOWS_KNOWN ? ids->count : X11_WINDOWS_KNOWN;
    w->known_heard = w->changes != 0;
    for (size_t i = 0; i < w->known_count; i++) {
        w->known[i] = ids->ids[i];
    }
}

static bool x11_windows(desk *d, desk_window_list *out, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    id_list ids;
    xcb_window_t active;
    guess g = {0};
    *out = (desk_window_list){0};
    if (!list_ids(x, &ids, &active, &g)) {
        end_guess(x, &g);
        free(ids.ids);
        return x11_refused(x, "to list the windows", NULL, err);
    }
    size_t capacity = ids.count ? ids.count : 1;
    requests *asked = calloc(capacity, sizeof *asked);
    out->items = calloc(capacity, sizeof *out->items);
    bool able = asked && out->items;
    for (size_t i = 0; able && i < ids.count; i++) {
        asked[i] = take_guess(x, &g, ids.ids[i]);
    }
    end_guess(x, &g);
    remember(x, &ids);
    if (able) {
        describe(x, &ids, asked, active, out);
    }
    free(asked);
    free(ids.ids);
    if (able && x11_alive(x, err)) {
        return true;
    }
    desk_window_list_free(out);
    return able ? false : base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
}

void x11_windows_ops(desk_ops *ops)
{
    ops->windows = x11_windows;
    ops->window_active = x11_window_active;
}
