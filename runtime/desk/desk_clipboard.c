/* The front of the backends: the clipboard. */
#include "desk_internal.h"

#include <string.h>

static bool check_kind(desk_clipboard_kind kind, base_error *err)
{
    return (unsigned) kind < DESK_CLIPBOARD_KINDS ||
           base_fail(err, BASE_INVALID, "A clipboard holds nothing of kind %d.", (int) kind);
}

bool desk_clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                        bool *pending, base_error *err)
{
    *data = NULL;
    *length = 0;
    *pending = false;
    if (!d->ops.clipboard_get) {
        return desk_cannot(d, "read a clipboard", d->lacks.clipboard, err);
    }
    return check_kind(kind, err) && d->ops.clipboard_get(d, kind, data, length, pending, err);
}

size_t desk_unify_line_ends(char *text, size_t length)
{
    size_t to = 0;
    for (size_t i = 0; i < length; i++) {
        while (text[i] == '\n' && to > 0 && text[to - 1] == '\r') {
            to--;
        }
        text[to++] = text[i];
    }
    text[to] = '\0';
    return to;
}

static bool is_png(const char *data, size_t length)
{
    static const char signature[] = {'\x89', 'P', 'N', 'G', '\r', '\n', '\x1a', '\n'};
    return length > sizeof signature && memcmp(data, signature, sizeof signature) == 0;
}

static bool check_data(desk_clipboard_kind kind, const char *data, size_t length, base_error *err)
{
    if (length > DESK_CLIPBOARD_MAX) {
        return base_fail(err, BASE_REFUSED, "What is put into the clipboard can be %d MiB at most.",
                         DESK_CLIPBOARD_MAX >> 20);
    }
    if (kind == DESK_CLIPBOARD_TEXT) {
        return desk_check_utf8("The text", data, length, err);
    }
    return is_png(data, length) ||
           base_fail(err, BASE_INVALID, "A picture for the clipboard must be a PNG file.");
}

bool desk_clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                        bool *pending, base_error *err)
{
    *pending = false;
    if (!d->ops.clipboard_set) {
        return desk_cannot(d, "fill a clipboard", d->lacks.clipboard, err);
    }
    return check_kind(kind, err) && check_data(kind, data, length, err) &&
           d->ops.clipboard_set(d, kind, data, length, pending, err);
}

bool desk_clipboard_changes(desk *d, uint64_t *number, base_error *err)
{
    *number = 0;
    return d->ops.clipboard_changes
               ? d->ops.clipboard_changes(d, number, err)
               : desk_cannot(d, "tell of changes of a clipboard", d->lacks.clipboard, err);
}
