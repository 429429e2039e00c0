/* What every backend's watch shares: sets of key codes, and what is told of touches and keys. */
#include "human_internal.h"

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

bool human_chord_down(const desk_human *h, const human_chord *chord)
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
        bool complete = human_chord_down(h, chord);
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
