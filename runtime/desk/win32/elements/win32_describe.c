/* What one window or standard control is: its role, states, text and value. */
#include "win32_elements_internal.h"

#include <commctrl.h>
#include <wchar.h>

static bool ask(win32_reading *r, HWND window, UINT message, WPARAM wparam, DWORD_PTR *answer)
{
    return win32_ask(window, win32_reading_timeout(r), message, wparam, 0, answer);
}

/* The text of a control in the reading's buffer. */
static bool control_text(win32_reading *r, HWND window, size_t *units)
{
    const WPARAM capacity = DESK_ELEMENTS_MAX_TEXT + 1;
    DWORD_PTR count = 0;
    r->buffer[0] = 0;
    if (!win32_ask(window, win32_reading_timeout(r), WM_GETTEXT, capacity, (LPARAM) r->buffer,
                   &count)) {
        return false;
    }
    r->buffer[capacity - 1] = 0;
    *units = wcsnlen(r->buffer, capacity);
    return true;
}

/* --- by class -----------------------------------------------------------------------------------
 */

static bool describe_button(win32_reading *r, HWND window, DWORD style, int32_t index)
{
    DWORD_PTR check = 0;
    UINT type = style & BS_TYPEMASK;
    if (type == BS_GROUPBOX) {
        return true;
    }
    desk_element *e = win32_element(r, index);
    e->states |= WIN32_STATE(FOCUSABLE);
    e->actions = !r->query->bare;
    bool checkable = (type >= BS_CHECKBOX && type <= BS_AUTO3STATE) || type == BS_AUTORADIOBUTTON;
    if (!checkable) {
        return true;
    }
    if (!ask(r, window, BM_GETCHECK, 0, &check)) {
        return false;
    }
    e->states |= WIN32_STATE(CHECKABLE);
    if (check == BST_CHECKED) {
        e->states |= style & BS_PUSHLIKE ? WIN32_STATE(PRESSED) | WIN32_STATE(CHECKED)
                                         : WIN32_STATE(CHECKED);
    }
    if (check == BST_INDETERMINATE) {
        e->states |= WIN32_STATE(INDETERMINATE);
    }
    return true;
}

static void describe_field(win32_reading *r, DWORD style, int32_t index)
{
    desk_element *e = win32_element(r, index);
    e->states |= WIN32_STATE(FOCUSABLE);
    e->states |= style & ES_READONLY ? WIN32_STATE(READ_ONLY) : WIN32_STATE(EDITABLE);
    if (style & ES_MULTILINE) {
        e->states |= WIN32_STATE(MULTI_LINE);
    }
}

static bool describe_combo(win32_reading *r, HWND window, DWORD style, int32_t index)
{
    DWORD_PTR dropped = 0;
    if (!ask(r, window, CB_GETDROPPEDSTATE, 0, &dropped)) {
        return false;
    }
    desk_element *e = win32_element(r, index);
    e->states |= WIN32_STATE(FOCUSABLE) | WIN32_STATE(EXPANDABLE);
    e->states |= dropped ? WIN32_STATE(EXPANDED) : WIN32_STATE(COLLAPSED);
    if ((style & 3) != CBS_DROPDOWNLIST) {
        e->states |= WIN32_STATE(EDITABLE);
    }
    e->actions = !r->query->bare;
    return true;
}

static bool describe_value(win32_reading *r, HWND window, UINT message, int32_t index)
{
    DWORD_PTR value = 0;
    if (r->query->bare) {
        return true;
    }
    if (!ask(r, window, message, 0, &value)) {
        return false;
    }
    desk_element *e = win32_element(r, index);
    e->value = message == UDM_GETPOS ? (double) (int16_t) LOWORD(value) : (double) (int32_t) value;
    e->has_value = true;
    return true;
}

