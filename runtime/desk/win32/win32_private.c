/*
 * A desk on another Windows desktop than the user's. Windows gives mouse and keyboard to the input
 * desktop alone, and has one clipboard for all: what would reach the user's own windows is
 * left out here, so that a private desk has no op that leads to SendInput.
 *
 * Everything else is done on that desktop by a thread for it (win32_desktop_run), so that desks on
 * several desktops do not come in each other's way.
 */
#include "win32_internal.h"

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

/* What is done for it, on that desktop. */
static const desk_ops *there(const request *q)
{
    return &((win32_desk *) q->d)->ordinary;
}

static bool run(request q, win32_call call, base_error *err)
{
    return win32_desktop_run(((win32_desk *) q.d)->desktop, call, &q, err);
}

static bool list_there(void *context, base_error *err)
{
    request *q = context;
    if (!there(q)->windows(q->d, q->list, err)) {
        return false;
    }
    name_active(q->list);
    return true;
}

static bool private_windows(desk *d, desk_window_list *out, base_error *err)
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

static bool private_window_focus(desk *d, uint64_t id, base_error *err)
{
    return run((request){.d = d, .id = id}, focus_there, err);
}

static bool close_there(void *context, base_error *err)
{
    request *q = context;
    return there(q)->window_close(q->d, q->id, err);
}

static bool private_window_close(desk *d, uint64_t id, base_error *err)
{
    return run((request){.d = d, .id = id}, close_there, err);
}

static bool place_there(void *context, base_error *err)
{
    request *q = context;
    return there(q)->window_place(q->d, q->id, q->rect, err);
}

static bool private_window_place(desk *d, uint64_t id, image_rect rect, base_error *err)
{
    return run((request){.d = d, .id = id, .rect = rect}, place_there, err);
}

static bool state_there(void *context, base_error *err)
{
    request *q = context;
    return there(q)->window_set_state(q->d, q->id, q->state, err);
}

static bool private_window_state(desk *d, uint64_t id, desk_window_state state, base_error *err)
{
    return run((request){.d = d, .id = id, .state = state}, state_there, err);
}

static bool stack_there(void *context, base_error *err)
{
    request *q = context;
    return there(q)->window_stack(q->d, q->id, q->above, err);
}

static bool private_window_stack(desk *d, uint64_t id, bool above, base_error *err)
{
    return run((request){.d = d, .id = id, .above = above}, stack_there, err);
}

void win32_private_ops(win32_desk *w)
{
    desk_ops *ops = &w->base.ops;
    w->ordinary = *ops;
    w->base.lacks.input = "a private desktop on Windows has no mouse and keyboard; press elements "
                          "and set their text, "
                          "or work on the current desktop";
    ops->hold = NULL; /* nobody else is on it */
    ops->pointer_get = NULL;
    ops->pointer_move = NULL;
    ops->pointer_button = NULL;
    ops->pointer_wheel = NULL;
    ops->keyboard_key = NULL;
    ops->type_text = NULL;
    w->base.lacks.clipboard =
        "a private desktop on Windows has none of its own, only the user's; read and set the text "
        "of elements, or work on the current desktop";
    ops->clipboard_get = NULL;
    ops->clipboard_set = NULL;
    ops->clipboard_changes = NULL;
    ops->highlight = NULL; /* nobody looks at it */
    ops->windows = private_windows;
    ops->window_active = NULL; /* nobody types here */
    ops->window_focus = private_window_focus;
    ops->window_close = private_window_close;
    ops->window_place = private_window_place;
    ops->window_set_state = private_window_state;
    ops->window_stack = private_window_stack;
}
