/* Nobody sits at the desk that is not there; chords can be asked for and are never pressed. */
#include "desk/human_internal.h"

#include <stdlib.h>

static bool open_watch(desk_human **out, const desk_options *where, base_error *err)
{
    (void) where;
    desk_human *h = calloc(1, sizeof *h);
    if (!h) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to watch a desk.");
    }
    human_prepare(h, &null_human_ops);
    *out = h;
    return true;
}

static void close_watch(desk_human *h)
{
    human_finish(h);
    free(h);
}

/* Codes in the order of the combo, from 1: for tests that play the keyboard (human_key). */
static bool find_keys(desk_human *h, human_chord *chord, base_error *err)
{
    (void) h;
    (void) err;
    for (size_t i = 0; i < chord->combo.count; i++) {
        human_codes_add(&chord->keys[i], (unsigned) i + 1);
    }
    return true;
}

static bool take(desk_human *h, human_chord *chord, base_error *err)
{
    (void) h;
    (void) chord;
    (void) err;
    return true;
}

static void give_back(desk_human *h, const human_chord *chord)
{
    (void) h;
    (void) chord;
}

const desk_human_ops null_human_ops = {
    .name = "null",
    .open = open_watch,
    .close = close_watch,
    .find_keys = find_keys,
    .take = take,
    .give_back = give_back,
};
