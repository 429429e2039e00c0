/* The clipboard of the desk that is not there: what was put there last. */
#include "null_internal.h"

#include <stdlib.h>
#include <string.h>

static bool clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                          bool *pending, base_error *err)
{
    null_desk *n = (null_desk *) d;
    *pending = false;
    *length = n->clipboard && n->clipboard_kind == kind ? n->clipboard_length : 0;
    *data = malloc(*length + 1);
    if (!*data) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
    }
    if (*length) {
        memcpy(*data, n->clipboard, *length);
    }
    (*data)[*length] = '\0';
    if (kind == DESK_CLIPBOARD_TEXT) {
        *length = desk_unify_line_ends(*data, *length);
    }
    null_add_line(n, "clipboard_get%s", kind == DESK_CLIPBOARD_PNG ? " png" : "");
    return true;
}

static bool clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                          bool *pending, base_error *err)
{
    null_desk *n = (null_desk *) d;
    *pending = false;
    char *copy = malloc(length + 1);
    if (!copy) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
    }
    memcpy(copy, data, length);
    free(n->clipboard);
    n->clipboard = copy;
    n->clipboard_length = length;
    n->clipboard_kind = kind;
    n->clipboard_changes++;
    if (kind == DESK_CLIPBOARD_PNG) {
        null_add_line(n, "clipboard_set png %zu", length);
        return true;
    }
    null_add_text(n, "clipboard_set ", 14);
    null_add_escaped(n, data, length);
    null_add_text(n, "\n", 1);
    return true;
}

static bool clipboard_changes(desk *d, uint64_t *number, base_error *err)
{
    (void) err;
    *number = ((null_desk *) d)->clipboard_changes + 1;
    return true;
}

void null_clipboard_ops(desk_ops *ops)
{
    ops->clipboard_get = clipboard_get;
    ops->clipboard_set = clipboard_set;
    ops->clipboard_changes = clipboard_changes;
}
