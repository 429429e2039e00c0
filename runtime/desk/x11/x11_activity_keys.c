#include "x11_activity_internal.h"

#include "x11_keysyms.h"

#include <stdlib.h>
#include <string.h>

enum {
    XK_NUM_LOCK = 0xff7f,
    XK_SCROLL_LOCK = 0xff14,
    XF86_SWITCH_VT_1 = 0x1008fe01,
    XF86_SWITCH_VT_12 = 0x1008fe0c,
    MODIFIER_ROWS = 8,
    MODIFIER_MASK = 0xff, /* of a state: the rest is buttons and the layout */
};

/* --- the keyboard map --------------------------------------------------------------------------
 */

xcb_keysym_t x11_activity_keysym_at(const x11_activity *x, unsigned keycode, int column)
{
    int columns = x->map->keysyms_per_keycode;
    int at = ((int) keycode - xcb_get_setup(x->c)->min_keycode) * columns + column;
    bool there =
        column < columns && at >= 0 && at < xcb_get_keyboard_mapping_keysyms_length(x->map);
    return there ? xcb_get_keyboard_mapping_keysyms(x->map)[at] : 0;
}

/* Adds the keycodes that have the keysym in one of the columns from `first` on, in steps of two:
 * the plain ones of every layout, or the shifted ones. */
static bool add_keycodes(const x11_activity *x, xcb_keysym_t keysym, int first, activity_codes *out)
{
    const xcb_setup_t *setup = xcb_get_setup(x->c);
    bool found = false;
    for (unsigned keycode = setup->min_keycode; keysym && keycode <= setup->max_keycode;
         keycode++) {
        for (int column = first; column < x->map->keysyms_per_keycode; column += 2) {
            if (x11_activity_keysym_at(x, keycode, column) == keysym) {
                activity_codes_add(out, keycode);
                found = true;
            }
        }
    }
    return found;
}

uint16_t x11_activity_modifier_bits(const x11_activity *x, const activity_codes *keys)
{
    const xcb_keycode_t *codes = xcb_get_modifier_mapping_keycodes(x->modifiers);
    int width = x->modifiers->keycodes_per_modifier;
    uint16_t bits = 0;
    for (int i = 0; i < MODIFIER_ROWS * width; i++) {
        if (codes[i] && activity_codes_have(keys, codes[i])) {
            bits |= (uint16_t) (1u << i / width);
        }
    }
    return bits;
}

static void find_locks(x11_activity *x)
{
    activity_codes keys = {{0}};
    add_keycodes(x, XK_NUM_LOCK, 0, &keys);
    add_keycodes(x, XK_SCROLL_LOCK, 0, &keys);
    x->locks = XCB_MOD_MASK_LOCK | x11_activity_modifier_bits(x, &keys);
}

bool x11_activity_read_map(x11_activity *x, base_error *err)
{
    const xcb_setup_t *setup = xcb_get_setup(x->c);
    xcb_get_keyboard_mapping_cookie_t map_cookie = xcb_get_keyboard_mapping(
        x->c, setup->min_keycode, (uint8_t) (setup->max_keycode - setup->min_keycode + 1));
    xcb_get_modifier_mapping_cookie_t modifier_cookie = xcb_get_modifier_mapping(x->c);
    xcb_get_keyboard_mapping_reply_t *map = xcb_get_keyboard_mapping_reply(x->c, map_cookie, NULL);
    xcb_get_modifier_mapping_reply_t *modifiers =
        xcb_get_modifier_mapping_reply(x->c, modifier_cookie, NULL);
    if (!map || !modifiers) {
        free(map);
        free(modifiers);
        return base_fail(err, BASE_REFUSED, "The X display did not tell its keyboard map.");
    }
    uv_mutex_lock(&x->base.lock);
    free(x->map);
    free(x->modifiers);
    x->map = map;
    x->modifiers = modifiers;
    find_locks(x);
    uv_mutex_unlock(&x->base.lock);
    return true;
}

/* --- which keys a hotkey is ---------------------------------------------------------------------
 */

