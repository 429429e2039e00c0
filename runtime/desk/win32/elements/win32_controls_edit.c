/* The selection of edit fields. They count UTF-16 units and two for a line end; we count characters
 * of the text as it is told, where a line end is one. */
#include "win32_elements_internal.h"

#include <stdlib.h>
#include <wchar.h>

/* Units of the character at `at`. */
static size_t width_at(const wchar_t *text, size_t at, size_t units)
{
    bool pair = at + 1 < units && ((text[at] == L'\r' && text[at + 1] == L'\n') ||
                                   (IS_HIGH_SURROGATE(text[at]) && IS_LOW_SURROGATE(text[at + 1])));
    return pair ? 2 : 1;
}

static int32_t characters_before(const wchar_t *text, size_t end, size_t units)
{
    int32_t count = 0;
    for (size_t at = 0; at < end && at < units; at += width_at(text, at, units)) {
        count++;
    }
    return count;
}

static size_t unit_of(const wchar_t *text, int32_t character, size_t units)
{
    size_t at = 0;
    while (at < units && character-- > 0) {
        at += width_at(text, at, units);
    }
    return at;
}

/* Its text into `buffer` of WIN32_TEXT_UNITS. A password is not asked for: it counts as empty. */
static bool text_of(HWND window, unsigned timeout, wchar_t *buffer, size_t *units)
{
    DWORD_PTR count = 0;
    *units = 0;
    if (GetWindowLongPtrW(window, GWL_STYLE) & ES_PASSWORD) {
        return true;
    }
    buffer[0] = 0;
    if (!win32_ask(window, timeout, WM_GETTEXT, WIN32_TEXT_UNITS, (LPARAM) buffer, &count)) {
        return false;
    }
    buffer[WIN32_TEXT_UNITS - 1] = 0;
    *units = wcsnlen(buffer, WIN32_TEXT_UNITS);
    return true;
}

bool win32_edit_select(HWND window, int32_t from, int32_t to, uint64_t deadline, base_error *err)
{
    size_t units;
    wchar_t *text = malloc(WIN32_TEXT_UNITS * sizeof *text);
    if (!text) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for the text");
    }
    bool ok = text_of(window, win32_left_ms(deadline), text, &units) ||
              base_fail(err, BASE_TIMED_OUT, "the application did not answer in time");
    WPARAM first = ok ? unit_of(text, from, units) : 0;
    LPARAM last = ok ? (LPARAM) unit_of(text, to, units) : 0;
    free(text);
    return ok && win32_tell(window, deadline, EM_SETSEL, first, last, NULL, err) &&
           win32_tell(window, deadline, EM_SCROLLCARET, 0, 0, NULL, err);
}

bool win32_edit_ask(win32_reading *r, HWND window, desk_element_details *out)
{
    size_t units;
    DWORD_PTR both = 0;
    unsigned timeout = win32_reading_timeout(r);
    if (!text_of(window, timeout, r->buffer, &units)) {
        return false;
    }
    out->has_text = !(GetWindowLongPtrW(window, GWL_STYLE) & ES_PASSWORD);
    if (!out->has_text) {
        return true;
    }
    /* The answer holds both ends in 16 bits each, which is as much as was read. */
    if (!win32_ask(window, timeout, EM_GETSEL, 0, 0, &both)) {
        return false;
    }
    size_t from = LOWORD(both) < units ? LOWORD(both) : units;
    size_t to = HIWORD(both) < units ? HIWORD(both) : units;
    out->characters = characters_before(r->buffer, units, units);
    out->from = characters_before(r->buffer, from, units);
    out->to = characters_before(r->buffer, to, units);
    if (to > from) {
        out->selected = win32_reading_text(r, r->buffer + from, to - from);
    }
    return true;
}
