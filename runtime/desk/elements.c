/* The front of the element readers: checks arguments, then calls the op. */
#include "elements_internal.h"

#include "backend.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

bool desk_elements_open_from(const desk_elements_backend *list, desk_elements **out,
                             const desk_elements_options *options, base_error *err)
{
    static const desk_elements_options none = {0};
    base_error failure = {0}, best = {0};
    options = options ? options : &none;
    if (!desk_options_check(&(desk_options){.display = options->display}, err)) {
        return false;
    }
    for (; list->name; list++) {
        if (!desk_backend_fits(list->name, list->only_by_name, NULL)) {
            continue;
        }
        if (list->connect(out, options, &failure)) {
            return true;
        }
        desk_backend_failed(&best, &failure);
    }
    return desk_backend_none(&best, NULL, err);
}

bool desk_elements_open(desk_elements **out, const desk_elements_options *options, base_error *err)
{
    return desk_elements_open_from(desk_elements_backends, out, options, err);
}

void desk_elements_close(desk_elements *e)
{
    e->ops->close(e);
}

/* --- calls --------------------------------------------------------------------------------------
 */

static bool is_utf8(const char *text)
{
    size_t length = strlen(text);
    return base_utf8_check(text, length) == length;
}

static bool check_handle(const char *handle, base_error *err)
{
    return (handle && handle[0] && is_utf8(handle)) ||
           base_fail(err, BASE_INVALID, "this is not an element's handle");
}

static bool check_change(const desk_element_change *change, base_error *err)
{
    switch (change->kind) {
    case DESK_CHANGE_TEXT:
        return (change->text && is_utf8(change->text)) ||
               base_fail(err, BASE_INVALID, "the text is not valid UTF-8");
    case DESK_CHANGE_VALUE:
        return isfinite(change->number) ||
               base_fail(err, BASE_INVALID, "an element's value is a finite number");
    case DESK_CHANGE_SELECTION:
        return (change->from >= 0 && change->to >= change->from) ||
               base_fail(err, BASE_INVALID,
                         "characters %ld to %ld are no part of a text: they count from 0, and the "
                         "end comes after the start",
                         (long) change->from, (long) change->to);
    case DESK_CHANGE_SELECTED:
    case DESK_CHANGE_CHECKED:
    case DESK_CHANGE_EXPANDED:
    case DESK_CHANGE_FOCUSED:
    case DESK_CHANGE_IN_VIEW:
        return true;
    }
    return base_fail(err, BASE_INVALID, "an element cannot be changed so");
}

bool desk_elements_read(desk_elements *e, const desk_elements_query *query, desk_element_list *out,
                        base_error *err)
{
    *out = (desk_element_list){0};
    if (query->max_nodes == 0 || query->pid < 0) {
        return base_fail(err, BASE_INVALID, "%s",
                         query->pid < 0 ? "a process has no negative number"
                                        : "at least one element must be asked for");
    }
    return e->ops->read(e, query, out, err);
}

bool desk_elements_act(desk_elements *e, const char *handle, const char *action, int index,
                       uint64_t deadline, base_error *err)
{
    if (!check_handle(handle, err)) {
        return false;
    }
    if (action ? !is_utf8(action) : index < 0) {
        return base_fail(err, BASE_INVALID, "%s",
                         action ? "the action's name is not valid UTF-8"
                                : "an element's actions count from 0");
    }
    return e->ops->act(e, handle, action, index, deadline, err);
}

bool desk_elements_change(desk_elements *e, const char *handle, const desk_element_change *change,
                          uint64_t deadline, base_error *err)
{
    return check_handle(handle, err) && check_change(change, err) &&
           e->ops->change(e, handle, change, deadline, err);
}

bool desk_elements_ask(desk_elements *e, const char *handle, uint64_t deadline,
                       desk_element_details *out, base_error *err)
{
    *out = (desk_element_details){.selected = ""};
    return check_handle(handle, err) && e->ops->ask(e, handle, deadline, out, err);
}
