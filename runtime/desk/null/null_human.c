/* Nobody sits at the desk that is not there; chords can be asked for and are never pressed. */
#include "null.h"

#include <stdlib.h>

static const desk_human_ops OPS;

bool null_human_connect(desk_human **out, const desk_options *where, base_error *err)
{
    (void) where;
    desk_human *h = calloc(1, sizeof *h);
    if (!h) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to watch a desk.");
    }
    human_prepare(h, &OPS);
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

static const desk_human_ops OPS = {
    .close = close_watch,
    .find_keys = find_keys,
    .take = take,
};
