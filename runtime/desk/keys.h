/*
 * keys.h: the names of keys, the same on every platform.
 *
 * A key is either a character ("a", "+", "é": the key that types it) or a named one ("enter",
 * "f5", "volume_up"). Names are read without regard to case and to `_`, `-` and spaces between
 * words ("Page Up" is "page_up"), and common other names are known ("esc", "cmd", "KP_7",
 * "XF86AudioMute"). An ASCII letter names its key, whatever its case: "ctrl+S" is "ctrl+s"; shift
 * has to be asked for. Each platform maps keys to its own codes in its own folder.
 *
 * A combo is keys joined by "+", pressed in that order and released in reverse: "ctrl+shift+s".
 * The plus key itself is "+", also after a joint: "ctrl++" is ctrl and plus.
 *
 * Everything here is pure; a text that cannot be read is BASE_INVALID, and the message names the
 * part that was not understood and the nearest name that would be.
 */
#ifndef DESK_KEYS_H
#define DESK_KEYS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Below DESK_KEY_NAMED: the Unicode character the key types. From there on: the list below. */
typedef uint32_t desk_key;

enum {
    DESK_KEY_NONE = 0,
    DESK_KEY_SPACE = ' ',
    DESK_KEY_NAMED = 0x110000,

    /* Modifiers. The plain forms mean whichever of the two the platform likes best. */
    DESK_KEY_CTRL = DESK_KEY_NAMED,
    DESK_KEY_LEFT_CTRL,
    DESK_KEY_RIGHT_CTRL,
    DESK_KEY_ALT,
    DESK_KEY_LEFT_ALT,
    DESK_KEY_RIGHT_ALT,
    DESK_KEY_ALT_GR,
    DESK_KEY_SHIFT,
    DESK_KEY_LEFT_SHIFT,
    DESK_KEY_RIGHT_SHIFT,
    DESK_KEY_WIN,
    DESK_KEY_LEFT_WIN,
    DESK_KEY_RIGHT_WIN,
    DESK_KEY_LAST_MODIFIER = DESK_KEY_RIGHT_WIN,

    DESK_KEY_ENTER,
    DESK_KEY_TAB,
    DESK_KEY_BACKSPACE,
    DESK_KEY_DELETE,
    DESK_KEY_INSERT,
    DESK_KEY_ESCAPE,
    DESK_KEY_HOME,
    DESK_KEY_END,
    DESK_KEY_PAGE_UP,
    DESK_KEY_PAGE_DOWN,
    DESK_KEY_LEFT,
    DESK_KEY_RIGHT,
    DESK_KEY_UP,
    DESK_KEY_DOWN,
    DESK_KEY_MENU,
    DESK_KEY_PRINT_SCREEN,
    DESK_KEY_PAUSE,
    DESK_KEY_CAPS_LOCK,
    DESK_KEY_NUM_LOCK,
    DESK_KEY_SCROLL_LOCK,
    DESK_KEY_HELP,
    DESK_KEY_SLEEP,

    DESK_KEY_F1,
    DESK_KEY_F24 = DESK_KEY_F1 + 23, /* F2 is DESK_KEY_F1 + 1, and so on */

    DESK_KEY_NUMPAD_0,
    DESK_KEY_NUMPAD_9 = DESK_KEY_NUMPAD_0 + 9,
    DESK_KEY_NUMPAD_ADD,
    DESK_KEY_NUMPAD_SUBTRACT,
    DESK_KEY_NUMPAD_MULTIPLY,
    DESK_KEY_NUMPAD_DIVIDE,
    DESK_KEY_NUMPAD_DECIMAL,
    DESK_KEY_NUMPAD_EQUAL,
    DESK_KEY_NUMPAD_ENTER,

    DESK_KEY_VOLUME_UP,
    DESK_KEY_VOLUME_DOWN,
    DESK_KEY_VOLUME_MUTE,
    DESK_KEY_MEDIA_PLAY_PAUSE,
    DESK_KEY_MEDIA_NEXT,
    DESK_KEY_MEDIA_PREVIOUS,
    DESK_KEY_MEDIA_STOP,
    DESK_KEY_BROWSER_BACK,
    DESK_KEY_BROWSER_FORWARD,
    DESK_KEY_BROWSER_REFRESH,
    DESK_KEY_BROWSER_STOP,
    DESK_KEY_BROWSER_SEARCH,
    DESK_KEY_BROWSER_FAVORITES,
    DESK_KEY_BROWSER_HOME,
    DESK_KEY_LAUNCH_MAIL,
    DESK_KEY_LAUNCH_MEDIA,
    DESK_KEY_LAUNCH_FILES,
    DESK_KEY_LAUNCH_CALCULATOR,

    DESK_KEY_END_OF_LIST
};

enum { DESK_KEY_NAME_SIZE = 32, DESK_COMBO_MAX = 8, DESK_COMBO_NAME_SIZE = 256 };

typedef struct {
    desk_key keys[DESK_COMBO_MAX];
    size_t count; /* 1..DESK_COMBO_MAX */
} desk_combo;

/* Reads the name of one key. */
bool desk_key_parse(const char *text, desk_key *out, base_error *err);

/* Writes the canonical name of `key`; reading it back gives the same key. */
void desk_key_name(desk_key key, char name[DESK_KEY_NAME_SIZE]);

bool desk_key_is_modifier(desk_key key);

/* The canonical name at `index` of all named keys, NULL past the end. Static storage. */
const char *desk_key_known(size_t index);

/* Reads a combo. A key named twice is an error. */
bool desk_combo_parse(const char *text, desk_combo *out, base_error *err);

/* Writes the form of a combo in which two that do the same compare equal: canonical names, left
 * and right modifiers as the plain ones, modifiers first (ctrl, alt, alt_gr, shift, win), the other
 * keys in their order. For comparing; what is pressed is what was asked for. */
bool desk_combo_canonical(const char *text, char out[DESK_COMBO_NAME_SIZE], base_error *err);

#endif
