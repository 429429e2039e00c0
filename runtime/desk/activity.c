#include "activity_internal.h"

#include <stdlib.h>
#include <string.h>

static bool connect_one(const desk_activity_backend *list, desk_activity **out, const char *name,
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

bool desk_activity_open_from(const desk_activity_backend *list, desk_activity **out,
                             const char *name, const desk_options *where,
                             desk_activity_notice on_input, void *context, base_error *err)
{
    static const desk_options none = {0};
    desk_activity *h = NULL;
    where = where ? where : &none;
    if (!desk_options_check(where, err) || !connect_one(list, &h, name, where, err) || !h) {
        return false;
    }
    uv_mutex_lock(&h->lock);
    h->on_input = on_input;
    h->context = context;
    uv_mutex_unlock(&h->lock);
    *out = h;
    return true;
}

bool desk_activity_open(desk_activity **out, const char *backend, const desk_options *where,
                        desk_activity_notice on_input, void *context, base_error *err)
{
    return desk_activity_open_from(desk_activity_backends, out, backend, where, on_input, context,
                                   err);
}

void desk_activity_close(desk_activity *h)
{
    h->ops->close(h);
}

uint64_t desk_activity_last_input(desk_activity *h)
{
    return atomic_load(&h->last_input);
}

void desk_activity_report_input(desk_activity *h, bool on)
{
    atomic_store(&h->report_input, on);
}

static bool can_be_taken(const desk_activity *h, const desk_combo *combo, base_error *err)
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

static activity_hotkey *free_place(desk_activity *h, base_error *err)
{
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        if (!h->hotkeys[i].number) {
            return &h->hotkeys[i];
        }
    }
    base_fail(err, BASE_REFUSED, "There are %d hotkeys already; remove one first.",
              DESK_HOTKEYS_MAX);
    return NULL;
}

int desk_activity_add(desk_activity *h, const desk_combo *combo, desk_hotkey_kind kind,
                      desk_activity_notice notice, void *context, base_error *err)
{
    activity_hotkey hotkey = {.kind = kind, .combo = *combo, .notice = notice, .context = context};
    if (kind == DESK_HOTKEY_GRABBED && !can_be_taken(h, combo, err)) {
        return 0;
    }
    uv_mutex_lock(&h->lock);
    activity_hotkey *place = free_place(h, err); /* it stays free: only one thread adds */
    bool found = place && h->ops->find_keys(h, &hotkey, err);
    hotkey.number = ++h->last_number;
    uv_mutex_unlock(&h->lock);
    if (!found || (kind == DESK_HOTKEY_GRABBED && !h->ops->take(h, &hotkey, err))) {
        return 0;
    }
    uv_mutex_lock(&h->lock);
    hotkey.complete =
        kind == DESK_HOTKEY_WATCHED && activity_hotkey_down(h, &hotkey); /* held since before */
    *place = hotkey;
    uv_mutex_unlock(&h->lock);
    return hotkey.number;
}

void desk_activity_remove(desk_activity *h, int number)
{
    activity_hotkey gone = {.number = 0};
    uv_mutex_lock(&h->lock);
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        if (number && h->hotkeys[i].number == number) {
            gone = h->hotkeys[i];
            h->hotkeys[i].number = 0;
        }
    }
    uv_mutex_unlock(&h->lock);
    if (gone.number && gone.kind == DESK_HOTKEY_GRABBED && h->ops->give_back) {
        h->ops->give_back(h, &gone);
    }
}
