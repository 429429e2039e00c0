/* Nobody sits at the desk that is not there; hotkeys can be asked for and are never pressed. */
#include "null.h"

#include <stdlib.h>

static const desk_activity_ops OPS;

bool null_activity_connect(desk_activity **out, const desk_options *where, base_error *err)
{
    (void) where;
    desk_activity *h = calloc(1, sizeof *h);
    if (!h) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to watch a desk.");
    }
    activity_prepare(h, &OPS);
    *out = h;
    return true;
}

static void close_watch(desk_activity *h)
{
    activity_finish(h);
    free(h);
}

/* Codes in the order of the combo, from 1: for tests that play the keyboard (activity_key). */
static bool find_keys(desk_activity *h, activity_hotkey *hotkey, base_error *err)
{
    (void) h;
    (void) err;
    for (size_t i = 0; i < hotkey->combo.count; i++) {
        activity_codes_add(&hotkey->keys[i], (unsigned) i + 1);
    }
    return true;
}

static bool take(desk_activity *h, activity_hotkey *hotkey, base_error *err)
{
    (void) h;
    (void) hotkey;
    (void) err;
    return true;
}

static const desk_activity_ops OPS = {
    .close = close_watch,
    .find_keys = find_keys,
    .take = take,
};
