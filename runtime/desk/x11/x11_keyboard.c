/* Keys by name, and which of them are held down. */
#include "x11_keyboard.h"

#include "x11_input.h"
#include "x11_keysyms.h"

static bool stroke_of_key(x11_desk *x, desk_key key, uint16_t state, x11_stroke *out,
                          xcb_keysym_t *keysym)
{
    xcb_keysym_t keysyms[2];
    x11_keysyms_of_key(key, keysyms);
    *keysym = keysyms[0];
    for (int i = 0; i < 2 && keysyms[i]; i++) {
        if (x11_keymap_find(x->keymap, keysyms[i], x11_state_group(state), out) ||
            x11_keymap_find(x->keymap, keysyms[i], 0, out)) {
            x11_keymap_heed_num_lock(x->keymap, keysyms[i], state, out);
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
        /* All are in use by earlier keys and text, which applications have most likely read by now.
         */
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

static x11_held_key *find_held(x11_keyboard *k, desk_key key)
{
    for (size_t i = 0; i < k->held_count; i++) {
        if (k->held[i].key == key) {
            return &k->held[i];
        }
    }
    return NULL;
}

/* `*state` becomes what the server's will be, so that another key can follow without asking. */
static bool key_down(x11_desk *x, desk_key key, uint16_t *modifiers, base_error *err)
{
    x11_keyboard *k = x->keyboard;
    uint16_t state = *modifiers;
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
        x11_fake(x, XCB_KEY_PRESS, x->keymap->shift);
    }
    if (stroke.level3) {
        x11_fake(x, XCB_KEY_PRESS, x->keymap->level3);
    }
    x11_fake(x, XCB_KEY_PRESS, stroke.keycode);
    x11_spare_pin(x, stroke.keycode, 1);
    k->held[k->held_count++] = (x11_held_key){key, stroke};
    *modifiers |=
        (uint16_t) (x->keymap->modifiers[stroke.keycode] | (stroke.shift ? XCB_MOD_MASK_SHIFT : 0) |
                    (stroke.level3 ? XCB_MOD_MASK_5 : 0));
    return true;
}

static void release(x11_desk *x, x11_stroke stroke)
{
    x11_fake(x, XCB_KEY_RELEASE, stroke.keycode);
    if (stroke.level3) {
        x11_fake(x, XCB_KEY_RELEASE, x->keymap->level3);
    }
    if (stroke.shift) {
        x11_fake(x, XCB_KEY_RELEASE, x->keymap->shift);
    }
}

static void release_held(x11_desk *x, x11_held_key *held)
{
    release(x, held->stroke);
    x11_spare_pin(x, held->stroke.keycode, -1);
    *held = x->keyboard->held[--x->keyboard->held_count];
}

/* How a key went down is known, of one that we have pressed. */
static bool key_up(x11_desk *x, desk_key key, base_error *err)
{
    x11_held_key *held = find_held(x->keyboard, key);
    x11_stroke stroke;
    xcb_keysym_t keysym;
    uint16_t state = 0;
    if (held) {
        release_held(x, held);
        return true;
    }
    if (!x11_keymap_ready(x, &state, err)) {
        return false;
    }
    if (stroke_of_key(x, key, state, &stroke, &keysym)) {
        x11_fake(x, XCB_KEY_RELEASE, stroke.keycode); /* held down by another program */
    }
    return true;
}

static bool x11_key(desk *d, desk_key key, bool down, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    uint16_t state = 0;
    bool done = down ? x11_keymap_ready(x, &state, err) &&
                           (find_held(x->keyboard, key) || key_down(x, key, &state, err))
                     : key_up(x, key, err);
    return done && x11_input_sync(x, err);
}

static bool x11_tap(desk *d, const desk_key *keys, size_t count, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    uint16_t state = 0;
    size_t down = 0;
    if (!x11_keymap_ready(x, &state, err)) {
        return false;
    }
    while (down < count &&
           (find_held(x->keyboard, keys[down]) || key_down(x, keys[down], &state, err))) {
        down++;
    }
    bool all = down == count;
    while (down > 0) {
        x11_held_key *held = find_held(x->keyboard, keys[--down]);
        if (held) { /* the same key twice goes up once */
            release_held(x, held);
        }
    }
    return x11_input_sync(x, all ? err : NULL) && all;
}

void x11_keyboard_close(x11_desk *x)
{
    x11_keyboard *k = x->keyboard;
    while (k->held_count > 0) {
        x11_held_key *held = &k->held[--k->held_count];
        release(x, held->stroke);
        x11_spare_pin(x, held->stroke.keycode, -1);
    }
}

void x11_keyboard_ops(desk_ops *ops)
{
    ops->keyboard_key = x11_key;
    ops->keyboard_tap = x11_tap;
}