static bool describe_states(win32_reading *r, HWND window, win32_class class, DWORD style,
                            int32_t index)
{
    switch (class) {
    case WIN32_BUTTON:
        return describe_button(r, window, style, index);
    case WIN32_EDIT:
    case WIN32_RICH_EDIT:
        describe_field(r, style, index);
        return true;
    case WIN32_COMBO:
        return describe_combo(r, window, style, index);
    case WIN32_TRACKBAR:
        return describe_value(r, window, TBM_GETPOS, index);
    case WIN32_PROGRESS:
        return describe_value(r, window, PBM_GETPOS, index);
    case WIN32_SCROLLBAR:
        return describe_value(r, window, SBM_GETPOS, index);
    case WIN32_UPDOWN:
        return describe_value(r, window, UDM_GETPOS, index);
    case WIN32_OTHER:
        win32_msaa_describe(r, window, index);
        return true;
    default:
        return true;
    }
}

static bool is_field(win32_class class)
{
    return class == WIN32_EDIT || class == WIN32_RICH_EDIT || class == WIN32_COMBO;
}

/* A password is not even asked for. */
static bool describe_text(win32_reading *r, HWND window, win32_class class, DWORD style,
                          int32_t index)
{
    size_t units = 0;
    bool wanted = !is_field(class) || !r->query->bare;
    if ((class == WIN32_EDIT || class == WIN32_RICH_EDIT) && (style & ES_PASSWORD)) {
        wanted = false;
    }
    if (wanted && !control_text(r, window, &units)) {
        return false;
    }
    bool plain = class == WIN32_STATIC && (style & SS_NOPREFIX);
    desk_element *e = win32_element(r, index);
    if (is_field(class)) {
        e->text = wanted ? win32_reading_text(r, r->buffer, units) : NULL;
        return true;
    }
    if (units && !*e->name) {
        e->name = plain ? win32_reading_name(r, r->buffer, units)
                        : win32_reading_caption(r, r->buffer, units);
    }
    if (class == WIN32_STATIC && !r->query->bare && *e->name) {
        e->text = e->name;
    }
    return true;
}

bool win32_control_describe(win32_reading *r, HWND window, win32_class class, int32_t index)
{
    DWORD style = (DWORD) GetWindowLongPtrW(window, GWL_STYLE);
    if (style & WS_TABSTOP) {
        win32_element(r, index)->states |= WIN32_STATE(FOCUSABLE);
    }
    return describe_states(r, window, class, style, index) &&
           describe_text(r, window, class, style, index);
}

/* --- one window ---------------------------------------------------------------------------------
 */

int32_t win32_window_add(win32_reading *r, HWND window, DWORD pid, int32_t parent,
                         win32_class class)
{
    char handle[WIN32_HANDLE_ROOM];
    RECT rect;
    win32_handle_write(&(win32_handle){.kind = WIN32_HANDLE_WINDOW, .window = window, .pid = pid},
                       handle);
    int32_t index = win32_element_add(r, parent, handle);
    if (index < 0) {
        return -1;
    }
    desk_element *e = win32_element(r, index);
    e->role = win32_class_role(class, (DWORD) GetWindowLongPtrW(window, GWL_STYLE));
    e->states = win32_window_states(window);
    if (GetWindowRect(window, &rect)) {
        win32_element_place(e, rect);
    }
    return index;
}

int32_t win32_frame_read(win32_reading *r, HWND window, DWORD pid, int32_t parent)
{
    win32_class class = win32_class_of(window);
    int32_t index =
        win32_window_add(r, window, pid, parent, class == WIN32_OTHER ? WIN32_FRAME : class);
    /* Of another process's window this is the title that the system keeps; it asks nobody. */
    int units = index >= 0 ? GetWindowTextW(window, r->buffer, DESK_ELEMENTS_MAX_NAME) : 0;
    if (units > 0) {
        win32_element(r, index)->name = win32_reading_name(r, r->buffer, (size_t) units);
    }
    return index;
}

bool win32_window_describe(win32_reading *r, HWND window, DWORD pid)
{
    win32_class class = win32_class_of(window);
    bool top = GetAncestor(window, GA_ROOT) == window;
    if (top && (class == WIN32_OTHER || class == WIN32_DIALOG)) {
        return win32_frame_read(r, window, pid, -1) >= 0;
    }
    int32_t index = win32_window_add(r, window, pid, -1, class);
    return index >= 0 && win32_control_describe(r, window, class, index);
}
