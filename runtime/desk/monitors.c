#include "monitors.h"

#include <stdlib.h>
#include <string.h>

void desk_monitor_list_free(desk_monitor_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
    }
    free(list->items);
    *list = (desk_monitor_list){0};
}

bool desk_monitor_list_add(desk_monitor_list *list, const char *name, desk_monitor monitor)
{
    desk_monitor *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items) {
        return false;
    }
    list->items = items;
    if (!(monitor.name = strdup(name))) {
        return false;
    }
    items[list->count++] = monitor;
    return true;
}

static int compare(const void *a, const void *b)
{
    const desk_monitor *one = a, *other = b;
    int by_x = (one->rect.x > other->rect.x) - (one->rect.x < other->rect.x);
    int by_y = (one->rect.y > other->rect.y) - (one->rect.y < other->rect.y);
    return by_x ? by_x : by_y ? by_y : strcmp(one->name, other->name); /* mirrors: a fixed order */
}

void desk_monitor_list_order(desk_monitor_list *list)
{
    bool found = false;
    if (list->count == 0) {
        return;
    }
    qsort(list->items, list->count, sizeof *list->items, compare);
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].primary = list->items[i].primary && !found;
        found = found || list->items[i].primary;
    }
    if (!found) {
        list->items[0].primary = true;
    }
}
