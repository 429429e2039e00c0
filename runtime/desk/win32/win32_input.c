#include "win32_internal.h"

ULONG_PTR win32_our_mark(void)
{
    static const uint64_t desk = 0x6465736b00000000; /* the word, before the process's number */
    return (ULONG_PTR) (desk | GetCurrentProcessId());
}

static void mark(INPUT *input)
{
    if (input->type == INPUT_KEYBOARD) {
        input->ki.dwExtraInfo = win32_our_mark();
    } else {
        input->mi.dwExtraInfo = win32_our_mark();
    }
}

bool win32_send(INPUT *inputs, unsigned count, base_error *err)
{
    for (unsigned i = 0; i < count; i++) {
        mark(&inputs[i]);
    }
    win32_held_note(inputs, count, true); /* before it is sent, so that nothing stays down */
    if (count == 0 || SendInput(count, inputs, sizeof *inputs) == count) {
        win32_held_note(inputs, count, false);
        return true;
    }
    return base_fail(err, BASE_REFUSED,
                     "Windows refused the input: the screen is locked, a UAC prompt is shown, or "
                     "another program blocks all input.");
}

INPUT win32_virtual_key(WORD vk, WORD scan, bool extended, bool down)
{
    INPUT input = {.type = INPUT_KEYBOARD};
    input.ki.wVk = vk;
    input.ki.wScan = scan;
    input.ki.dwFlags = (extended ? KEYEVENTF_EXTENDEDKEY : 0) | (down ? 0 : KEYEVENTF_KEYUP);
    return input;
}

INPUT win32_unicode_unit(wchar_t unit, bool down)
{
    INPUT input = {.type = INPUT_KEYBOARD};
    input.ki.wScan = unit;
    input.ki.dwFlags = KEYEVENTF_UNICODE | (down ? 0 : KEYEVENTF_KEYUP);
    return input;
}

unsigned win32_tap(INPUT *out, WORD vk, bool extended)
{
    WORD scan = (WORD) (MapVirtualKeyW(vk, MAPVK_VK_TO_VSC) & 0xff);
    out[0] = win32_virtual_key(vk, scan, extended, true);
    out[1] = win32_virtual_key(vk, scan, extended, false);
    return 2;
}

static bool is_down(int vk)
{
    return (GetAsyncKeyState(vk) & 0x8000) != 0;
}

unsigned win32_modifiers_down(bool *win)
{
    *win = is_down(VK_LWIN) || is_down(VK_RWIN);
    return (is_down(VK_SHIFT) ? WIN32_SHIFT : 0) | (is_down(VK_CONTROL) ? WIN32_CTRL : 0) |
           (is_down(VK_MENU) ? WIN32_ALT : 0);
}
