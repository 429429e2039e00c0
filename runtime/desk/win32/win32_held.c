/*
 * What SendInput has pressed and not released, for the watchdog (system/watchdog.h): on Windows a
 * key stays down when the process that pressed it ends. Its thread asks while the main thread is
 * held up anywhere, so what is known here is kept in atomics.
 */
#include "system/watchdog.h"
#include "win32_internal.h"

#include <stdatomic.h>

enum { KEYS = 256, EXTENDED = 1 << 16 /* beside the scan code */ };

static const struct {
    DWORD down, up, data; /* data 0: it does not matter */
} buttons[] = {
    {MOUSEEVENTF_LEFTDOWN, MOUSEEVENTF_LEFTUP, 0},
    {MOUSEEVENTF_MIDDLEDOWN, MOUSEEVENTF_MIDDLEUP, 0},
    {MOUSEEVENTF_RIGHTDOWN, MOUSEEVENTF_RIGHTUP, 0},
    {MOUSEEVENTF_XDOWN, MOUSEEVENTF_XUP, XBUTTON1},
    {MOUSEEVENTF_XDOWN, MOUSEEVENTF_XUP, XBUTTON2},
};
enum { BUTTONS = sizeof buttons / sizeof buttons[0] };

static struct {
    atomic_bool key[KEYS]; /* by virtual key */
    _Atomic DWORD scan[KEYS];
    atomic_bool button[BUTTONS];
} held;

static INPUT released_key(WORD vk)
{
    DWORD scan = atomic_load(&held.scan[vk]);
    return win32_virtual_key(vk, (WORD) (scan & 0xffff), (scan & EXTENDED) != 0, false);
}

/* SendInput itself: win32_send would note what is released here, and nobody hears of a failure. */
static void release_all(void)
{
    for (int vk = 0; vk < KEYS; vk++) {
        if (atomic_load(&held.key[vk])) {
            INPUT input = released_key((WORD) vk);
            input.ki.dwExtraInfo = win32_our_mark();
            SendInput(1, &input, sizeof input);
        }
    }
    for (size_t i = 0; i < BUTTONS; i++) {
        if (atomic_load(&held.button[i])) {
            INPUT input = {.type = INPUT_MOUSE};
            input.mi.dwFlags = buttons[i].up;
            input.mi.mouseData = buttons[i].data;
            input.mi.dwExtraInfo = win32_our_mark();
            SendInput(1, &input, sizeof input);
        }
    }
}

/* A character without a key (KEYEVENTF_UNICODE) leaves nothing down. */
static void note_key(const KEYBDINPUT *key, bool down)
{
    if (key->dwFlags & KEYEVENTF_UNICODE || key->wVk >= KEYS ||
        down == !!(key->dwFlags & KEYEVENTF_KEYUP)) {
        return;
    }
    if (down) {
        bool extended = (key->dwFlags & KEYEVENTF_EXTENDEDKEY) != 0;
        atomic_store(&held.scan[key->wVk], key->wScan | (extended ? EXTENDED : 0u));
    }
    atomic_store(&held.key[key->wVk], down);
}

static void note_button(const MOUSEINPUT *mouse, bool down)
{
    for (size_t i = 0; i < BUTTONS; i++) {
        DWORD flag = down ? buttons[i].down : buttons[i].up;
        if (mouse->dwFlags & flag && (!buttons[i].data || mouse->mouseData == buttons[i].data)) {
            atomic_store(&held.button[i], down);
        }
    }
}

void win32_held_note(const INPUT *inputs, unsigned count, bool down)
{
    system_watchdog_set_release(release_all);
    for (unsigned i = 0; i < count; i++) {
        if (inputs[i].type == INPUT_KEYBOARD) {
            note_key(&inputs[i].ki, down);
        } else if (inputs[i].type == INPUT_MOUSE) {
            note_button(&inputs[i].mi, down);
        }
    }
}
