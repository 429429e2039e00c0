#include "win32_internal.h"

#include "base/utf8.h"

typedef struct {
    WORD vk;
    bool extended, num_lock;
} key_code;

/* Which keys have the extended flag is what a keyboard of 104 keys sends (Microsoft's "Keyboard
 * Input Overview", extended-key flag); asking MapVirtualKey for it gives the number pad's twin of
 * the arrows. */
static const key_code CODES[] = {
#define AT(key) [(key) -DESK_KEY_NAMED]
    AT(DESK_KEY_CTRL) = {VK_LCONTROL, false, false},
    AT(DESK_KEY_LEFT_CTRL) = {VK_LCONTROL, false, false},
    AT(DESK_KEY_RIGHT_CTRL) = {VK_RCONTROL, true, false},
    AT(DESK_KEY_ALT) = {VK_LMENU, false, false},
    AT(DESK_KEY_LEFT_ALT) = {VK_LMENU, false, false},
    AT(DESK_KEY_RIGHT_ALT) = {VK_RMENU, true, false},
    AT(DESK_KEY_ALT_GR) = {VK_RMENU, true, false},
    AT(DESK_KEY_SHIFT) = {VK_LSHIFT, false, false},
    AT(DESK_KEY_LEFT_SHIFT) = {VK_LSHIFT, false, false},
    AT(DESK_KEY_RIGHT_SHIFT) = {VK_RSHIFT, false, false},
    AT(DESK_KEY_WIN) = {VK_LWIN, true, false},
    AT(DESK_KEY_LEFT_WIN) = {VK_LWIN, true, false},
    AT(DESK_KEY_RIGHT_WIN) = {VK_RWIN, true, false},
    AT(DESK_KEY_ENTER) = {VK_RETURN, false, false},
    AT(DESK_KEY_TAB) = {VK_TAB, false, false},
    AT(DESK_KEY_BACKSPACE) = {VK_BACK, false, false},
    AT(DESK_KEY_DELETE) = {VK_DELETE, true, false},
    AT(DESK_KEY_INSERT) = {VK_INSERT, true, false},
    AT(DESK_KEY_ESCAPE) = {VK_ESCAPE, false, false},
    AT(DESK_KEY_HOME) = {VK_HOME, true, false},
    AT(DESK_KEY_END) = {VK_END, true, false},
    AT(DESK_KEY_PAGE_UP) = {VK_PRIOR, true, false},
    AT(DESK_KEY_PAGE_DOWN) = {VK_NEXT, true, false},
    AT(DESK_KEY_LEFT) = {VK_LEFT, true, false},
    AT(DESK_KEY_RIGHT) = {VK_RIGHT, true, false},
    AT(DESK_KEY_UP) = {VK_UP, true, false},
    AT(DESK_KEY_DOWN) = {VK_DOWN, true, false},
    AT(DESK_KEY_MENU) = {VK_APPS, true, false},
    AT(DESK_KEY_PRINT_SCREEN) = {VK_SNAPSHOT, true, false},
    AT(DESK_KEY_PAUSE) = {VK_PAUSE, false, false},
    AT(DESK_KEY_CAPS_LOCK) = {VK_CAPITAL, false, false},
    AT(DESK_KEY_NUM_LOCK) = {VK_NUMLOCK, true, false},
    AT(DESK_KEY_SCROLL_LOCK) = {VK_SCROLL, false, false},
    AT(DESK_KEY_HELP) = {VK_HELP, false, false},
    AT(DESK_KEY_SLEEP) = {VK_SLEEP, true, false},
    AT(DESK_KEY_NUMPAD_ADD) = {VK_ADD, false, false},
    AT(DESK_KEY_NUMPAD_SUBTRACT) = {VK_SUBTRACT, false, false},
    AT(DESK_KEY_NUMPAD_MULTIPLY) = {VK_MULTIPLY, false, false},
    AT(DESK_KEY_NUMPAD_DIVIDE) = {VK_DIVIDE, true, false},
    AT(DESK_KEY_NUMPAD_DECIMAL) = {VK_DECIMAL, false, true},
    AT(DESK_KEY_NUMPAD_ENTER) = {VK_RETURN, true, false},
    AT(DESK_KEY_VOLUME_UP) = {VK_VOLUME_UP, true, false},
    AT(DESK_KEY_VOLUME_DOWN) = {VK_VOLUME_DOWN, true, false},
    AT(DESK_KEY_VOLUME_MUTE) = {VK_VOLUME_MUTE, true, false},
    AT(DESK_KEY_MEDIA_PLAY_PAUSE) = {VK_MEDIA_PLAY_PAUSE, true, false},
    AT(DESK_KEY_MEDIA_NEXT) = {VK_MEDIA_NEXT_TRACK, true, false},
    AT(DESK_KEY_MEDIA_PREVIOUS) = {VK_MEDIA_PREV_TRACK, true, false},
    AT(DESK_KEY_MEDIA_STOP) = {VK_MEDIA_STOP, true, false},
    AT(DESK_KEY_BROWSER_BACK) = {VK_BROWSER_BACK, true, false},
    AT(DESK_KEY_BROWSER_FORWARD) = {VK_BROWSER_FORWARD, true, false},
    AT(DESK_KEY_BROWSER_REFRESH) = {VK_BROWSER_REFRESH, true, false},
    AT(DESK_KEY_BROWSER_STOP) = {VK_BROWSER_STOP, true, false},
    AT(DESK_KEY_BROWSER_SEARCH) = {VK_BROWSER_SEARCH, true, false},
    AT(DESK_KEY_BROWSER_FAVORITES) = {VK_BROWSER_FAVORITES, true, false},
    AT(DESK_KEY_BROWSER_HOME) = {VK_BROWSER_HOME, true, false},
    AT(DESK_KEY_LAUNCH_MAIL) = {VK_LAUNCH_MAIL, true, false},
    AT(DESK_KEY_LAUNCH_MEDIA) = {VK_LAUNCH_MEDIA_SELECT, true, false},
    /* The keyboard's "my computer" and "calculator" are the first and second program. */
    AT(DESK_KEY_LAUNCH_FILES) = {VK_LAUNCH_APP1, true, false},
    AT(DESK_KEY_LAUNCH_CALCULATOR) = {VK_LAUNCH_APP2, true, false},
#undef AT
};

