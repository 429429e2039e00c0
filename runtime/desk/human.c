#include "human_internal.h"

#include "native.h"

#include <stdlib.h>
#include <string.h>

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
    chord.complete = kind == DESK_CHORD_SEEN && human_chord_down(h, &chord); /* held since before */
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
