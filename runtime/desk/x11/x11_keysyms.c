#include "x11_keysyms.h"

#include <string.h>

enum {
    XK_ISO_LEVEL3_SHIFT = 0xfe03,
    XK_NUM_LOCK = 0xff7f,
    XK_F1 = 0xffbe,
    XK_KP_0 = 0xffb0,
    XK_KP_MULTIPLY = 0xffaa, /* from here on to the 9 they are ASCII's, 0xff80 higher */
    XK_KP_9 = 0xffb9,
    XK_KP_EQUAL = 0xffbd,
    XK_EURO = 0x20ac,
    UNICODE_KEYSYM = 0x1000000,
};

typedef struct {
    desk_key key;
    xcb_keysym_t keysyms[2]; /* the preferred one first; 0 for none */
} key_symbols;

static const key_symbols SYMBOLS[] = {
    {DESK_KEY_CTRL, {0xffe3, 0xffe4}},
    {DESK_KEY_LEFT_CTRL, {0xffe3, 0}},
    {DESK_KEY_RIGHT_CTRL, {0xffe4, 0}},
    {DESK_KEY_ALT, {0xffe9, 0xffe7}},
    {DESK_KEY_LEFT_ALT, {0xffe9, 0}},
    {DESK_KEY_RIGHT_ALT, {0xffea, XK_ISO_LEVEL3_SHIFT}}, /* it is AltGr on many layouts */
    {DESK_KEY_ALT_GR, {XK_ISO_LEVEL3_SHIFT, 0xff7e}},
    {DESK_KEY_SHIFT, {0xffe1, 0xffe2}},
    {DESK_KEY_LEFT_SHIFT, {0xffe1, 0}},
    {DESK_KEY_RIGHT_SHIFT, {0xffe2, 0}},
    {DESK_KEY_WIN, {0xffeb, 0xffec}},
    {DESK_KEY_LEFT_WIN, {0xffeb, 0}},
    {DESK_KEY_RIGHT_WIN, {0xffec, 0}},
    {DESK_KEY_ENTER, {0xff0d, 0}},
    {DESK_KEY_TAB, {0xff09, 0}},
    {DESK_KEY_BACKSPACE, {0xff08, 0}},
    {DESK_KEY_DELETE, {0xffff, 0}},
    {DESK_KEY_INSERT, {0xff63, 0}},
    {DESK_KEY_ESCAPE, {0xff1b, 0}},
    {DESK_KEY_HOME, {0xff50, 0}},
    {DESK_KEY_END, {0xff57, 0}},
    {DESK_KEY_PAGE_UP, {0xff55, 0}},
    {DESK_KEY_PAGE_DOWN, {0xff56, 0}},
    {DESK_KEY_LEFT, {0xff51, 0}},
    {DESK_KEY_RIGHT, {0xff53, 0}},
    {DESK_KEY_UP, {0xff52, 0}},
    {DESK_KEY_DOWN, {0xff54, 0}},
    {DESK_KEY_MENU, {0xff67, 0}},
    {DESK_KEY_PRINT_SCREEN, {0xff61, 0}},
    {DESK_KEY_PAUSE, {0xff13, 0}},
    {DESK_KEY_CAPS_LOCK, {0xffe5, 0}},
    {DESK_KEY_NUM_LOCK, {XK_NUM_LOCK, 0}},
    {DESK_KEY_SCROLL_LOCK, {0xff14, 0}},
    {DESK_KEY_HELP, {0xff6a, 0}},
    {DESK_KEY_SLEEP, {0x1008ff2f, 0}},
    {DESK_KEY_NUMPAD_ADD, {0xffab, 0}},
    {DESK_KEY_NUMPAD_SUBTRACT, {0xffad, 0}},
    {DESK_KEY_NUMPAD_MULTIPLY, {0xffaa, 0}},
    {DESK_KEY_NUMPAD_DIVIDE, {0xffaf, 0}},
    {DESK_KEY_NUMPAD_DECIMAL, {0xffae, 0xffac}}, /* a comma in some countries */
    {DESK_KEY_NUMPAD_EQUAL, {0xffbd, 0}},
    {DESK_KEY_NUMPAD_ENTER, {0xff8d, 0}},
    {DESK_KEY_VOLUME_UP, {0x1008ff13, 0}},
    {DESK_KEY_VOLUME_DOWN, {0x1008ff11, 0}},
    {DESK_KEY_VOLUME_MUTE, {0x1008ff12, 0}},
    {DESK_KEY_MEDIA_PLAY_PAUSE, {0x1008ff14, 0}},
    {DESK_KEY_MEDIA_NEXT, {0x1008ff17, 0}},
    {DESK_KEY_MEDIA_PREVIOUS, {0x1008ff16, 0}},
    {DESK_KEY_MEDIA_STOP, {0x1008ff15, 0}},
    {DESK_KEY_BROWSER_BACK, {0x1008ff26, 0}},
    {DESK_KEY_BROWSER_FORWARD, {0x1008ff27, 0}},
    {DESK_KEY_BROWSER_REFRESH, {0x1008ff29, 0x1008ff73}},
    {DESK_KEY_BROWSER_STOP, {0x1008ff28, 0}},
    {DESK_KEY_BROWSER_SEARCH, {0x1008ff1b, 0}},
    {DESK_KEY_BROWSER_FAVORITES, {0x1008ff30, 0}},
    {DESK_KEY_BROWSER_HOME, {0x1008ff18, 0}},
    {DESK_KEY_LAUNCH_MAIL, {0x1008ff19, 0}},
    {DESK_KEY_LAUNCH_MEDIA, {0x1008ff32, 0}},
    {DESK_KEY_LAUNCH_FILES, {0x1008ff5d, 0x1008ff33}},
    {DESK_KEY_LAUNCH_CALCULATOR, {0x1008ff1d, 0}},
};

