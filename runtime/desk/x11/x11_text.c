#include "x11_text.h"

#include "base/utf8.h"
#include "x11_input.h"
#include "x11_keymap.h"
#include "x11_keysyms.h"
#include "x11_manager.h"
#include "x11_watchdog.h"

#include <ctype.h>

/* Keystrokes per step. Few, so that a user can stop a run between two steps, and the application is
 * never far behind. */
enum { STEP_MAX = 64 };

typedef struct {
    x11_stroke strokes[STEP_MAX];
    size_t count;
    size_t bytes;
    bool remapped;
    bool borrowed; /* a stroke is on a spare keycode */
} typing;

/* Text typed while a modifier is held down would trigger shortcuts, so it is refused. */
static bool check_modifiers(uint16_t state, base_error *err)
{
    static const struct {
        uint16_t mask;
        const char *name;
    } modifiers[] = {
        {XCB_MOD_MASK_SHIFT, "shift"}, {XCB_MOD_MASK_CONTROL, "ctrl"}, {XCB_MOD_MASK_1, "alt"},
        {XCB_MOD_MASK_4, "win"},       {XCB_MOD_MASK_5, "alt_gr"},
    };
    for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++) {
        if (state & modifiers[i].mask) {
            return base_fail(err, BASE_REFUSED,
                             "Text cannot be typed while the %s key is held down; release it "
                             "first.",
                             modifiers[i].name);
        }
    }
    return true;
}

static void tap(x11_desk *x, xcb_keycode_t keycode)
{
    x11_fake(x, XCB_KEY_PRESS, keycode);
    x11_fake(x, XCB_KEY_RELEASE, keycode);
}

/* Caps lock changes letters in a way that depends on the key's type and on the toolkit, so it is
 * turned off for as long as the text takes. */
static bool take_caps_lock(x11_desk *x, uint16_t *state, base_error *err)
{
    if (!(*state & XCB_MOD_MASK_LOCK) || !x->keymap->lock) {
        return true;
    }
    x11_watchdog_caps_lock(x, x->keymap->lock);
    tap(x, x->keymap->lock);
    if (!x11_keymap_ready(x, state, err)) {
        return false;
    }
    if (*state & XCB_MOD_MASK_LOCK) {
        return base_fail(err, BASE_REFUSED,
                         "Caps lock is on and cannot be turned off, so text would arrive wrong.");
    }
    x->text->caps_lock_taken = true;
    return true;
}

/* One character of the text; "\r\n" and a lone "\r" are the same key as "\n". */
static size_t read_character(const char *text, size_t length, uint32_t *c)
{
    size_t n = base_utf8_read(text, length, c);
    if (n && *c == '\r') {
        *c = '\n';
        return length > 1 && text[1] == '\n' ? 2 : 1;
    }
    return n;
}

static bool find_stroke(x11_desk *x, xcb_keysym_t keysym, int group, typing *t, x11_stroke *out)
{
    if (x11_keymap_find(x->keymap, keysym, group, out)) {
        return true;
    }
    x11_spare *spare = x11_spare_for(x, keysym, &t->remapped);
    if (spare) {
        *out = (x11_stroke){spare->keycode, false, false};
        t->borrowed = true;
    }
    return spare != NULL;
}

/* Finds the strokes of as many characters as the keymap has keys for, spare keycodes included. */
static void plan(x11_desk *x, const char *text, size_t length, int group, typing *t)
{
    while (t->bytes < length && t->count < STEP_MAX) {
        uint32_t c;
        size_t n = read_character(text + t->bytes, length - t->bytes, &c);
        if (!find_stroke(x, x11_keysym_of_character(c), group, t, &t->strokes[t->count])) {
            return;
        }
        t->count++;
        t->bytes += n;
    }
}

/* All spare keycodes are in use, and the caller says that the application has read what was typed
 * on them: frees those that the next characters do not need. */
static void recycle_spares(x11_desk *x, const char *text, size_t length, int group)
{
    x11_keymap *k = x->keymap;
    size_t kept = 0;
    x11_spares_forget(x);
    for (size_t at = 0, seen = 0; at < length && seen < k->spare_count && kept < k->spare_count;
         seen++) {
        uint32_t c;
        x11_stroke stroke;
        at += read_character(text + at, length - at, &c);
        xcb_keysym_t keysym = x11_keysym_of_character(c);
        if (x11_keymap_find(k, keysym, group, &stroke)) {
            continue;
        }
        for (size_t i = 0; i < k->spare_count; i++) {
            if (k->spares[i].keysym == keysym && !k->spares[i].used) {
                k->spares[i].used = true;
                kept++;
            }
        }
    }
}

