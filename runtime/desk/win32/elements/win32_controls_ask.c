/* One control as it is now, with what no list tells: its range, its selection, its actions. */
#include "win32_elements_internal.h"

#include <commctrl.h>

void win32_details_action(win32_reading *r, desk_element_details *out, const char *name)
{
    enum { ROOM = 8 };
    if (!out->actions) {
        out->actions = base_arena_alloc(r->arena, ROOM * sizeof *out->actions);
    }
    if (!out->actions) {
        r->no_memory = true;
    } else if (out->action_count < ROOM) {
        out->actions[out->action_count++] = (desk_element_action){name, "", "", ""};
    }
}

static bool ask(win32_reading *r, HWND window, UINT message, WPARAM wparam, DWORD_PTR *answer)
{
    return win32_ask(window, win32_reading_timeout(r), message, wparam, 0, answer);
}

/* False where it does not answer. */
static bool ask_range(win32_reading *r, HWND window, win32_class class, desk_element_details *out)
{
    DWORD_PTR low = 0, high = 0;
    bool ok = true;
    if (class == WIN32_TRACKBAR) {
        ok = ask(r, window, TBM_GETRANGEMIN, 0, &low) && ask(r, window, TBM_GETRANGEMAX, 0, &high);
    } else if (class == WIN32_PROGRESS) {
        ok = ask(r, window, PBM_GETRANGE, TRUE, &low) && ask(r, window, PBM_GETRANGE, FALSE, &high);
    } else if (class == WIN32_UPDOWN) {
        DWORD_PTR both = 0;
        ok = ask(r, window, UDM_GETRANGE, 0, &both);
        low = (DWORD_PTR) (int16_t) HIWORD(both);
        high = (DWORD_PTR) (int16_t) LOWORD(both);
    } else {
        return true;
    }
    out->minimum = (double) (int32_t) low;
    out->maximum = (double) (int32_t) high;
    out->has_range = out->maximum > out->minimum;
    out->step = 1;
    return ok;
}

static const char *action_of(const win32_handle *h, win32_class class)
{
    if (h->kind == WIN32_HANDLE_ITEM) {
        return "select";
    }
    return class == WIN32_COMBO ? "expand or contract" : "click";
}

static bool ask_window(win32_reading *r, const win32_handle *h, win32_class class,
                       desk_element_details *out)
{
    return win32_window_describe(r, h->window, h->pid) && ask_range(r, h->window, class, out) &&
           (class != WIN32_EDIT || win32_edit_ask(r, h->window, out));
}

bool win32_control_ask(win32_reading *r, const win32_handle *h, desk_element_details *out,
                       base_error *err)
{
    win32_class class = win32_class_of(h->window);
    if (h->kind == WIN32_HANDLE_ITEM && !win32_item_ask(r, h, err)) {
        return false;
    }
    if (h->kind == WIN32_HANDLE_MENU && !win32_menu_item_ask(r, h, err)) {
        return false;
    }
    if (h->kind == WIN32_HANDLE_WINDOW && !ask_window(r, h, class, out)) {
        return IsWindow(h->window)
                   ? base_fail(err, BASE_TIMED_OUT, "the application did not answer in time")
                   : base_fail(err, BASE_NOT_FOUND,
                               "the element is gone: its window has been closed");
    }
    if (r->out->count == 1 && r->out->items[0].actions > 0) {
        win32_details_action(r, out, action_of(h, class));
    }
    return true;
}
