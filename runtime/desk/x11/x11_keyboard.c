#include "x11_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    XK_ISO_LEVEL3_SHIFT = 0xfe03,
    XK_SHIFT_L = 0xffe1,
    XK_NUM_LOCK = 0xff7f,
    XK_KEYPAD_FIRST = 0xff80,
    XK_KEYPAD_LAST = 0xffbd,
    XK_F1 = 0xffbe,
    XK_KP_0 = 0xffb0,
    XK_EURO = 0x20ac,
    UNICODE_KEYSYM = 0x1000000,
    MODIFIER_ROWS = 8,
    LOCK_ROW = 1,
};

typedef struct {
    desk_key key;
    xcb_keysym_t keysyms[2]; /* in order of liking; 0 for none */
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

/* --- the server's keyboard map -----------------------------------------------------------------
 */

static xcb_keysym_t keysym_at(const x11_keyboard *k, int keycode, int column)
{
    return column < k->columns ? k->map[(keycode - k->min) * k->columns + column] : 0;
}

static bool is_spare(const x11_keyboard *k, int keycode)
{
    for (size_t i = 0; i < k->spare_count; i++) {
        if (k->spares[i].keycode == keycode) {
            return true;
        }
    }
    return false;
}

/* A keycode of the user's own map with `keysym` in `column`, 0 if there is none. */
static xcb_keycode_t keycode_in_column(const x11_keyboard *k, xcb_keysym_t keysym, int column)
{
    for (int keycode = k->min; keycode <= k->max; keycode++) {
        if (keysym_at(k, keycode, column) == keysym && !is_spare(k, keycode)) {
            return (xcb_keycode_t) keycode;
        }
    }
    return 0;
}

int x11_state_group(uint16_t state)
{
    return state >> 13 & 3; /* where the XKB extension puts it for clients that do not speak XKB */
}

bool x11_keymap_find(const x11_keyboard *k, xcb_keysym_t keysym, int group, x11_stroke *out)
{
    /* The core protocol's columns: two of the first layout, two of the second, then the rest of
     * the first, which is what AltGr reaches. Layouts beyond cannot be told apart. */
    static const struct {
        int group, column;
        bool shift, level3;
    } levels[] = {
        {0, 0, false, false}, {0, 1, true, false},  {0, 4, false, true},
        {0, 5, true, true},   {1, 2, false, false}, {1, 3, true, false},
    };
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (levels[i].group != group || (levels[i].level3 && !k->level3) ||
            (levels[i].shift && !k->shift)) {
            continue;
        }
        xcb_keycode_t keycode = keycode_in_column(k, keysym, levels[i].column);
        if (keycode) {
            *out = (x11_stroke){keycode, levels[i].shift, levels[i].level3};
            return true;
        }
    }
    return false;
}

static bool is_empty(const x11_keyboard *k, int keycode)
{
    for (int column = 0; column < k->columns; column++) {
        if (keysym_at(k, keycode, column)) {
            return false;
        }
    }
    return true;
}

static bool in_modifiers(const xcb_get_modifier_mapping_reply_t *reply, int keycode)
{
    const xcb_keycode_t *codes = xcb_get_modifier_mapping_keycodes(reply);
    for (int i = 0; i < xcb_get_modifier_mapping_keycodes_length(reply); i++) {
        if (codes[i] == keycode) {
            return true;
        }
    }
    return false;
}

/* What we know of `keycode` from before, if the server's map still says what we wrote. */
static x11_spare known_spare(const x11_keyboard *k, xcb_keycode_t keycode)
{
    for (size_t i = 0; i < k->spare_count; i++) {
        const x11_spare *s = &k->spares[i];
        if (s->keycode == keycode && s->keysym && keysym_at(k, keycode, 0) == s->keysym &&
            keysym_at(k, keycode, 1) == s->keysym) {
            return *s;
        }
    }
    return (x11_spare){.keycode = keycode};
}

/* Somebody may have loaded another layout since: only what is empty, or still ours, is a spare. */
static void find_spares(x11_keyboard *k, const xcb_get_modifier_mapping_reply_t *modifiers)
{
    x11_spare found[X11_MAX_SPARES];
    size_t count = 0;
    for (int keycode = k->min; keycode <= k->max && count < X11_MAX_SPARES; keycode++) {
        x11_spare spare = known_spare(k, (xcb_keycode_t) keycode);
        if (spare.keysym || (is_empty(k, keycode) && !in_modifiers(modifiers, keycode))) {
            found[count++] = spare;
        }
    }
    memcpy(k->spares, found, count * sizeof found[0]);
    k->spare_count = count;
}

static void find_modifiers(x11_keyboard *k, const xcb_get_modifier_mapping_reply_t *modifiers)
{
    const xcb_keycode_t *codes = xcb_get_modifier_mapping_keycodes(modifiers);
    int width = modifiers->keycodes_per_modifier;
    xcb_keycode_t num_lock = keycode_in_column(k, XK_NUM_LOCK, 0);
    k->shift = keycode_in_column(k, XK_SHIFT_L, 0);
    k->level3 = keycode_in_column(k, XK_ISO_LEVEL3_SHIFT, 0);
    k->lock = 0;
    k->num_lock_mask = 0;
    for (int i = 0; i < MODIFIER_ROWS * width; i++) {
        if (codes[i] && i / width == LOCK_ROW && !k->lock) {
            k->lock = codes[i];
        }
        if (codes[i] && codes[i] == num_lock) {
            k->num_lock_mask = (uint16_t) (1u << i / width);
        }
    }
}

