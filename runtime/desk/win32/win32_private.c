/*
 * A desk on another Windows desktop than the user's. Windows gives mouse and keyboard to the input
 * desktop alone, and has one clipboard for all: what would reach the user's own windows is refused
 * here, and a private desk's ops have no way to SendInput.
 *
 * Everything else is done on that desktop by a thread for it (win32_desktop_run), so that desks on
 * several desktops do not come in each other's way.
 */
#include "win32_internal.h"

#define WITHOUT_INPUT                                                                              \
    "a private desktop on Windows has no mouse and keyboard: press elements and set their text, "  \
    "or work on the current desktop"

/* --- what there is not ----------------------------------------------------------------------- */

bool win32_private_pointer_get(desk *d, int *x, int *y, base_error *err)
{
    (void) d;
    (void) x;
    (void) y;
    return base_fail(err, BASE_UNSUPPORTED, WITHOUT_INPUT);
}

bool win32_private_pointer_move(desk *d, int x, int y, base_error *err)
{
    (void) d;
    (void) x;
    (void) y;
    return base_fail(err, BASE_UNSUPPORTED, WITHOUT_INPUT);
}

bool win32_private_button(desk *d, desk_button button, bool down, base_error *err)
{
    (void) d;
    (void) button;
    (void) down;
    return base_fail(err, BASE_UNSUPPORTED, WITHOUT_INPUT);
}

bool win32_private_wheel(desk *d, int dx, int dy, base_error *err)
{
    (void) d;
    (void) dx;
    (void) dy;
    return base_fail(err, BASE_UNSUPPORTED, WITHOUT_INPUT);
}

bool win32_private_key(desk *d, desk_key key, bool down, base_error *err)
{
    (void) d;
    (void) key;
    (void) down;
    return base_fail(err, BASE_UNSUPPORTED, WITHOUT_INPUT);
}

bool win32_private_text_step(desk *d, const char *text, size_t length, desk_text_step *out,
                             base_error *err)
{
    (void) d;
    (void) text;
    (void) length;
    *out = (desk_text_step){0};
    return base_fail(err, BASE_UNSUPPORTED, WITHOUT_INPUT);
}

/* Nobody types here. */
uint64_t win32_private_window_active(desk *d)
{
    (void) d;
    return 0;
}

static bool no_clipboard(base_error *err)
{
    return base_fail(err, BASE_UNSUPPORTED,
                     "a private desktop on Windows has no clipboard of its own, only the user's: "
                     "read and set the text of elements, or work on the current desktop");
}

bool win32_private_clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                                 bool *pending, base_error *err)
{
    (void) d;
    (void) kind;
    *data = NULL;
    *length = 0;
    *pending = false;
    return no_clipboard(err);
}

bool win32_private_clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                                 bool *pending, base_error *err)
{
    (void) d;
    (void) kind;
    (void) data;
    (void) length;
    *pending = false;
    return no_clipboard(err);
}

bool win32_private_clipboard_changes(desk *d, uint64_t *number, base_error *err)
{
    (void) d;
    *number = 0;
    return no_clipboard(err);
}

/* --- windows --------------------------------------------------------------------------------- */

/* Only the input desktop is sure to have an active window; here it is the one on top. */
static void name_active(desk_window_list *list)
{
    desk_window *top = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].active) {
            return;
        }
        top = list->items[i].visible ? &list->items[i] : top;
    }
    if (top) {
        top->active = true;
    }
}

typedef struct {
    desk *d;
    uint64_t id;
    image_rect rect;
    desk_window_state state;
    bool above;
    desk_window_list *list;
} request;

static bool run(request q, win32_call call, base_error *err)
{
    return win32_desktop_run(((win32_desk *) q.d)->desktop, call, &q, err);
}

static bool list_there(void *context, base_error *err)
{
    request *q = context;
    if (!win32_windows(q->d, q->list, err)) {
        return false;
    }
    name_active(q->list);
    return true;
}

bool win32_private_windows(desk *d, desk_window_list *out, base_error *err)
{
    *out = (desk_window_list){0};
    return run((request){.d = d, .list = out}, list_there, err);
}

static bool focus_there(void *context, base_error *err)
{
    HWND window = (HWND) (uintptr_t) ((request *) context)->id;
    if (!IsWindow(window)) {
        return base_fail(err, BASE_NOT_FOUND, "There is no such window: it has been closed.");
    }
    if (IsHungAppWindow(window)) {
        return base_fail(err, BASE_REFUSED, "The window's program does not respond.");
    }
    if (IsIconic(window)) {
        ShowWindowAsync(window, SW_RESTORE);
    }
    SetForegroundWindow(window);
    return SetWindowPos(window, HWND_TOP, 0, 0, 0, 0,
                        SWP_NOMOVE | SWP_NOSIZE | SWP_ASYNCWINDOWPOS) ||
           win32_fail(err, BASE_REFUSED, "The window cannot be brought to the front",
                      GetLastError());
}

bool win32_private_window_focus(desk *d, uint64_t id, base_error *err)
{
    return run((request){.d = d, .id = id}, focus_there, err);
}

static bool close_there(void *context, base_error *err)
{
    request *q = context;
    return win32_window_close(q->d, q->id, err);
}

bool win32_private_window_close(desk *d, uint64_t id, base_error *err)
{
    return run((request){.d = d, .id = id}, close_there, err);
}

static bool place_there(void *context, base_error *err)
{
    request *q = context;
    return win32_window_place(q->d, q->id, q->rect, err);
}

bool win32_private_window_place(desk *d, uint64_t id, image_rect rect, base_error *err)
{
    return run((request){.d = d, .id = id, .rect = rect}, place_there, err);
}

static bool state_there(void *context, base_error *err)
{
    request *q = context;
    return win32_window_state(q->d, q->id, q->state, err);
}

bool win32_private_window_state(desk *d, uint64_t id, desk_window_state state, base_error *err)
{
    return run((request){.d = d, .id = id, .state = state}, state_there, err);
}

static bool stack_there(void *context, base_error *err)
{
    request *q = context;
    return win32_window_stack(q->d, q->id, q->above, err);
}

bool win32_private_window_stack(desk *d, uint64_t id, bool above, base_error *err)
{
    return run((request){.d = d, .id = id, .above = above}, stack_there, err);
}
