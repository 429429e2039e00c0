/*
 * Text is sent as characters (KEYEVENTF_UNICODE), not as keys, so it does not depend on the
 * keyboard's layout or on caps lock; only line ends and tabs are keys.
 */
#include "win32_internal.h"

#include "base/utf8.h"

/* Characters per step, so that whoever watches the run can stop it between two steps. A character
 * is at most two units of UTF-16, each down and up. */
enum { STEP_MAX = 64, INPUTS_PER_CHARACTER = 4 };

/* A window that has 10000 messages waiting gets no more; so it is given time after this many
 * characters. */
enum { BREATH = 1024 };

/* Text typed while a modifier is down could be shortcuts: better not at all. */
static bool check_modifiers(base_error *err)
{
    bool win;
    unsigned down = win32_modifiers_down(&win);
    if (!down && !win) {
        return true;
    }
    return base_fail(err, BASE_REFUSED,
                     "Text cannot be typed while the %s key is held down; release it first.",
                     down & WIN32_SHIFT  ? "shift"
                     : down & WIN32_CTRL ? "ctrl"
                     : down & WIN32_ALT  ? "alt"
                                         : "win");
}

static unsigned add_unit(INPUT *out, wchar_t unit)
{
    out[0] = win32_unicode_unit(unit, true);
    out[1] = win32_unicode_unit(unit, false);
    return 2;
}

static unsigned add_character(INPUT *out, uint32_t c)
{
    if (c == '\n' || c == '\r') {
        return win32_tap(out, VK_RETURN, false);
    }
    if (c == '\t') {
        return win32_tap(out, VK_TAB, false);
    }
    if (c < 0x10000) {
        return add_unit(out, (wchar_t) c);
    }
    unsigned count = add_unit(out, (wchar_t) (0xd800 + ((c - 0x10000) >> 10)));
    return count + add_unit(out + count, (wchar_t) (0xdc00 + ((c - 0x10000) & 0x3ff)));
}

static bool win32_type_text(desk *d, const char *text, size_t length, desk_text_step *out,
                            base_error *err)
{
    INPUT inputs[STEP_MAX * INPUTS_PER_CHARACTER];
    win32_desk *w = (win32_desk *) d;
    unsigned count = 0;
    size_t at = 0;
    *out = (desk_text_step){0};
    if (!check_modifiers(err) || !win32_takes_input(GetForegroundWindow(), err)) {
        return false;
    }
    for (int i = 0; i < STEP_MAX && at < length; i++) {
        uint32_t c = 0;
        size_t bytes = base_utf8_read(text + at, length - at, &c);
        count += add_character(inputs + count, c);
        at += bytes;
        if (c == '\r' && at < length && text[at] == '\n') {
            at++; /* one key for both */
        }
    }
    /* Right before the keys are sent; nothing can keep other programs from coming up in between. */
    HWND front = GetForegroundWindow();
    if (w->typed_into && front != w->typed_into) {
        out->moved = true;
        return true;
    }
    w->typed_into = front;
    if (!win32_send(inputs, count, err)) {
        return false;
    }
    w->typed += count / 2;
    out->consumed = at;
    out->remapped = w->typed >= BREATH && at < length;
    w->typed = out->remapped ? 0 : w->typed;
    return true;
}

static bool win32_type_end(desk *d, base_error *err)
{
    (void) err;
    ((win32_desk *) d)->typed = 0;
    ((win32_desk *) d)->typed_into = NULL;
    return true;
}

/* Input is queued by Windows and reaches the program in order; nothing in it can be asked whether
 * it listens without waiting for the answer: there is no ping. */
void win32_typing_ops(desk_ops *ops)
{
    ops->type_text = win32_type_text;
    ops->type_end = win32_type_end;
}
