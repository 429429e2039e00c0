/* Handles of elements: text that names a window of a process, and something within it. */
#include "win32_elements_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
    [WIN32_HANDLE_APP] = "app",   [WIN32_HANDLE_WINDOW] = "hwnd", [WIN32_HANDLE_ITEM] = "item",
    [WIN32_HANDLE_MENU] = "menu", [WIN32_HANDLE_UIA] = "uia",
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

void win32_handle_write(const win32_handle *h, char out[WIN32_HANDLE_ROOM])
{
    if (h->kind == WIN32_HANDLE_APP) {
        snprintf(out, WIN32_HANDLE_ROOM, "app:%lu", h->pid);
        return;
    }
    int used = snprintf(out, WIN32_HANDLE_ROOM, "%s:%" PRIxPTR ":%lu", kinds[h->kind],
                        (uintptr_t) h->window, h->pid);
    if (h->kind == WIN32_HANDLE_ITEM || h->kind == WIN32_HANDLE_MENU) {
        snprintf(out + used, (size_t) (WIN32_HANDLE_ROOM - used), ":%d", h->index);
    }
    for (int i = 0; h->kind == WIN32_HANDLE_UIA && i < h->id_count; i++) {
        used += snprintf(out + used, (size_t) (WIN32_HANDLE_ROOM - used), "%c%d", i ? '.' : ':',
                         h->id[i]);
    }
}

/* KINDS for what is none. */
static int kind_of(const char *text)
{
    for (int kind = 0; kind < KINDS; kind++) {
        size_t length = strlen(kinds[kind]);
        if (strncmp(text, kinds[kind], length) == 0 && text[length] == ':') {
            return kind;
        }
    }
    return KINDS;
}

/* The number after the character at *at, which must be `before`. */
static bool number(const char **at, char before, int base, unsigned long long most,
                   unsigned long long *out)
{
    if (**at != before || !((*at)[1] && strchr("0123456789abcdef", (*at)[1]))) {
        return false;
    }
    char *end;
    *out = strtoull(*at + 1, &end, base);
    bool ok = end != *at + 1 && *out <= most;
    *at = end;
    return ok;
}

static bool read_id(win32_handle *h, const char **at)
{
    while (**at && h->id_count < WIN32_MAX_ID) {
        if (**at != (h->id_count ? '.' : ':')) {
            return false;
        }
        char *end;
        long long value = strtoll(*at + 1, &end, 10);
        if (end == *at + 1 || value < INT32_MIN || value > INT32_MAX) {
            return false;
        }
        h->id[h->id_count++] = (int) value;
        *at = end;
    }
    return h->id_count > 0;
}

static bool parse(win32_handle *h, const char *text)
{
    unsigned long long value;
    int kind = kind_of(text);
    if (kind == KINDS) {
        return false;
    }
    *h = (win32_handle){.kind = (win32_handle_kind) kind};
    const char *at = text + strlen(kinds[h->kind]);
    if (h->kind != WIN32_HANDLE_APP) {
        if (!number(&at, ':', 16, UINTPTR_MAX, &value)) {
            return false;
        }
        h->window = (HWND) (uintptr_t) value;
    }
    if (!number(&at, ':', 10, UINT32_MAX, &value)) {
        return false;
    }
    h->pid = (DWORD) value;
    if (h->kind == WIN32_HANDLE_ITEM || h->kind == WIN32_HANDLE_MENU) {
        if (!number(&at, ':', 10, INT32_MAX, &value)) {
            return false;
        }
        h->index = (int) value;
    }
    return (h->kind != WIN32_HANDLE_UIA || read_id(h, &at)) && !*at;
}

bool win32_handle_read(win32_handle *h, const char *text, base_error *err)
{
    char again[WIN32_HANDLE_ROOM];
    if (parse(h, text)) {
        /* Only what is written here is read: no spaces, signs or zeros that strtoull allows. */
        win32_handle_write(h, again);
        if (strcmp(again, text) == 0) {
            return true;
        }
    }
    return base_fail(err, BASE_INVALID, "this is not an element's handle");
}

bool win32_handle_alive(const win32_handle *h, base_error *err)
{
    DWORD pid = 0;
    if (h->kind == WIN32_HANDLE_APP) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "an application has no actions and no text; choose one of its elements");
    }
    if (!IsWindow(h->window) || !GetWindowThreadProcessId(h->window, &pid) || pid != h->pid) {
        return base_fail(err, BASE_NOT_FOUND, "the element is gone: its window has been closed");
    }
    return true;
}
