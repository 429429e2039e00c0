#include "win32.h"

#include <stdlib.h>
#include <string.h>

/* Opens the clipboard for a window, without which Windows neither keeps programs apart nor takes
 * data; NULL where another program has it open. The window is there for the moment only (what was
 * handed over stays without it): one whose thread waits for something else keeps those waiting that
 * send messages to all windows. */
static bool open_clipboard(HWND *out, desk_error *err)
{
    *out = CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL,
                           GetModuleHandleW(NULL), NULL);
    if (!*out) {
        return win32_fail(err, DESK_REFUSED, "Windows does not let this program use the clipboard",
                          GetLastError());
    }
    if (!OpenClipboard(*out)) {
        DestroyWindow(*out);
        *out = NULL;
    }
    return true;
}

static void close_clipboard(HWND window)
{
    CloseClipboard();
    DestroyWindow(window);
}

/* --- reading --------------------------------------------------------------------------------- */

/* "\r\n" to "\n", in place. */
static size_t drop_returns(char *text, size_t length)
{
    size_t to = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '\r' || i + 1 == length || text[i + 1] != '\n') {
            text[to++] = text[i];
        }
    }
    text[to] = '\0';
    return to;
}

static bool too_long(desk_error *err)
{
    return desk_fail(err, DESK_REFUSED, "The clipboard's text is longer than %d MiB.",
                     DESK_CLIPBOARD_MAX / 1024 / 1024);
}

/* The block's size is what the system says; that another program ended its text is not relied on.
 */
static bool read_block(HGLOBAL block, char **text, size_t *length, desk_error *err)
{
    size_t units = GlobalSize(block) / sizeof(wchar_t);
    const wchar_t *wide = GlobalLock(block);
    if (!wide) {
        return win32_fail(err, DESK_REFUSED, "The clipboard's text cannot be read", GetLastError());
    }
    units = wcsnlen(wide, units);
    /* Each unit but a return becomes a byte at least. */
    bool fits = units <= 2 * (size_t) DESK_CLIPBOARD_MAX;
    *text = fits ? win32_utf8(wide, (int) units) : NULL;
    GlobalUnlock(block);
    if (!fits) {
        return too_long(err);
    }
    if (!*text) {
        return desk_fail(err, DESK_NO_MEMORY, "There is no memory for the clipboard's text.");
    }
    *length = drop_returns(*text, strlen(*text));
    if (*length > DESK_CLIPBOARD_MAX) {
        free(*text);
        *text = NULL;
        return too_long(err);
    }
    return true;
}

static bool empty(char **text, desk_error *err)
{
    *text = calloc(1, 1);
    return *text || desk_fail(err, DESK_NO_MEMORY, "There is no memory for the clipboard's text.");
}

bool win32_clipboard_get(desk *d, char **text, size_t *length, bool *pending, desk_error *err)
{
    (void) d;
    *text = NULL;
    *length = 0;
    *pending = false;
    if (!IsClipboardFormatAvailable(CF_UNICODETEXT)) {
        return empty(text, err);
    }
    HWND owner = GetClipboardOwner(), window = NULL;
    /* The owner may only make the text when it is asked for, and would be waited for. */
    bool hangs = owner && IsHungAppWindow(owner);
    if (!hangs && !open_clipboard(&window, err)) {
        return false;
    }
    if (!window) {
        *pending = true;
        return true;
    }
    HGLOBAL block = GetClipboardData(CF_UNICODETEXT); /* stays the clipboard's */
    bool ok = block ? read_block(block, text, length, err) : empty(text, err);
    close_clipboard(window);
    return ok;
}

/* --- writing --------------------------------------------------------------------------------- */

static bool needs_return(const wchar_t *wide, size_t i)
{
    return wide[i] == L'\n' && (i == 0 || wide[i - 1] != L'\r');
}

/* The text with "\r\n" line ends in a block as the clipboard wants it. */
static HGLOBAL make_block(const wchar_t *wide, size_t units)
{
    size_t size = units + 1;
    for (size_t i = 0; i < units; i++) {
        size += needs_return(wide, i);
    }
    HGLOBAL block = GlobalAlloc(GMEM_MOVEABLE, size * sizeof *wide);
    wchar_t *to = block ? GlobalLock(block) : NULL;
    if (!to) {
        GlobalFree(block);
        return NULL;
    }
    for (size_t i = 0; i < units; i++) {
        if (needs_return(wide, i)) {
            *to++ = L'\r';
        }
        *to++ = wide[i];
    }
    *to = L'\0';
    GlobalUnlock(block);
    return block;
}

static bool check_text(const char *text, size_t length, desk_error *err)
{
    if (length > DESK_CLIPBOARD_MAX) {
        return desk_fail(err, DESK_INVALID, "A text for the clipboard can be %d MiB long at most.",
                         DESK_CLIPBOARD_MAX / 1024 / 1024);
    }
    if (length && memchr(text, '\0', length)) {
        return desk_fail(err, DESK_INVALID,
                         "A text for the clipboard cannot have zero bytes: Windows ends it there.");
    }
    return true;
}

/* Gives the block to the open clipboard, or frees it. */
static bool offer(HGLOBAL block, desk_error *err)
{
    if (EmptyClipboard() && SetClipboardData(CF_UNICODETEXT, block)) {
        return true;
    }
    DWORD error = GetLastError();
    GlobalFree(block);
    return win32_fail(err, DESK_REFUSED, "Windows did not take the text for the clipboard", error);
}

/* The same; `pending` where another program has the clipboard open. */
static bool put(HGLOBAL block, bool *pending, desk_error *err)
{
    HWND window = NULL;
    bool ok = open_clipboard(&window, err);
    *pending = ok && !window;
    if (!window) {
        GlobalFree(block);
        return ok;
    }
    ok = offer(block, err);
    close_clipboard(window);
    return ok;
}

bool win32_clipboard_set(desk *d, const char *text, size_t length, bool *pending, desk_error *err)
{
    size_t units = 0;
    (void) d;
    *pending = false;
    wchar_t *wide = check_text(text, length, err) ? win32_wide(text, length, &units, err) : NULL;
    if (!wide) {
        return false;
    }
    HGLOBAL block = make_block(wide, units);
    free(wide);
    if (!block) {
        return desk_fail(err, DESK_NO_MEMORY, "There is no memory for the clipboard's text.");
    }
    return put(block, pending, err);
}
