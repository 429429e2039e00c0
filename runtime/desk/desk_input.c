/* The front of the backends: pointer and keyboard. */
#include "desk_internal.h"

#include <stdint.h>
#include <stdlib.h>

/* --- pointer ------------------------------------------------------------------------------------
 */

bool desk_pointer_get(desk *d, int *x, int *y, base_error *err)
{
    return d->ops.pointer_get ? d->ops.pointer_get(d, x, y, err)
                              : desk_cannot(d, "tell where the pointer is", d->lacks.input, err);
}

static bool check_point(int x, int y, image_rect screen, base_error *err)
{
    int64_t right = (int64_t) x - screen.x, down = (int64_t) y - screen.y;
    return (right >= 0 && down >= 0 && right < screen.width && down < screen.height) ||
           base_fail(err, BASE_INVALID,
                     "The point %d,%d is outside the screen of %d x %d at %d,%d.", x, y,
                     screen.width, screen.height, screen.x, screen.y);
}

bool desk_pointer_move(desk *d, int x, int y, base_error *err)
{
    image_rect screen;
    if (!d->ops.pointer_move) {
        return desk_cannot(d, "move the pointer", d->lacks.input, err);
    }
    return desk_screen_rect(d, &screen, err) && check_point(x, y, screen, err) &&
           d->ops.pointer_move(d, x, y, err);
}

bool desk_pointer_button(desk *d, desk_button button, bool down, base_error *err)
{
    if (!d->ops.pointer_button) {
        return desk_cannot(d, "press a mouse button", d->lacks.input, err);
    }
    if (button < DESK_LEFT || button > DESK_FORWARD) {
        return base_fail(err, BASE_INVALID, "There is no mouse button %d: they are %d to %d.",
                         (int) button, DESK_LEFT, DESK_FORWARD);
    }
    return d->ops.pointer_button(d, button, down, err);
}

bool desk_pointer_button_waits(desk *d)
{
    return d->ops.pointer_button_waits && d->ops.pointer_button_waits(d);
}

bool desk_pointer_wheel(desk *d, int dx, int dy, base_error *err)
{
    const int most = DESK_NOTCHES_MAX * DESK_NOTCH;
    if (!d->ops.pointer_wheel) {
        return desk_cannot(d, "turn the mouse wheel", d->lacks.input, err);
    }
    if (dx < -most || dx > most || dy < -most || dy > most) {
        return base_fail(err, BASE_INVALID, "The wheel turns at most %d notches at once.",
                         DESK_NOTCHES_MAX);
    }
    return d->ops.pointer_wheel(d, dx, dy, err);
}

/* --- keyboard -----------------------------------------------------------------------------------
 */

static bool check_key(desk *d, desk_key key, base_error *err)
{
    char name[DESK_KEY_NAME_SIZE];
    if (!d->ops.keyboard_key) {
        return desk_cannot(d, "press a key", d->lacks.input, err);
    }
    desk_key_name(key, name);
    return name[0] || base_fail(err, BASE_INVALID, "There is no key number %u.", (unsigned) key);
}

bool desk_keyboard_key(desk *d, desk_key key, bool down, base_error *err)
{
    return check_key(d, key, err) && d->ops.keyboard_key(d, key, down, err);
}

static bool tap_each(desk *d, const desk_key *keys, size_t count, base_error *err)
{
    size_t down = 0;
    bool ok = true;
    while (ok && down < count) {
        ok = d->ops.keyboard_key(d, keys[down], true, err);
        down += ok;
    }
    while (down > 0) { /* the first error is the one that is told */
        base_error later = {0};
        ok = d->ops.keyboard_key(d, keys[--down], false, ok ? err : &later) && ok;
    }
    return ok;
}

bool desk_keyboard_tap(desk *d, const desk_key *keys, size_t count, base_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!check_key(d, keys[i], err)) {
            return false;
        }
    }
    return d->ops.keyboard_tap ? d->ops.keyboard_tap(d, keys, count, err)
                               : tap_each(d, keys, count, err);
}

static bool check_text(const char *text, size_t length, base_error *err)
{
    if (!desk_check_utf8("The text", text, length, err)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char) text[i];
        if ((c < ' ' || c == 0x7f) && c != '\n' && c != '\t' && c != '\r') {
            return base_fail(err, BASE_INVALID,
                             "The text has a control character (U+%04X) at byte %zu; press keys "
                             "by name instead.",
                             c, i + 1);
        }
    }
    return true;
}

bool desk_type_text(desk *d, const char *text, size_t length, desk_text_step *out, base_error *err)
{
    *out = (desk_text_step){0};
    if (!d->ops.type_text) {
        return desk_cannot(d, "type text", d->lacks.input, err);
    }
    return check_text(text, length, err) && d->ops.type_text(d, text, length, out, err);
}

bool desk_type_end(desk *d, base_error *err)
{
    return !d->ops.type_end || d->ops.type_end(d, err);
}

bool desk_ping(desk *d, uint64_t *token, base_error *err)
{
    *token = 0;
    return !d->ops.ping || d->ops.ping(d, token, err);
}

bool desk_ping_answered(desk *d, uint64_t token)
{
    return token && d->ops.ping_answered && d->ops.ping_answered(d, token);
}
