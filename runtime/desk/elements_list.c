/* What element readers give: lists and states. */
#include "elements.h"

#include "base/arena.h"

#include <stdlib.h>

const char *desk_element_state_name(desk_element_state state)
{
    static const char *const names[DESK_STATE_COUNT] = {
        [DESK_STATE_ACTIVE] = "active",       [DESK_STATE_BUSY] = "busy",
        [DESK_STATE_CHECKABLE] = "checkable", [DESK_STATE_CHECKED] = "checked",
        [DESK_STATE_COLLAPSED] = "collapsed", [DESK_STATE_EDITABLE] = "editable",
        [DESK_STATE_ENABLED] = "enabled",     [DESK_STATE_EXPANDABLE] = "expandable",
        [DESK_STATE_EXPANDED] = "expanded",   [DESK_STATE_FOCUSABLE] = "focusable",
        [DESK_STATE_FOCUSED] = "focused",     [DESK_STATE_INDETERMINATE] = "indeterminate",
        [DESK_STATE_MODAL] = "modal",         [DESK_STATE_MULTI_LINE] = "multi_line",
        [DESK_STATE_PRESSED] = "pressed",     [DESK_STATE_READ_ONLY] = "read_only",
        [DESK_STATE_REQUIRED] = "required",   [DESK_STATE_SELECTABLE] = "selectable",
        [DESK_STATE_SELECTED] = "selected",   [DESK_STATE_SHOWING] = "showing",
        [DESK_STATE_VISIBLE] = "visible",
    };
    return names[state];
}

void desk_element_list_free(desk_element_list *list)
{
    if (list->memory) {
        base_arena_free(list->memory);
        free(list->memory);
    }
    free(list->items);
    free(list->apps);
    *list = (desk_element_list){0};
}
