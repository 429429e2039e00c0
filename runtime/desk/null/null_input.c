/* Pointer and keyboard of the desk that is not there. */
#include "null_internal.h"

static bool pointer_get(desk *d, int *x, int *y, base_error *err)
{
    (void) err;
    *x = ((null_desk *) d)->x;
    *y = ((null_desk *) d)->y;
    return true;
}

static bool pointer_move(desk *d, int x, int y, base_error *err)
{
    null_desk *n = (null_desk *) d;
    (void) err;
    n->x = x;
    n->y = y;
    null_add_line(n, "move %d %d", x, y);
    return true;
}

static bool button(desk *d, desk_button which, bool down, base_error *err)
{
    null_desk *n = (null_desk *) d;
    (void) err;
    null_add_line(n, "button %d %s", (int) which, down ? "down" : "up");
    null_changed(n);
    return true;
}

static bool wheel(desk *d, int dx, int dy, base_error *err)
{
    null_desk *n = (null_desk *) d;
    (void) err;
    null_add_line(n, "wheel %g %g", (double) dx / DESK_NOTCH, (double) dy / DESK_NOTCH);
    null_changed(n);
    return true;
}

static bool key(desk *d, desk_key which, bool down, base_error *err)
{
    null_desk *n = (null_desk *) d;
    char name[DESK_KEY_NAME_SIZE];
    (void) err;
    desk_key_name(which, name);
    null_add_line(n, "key %s %s", name, down ? "down" : "up");
    null_changed(n);
    return true;
}

static bool type_text(desk *d, const char *text, size_t length, desk_text_step *out,
                      base_error *err)
{
    null_desk *n = (null_desk *) d;
    (void) err;
    null_add_text(n, "text ", 5);
    null_add_escaped(n, text, length);
    null_add_text(n, "\n", 1);
    null_changed(n);
    *out = (desk_text_step){.consumed = length};
    return true;
}

static bool type_end(desk *d, base_error *err)
{
    (void) err;
    null_add_line((null_desk *) d, "text_end");
    return true;
}

void null_input_ops(desk_ops *ops)
{
    ops->pointer_get = pointer_get;
    ops->pointer_move = pointer_move;
    ops->pointer_button = button;
    ops->pointer_wheel = wheel;
    ops->keyboard_key = key;
    ops->type_text = type_text;
    ops->type_end = type_end;
}