xcb_keysym_t x11_keysym_of_character(uint32_t c)
{
    if ((c >= 0x20 && c < 0x7f) || (c >= 0xa0 && c <= 0xff)) {
        return c;
    }
    switch (c) {
    case '\n':
        return 0xff0d;
    case '\t':
        return 0xff09;
    case 0x20ac: /* the one older name that layouts still use for a common character */
        return XK_EURO;
    default:
        return UNICODE_KEYSYM + c;
    }
}

void x11_keysyms_of_key(desk_key key, xcb_keysym_t out[2])
{
    out[0] = out[1] = 0;
    if (key < DESK_KEY_NAMED) {
        out[0] = x11_keysym_of_character(key);
    } else if (key >= DESK_KEY_F1 && key <= DESK_KEY_F24) {
        out[0] = XK_F1 + (key - DESK_KEY_F1);
    } else if (key >= DESK_KEY_NUMPAD_0 && key <= DESK_KEY_NUMPAD_9) {
        out[0] = XK_KP_0 + (key - DESK_KEY_NUMPAD_0);
    }
    for (size_t i = 0; i < sizeof SYMBOLS / sizeof SYMBOLS[0]; i++) {
        if (SYMBOLS[i].key == key) {
            memcpy(out, SYMBOLS[i].keysyms, sizeof SYMBOLS[i].keysyms);
        }
    }
}

uint32_t x11_character_of_keysym(xcb_keysym_t keysym)
{
    if ((keysym >= 0x20 && keysym < 0x7f) || (keysym >= 0xa0 && keysym <= 0xff)) {
        return keysym;
    }
    if (keysym > UNICODE_KEYSYM && keysym <= UNICODE_KEYSYM + 0x10ffff) {
        return keysym - UNICODE_KEYSYM;
    }
    if ((keysym >= XK_KP_MULTIPLY && keysym <= XK_KP_9) || keysym == XK_KP_EQUAL) {
        return keysym - 0xff80;
    }
    return keysym == XK_EURO ? 0x20ac : 0;
}

/* The keypad's arrows and their like, without num lock: 0xff95 to 0xff9f. */
static const desk_key KEYPAD[] = {
    DESK_KEY_HOME, DESK_KEY_LEFT,    DESK_KEY_UP,        DESK_KEY_RIGHT,
    DESK_KEY_DOWN, DESK_KEY_PAGE_UP, DESK_KEY_PAGE_DOWN, DESK_KEY_END,
    DESK_KEY_NONE, DESK_KEY_INSERT,  DESK_KEY_DELETE,
};

desk_key x11_key_of_keysym(xcb_keysym_t keysym)
{
    for (size_t i = 0; keysym && i < sizeof SYMBOLS / sizeof SYMBOLS[0]; i++) {
        if (SYMBOLS[i].keysyms[0] == keysym || SYMBOLS[i].keysyms[1] == keysym) {
            return SYMBOLS[i].key;
        }
    }
    if (keysym >= XK_F1 && keysym <= XK_F1 + (DESK_KEY_F24 - DESK_KEY_F1)) {
        return DESK_KEY_F1 + (keysym - XK_F1);
    }
    if (keysym >= XK_KP_0 && keysym <= XK_KP_9) {
        return DESK_KEY_NUMPAD_0 + (keysym - XK_KP_0);
    }
    if (keysym >= 0xff95 && keysym < 0xff95 + sizeof KEYPAD / sizeof KEYPAD[0]) {
        return KEYPAD[keysym - 0xff95];
    }
    return x11_character_of_keysym(keysym);
}