static bool take_map(x11_desk *x, const xcb_get_keyboard_mapping_reply_t *mapping)
{
    x11_keyboard *k = &x->keyboard;
    size_t count = (size_t) xcb_get_keyboard_mapping_keysyms_length(mapping);
    xcb_keysym_t *map = realloc(k->map, (count ? count : 1) * sizeof *map);
    if (!map) {
        return false;
    }
    memcpy(map, xcb_get_keyboard_mapping_keysyms(mapping), count * sizeof *map);
    k->map = map;
    k->columns = mapping->keysyms_per_keycode;
    k->min = xcb_get_setup(x->c)->min_keycode;
    k->max = xcb_get_setup(x->c)->max_keycode;
    return true;
}

static bool refresh(x11_desk *x, base_error *err)
{
    const xcb_setup_t *setup = xcb_get_setup(x->c);
    xcb_get_keyboard_mapping_cookie_t map_cookie = xcb_get_keyboard_mapping(
        x->c, setup->min_keycode, (uint8_t) (setup->max_keycode - setup->min_keycode + 1));
    xcb_get_modifier_mapping_cookie_t modifier_cookie = xcb_get_modifier_mapping(x->c);
    xcb_generic_error_t *e = NULL;
    x->keyboard.stale = false;
    xcb_get_keyboard_mapping_reply_t *map = xcb_get_keyboard_mapping_reply(x->c, map_cookie, &e);
    xcb_get_modifier_mapping_reply_t *modifiers =
        xcb_get_modifier_mapping_reply(x->c, modifier_cookie, NULL);
    bool taken = map && modifiers && take_map(x, map);
    if (taken) {
        find_spares(&x->keyboard, modifiers);
        find_modifiers(&x->keyboard, modifiers);
    } else {
        x->keyboard.stale = true;
    }
    free(map);
    free(modifiers);
    return taken ? true : x11_refused(x, "to tell the keyboard map", e, err);
}

bool x11_keyboard_ready(x11_desk *x, uint16_t *state, base_error *err)
{
    xcb_generic_error_t *e = NULL;
    xcb_query_pointer_reply_t *pointer =
        xcb_query_pointer_reply(x->c, xcb_query_pointer(x->c, x->root), &e);
    if (!pointer) {
        return x11_refused(x, "to tell the state of the keyboard", e, err);
    }
    *state = pointer->mask;
    free(pointer);
    x11_take_events(x); /* a change of the map has been announced before that reply */
    return !x->keyboard.stale || refresh(x, err);
}

/* --- spare keycodes ----------------------------------------------------------------------------
 */

/* The same keysym at every level, so that a held Shift cannot turn it into another one. */
static void write_spare(x11_desk *x, x11_spare *spare, xcb_keysym_t keysym)
{
    xcb_keysym_t pair[2] = {keysym, keysym};
    x11_guard_keysym(x, spare->keycode, keysym);
    xcb_change_keyboard_mapping(x->c, 1, spare->keycode, 2, pair);
    spare->keysym = keysym;
    x->keyboard.stale = true;
}

x11_spare *x11_spare_for(x11_desk *x, xcb_keysym_t keysym, bool *changed)
{
    x11_keyboard *k = &x->keyboard;
    x11_spare *free_one = NULL;
    for (size_t i = 0; i < k->spare_count; i++) {
        x11_spare *s = &k->spares[i];
        if (s->keysym == keysym) {
            s->used = true;
            return s;
        }
        if (!s->used && !s->pins && !free_one) {
            free_one = s;
        }
    }
    if (free_one) {
        write_spare(x, free_one, keysym);
        free_one->used = true;
        *changed = true;
    }
    return free_one;
}

void x11_spares_forget(x11_desk *x)
{
    for (size_t i = 0; i < x->keyboard.spare_count; i++) {
        x->keyboard.spares[i].used = false;
    }
}

void x11_spares_restore(x11_desk *x)
{
    x11_keyboard *k = &x->keyboard;
    for (size_t i = 0; i < k->spare_count; i++) {
        if (k->spares[i].keysym && !k->spares[i].pins) {
            write_spare(x, &k->spares[i], 0);
            k->spares[i].used = false;
        }
    }
}

/* --- named keys --------------------------------------------------------------------------------
 */

/* The keypad's digits share their keys with arrows, and num lock says which of the two it is. */
static void heed_num_lock(const x11_keyboard *k, xcb_keysym_t keysym, uint16_t state,
                          x11_stroke *stroke)
{
    xcb_keysym_t plain = keysym_at(k, stroke->keycode, 0);
    xcb_keysym_t shifted = keysym_at(k, stroke->keycode, 1);
    if (keysym < XK_KEYPAD_FIRST || keysym > XK_KEYPAD_LAST || !shifted || plain == shifted) {
        return;
    }
    bool locked = (state & k->num_lock_mask) != 0;
    stroke->shift = (keysym == shifted) != locked;
}

