#include "win32_internal.h"

#include <stdlib.h>
#include <string.h>

/* Opens the clipboard for a window, without which Windows neither keeps programs apart nor takes
 * data; NULL where another program has it open. The window is there for the moment only (what was
 * handed over stays without it): one whose thread waits for something else keeps those waiting that
 * send messages to all windows. */
static bool open_clipboard(HWND *out, base_error *err)
{
    *out = CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL,
                           GetModuleHandleW(NULL), NULL);
    if (!*out) {
        return win32_fail(err, BASE_REFUSED, "Windows does not let this program use the clipboard",
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

static bool too_long(base_error *err)
{
    return base_fail(err, BASE_REFUSED, "The clipboard's text is longer than %d MiB.",
                     DESK_CLIPBOARD_MAX / 1024 / 1024);
}

/* The block's size is what the system says; that another program ended its text is not relied on.
 */
static bool read_block(HGLOBAL block, char **text, size_t *length, base_error *err)
{
    size_t units = GlobalSize(block) / sizeof(wchar_t);
    const wchar_t *wide = GlobalLock(block);
    if (!wide) {
        return win32_fail(err, BASE_REFUSED, "The clipboard's text cannot be read", GetLastError());
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
        return base_fail(err, BASE_NO_MEMORY, "There is no memory for the clipboard's text.");
    }
    *length = desk_unify_line_ends(*text, strlen(*text));
    if (*length > DESK_CLIPBOARD_MAX) {
        free(*text);
        *text = NULL;
        return too_long(err);
    }
    return true;
}

static bool empty(char **data, base_error *err)
{
    *data = calloc(1, 1);
    return *data || base_fail(err, BASE_NO_MEMORY, "There is no memory for the clipboard.");
}

/* The best format there is for that kind, 0 if there is none. Windows makes a CF_DIB of any bitmap.
 */
static UINT format_of(desk_clipboard_kind kind)
{
    UINT text[] = {CF_UNICODETEXT}, picture[] = {win32_png_format(), CF_DIB};
    int found = kind == DESK_CLIPBOARD_TEXT ? GetPriorityClipboardFormat(text, 1)
                                            : GetPriorityClipboardFormat(picture, 2);
    return found > 0 ? (UINT) found : 0;
}

static bool read_format(UINT format, char **data, size_t *length, base_error *err)
{
    HGLOBAL block = GetClipboardData(format); /* stays the clipboard's */
    if (!block) {
        return empty(data, err);
    }
    return format == CF_UNICODETEXT ? read_block(block, data, length, err)
           : format == CF_DIB       ? win32_read_dib(block, data, length, err)
                                    : win32_read_png(block, data, length, err);
}

static bool win32_clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                                bool *pending, base_error *err)
{
    (void) d;
    *data = NULL;
    *length = 0;
    *pending = false;
    UINT format = format_of(kind);
    if (!format) {
        return empty(data, err);
    }
    HWND owner = GetClipboardOwner(), window = NULL;
    /* The owner may only make the data when it is asked for, and would be waited for. */
    bool hangs = owner && IsHungAppWindow(owner);
    if (!hangs && !open_clipboard(&window, err)) {
        return false;
    }
    if (!window) {
        *pending = true;
        return true;
    }
    bool ok = read_format(format, data, length, err);
    close_clipboard(window);
    return ok;
}

static bool win32_clipboard_changes(desk *d, uint64_t *number, base_error *err)
{
    (void) d;
    *number = GetClipboardSequenceNumber();
    return *number || base_fail(err, BASE_UNSUPPORTED,
                                "Windows does not let this program watch the clipboard.");
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

static bool check_text(const char *text, size_t length, base_error *err)
{
    if (length && memchr(text, '\0', length)) {
        return base_fail(err, BASE_INVALID,
                         "A text for the clipboard cannot have zero bytes: Windows ends it there.");
    }
    return true;
}

/* One content in the formats that it is offered in; blocks that are not there are NULL. */
typedef struct {
    UINT formats[2];
    HGLOBAL blocks[2];
} offered;

static void drop(offered *o)
{
    for (int i = 0; i < 2; i++) {
        GlobalFree(o->blocks[i]);
        o->blocks[i] = NULL;
    }
}

/* Gives the blocks to the open clipboard, or frees them. */
static bool offer(offered *o, base_error *err)
{
    bool ok = EmptyClipboard();
    for (int i = 0; ok && i < 2; i++) {
        ok = !o->blocks[i] || SetClipboardData(o->formats[i], o->blocks[i]);
        o->blocks[i] = ok ? NULL : o->blocks[i];
    }
    DWORD error = GetLastError();
    drop(o);
    return ok || win32_fail(err, BASE_REFUSED, "Windows did not take it for the clipboard", error);
}

/* The same; `pending` where another program has the clipboard open. */
static bool put(offered *o, bool *pending, base_error *err)
{
    HWND window = NULL;
    bool ok = open_clipboard(&window, err);
    *pending = ok && !window;
    if (!window) {
        drop(o);
        return ok;
    }
    ok = offer(o, err);
    close_clipboard(window);
    return ok;
}

static HGLOBAL text_block(const char *text, size_t length, base_error *err)
{
    size_t units = 0;
    wchar_t *wide = check_text(text, length, err) ? win32_wide(text, length, &units, err) : NULL;
    HGLOBAL block = wide ? make_block(wide, units) : NULL;
    if (wide && !block) {
        base_fail(err, BASE_NO_MEMORY, "There is no memory for the clipboard's text.");
    }
    free(wide);
    return block;
}

/* Both formats: most programs paste only bitmaps. */
static bool picture_blocks(const char *png, size_t length, offered *o, base_error *err)
{
    *o = (offered){{win32_png_format(), CF_DIB}, {win32_make_png(png, length, err), NULL}};
    o->blocks[1] = o->blocks[0] ? win32_make_dib(png, length, err) : NULL;
    if (!o->blocks[1]) {
        drop(o);
    }
    return o->blocks[1] != NULL;
}

static bool win32_clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                                bool *pending, base_error *err)
{
    offered o = {{CF_UNICODETEXT, 0}, {NULL, NULL}};
    (void) d;
    *pending = false;
    if (kind == DESK_CLIPBOARD_TEXT) {
        o.blocks[0] = text_block(data, length, err);
    } else if (!picture_blocks(data, length, &o, err)) {
        return false;
    }
    return o.blocks[0] && put(&o, pending, err);
}

void win32_clipboard_ops(desk_ops *ops)
{
    ops->clipboard_get = win32_clipboard_get;
    ops->clipboard_set = win32_clipboard_set;
    ops->clipboard_changes = win32_clipboard_changes;
}