/* Keys that exist twice: either of them counts. */
static void keysyms_of(desk_key key, xcb_keysym_t out[4])
{
    static const struct {
        desk_key key;
        xcb_keysym_t keysyms[4];
    } either[] = {
        {DESK_KEY_CTRL, {0xffe3, 0xffe4}},
        {DESK_KEY_ALT, {0xffe9, 0xffea, 0xffe7, 0xffe8}}, /* Alt, Meta */
        {DESK_KEY_SHIFT, {0xffe1, 0xffe2}},
        {DESK_KEY_WIN, {0xffeb, 0xffec}},
    };
    memset(out, 0, 4 * sizeof *out);
    x11_keysyms_of_key(key, out);
    for (size_t i = 0; i < sizeof either / sizeof either[0]; i++) {
        if (either[i].key == key) {
            memcpy(out, either[i].keysyms, sizeof either[i].keysyms);
        }
    }
}

static bool find_key(const x11_activity *x, desk_key key, activity_codes *out, bool *shifted)
{
    xcb_keysym_t keysyms[4];
    keysyms_of(key, keysyms);
    bool found = false;
    *shifted = false;
    for (int i = 0; i < 4; i++) {
        found |= add_keycodes(x, keysyms[i], 0, out);
    }
    if (!found) { /* such as "?", which is typed with shift */
        *shifted = found = add_keycodes(x, keysyms[0], 1, out);
    }
    return found;
}

static const activity_codes *main_key(const activity_hotkey *hotkey)
{
    size_t i = 0;
    while (i + 1 < hotkey->combo.count && desk_key_is_modifier(hotkey->combo.keys[i])) {
        i++;
    }
    return &hotkey->keys[i];
}

/* The server switches to another console at ctrl+alt+f1 and the like, and no program sees them. */
static bool changes_console(const x11_activity *x, const activity_hotkey *hotkey)
{
    if (!(hotkey->modifiers & XCB_MOD_MASK_CONTROL) || !(hotkey->modifiers & XCB_MOD_MASK_1)) {
        return false;
    }
    for (unsigned keycode = 8; keycode < 256; keycode++) {
        for (int column = 0; column < x->map->keysyms_per_keycode; column++) {
            xcb_keysym_t keysym = x11_activity_keysym_at(x, keycode, column);
            if (activity_codes_have(main_key(hotkey), keycode) && keysym >= XF86_SWITCH_VT_1 &&
                keysym <= XF86_SWITCH_VT_12) {
                return true;
            }
        }
    }
    return false;
}

bool x11_activity_find_keys(desk_activity *h, activity_hotkey *hotkey, base_error *err)
{
    x11_activity *x = (x11_activity *) h;
    memset(hotkey->keys, 0, sizeof hotkey->keys);
    hotkey->modifiers = 0;
    for (size_t i = 0; i < hotkey->combo.count; i++) {
        desk_key key = hotkey->combo.keys[i];
        bool shifted;
        if (!find_key(x, key, &hotkey->keys[i], &shifted)) {
            char name[DESK_KEY_NAME_SIZE];
            desk_key_name(key, name);
            return base_fail(err, BASE_UNSUPPORTED, "This keyboard has no key \"%s\".", name);
        }
        if (desk_key_is_modifier(key)) {
            hotkey->modifiers |= x11_activity_modifier_bits(x, &hotkey->keys[i]);
        } else if (shifted) {
            hotkey->modifiers |= XCB_MOD_MASK_SHIFT;
        }
    }
    if (hotkey->kind == DESK_HOTKEY_GRABBED && changes_console(x, hotkey)) {
        return base_fail(err, BASE_REFUSED,
                         "The X server keeps this hotkey to itself: it changes to another console. "
                         "Choose another one.");
    }
    return true;
}

/* --- hotkeys that are grabbed -------------------------------------------------------------------
 */

/* Num lock and its like are modifiers too, so a hotkey is grabbed once for each of their states. */
static bool grab_key(x11_activity *x, const activity_hotkey *hotkey, xcb_keycode_t keycode,
                     bool grab)
{
    bool ok = true;
    unsigned locks = x->locks;
    for (unsigned some = locks;; some = (some - 1) & locks) { /* all subsets */
        uint16_t modifiers = (uint16_t) (hotkey->modifiers | some);
        xcb_void_cookie_t cookie =
            grab ? xcb_grab_key_checked(x->c, 0, x->root, modifiers, keycode, XCB_GRAB_MODE_ASYNC,
                                        XCB_GRAB_MODE_ASYNC)
                 : xcb_ungrab_key_checked(x->c, keycode, x->root, modifiers);
        xcb_generic_error_t *e = xcb_request_check(x->c, cookie);
        ok = ok && !e;
        free(e);
        if (some == 0) {
            return ok && !xcb_connection_has_error(x->c);
        }
    }
}