static bool stroke_of_key(x11_desk *x, desk_key key, uint16_t state, x11_stroke *out,
                          xcb_keysym_t *keysym)
{
    xcb_keysym_t keysyms[2];
    x11_keysyms_of_key(key, keysyms);
    *keysym = keysyms[0];
    for (int i = 0; i < 2 && keysyms[i]; i++) {
        if (x11_keymap_find(&x->keyboard, keysyms[i], x11_state_group(state), out) ||
            x11_keymap_find(&x->keyboard, keysyms[i], 0, out)) {
            heed_num_lock(&x->keyboard, keysyms[i], state, out);
            return true;
        }
    }
    return false;
}

static bool borrow_key(x11_desk *x, desk_key key, xcb_keysym_t keysym, x11_stroke *out,
                       base_error *err)
{
    bool changed = false;
    x11_spare *spare = keysym ? x11_spare_for(x, keysym, &changed) : NULL;
    if (!spare && keysym) {
        /* All hold keysyms of earlier keys and text: by now those have most likely been read. */
        x11_spares_forget(x);
        spare = x11_spare_for(x, keysym, &changed);
    }
    if (!spare) {
        char name[DESK_KEY_NAME_SIZE];
        desk_key_name(key, name);
        return base_fail(err, BASE_UNSUPPORTED,
                         "This keyboard map has no key \"%s\" and no free key to make it on.",
                         name);
    }
    *out = (x11_stroke){spare->keycode, false, false};
    return true;
}

static void pin(x11_keyboard *k, xcb_keycode_t keycode, int by)
{
    for (size_t i = 0; i < k->spare_count; i++) {
        if (k->spares[i].keycode == keycode) {
            k->spares[i].pins += by;
        }
    }
}

static x11_held_key *find_held(x11_keyboard *k, desk_key key)
{
    for (size_t i = 0; i < k->held_count; i++) {
        if (k->held[i].key == key) {
            return &k->held[i];
        }
    }
    return NULL;
}

static bool key_down(x11_desk *x, desk_key key, uint16_t state, base_error *err)
{
    x11_keyboard *k = &x->keyboard;
    x11_stroke stroke;
    xcb_keysym_t keysym;
    if (k->held_count == X11_MAX_HELD) {
        return base_fail(err, BASE_INVALID, "More than %d keys are held down.", X11_MAX_HELD);
    }
    if (!stroke_of_key(x, key, state, &stroke, &keysym) &&
        !borrow_key(x, key, keysym, &stroke, err)) {
        return false;
    }
    stroke.shift = stroke.shift && !(state & XCB_MOD_MASK_SHIFT);
    stroke.level3 = stroke.level3 && !(state & XCB_MOD_MASK_5);
    if (stroke.shift) {
        x11_fake(x, XCB_KEY_PRESS, k->shift);
    }
    if (stroke.level3) {
        x11_fake(x, XCB_KEY_PRESS, k->level3);
    }
    x11_fake(x, XCB_KEY_PRESS, stroke.keycode);
    pin(k, stroke.keycode, 1);
    k->held[k->held_count++] = (x11_held_key){key, stroke};
    return true;
}

static void release(x11_desk *x, x11_stroke stroke)
{
    x11_fake(x, XCB_KEY_RELEASE, stroke.keycode);
    if (stroke.level3) {
        x11_fake(x, XCB_KEY_RELEASE, x->keyboard.level3);
    }
    if (stroke.shift) {
        x11_fake(x, XCB_KEY_RELEASE, x->keyboard.shift);
    }
}

static void key_up(x11_desk *x, desk_key key, uint16_t state)
{
    x11_keyboard *k = &x->keyboard;
    x11_held_key *held = find_held(k, key);
    x11_stroke stroke;
    xcb_keysym_t keysym;
    if (held) {
        release(x, held->stroke);
        pin(k, held->stroke.keycode, -1);
        *held = k->held[--k->held_count];
    } else if (stroke_of_key(x, key, state, &stroke, &keysym)) {
        x11_fake(x, XCB_KEY_RELEASE, stroke.keycode); /* stuck since somebody else held it */
    }
}

bool x11_key(desk *d, desk_key key, bool down, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    uint16_t state = 0;
    if (!x11_keyboard_ready(x, &state, err)) {
        return false;
    }
    if (!down) {
        key_up(x, key, state);
    } else if (!find_held(&x->keyboard, key) && !key_down(x, key, state, err)) {
        return false;
    }
    return x11_sync(x, err);
}

void x11_keyboard_close(x11_desk *x)
{
    x11_keyboard *k = &x->keyboard;
    while (k->held_count > 0) {
        x11_held_key *held = &k->held[--k->held_count];
        release(x, held->stroke);
        pin(k, held->stroke.keycode, -1);
    }
    x11_text_end(&x->base, NULL);
    free(k->map);
    k->map = NULL;
}
