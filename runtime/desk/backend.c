#include "backend.h"
#include "base/utf8.h"
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

static bool is_png(const char *data, size_t length)
{
    static const char signature[] = {'\x89', 'P', 'N', 'G', '\r', '\n', '\x1a', '\n'};
    return length > sizeof signature && memcmp(data, signature, sizeof signature) == 0;
}

bool desk_clipboard_check(desk_clipboard_kind kind, const char *data, size_t length,
                          base_error *err)
{
    size_t good = kind == DESK_CLIPBOARD_TEXT ? base_utf8_check(data, length) : length;
    if (good < length) {
        return base_fail(err, BASE_INVALID, "The text is not valid UTF-8 at byte %zu.", good + 1);
    }
    if (kind == DESK_CLIPBOARD_PNG && !is_png(data, length)) {
        return base_fail(err, BASE_INVALID, "A picture for the clipboard must be a PNG file.");
    }
    if (length > DESK_CLIPBOARD_MAX) {
        return base_fail(err, BASE_REFUSED, "What is put into the clipboard can be %d MiB at most.",
                         DESK_CLIPBOARD_MAX >> 20);
    }
    return true;
}
