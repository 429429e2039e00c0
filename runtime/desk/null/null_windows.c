/* The only window of the desk that is not there. */
#include "null_internal.h"

#include <stdlib.h>
#include <string.h>

image_rect null_window_rect(const null_desk *n)
{
    return n->window_state == DESK_WINDOW_MAXIMIZED ? n->screen : n->window;
}

static bool windows(desk *d, desk_window_list *out, base_error *err)
{
    null_desk *n = (null_desk *) d;
    *out = (desk_window_list){0};
    if (!n->window_open) {
        return true;
    }
    out->items = calloc(1, sizeof *out->items);
    if (!out->items) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
    }
    out->count = 1;
    desk_window *w = &out->items[0];
    *w = (desk_window){.id = NULL_WINDOW,
                       .title = strdup("Nowhere"),
                       .klass = strdup("Null"),
                       .executable = strdup("/nowhere/nothing"),
                       .rect = null_window_rect(n),
                       .workspace = n->window_workspace,
                       .active = n->window_active,
                       .visible = n->window_state != DESK_WINDOW_MINIMIZED,
                       .minimized = n->window_state == DESK_WINDOW_MINIMIZED,
                       .maximized = n->window_state == DESK_WINDOW_MAXIMIZED};
    if (w->title && w->klass && w->executable) {
        return true;
    }
    desk_window_list_free(out);
    return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
}

static uint64_t window_active(desk *d)
{
    const null_desk *n = (const null_desk *) d;
    return n->window_open && n->window_active ? NULL_WINDOW : 0;
}

static bool check_window(const null_desk *n, uint64_t id, base_error *err)
{
    if (id == NULL_WINDOW && n->window_open) {
        return true;
    }
    return base_fail(err, BASE_NOT_FOUND, "There is no window %llu any more.",
                     (unsigned long long) id);
}

static bool window_focus(desk *d, uint64_t id, base_error *err)
{
    null_desk *n = (null_desk *) d;
    if (!check_window(n, id, err)) {
        return false;
    }
    n->window_active = true;
    null_add_line(n, "focus %llu", (unsigned long long) id);
    null_changed(n);
    return true;
}

static bool window_close(desk *d, uint64_t id, base_error *err)
{
    null_desk *n = (null_desk *) d;
    if (!check_window(n, id, err)) {
        return false;
    }
    n->window_open = false;
    null_add_line(n, "close_window %llu", (unsigned long long) id);
    null_changed(n);
    return true;
}

/* Nothing covers the window, but it may hang over the edge of the screen. */
static bool window_capture(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                           base_error *err)
{
    null_desk *n = (null_desk *) d;
    *out = (desk_window_picture){.rect = null_window_rect(n)};
    if (!check_window(n, id, err)) {
        return false;
    }
    if (n->window_state == DESK_WINDOW_MINIMIZED) {
        return base_fail(err, BASE_UNAVAILABLE,
                         "The window is minimized, so it has no pixels: restore it first.");
    }
    null_add_line(n, "window_capture %llu", (unsigned long long) id);
    return null_draw(n, out->rect, cursor, &out->image, err);
}

static bool window_place(desk *d, uint64_t id, image_rect rect, base_error *err)
{
    null_desk *n = (null_desk *) d;
    if (!check_window(n, id, err)) {
        return false;
    }
    n->window = rect;
    n->window_state = DESK_WINDOW_NORMAL;
    null_add_line(n, "place_window %llu %d %d %d %d", (unsigned long long) id, rect.x, rect.y,
                  rect.width, rect.height);
    null_changed(n);
    return true;
}

static bool window_set_state(desk *d, uint64_t id, desk_window_state state, base_error *err)
{
    static const char *const names[] = {"normal", "minimized", "maximized"};
    null_desk *n = (null_desk *) d;
    if (!check_window(n, id, err)) {
        return false;
    }
    n->window_state = state;
    n->window_active = state != DESK_WINDOW_MINIMIZED;
    null_add_line(n, "window_state %llu %s", (unsigned long long) id, names[state]);
    null_changed(n);
    return true;
}

static bool window_stack(desk *d, uint64_t id, bool above, base_error *err)
{
    null_desk *n = (null_desk *) d;
    if (!check_window(n, id, err)) {
        return false;
    }
    null_add_line(n, "window_stack %llu %s", (unsigned long long) id, above ? "above" : "below");
    null_changed(n);
    return true;
}

static bool workspaces(desk *d, desk_workspace_list *out, base_error *err)
{
    (void) err;
    *out = (desk_workspace_list){2, ((null_desk *) d)->workspace, {"One", "Two"}};
    return true;
}

static bool workspace_go(desk *d, int number, base_error *err)
{
    null_desk *n = (null_desk *) d;
    (void) err;
    n->workspace = number;
    null_add_line(n, "workspace_go %d", number);
    null_changed(n);
    return true;
}

static bool window_workspace(desk *d, uint64_t id, int number, base_error *err)
{
    null_desk *n = (null_desk *) d;
    if (!check_window(n, id, err)) {
        return false;
    }
    n->window_workspace = number;
    null_add_line(n, "window_workspace %llu %d", (unsigned long long) id, number);
    null_changed(n);
    return true;
}

void null_windows_ops(desk_ops *ops)
{
    ops->window_capture = window_capture;
    ops->windows = windows;
    ops->window_active = window_active;
    ops->window_focus = window_focus;
    ops->window_close = window_close;
    ops->window_place = window_place;
    ops->window_set_state = window_set_state;
    ops->window_stack = window_stack;
    ops->workspaces = workspaces;
    ops->workspace_go = workspace_go;
    ops->window_workspace = window_workspace;
}
