/* The server's keyboard map, as the core protocol tells it, and the keycodes in it that the user
 * leaves empty: characters that the layout lacks are typed on those. */
#include "x11_keymap.h"

#include "x11_watchdog.h"

#include <stdlib.h>
#include <string.h>

enum {
    XK_ISO_LEVEL3_SHIFT = 0xfe03,
    XK_SHIFT_L = 0xffe1,
    XK_NUM_LOCK = 0xff7f,
    XK_KEYPAD_FIRST = 0xff80,
    XK_KEYPAD_LAST = 0xffbd,
    MODIFIER_ROWS = 8,
    LOCK_ROW = 1,
};

static xcb_keysym_t keysym_at(const x11_keymap *k, int keycode, int column)
{
    return column < k->columns ? k->map[(keycode - k->min) * k->columns + column] : 0;
}

static bool is_spare(const x11_keymap *k, int keycode)
{
    for (size_t i = 0; i < k->spare_count; i++) {
        if (k->spares[i].keycode == keycode) {
            return true;
        }
    }
    return false;
}

/* A keycode of the user's own map with `keysym` in `column`, 0 if there is none. */
static xcb_keycode_t keycode_in_column(const x11_keymap *k, xcb_keysym_t keysym, int column)
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

bool x11_keymap_find(const x11_keymap *k, xcb_keysym_t keysym, int group, x11_stroke *out)
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

static bool is_empty(const x11_keymap *k, int keycode)
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

/* What we noted of `keycode`, if the server's map still has what we wrote there. */
static x11_spare known_spare(const x11_keymap *k, xcb_keycode_t keycode)
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
static void find_spares(x11_keymap *k, const xcb_get_modifier_mapping_reply_t *modifiers)
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

static void find_modifiers(x11_keymap *k, const xcb_get_modifier_mapping_reply_t *modifiers)
{
    const xcb_keycode_t *codes = xcb_get_modifier_mapping_keycodes(modifiers);
    int width = modifiers->keycodes_per_modifier;
    xcb_keycode_t num_lock = keycode_in_column(k, XK_NUM_LOCK, 0);
    k->shift = keycode_in_column(k, XK_SHIFT_L, 0);
    k->level3 = keycode_in_column(k, XK_ISO_LEVEL3_SHIFT, 0);
    k->lock = 0;
    k->num_lock_mask = 0;
    memset(k->modifiers, 0, sizeof k->modifiers);
    for (int i = 0; i < MODIFIER_ROWS * width; i++) {
        if (codes[i] && i / width == LOCK_ROW && !k->lock) {
            k->lock = codes[i];
        }
        if (codes[i] && codes[i] == num_lock) {
            k->num_lock_mask = (uint16_t) (1u << i / width);
        } else if (codes[i] && i / width != LOCK_ROW) {
            k->modifiers[codes[i]] |= (uint8_t) (1u << i / width);
        }
    }
}

static bool take_map(x11_desk *x, const xcb_get_keyboard_mapping_reply_t *mapping)
{
    x11_keymap *k = x->keymap;
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
    x->keymap->known = true;
    xcb_get_keyboard_mapping_reply_t *map = xcb_get_keyboard_mapping_reply(x->c, map_cookie, &e);
    xcb_get_modifier_mapping_reply_t *modifiers =
        xcb_get_modifier_mapping_reply(x->c, modifier_cookie, NULL);
    bool taken = map && modifiers && take_map(x, map);
    if (taken) {
        find_spares(x->keymap, modifiers);
        find_modifiers(x->keymap, modifiers);
    } else {
        x->keymap->known = false;
    }
    free(map);
    free(modifiers);
    return taken ? true : x11_refused(x, "to tell the keyboard map", e, err);
}

bool x11_keymap_ready(x11_desk *x, uint16_t *state, base_error *err)
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
    return x->keymap->known || refresh(x, err);
}

void x11_keymap_heed_num_lock(const x11_keymap *k, xcb_keysym_t keysym, uint16_t state,
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

/* --- spare keycodes ----------------------------------------------------------------------------
 */

/* The same keysym at every level, so that a held Shift cannot turn it into another one. */
static void write_spare(x11_desk *x, x11_spare *spare, xcb_keysym_t keysym)
{
    xcb_keysym_t pair[2] = {keysym, keysym};
    x11_watchdog_keysym(x, spare->keycode, keysym);
    xcb_change_keyboard_mapping(x->c, 1, spare->keycode, 2, pair);
    spare->keysym = keysym;
    x->keymap->known = false;
}

x11_spare *x11_spare_for(x11_desk *x, xcb_keysym_t keysym, bool *changed)
{
    x11_keymap *k = x->keymap;
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
    for (size_t i = 0; i < x->keymap->spare_count; i++) {
        x->keymap->spares[i].used = false;
    }
}

void x11_spares_restore(x11_desk *x)
{
    x11_keymap *k = x->keymap;
    for (size_t i = 0; i < k->spare_count; i++) {
        if (k->spares[i].keysym && !k->spares[i].pins) {
            write_spare(x, &k->spares[i], 0);
            k->spares[i].used = false;
        }
    }
}

void x11_spare_pin(x11_desk *x, xcb_keycode_t keycode, int by)
{
    x11_keymap *k = x->keymap;
    for (size_t i = 0; i < k->spare_count; i++) {
        if (k->spares[i].keycode == keycode) {
            k->spares[i].pins += by;
        }
    }
}

void x11_keymap_event(x11_desk *x, const xcb_generic_event_t *event)
{
    (void) event; /* a MappingNotify: keyboard, modifiers or pointer */
    x->keymap->known = false;
}

void x11_keymap_close(x11_desk *x)
{
    free(x->keymap->map);
    x->keymap->map = NULL;
}