static bool grab(x11_activity *x, const activity_hotkey *hotkey, bool on)
{
    bool ok = true;
    for (unsigned keycode = 8; keycode < 256; keycode++) {
        if (activity_codes_have(main_key(hotkey), keycode)) {
            ok = grab_key(x, hotkey, (xcb_keycode_t) keycode, on) && ok;
        }
    }
    return ok;
}

bool x11_activity_take(desk_activity *h, activity_hotkey *hotkey, base_error *err)
{
    x11_activity *x = (x11_activity *) h;
    if (grab(x, hotkey, true)) {
        return true;
    }
    grab(x, hotkey, false); /* releases those of its keys that could be grabbed */
    return xcb_connection_has_error(x->c)
               ? base_fail(err, BASE_UNAVAILABLE, "The X display has gone.")
               : base_fail(err, BASE_REFUSED,
                           "Another program (or the window manager) has taken this hotkey; choose "
                           "another one.");
}

void x11_activity_give_back(desk_activity *h, const activity_hotkey *hotkey)
{
    grab((x11_activity *) h, hotkey, false);
}

/* Whether the keys of the hotkey are others now. One that the map has no keys for rests until it
 * has again. */
static bool find_anew(x11_activity *x, activity_hotkey *hotkey)
{
    activity_hotkey now = *hotkey;
    if (!x11_activity_find_keys(&x->base, &now, NULL)) {
        memset(now.keys, 0, sizeof now.keys);
    }
    bool same =
        now.modifiers == hotkey->modifiers && memcmp(now.keys, hotkey->keys, sizeof now.keys) == 0;
    *hotkey = now;
    return !same;
}

static void take_all_anew(x11_activity *x)
{
    xcb_ungrab_key(x->c, XCB_GRAB_ANY, x->root, XCB_MOD_MASK_ANY);
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        const activity_hotkey *hotkey = &x->base.hotkeys[i];
        if (hotkey->number && hotkey->kind == DESK_HOTKEY_GRABBED) {
            grab(x, hotkey, true);
        }
    }
}

void x11_activity_map_changed(x11_activity *x)
{
    uint16_t locks = x->locks;
    if (!x11_activity_read_map(x, NULL)) {
        return;
    }
    uv_mutex_lock(&x->base.lock);
    bool changed = locks != x->locks;
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        if (x->base.hotkeys[i].number) {
            changed |= find_anew(x, &x->base.hotkeys[i]);
        }
    }
    if (changed) { /* not at every key that we map ourselves to type text */
        take_all_anew(x);
    }
    uv_mutex_unlock(&x->base.lock);
}

static int number_of(x11_activity *x, const xcb_key_press_event_t *event)
{
    int number = 0;
    uv_mutex_lock(&x->base.lock);
    unsigned modifiers = event->state & MODIFIER_MASK & ~(unsigned) x->locks;
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        const activity_hotkey *hotkey = &x->base.hotkeys[i];
        if (hotkey->number && hotkey->kind == DESK_HOTKEY_GRABBED &&
            hotkey->modifiers == modifiers &&
            activity_codes_have(main_key(hotkey), event->detail)) {
            number = hotkey->number;
        }
    }
    uv_mutex_unlock(&x->base.lock);
    return number;
}

/* While a key is held, its repeats come as a release and a press with the same time. */
void x11_activity_taken_key(x11_activity *x, const xcb_key_press_event_t *event, bool down)
{
    if (!down) {
        /* While the keyboard is grabbed by us, the server tells us of no raw events. */
        activity_key(&x->base, event->detail, false);
        x->released = event->detail;
        x->released_at = event->time;
    } else if (event->detail != x->released || event->time != x->released_at) {
        activity_taken_pressed(&x->base, number_of(x, event));
    }
}
