#include "human_internal.h"

#include <stdlib.h>
#include <string.h>

static bool connect_one(const desk_human_backend *list, desk_human **out, const char *name,
                        const desk_options *where, base_error *err)
{
    base_error failure = {0}, best = {0};
    for (; list->name; list++) {
        if (!desk_backend_fits(list->name, list->only_by_name, name)) {
            continue;
        }
        if (list->connect(out, where, &failure)) {
            return true;
        }
        desk_backend_failed(&best, &failure);
    }
    return desk_backend_none(&best, name, err);
}

bool desk_human_open_from(const desk_human_backend *list, desk_human **out, const char *name,
                          const desk_options *where, desk_human_notice touched, void *context,
                          base_error *err)
{
    static const desk_options none = {0};
    desk_human *h = NULL;
    where = where ? where : &none;
    if (!desk_options_check(where, err) || !connect_one(list, &h, name, where, err)) {
        return false;
    }
    uv_mutex_lock(&h->lock);
    h->touched = touched;
    h->context = context;
    uv_mutex_unlock(&h->lock);
    *out = h;
    return true;
}

bool desk_human_open(desk_human **out, const char *backend, const desk_options *where,
                     desk_human_notice touched, void *context, base_error *err)
{
    return desk_human_open_from(desk_human_backends, out, backend, where, touched, context, err);
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

static bool can_be_taken(const desk_human *h, const desk_combo *combo, base_error *err)
{
    size_t others = 0;
    if (!h->ops->take) {
        return base_fail(err, BASE_UNSUPPORTED, "This desktop gives no program a hotkey.");
    }
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
    if (kind == DESK_CHORD_TAKEN && !can_be_taken(h, combo, err)) {
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
    if (gone.number && gone.kind == DESK_CHORD_TAKEN && h->ops->give_back) {
        h->ops->give_back(h, &gone);
    }
}
