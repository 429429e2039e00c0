#include "human_internal.h"

#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { TOUCH_NOTICE_EVERY = 100000000 /* nanoseconds */ };

void human_prepare(desk_human *h, const desk_human_ops *ops)
{
    h->ops = ops;
    uv_mutex_init(&h->lock);
}

void human_finish(desk_human *h)
{
    uv_mutex_destroy(&h->lock);
}

/* --- sets of codes -----------------------------------------------------------------------------
 */

void human_codes_add(human_codes *set, unsigned code)
{
    set->bits[code >> 5 & 7] |= 1u << (code & 31);
}

bool human_codes_have(const human_codes *set, unsigned code)
{
    return code < 256 && (set->bits[code >> 5] >> (code & 31) & 1);
}

static bool overlap(const human_codes *a, const human_codes *b)
{
    for (int i = 0; i < 8; i++) {
        if (a->bits[i] & b->bits[i]) {
            return true;
        }
    }
    return false;
}

/* --- on the watch's thread ---------------------------------------------------------------------
 */

void human_touched(desk_human *h)
{
    uint64_t now = uv_hrtime();
    atomic_store(&h->last_touch, now);
    if (!atomic_load(&h->tell_touches) || now - atomic_load(&h->told_touch) < TOUCH_NOTICE_EVERY) {
        return;
    }
    atomic_store(&h->told_touch, now);
    uv_mutex_lock(&h->lock);
    if (h->touched) {
        h->touched(h->context);
    }
    uv_mutex_unlock(&h->lock);
}

static bool all_down(const desk_human *h, const human_chord *chord)
{
    for (size_t i = 0; i < chord->combo.count; i++) {
        if (!overlap(&chord->keys[i], &h->down)) {
            return false;
        }
    }
    return true;
}

/* Any order of the keys will do, and what else is held does no harm: whoever wants to stop a
 * program may be in a hurry. */
static void look_at_chords(desk_human *h)
{
    for (size_t i = 0; i < DESK_HUMAN_CHORDS; i++) {
        human_chord *chord = &h->chords[i];
        if (!chord->number || chord->kind != DESK_CHORD_SEEN) {
            continue;
        }
        bool complete = all_down(h, chord);
        if (complete && !chord->complete) {
            chord->notice(chord->context);
        }
        chord->complete = complete;
    }
}

void human_key(desk_human *h, unsigned code, bool down)
{
    if (code > 255) {
        return;
    }
    uv_mutex_lock(&h->lock);
    if (down) {
        human_codes_add(&h->down, code);
    } else {
        h->down.bits[code >> 5] &= ~(1u << (code & 31));
    }
    look_at_chords(h);
    uv_mutex_unlock(&h->lock);
}

void human_forget_keys(desk_human *h)
{
    uv_mutex_lock(&h->lock);
    memset(&h->down, 0, sizeof h->down);
    look_at_chords(h);
    uv_mutex_unlock(&h->lock);
}

void human_taken_pressed(desk_human *h, int number)
{
    uv_mutex_lock(&h->lock);
    for (size_t i = 0; i < DESK_HUMAN_CHORDS; i++) {
        human_chord *chord = &h->chords[i];
        if (number && chord->number == number) {
            chord->notice(chord->context);
        }
    }
    uv_mutex_unlock(&h->lock);
}

/* --- for the rest of the program ---------------------------------------------------------------
 */

static const desk_human_ops *ops_named(const char *name)
{
    if (!name || strcmp(name, desk_native_human_ops->name) == 0) {
        return desk_native_human_ops;
    }
    return strcmp(name, null_human_ops.name) == 0 ? &null_human_ops : NULL;
}

bool desk_human_open(desk_human **out, const char *backend, const desk_options *where,
                     desk_human_notice touched, void *context, base_error *err)
{
    const desk_human_ops *ops = ops_named(backend);
    desk_human *h = NULL;
    if (!ops) {
        return base_fail(err, BASE_UNSUPPORTED,
                         "This build has no desktop backend called \"%.40s\".", backend);
    }
    if (!ops->open(&h, where, err)) {
        return false;
    }
    uv_mutex_lock(&h->lock);
    h->touched = touched;
    h->context = context;
    uv_mutex_unlock(&h->lock);
    *out = h;
    return true;
}

void desk_human_close(desk_human *h)
{
    h->ops->close(h);
}

uint64_t desk_human_last_touch(desk_human *h)
{
    return atomic_load(&h->last_touch);
}

void desk_human_tell_touches(desk_human *h, bool on)
{
    atomic_store(&h->tell_touches, on);
}

static bool can_be_taken(const desk_combo *combo, base_error *err)
{
    size_t others = 0;
    for (size_t i = 0; i < combo->count; i++) {
        others += !desk_key_is_modifier(combo->keys[i]);
    }
    return others == 1 ||
           base_fail(err, BASE_INVALID,
                     "A hotkey is one key, with modifiers such as ctrl and alt or without: "
                     "\"ctrl+alt+f9\".");
}

static human_chord *free_place(desk_human *h, base_error *err)
{
    for (size_t i = 0; i < DESK_HUMAN_CHORDS; i++) {
        if (!h->chords[i].number) {
            return &h->chords[i];
        }
    }
    base_fail(err, BASE_REFUSED, "There are %d hotkeys already; remove one first.",
              DESK_HUMAN_CHORDS);
    return NULL;
}

int desk_human_add(desk_human *h, const desk_combo *combo, desk_chord_kind kind,
                   desk_human_notice notice, void *context, base_error *err)
{
    human_chord chord = {.kind = kind, .combo = *combo, .notice = notice, .context = context};
    if (kind == DESK_CHORD_TAKEN && !can_be_taken(combo, err)) {
        return 0;
    }
    uv_mutex_lock(&h->lock);
    human_chord *place = free_place(h, err); /* it stays free: only one thread adds */
    bool found = place && h->ops->find_keys(h, &chord, err);
    chord.number = ++h->last_number;
    uv_mutex_unlock(&h->lock);
    if (!found || (kind == DESK_CHORD_TAKEN && !h->ops->take(h, &chord, err))) {
        return 0;
    }
    uv_mutex_lock(&h->lock);
    chord.complete = kind == DESK_CHORD_SEEN && all_down(h, &chord); /* held since before */
    *place = chord;
    uv_mutex_unlock(&h->lock);
    return chord.number;
}

void desk_human_remove(desk_human *h, int number)
{
    human_chord gone = {.number = 0};
    uv_mutex_lock(&h->lock);
    for (size_t i = 0; i < DESK_HUMAN_CHORDS; i++) {
        if (number && h->chords[i].number == number) {
            gone = h->chords[i];
            h->chords[i].number = 0;
        }
    }
    uv_mutex_unlock(&h->lock);
    if (gone.number && gone.kind == DESK_CHORD_TAKEN) {
        h->ops->give_back(h, &gone);
    }
}