static key_code code_of(desk_key key)
{
    if (key >= DESK_KEY_F1 && key <= DESK_KEY_F24) {
        return (key_code){(WORD) (VK_F1 + (key - DESK_KEY_F1)), false, false};
    }
    if (key >= DESK_KEY_NUMPAD_0 && key <= DESK_KEY_NUMPAD_9) {
        return (key_code){(WORD) (VK_NUMPAD0 + (key - DESK_KEY_NUMPAD_0)), false, true};
    }
    size_t at = key - DESK_KEY_NAMED;
    return at < sizeof CODES / sizeof CODES[0] ? CODES[at] : (key_code){0};
}

/* The layout that the active window reads its keys with: each thread has its own. Where Windows
 * tells none (console windows name a thread that has no part in it), ours is what new windows get.
 */
static HKL active_layout(void)
{
    HKL layout = GetKeyboardLayout(GetWindowThreadProcessId(GetForegroundWindow(), NULL));
    return layout ? layout : GetKeyboardLayout(0);
}

/* A dead key types nothing until the next one. */
static bool is_dead(const win32_stroke *s, HKL layout)
{
    enum { KEEP_STATE = 1 << 2 }; /* or our question would count as a key that was typed */
    wchar_t typed[8];
    BYTE keys[256] = {0};
    keys[VK_SHIFT] = s->modifiers & WIN32_SHIFT ? 0x80 : 0;
    keys[VK_CONTROL] = s->modifiers & WIN32_CTRL ? 0x80 : 0;
    keys[VK_MENU] = s->modifiers & WIN32_ALT ? 0x80 : 0;
    return ToUnicodeEx(s->vk, s->scan, keys, typed, 8, KEEP_STATE, layout) < 0;
}

/* The virtual key of a character in that layout, with modifiers as VkKeyScanEx has them; -1 if
 * none. Layouts of other scripts have no Latin letters, but their keys have those letters' codes,
 * so that shortcuts work. */
static int key_of_character(uint32_t c, HKL layout, bool *foreign)
{
    int found = c < 0x10000 ? VkKeyScanExW((wchar_t) c, layout) : -1;
    *foreign = found == -1 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
    return *foreign ? (int) (c & ~0x20u) | (c < 'a' ? WIN32_SHIFT << 8 : 0) : found;
}

static win32_stroke stroke_of_character(uint32_t c)
{
    win32_stroke stroke = {.character = c};
    HKL layout = active_layout();
    bool foreign;
    int found = key_of_character(c, layout, &foreign);
    unsigned modifiers = (unsigned) found >> 8 & 0xff;
    /* Bits above are for Japanese and Korean keyboards' own shift keys, which we do not press. */
    if (found == -1 || modifiers > (WIN32_SHIFT | WIN32_CTRL | WIN32_ALT)) {
        return stroke;
    }
    stroke.vk = (WORD) (found & 0xff);
    stroke.scan = (WORD) (MapVirtualKeyExW(stroke.vk, MAPVK_VK_TO_VSC, layout) & 0xff);
    stroke.modifiers = modifiers;
    stroke.only_combined = foreign || is_dead(&stroke, layout);
    return stroke;
}

win32_stroke win32_stroke_of(desk_key key)
{
    if (key < DESK_KEY_NAMED) {
        return stroke_of_character(key);
    }
    if (key == DESK_KEY_NUMPAD_EQUAL) {
        return stroke_of_character('='); /* PC keyboards have none on the number pad */
    }
    key_code code = code_of(key);
    return (win32_stroke){.vk = code.vk,
                          .scan = (WORD) (MapVirtualKeyW(code.vk, MAPVK_VK_TO_VSC) & 0xff),
                          .extended = code.extended,
                          .num_lock = code.num_lock};
}
