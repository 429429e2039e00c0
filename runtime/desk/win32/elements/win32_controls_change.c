/* The ways to change a standard control, by its messages. */
#include "win32_elements_internal.h"

#include <commctrl.h>
#include <math.h>

static bool cannot(const char *what, base_error *err)
{
    return base_fail(err, BASE_UNSUPPORTED, "the element cannot %s", what);
}

/* Parents of sliders and scroll bars are told by scroll messages, in which a position has 16 bits:
 * they ask for the rest themselves. */
static bool tell_scrolled(HWND window, bool vertical, WORD code, WORD end, int position,
                          base_error *err)
{
    HWND parent = GetParent(window);
    UINT message = vertical ? WM_VSCROLL : WM_HSCROLL;
    return !parent ||
           (win32_post(parent, message, MAKEWPARAM(code, (WORD) position), (LPARAM) window, err) &&
            win32_post(parent, message, MAKEWPARAM(end, 0), (LPARAM) window, err));
}

static bool set_value(HWND window, double number, uint64_t deadline, base_error *err)
{
    DWORD style = (DWORD) GetWindowLongPtrW(window, GWL_STYLE);
    if (!(number >= INT32_MIN && number <= INT32_MAX)) {
        return base_fail(err, BASE_INVALID, "the value is out of the range of any control");
    }
    int value = (int) lround(number);
    switch (win32_class_of(window)) {
    case WIN32_TRACKBAR:
        return win32_tell(window, deadline, TBM_SETPOS, TRUE, value, NULL, err) &&
               tell_scrolled(window, style & TBS_VERT, TB_THUMBPOSITION, TB_ENDTRACK, value, err);
    case WIN32_UPDOWN:
        return win32_tell(window, deadline, UDM_SETPOS32, 0, value, NULL, err) &&
               tell_scrolled(window, !(style & UDS_HORZ), SB_THUMBPOSITION, SB_ENDSCROLL, value,
                             err);
    case WIN32_SCROLLBAR:
        return win32_tell(window, deadline, SBM_SETPOS, (WPARAM) value, TRUE, NULL, err) &&
               tell_scrolled(window, style & SBS_VERT, SB_THUMBPOSITION, SB_ENDSCROLL, value, err);
    default:
        return cannot("take a value", err);
    }
}

/* Another thread's window takes the focus from a thread that shares its input. It answered just
 * before, so that is no long wait. */
static bool focus(HWND window, uint64_t deadline, base_error *err)
{
    DWORD theirs = GetWindowThreadProcessId(window, NULL), ours = GetCurrentThreadId();
    MSG none;
    if (!win32_tell(window, deadline, WM_NULL, 0, 0, NULL, err)) {
        return false;
    }
    PeekMessageW(&none, NULL, WM_USER, WM_USER, PM_NOREMOVE); /* or this thread has no input */
    if (!AttachThreadInput(ours, theirs, TRUE)) {
        return win32_fail(err, BASE_REFUSED,
                          "the window's input cannot be shared; click it instead", GetLastError());
    }
    SetFocus(window);
    bool ok = GetFocus() == window;
    AttachThreadInput(ours, theirs, FALSE);
    return ok || base_fail(err, BASE_REFUSED, "the element did not take the focus");
}

static bool expand(HWND window, bool on, uint64_t deadline, base_error *err)
{
    if (win32_class_of(window) != WIN32_COMBO) {
        return cannot("be opened or closed", err);
    }
    return win32_tell(window, deadline, WM_NULL, 0, 0, NULL, err) &&
           win32_post(window, CB_SHOWDROPDOWN, on, 0, err);
}

static bool scroll_to_item(const win32_handle *h, uint64_t deadline, base_error *err)
{
    DWORD_PTR answer;
    if (h->kind != WIN32_HANDLE_ITEM || win32_class_of(h->window) != WIN32_LIST) {
        return cannot("be scrolled into view: nothing in Windows does that for it", err);
    }
    if (!win32_tell(h->window, deadline, LB_SETTOPINDEX, (WPARAM) h->index, 0, &answer, err)) {
        return false;
    }
    return (int32_t) answer != LB_ERR ||
           base_fail(err, BASE_NOT_FOUND, "the item is gone from its list");
}

static bool change_window(const win32_handle *h, const desk_element_change *change,
                          uint64_t deadline, base_error *err)
{
    win32_class class = win32_class_of(h->window);
    switch (change->kind) {
    case DESK_CHANGE_VALUE:
        return set_value(h->window, change->number, deadline, err);
    case DESK_CHANGE_SELECTED: /* a radio button */
    case DESK_CHANGE_CHECKED:
        return class == WIN32_BUTTON ? win32_control_act(h, NULL, 0, deadline, err)
                                     : cannot("be switched or selected", err);
    case DESK_CHANGE_EXPANDED:
        return expand(h->window, change->on, deadline, err);
    case DESK_CHANGE_FOCUSED:
        return focus(h->window, deadline, err);
    case DESK_CHANGE_SELECTION:
        return class == WIN32_EDIT
                   ? win32_edit_select(h->window, change->from, change->to, deadline, err)
                   : cannot("select a part of its text", err);
    default:
        return scroll_to_item(h, deadline, err);
    }
}

bool win32_control_change(const win32_handle *h, const desk_element_change *change,
                          uint64_t deadline, base_error *err)
{
    if (change->kind == DESK_CHANGE_TEXT) {
        return win32_control_set_text(h, change->text, deadline, err);
    }
    if (h->kind == WIN32_HANDLE_WINDOW) {
        return change_window(h, change, deadline, err);
    }
    bool chosen = change->kind == DESK_CHANGE_SELECTED || change->kind == DESK_CHANGE_CHECKED;
    if (h->kind == WIN32_HANDLE_MENU) {
        return chosen ? win32_menu_act(h, err) : cannot("be changed so", err);
    }
    if (change->kind == DESK_CHANGE_SELECTED) {
        return win32_item_select(h, deadline, err);
    }
    if (change->kind == DESK_CHANGE_IN_VIEW) {
        return scroll_to_item(h, deadline, err);
    }
    return cannot("be changed so", err);
}
