/*
 * Keys by name. Num lock is turned on for the digits of the number pad, which type digits for
 * whoever asks for "numpad_7", and back off when the desk is closed (around each digit would be too
 * quick for a system that is busy: some come out as arrows); caps lock is left as it is, as on X11:
 * a key does what the keyboard's would do (text does not depend on it, see win32_typing.c).
 */
#include "win32_internal.h"

enum { INPUTS_MAX = 16 };

typedef struct {
    INPUT items[INPUTS_MAX];
    unsigned count;
} input_list;

static void add_key(input_list *l, WORD vk, bool extended, bool down)
{
    WORD scan = (WORD) (MapVirtualKeyW(vk, MAPVK_VK_TO_VSC) & 0xff);
    l->items[l->count++] = win32_virtual_key(vk, scan, extended, down);
}

static void add_modifiers(input_list *l, unsigned modifiers, bool down)
{
    static const struct {
        unsigned bit;
        WORD vk;
    } keys[] = {{WIN32_CTRL, VK_LCONTROL}, {WIN32_ALT, VK_LMENU}, {WIN32_SHIFT, VK_LSHIFT}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (modifiers & keys[i].bit) {
            add_key(l, keys[i].vk, false, down);
        }
    }
}

/* The key itself; a character without a key is one or two units of UTF-16. */
static void add_stroke(input_list *l, const win32_stroke *s, bool down)
{
    if (s->vk) {
        l->items[l->count++] = win32_virtual_key(s->vk, s->scan, s->extended, down);
    } else if (s->character < 0x10000) {
        l->items[l->count++] = win32_unicode_unit((wchar_t) s->character, down);
    } else {
        uint32_t c = s->character - 0x10000;
        l->items[l->count++] = win32_unicode_unit((wchar_t) (0xd800 + (c >> 10)), down);
        l->items[l->count++] = win32_unicode_unit((wchar_t) (0xdc00 + (c & 0x3ff)), down);
    }
}

/* By GetKeyboardState, because Wine's GetKeyState may tell the state of before our last key. */
static bool num_lock_is_on(void)
{
    BYTE keys[256] = {0};
    MSG message;
    PeekMessageW(&message, NULL, 0, 0, PM_NOREMOVE); /* brings the toggles up to date */
    return GetKeyboardState(keys) && (keys[VK_NUMLOCK] & 1);
}

static win32_held_key *find_held(win32_desk *w, desk_key key)
{
    for (size_t i = 0; i < w->held_count; i++) {
        if (w->held[i].key == key) {
            return &w->held[i];
        }
    }
    return NULL;
}

static bool no_key_for(desk_key key, base_error *err)
{
    char name[DESK_KEY_NAME_SIZE];
    desk_key_name(key, name);
    return base_fail(err, BASE_UNSUPPORTED,
                     "The keyboard layout of the active window has no key \"%s\" to press together "
                     "with others.",
                     name);
}

static bool key_down(win32_desk *w, desk_key key, base_error *err)
{
    bool win;
    unsigned down = win32_modifiers_down(&win);
    win32_held_key held = {key, win32_stroke_of(key)};
    input_list l = {.count = 0};
    if (w->held_count == WIN32_MAX_HELD) {
        return base_fail(err, BASE_INVALID, "More than %d keys are held down.", WIN32_MAX_HELD);
    }
    if (!win32_takes_input(GetForegroundWindow(), err)) {
        return false;
    }
    if (held.stroke.only_combined && !down && !win) {
        held.stroke = (win32_stroke){.character = held.stroke.character};
    }
    if (!held.stroke.vk && (down || win || !held.stroke.character)) {
        return no_key_for(key, err);
    }
    held.stroke.modifiers &= ~down;
    if (key == DESK_KEY_NUM_LOCK) {
        w->num_lock_turned = false; /* whoever presses it decides */
    }
    if (held.stroke.num_lock && !w->num_lock_turned && !num_lock_is_on()) {
        l.count += win32_tap(l.items + l.count, VK_NUMLOCK, true);
        w->num_lock_turned = true;
    }
    add_modifiers(&l, held.stroke.modifiers, true);
    add_stroke(&l, &held.stroke, true);
    w->held[w->held_count++] = held; /* also after a failure: part of it may be down */
    return win32_send(l.items, l.count, err);
}

static bool release(const win32_held_key *held, base_error *err)
{
    input_list l = {.count = 0};
    add_stroke(&l, &held->stroke, false);
    add_modifiers(&l, held->stroke.modifiers, false);
    return win32_send(l.items, l.count, err);
}

static bool key_up(win32_desk *w, desk_key key, base_error *err)
{
    win32_held_key *found = find_held(w, key);
    /* One that we do not hold may be stuck since somebody else held it. */
    win32_held_key held = found ? *found : (win32_held_key){.key = key};
    if (found) {
        *found = w->held[--w->held_count];
    } else {
        held.stroke = win32_stroke_of(key);
        held.stroke.modifiers = 0;
        if (!held.stroke.vk) {
            return true;
        }
    }
    return release(&held, err);
}

static bool win32_key(desk *d, desk_key key, bool down, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    if (!down) {
        return key_up(w, key, err);
    }
    win32_hold_still(w); /* Wine asks anew which modifiers are down while the pointer arrives */
    return find_held(w, key) || key_down(w, key, err);
}

void win32_keyboard_close(win32_desk *w)
{
    while (w->held_count > 0) {
        release(&w->held[--w->held_count], NULL);
    }
    if (w->num_lock_turned) {
        INPUT tap[2];
        win32_send(tap, win32_tap(tap, VK_NUMLOCK, true), NULL);
    }
}

void win32_keyboard_ops(desk_ops *ops)
{
    ops->keyboard_key = win32_key;
}
