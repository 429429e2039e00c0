/* What a person's key or button means, for whoever records it: the character by the keyboard map in
 * force, and where the pointer is. */
#include "x11_activity_internal.h"

#include "x11_keysyms.h"

#include <stdlib.h>

enum {
    XK_ISO_LEVEL3_SHIFT = 0xfe03,
    XK_DEAD_FIRST = 0xfe50,
    XK_DEAD_LAST = 0xfe93,
    XK_MULTI_KEY = 0xff20,
    XK_KEYPAD_FIRST = 0xff80,
    XK_FUNCTION_FIRST = 0xfd00, /* from here on keys that do something, and type nothing */
    GROUP_SHIFT = 13,           /* of the state: the layout in force */
};

static bool is_keypad(xcb_keysym_t keysym)
{
    return keysym >= XK_KEYPAD_FIRST && keysym <= 0xffbd;
}

/* Which of the eight modifiers has that keysym on one of its keys. */
static uint16_t bit_of(const x11_activity *x, xcb_keysym_t keysym)
{
    activity_codes keys = {{0}};
    for (unsigned keycode = 8; keycode < 256; keycode++) {
        if (x11_activity_keysym_at(x, keycode, 0) == keysym) {
            activity_codes_add(&keys, keycode);
        }
    }
    return x11_activity_modifier_bits(x, &keys);
}

/* The core protocol's columns: two for each of the first two layouts, then their third and fourth
 * levels. */
static xcb_keysym_t level(const x11_activity *x, unsigned keycode, int group, int column)
{
    int at = column < 2 ? group * 2 + column : 4 + group * 2 + column - 2;
    xcb_keysym_t keysym = x11_activity_keysym_at(x, keycode, at);
    if (!keysym && column % 2) { /* a key whose shifted meaning is its plain one */
        keysym = x11_activity_keysym_at(x, keycode, at - 1);
    }
    return keysym || group == 0 ? keysym : level(x, keycode, 0, column);
}

static bool is_letter(xcb_keysym_t plain, xcb_keysym_t shifted)
{
    uint32_t a = x11_character_of_keysym(plain), b = x11_character_of_keysym(shifted);
    return (a >= 'a' && a <= 'z') || (a >= 0xe0 && a <= 0xfe && b + 0x20 == a) ||
           (a > 0x100 && b && b != a);
}

static xcb_keysym_t keysym_in(const x11_activity *x, unsigned keycode, unsigned state)
{
    int group = (int) (state >> GROUP_SHIFT & 1);
    int third = state & bit_of(x, XK_ISO_LEVEL3_SHIFT) ? 2 : 0;
    bool shift = state & XCB_MOD_MASK_SHIFT;
    xcb_keysym_t plain = level(x, keycode, group, third);
    xcb_keysym_t shifted = level(x, keycode, group, third + 1);
    bool num_lock = is_keypad(shifted) && state & x->locks & ~(unsigned) XCB_MOD_MASK_LOCK;
    bool caps_lock = state & XCB_MOD_MASK_LOCK && is_letter(plain, shifted);
    return shift != (num_lock || caps_lock) ? shifted : plain;
}

static unsigned held_of(desk_key key)
{
    switch (key) {
    case DESK_KEY_CTRL:
        return DESK_HELD_CTRL;
    case DESK_KEY_ALT:
    case DESK_KEY_RIGHT_ALT:
        return DESK_HELD_ALT;
    case DESK_KEY_SHIFT:
        return DESK_HELD_SHIFT;
    case DESK_KEY_WIN:
        return DESK_HELD_WIN;
    default:
        return 0;
    }
}

static unsigned held(const x11_activity *x, unsigned except)
{
    unsigned bits = 0;
    for (unsigned keycode = 8; keycode < 256; keycode++) {
        xcb_keysym_t keysym = x11_activity_keysym_at(x, keycode, 0);
        if (keycode != except && activity_codes_have(&x->base.down, keycode) &&
            keysym != XK_ISO_LEVEL3_SHIFT) { /* which only chooses a character */
            bits |= held_of(x11_key_of_keysym(keysym));
        }
    }
    return bits;
}

/* Locks and the layout are as the server has them; modifiers are those that the events told of: by
 * the time that the server is asked they may have been let go. */
static void take_key(x11_activity *x, unsigned keycode, unsigned state, desk_input_event *event)
{
    unsigned locks = (unsigned) x->locks | (3u << GROUP_SHIFT);
    state = (state & locks) | x11_activity_modifier_bits(x, &x->base.down);
    xcb_keysym_t keysym = keysym_in(x, keycode, state);
    event->key = x11_key_of_keysym(level(x, keycode, (int) (state >> GROUP_SHIFT & 1), 0));
    event->character = x11_character_of_keysym(keysym);
    event->composes = (keysym >= XK_DEAD_FIRST && keysym <= XK_DEAD_LAST) ||
                      keysym == XK_MULTI_KEY ||
                      (keysym && !event->character && keysym < XK_FUNCTION_FIRST);
}

void x11_activity_record(x11_activity *x, uint8_t type, uint32_t detail)
{
    bool is_key = type == XCB_KEY_PRESS || type == XCB_KEY_RELEASE;
    desk_input_event event = {.at = uv_hrtime(),
                              .down = type == XCB_KEY_PRESS || type == XCB_BUTTON_PRESS};
    xcb_query_pointer_reply_t *pointer =
        xcb_query_pointer_reply(x->c, xcb_query_pointer(x->c, x->root), NULL);
    if (!pointer || detail > 255) {
        free(pointer);
        return;
    }
    event.x = pointer->root_x;
    event.y = pointer->root_y;
    uv_mutex_lock(&x->base.lock);
    event.held = held(x, is_key ? detail : 0);
    if (is_key) {
        take_key(x, detail, pointer->mask, &event);
    } else {
        event.button = (int) detail;
    }
    uv_mutex_unlock(&x->base.lock);
    free(pointer);
    activity_keep(&x->base, &event);
}
