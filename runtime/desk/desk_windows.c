/* The front of the backends: windows and workspaces. */
#include "desk_internal.h"

#include <stdlib.h>

bool desk_windows(desk *d, desk_window_list *out, base_error *err)
{
    *out = (desk_window_list){0};
    return d->ops.windows ? d->ops.windows(d, out, err)
                          : desk_cannot(d, "list windows", d->lacks.windows, err);
}

void desk_window_list_free(desk_window_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].title);
        free(list->items[i].klass);
        free(list->items[i].executable);
    }
    free(list->items);
    *list = (desk_window_list){0};
}

uint64_t desk_window_active(desk *d)
{
    return d->ops.window_active ? d->ops.window_active(d) : 0;
}

bool desk_window_focus(desk *d, uint64_t id, base_error *err)
{
    if (!d->ops.window_focus) {
        return desk_cannot(d, "give a window the focus", d->lacks.windows, err);
    }
    return desk_check_window(id, err) && d->ops.window_focus(d, id, err);
}

bool desk_window_close(desk *d, uint64_t id, base_error *err)
{
    if (!d->ops.window_close) {
        return desk_cannot(d, "close a window", d->lacks.windows, err);
    }
    return desk_check_window(id, err) && d->ops.window_close(d, id, err);
}

static bool is_side(int pixels)
{
    return pixels > 0 && pixels <= IMAGE_MAX_SIDE;
}

static bool is_place(int pixels)
{
    return pixels >= -IMAGE_MAX_SIDE && pixels <= IMAGE_MAX_SIDE;
}

static bool check_place(image_rect r, base_error *err)
{
    if (!is_side(r.width) || !is_side(r.height)) {
        return base_fail(err, BASE_INVALID, "A window cannot be %d x %d pixels large.", r.width,
                         r.height);
    }
    return (is_place(r.x) && is_place(r.y)) ||
           base_fail(err, BASE_INVALID, "A window cannot be placed at %d,%d.", r.x, r.y);
}

bool desk_window_place(desk *d, uint64_t id, image_rect rect, base_error *err)
{
    if (!d->ops.window_place) {
        return desk_cannot(d, "place a window", d->lacks.windows, err);
    }
    return desk_check_window(id, err) && check_place(rect, err) &&
           d->ops.window_place(d, id, rect, err);
}

bool desk_window_set_state(desk *d, uint64_t id, desk_window_state state, base_error *err)
{
    if (!d->ops.window_set_state) {
        return desk_cannot(d, "minimize or maximize a window", d->lacks.windows, err);
    }
    if ((unsigned) state > DESK_WINDOW_MAXIMIZED) {
        return base_fail(err, BASE_INVALID, "A window has no state %d.", (int) state);
    }
    return desk_check_window(id, err) && d->ops.window_set_state(d, id, state, err);
}

bool desk_window_stack(desk *d, uint64_t id, bool above, base_error *err)
{
    if (!d->ops.window_stack) {
        return desk_cannot(d, "change the order of windows", d->lacks.windows, err);
    }
    return desk_check_window(id, err) && d->ops.window_stack(d, id, above, err);
}

uint64_t desk_window_changes(desk *d)
{
    return d->ops.window_changes ? d->ops.window_changes(d) : 0;
}

/* --- workspaces ---------------------------------------------------------------------------------
 */

bool desk_workspaces(desk *d, desk_workspace_list *out, base_error *err)
{
    *out = (desk_workspace_list){0};
    return d->ops.workspaces ? d->ops.workspaces(d, out, err)
                             : desk_cannot(d, "list workspaces", d->lacks.workspaces, err);
}

static bool check_workspace(desk *d, int number, base_error *err)
{
    desk_workspace_list all;
    if (!desk_workspaces(d, &all, err)) {
        return false;
    }
    return (number >= 1 && number <= all.count) ||
           base_fail(err, BASE_NOT_FOUND, "There is no workspace %d: there are %d, counted from 1.",
                     number, all.count);
}

bool desk_workspace_go(desk *d, int number, base_error *err)
{
    if (!d->ops.workspace_go) {
        return desk_cannot(d, "go to a workspace", d->lacks.workspaces, err);
    }
    return check_workspace(d, number, err) && d->ops.workspace_go(d, number, err);
}

bool desk_window_workspace(desk *d, uint64_t id, int number, base_error *err)
{
    if (!d->ops.window_workspace) {
        return desk_cannot(d, "send a window to a workspace", d->lacks.workspaces, err);
    }
    return desk_check_window(id, err) && check_workspace(d, number, err) &&
           d->ops.window_workspace(d, id, number, err);
}
