#include "backend.h"
#include "native.h"

#include <stdlib.h>
#include <string.h>

const desk_ops *desk_backend(const char *name)
{
    if (!name || strcmp(name, desk_native_ops->name) == 0) {
        return desk_native_ops;
    }
    return strcmp(name, null_ops.name) == 0 ? &null_ops : NULL;
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