static void set_modifier(x11_desk *x, xcb_keycode_t keycode, bool wanted, bool *down)
{
    if (wanted != *down) {
        x11_fake(x, wanted ? XCB_KEY_PRESS : XCB_KEY_RELEASE, keycode);
        *down = wanted;
    }
}

static void type(x11_desk *x, const typing *t)
{
    bool shift = false, level3 = false;
    for (size_t i = 0; i < t->count; i++) {
        set_modifier(x, x->keymap->shift, t->strokes[i].shift, &shift);
        set_modifier(x, x->keymap->level3, t->strokes[i].level3, &level3);
        tap(x, t->strokes[i].keycode);
    }
    set_modifier(x, x->keymap->shift, false, &shift);
    set_modifier(x, x->keymap->level3, false, &level3);
}

/* Whether the keyboard is where the text began, or has gone to another field of the same window. */
static bool is_where_it_began(x11_desk *x, xcb_window_t focus)
{
    if (x->text->begun && focus == x->text->focus) {
        return true;
    }
    xcb_window_t holder = x11_holder_of(x, focus);
    if (x->text->begun && (holder == 0 || holder != x->text->holder)) {
        return false;
    }
    x->text->begun = true;
    x->text->focus = focus;
    x->text->holder = holder;
    return true;
}

static bool no_key_for(const char *text, size_t length, base_error *err)
{
    uint32_t c = 0;
    read_character(text, length, &c);
    return base_fail(err, BASE_UNSUPPORTED,
                     "This keyboard map has no key for the character U+%04X and no free one to "
                     "make it on.",
                     (unsigned) c);
}

/* The focus is asked for together with the state of the keyboard. */
static bool type_step(x11_desk *x, const char *text, size_t length, desk_text_step *out,
                      base_error *err)
{
    uint16_t state;
    typing t = {.count = 0};
    xcb_get_input_focus_cookie_t asked = x11_ask_focus(x);
    bool ready = x11_keymap_ready(x, &state, err);
    xcb_window_t focus = x11_take_focus(x, asked);
    if (!ready || !check_modifiers(state, err) || !take_caps_lock(x, &state, err)) {
        return false;
    }
    int group = x11_state_group(state);
    plan(x, text, length, group, &t);
    if (t.count == 0 && length > 0) {
        recycle_spares(x, text, length, group);
        plan(x, text, length, group, &t);
    }
    if (t.count == 0 && length > 0) {
        return no_key_for(text, length, err);
    }
    /* An application that fetches the new map while it goes on with its events (Chromium) would
     * read the first stroke by the old one. So those that need a new map wait for the next step. */
    bool typed = !t.remapped && is_where_it_began(x, focus);
    if (typed) {
        type(x, &t);
    }
    *out = (desk_text_step){.consumed = typed ? t.bytes : 0,
                            .remapped = t.remapped || (typed && t.borrowed),
                            .moved = !t.remapped && !typed};
    return true;
}

/* The server is grabbed from the look until the keys are in: nobody can move the focus in between.
 */
static bool x11_type_text(desk *d, const char *text, size_t length, desk_text_step *out,
                          base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    *out = (desk_text_step){0};
    xcb_grab_server(x->c);
    bool done = type_step(x, text, length, out, err);
    xcb_ungrab_server(x->c);
    return x11_input_sync(x, done ? err : NULL) && done;
}

bool x11_type_end(desk *d, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    uint16_t state;
    x->text->begun = false;
    if (!x->keymap->map) {
        return x11_alive(x, err); /* nothing has been typed */
    }
    if (!x11_keymap_ready(x, &state, err)) {
        return false;
    }
    x11_spares_restore(x);
    if (x->text->caps_lock_taken && !(state & XCB_MOD_MASK_LOCK)) {
        tap(x, x->keymap->lock);
    }
    if (!x11_input_sync(x, err)) {
        return false;
    }
    if (x->text->caps_lock_taken) {
        x11_watchdog_caps_lock(x, 0);
    }
    x->text->caps_lock_taken = false;
    return true;
}

void x11_text_ops(desk_ops *ops)
{
    ops->type_text = x11_type_text;
    ops->type_end = x11_type_end;
}
