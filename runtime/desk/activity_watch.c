/* What every backend's watch shares: sets of key codes, and what is told of input and keys. */
#include "activity_internal.h"

#include <string.h>

enum { NOTICE_EVERY = 100000000 /* nanoseconds */ };

void activity_prepare(desk_activity *h, const desk_activity_ops *ops)
{
    h->ops = ops;
    uv_mutex_init(&h->lock);
}

void activity_finish(desk_activity *h)
{
    activity_forget_events(h);
    uv_mutex_destroy(&h->lock);
}

/* --- sets of codes -----------------------------------------------------------------------------
 */

void activity_codes_add(activity_codes *set, unsigned code)
{
    set->bits[code >> 5 & 7] |= 1u << (code & 31);
}

bool activity_codes_have(const activity_codes *set, unsigned code)
{
    return code < 256 && (set->bits[code >> 5] >> (code & 31) & 1);
}

static bool overlap(const activity_codes *a, const activity_codes *b)
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

void activity_noticed(desk_activity *h)
{
    uint64_t now = uv_hrtime();
    atomic_store(&h->last_input, now);
    if (!atomic_load(&h->report_input) || now - atomic_load(&h->reported_input) < NOTICE_EVERY) {
        return;
    }
    atomic_store(&h->reported_input, now);
    uv_mutex_lock(&h->lock);
    if (h->on_input) {
        h->on_input(h->context);
    }
    uv_mutex_unlock(&h->lock);
}

bool activity_hotkey_down(const desk_activity *h, const activity_hotkey *hotkey)
{
    for (size_t i = 0; i < hotkey->combo.count; i++) {
        if (!overlap(&hotkey->keys[i], &h->down)) {
            return false;
        }
    }
    return true;
}

/* Any order of the keys will do, and what else is held does no harm: whoever wants to stop a
 * program may be in a hurry. */
static void look_at_hotkeys(desk_activity *h)
{
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        activity_hotkey *hotkey = &h->hotkeys[i];
        if (!hotkey->number || hotkey->kind != DESK_HOTKEY_WATCHED) {
            continue;
        }
        bool complete = activity_hotkey_down(h, hotkey);
        if (complete && !hotkey->complete) {
            hotkey->notice(hotkey->context);
        }
        hotkey->complete = complete;
    }
}

void activity_key(desk_activity *h, unsigned code, bool down)
{
    if (code > 255) {
        return;
    }
    uv_mutex_lock(&h->lock);
    if (down) {
        activity_codes_add(&h->down, code);
    } else {
        h->down.bits[code >> 5] &= ~(1u << (code & 31));
    }
    look_at_hotkeys(h);
    uv_mutex_unlock(&h->lock);
}

void activity_forget_keys(desk_activity *h)
{
    uv_mutex_lock(&h->lock);
    memset(&h->down, 0, sizeof h->down);
    look_at_hotkeys(h);
    uv_mutex_unlock(&h->lock);
}

void activity_taken_pressed(desk_activity *h, int number)
{
    uv_mutex_lock(&h->lock);
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        activity_hotkey *hotkey = &h->hotkeys[i];
        if (number && hotkey->number == number) {
            hotkey->notice(hotkey->context);
        }
    }
    uv_mutex_unlock(&h->lock);
}
