/* Acting on windows and standard controls. What a click does may open a dialogue and wait for it,
 * so commands are posted; only messages that answer at once are sent, with a timeout. */
#include "win32_elements_internal.h"

#include <stdlib.h>
#include <string.h>

bool win32_usual_action(const char *action)
{
    static const char *const usual[] = {"click", "press", "activate", "jump", "toggle", "select"};
    for (size_t i = 0; action && i < sizeof usual / sizeof usual[0]; i++) {
        if (_stricmp(action, usual[i]) == 0) {
            return true;
        }
    }
    return !action;
}

static bool answers(HWND window, uint64_t deadline, base_error *err)
{
    return win32_tell(window, deadline, WM_NULL, 0, 0, NULL, err);
}

/* --- items --------------------------------------------------------------------------------------
 */

static bool gone(base_error *err)
{
    return base_fail(err, BASE_NOT_FOUND, "the item is gone from its list");
}

static bool select_in_combo(const win32_handle *h, uint64_t deadline, base_error *err)
{
    DWORD_PTR answer;
    if (!win32_tell(h->window, deadline, CB_SETCURSEL, (WPARAM) h->index, 0, &answer, err)) {
        return false;
    }
    if ((int32_t) answer == CB_ERR) {
        return gone(err);
    }
    return win32_notify(h->window, CBN_SELENDOK, err) &&
           win32_notify(h->window, CBN_SELCHANGE, err);
}

static bool select_in_list(const win32_handle *h, uint64_t deadline, base_error *err)
{
    DWORD style = (DWORD) GetWindowLongPtrW(h->window, GWL_STYLE);
    DWORD_PTR answer;
    bool told;
    if (style & WIN32_LBS_COMBOBOX) {
        return base_fail(err, BASE_NOT_FOUND, "the item has no actions; click it instead");
    }
    if (style & (LBS_MULTIPLESEL | LBS_EXTENDEDSEL)) {
        told = win32_tell(h->window, deadline, LB_SETSEL, TRUE, h->index, &answer, err);
    } else {
        told = win32_tell(h->window, deadline, LB_SETCURSEL, (WPARAM) h->index, 0, &answer, err);
    }
    if (!told) {
        return false;
    }
    if ((int32_t) answer == LB_ERR) {
        return gone(err);
    }
    return !(style & LBS_NOTIFY) || win32_notify(h->window, LBN_SELCHANGE, err);
}

bool win32_item_select(const win32_handle *h, uint64_t deadline, base_error *err)
{
    return win32_class_of(h->window) == WIN32_COMBO ? select_in_combo(h, deadline, err)
                                                    : select_in_list(h, deadline, err);
}

/* --- actions ------------------------------------------------------------------------------------
 */

static bool toggle_list_of_combo(HWND window, uint64_t deadline, base_error *err)
{
    DWORD_PTR dropped;
    return win32_tell(window, deadline, CB_GETDROPPEDSTATE, 0, 0, &dropped, err) &&
           win32_post(window, CB_SHOWDROPDOWN, !dropped, 0, err);
}

static bool act_on_window(HWND window, uint64_t deadline, base_error *err)
{
    switch (win32_class_of(window)) {
    case WIN32_BUTTON:
        return answers(window, deadline, err) && win32_post(window, BM_CLICK, 0, 0, err);
    case WIN32_COMBO:
        return toggle_list_of_combo(window, deadline, err);
    case WIN32_OTHER:
        return answers(window, deadline, err) && win32_msaa_act(window, err);
    default:
        return base_fail(err, BASE_NOT_FOUND, "the element has no actions; click it instead");
    }
}

bool win32_control_act(const win32_handle *h, const char *action, int index, uint64_t deadline,
                       base_error *err)
{
    if (!win32_usual_action(action)) {
        return base_fail(err, BASE_NOT_FOUND, "the element has no action \"%.60s\"", action);
    }
    if (!action && index != 0) {
        return base_fail(err, BASE_NOT_FOUND, "the element has no action number %d", index);
    }
    if (h->kind == WIN32_HANDLE_MENU) {
        return win32_menu_act(h, err);
    }
    if (!(win32_window_states(h->window) & WIN32_STATE(ENABLED))) {
        return base_fail(err, BASE_REFUSED,
                         "the element is disabled, or a dialogue in front of it must end first");
    }
    if (h->kind == WIN32_HANDLE_WINDOW) {
        return act_on_window(h->window, deadline, err);
    }
    return win32_item_select(h, deadline, err);
}

/* --- texts --------------------------------------------------------------------------------------
 */

/* The control wants "\r\n" where the text has "\n". NULL with `err`. */
static wchar_t *with_line_ends(const char *text, base_error *err)
{
    size_t units;
    wchar_t *wide = win32_wide(text, strlen(text), &units, err);
    if (!wide) {
        return NULL;
    }
    wchar_t *out = malloc((units * 2 + 1) * sizeof *out);
    size_t used = 0;
    for (size_t i = 0; out && i < units; i++) {
        if (wide[i] == L'\n' && (i == 0 || wide[i - 1] != L'\r')) {
            out[used++] = L'\r';
        }
        out[used++] = wide[i];
    }
    if (out) {
        out[used] = 0;
    } else {
        base_fail(err, BASE_NO_MEMORY, "not enough memory for the text");
    }
    free(wide);
    return out;
}

static bool takes_text(HWND window, win32_class class, base_error *err)
{
    DWORD style = (DWORD) GetWindowLongPtrW(window, GWL_STYLE);
    bool field = class == WIN32_EDIT || class == WIN32_RICH_EDIT;
    if (!field && (class != WIN32_COMBO || (style & 3) == CBS_DROPDOWNLIST)) {
        return base_fail(err, BASE_UNSUPPORTED, "the element cannot take a text");
    }
    if (field && (style & ES_READONLY)) {
        return base_fail(err, BASE_REFUSED, "the field is read-only");
    }
    return (win32_window_states(window) & WIN32_STATE(ENABLED)) ||
           base_fail(err, BASE_REFUSED, "the field is disabled");
}

bool win32_control_set_text(const win32_handle *h, const char *text, uint64_t deadline,
                            base_error *err)
{
    DWORD_PTR taken = 0;
    win32_class class = win32_class_of(h->window);
    if (h->kind != WIN32_HANDLE_WINDOW) {
        return base_fail(err, BASE_UNSUPPORTED, "the element cannot take a text");
    }
    if (!takes_text(h->window, class, err)) {
        return false;
    }
    wchar_t *wide = with_line_ends(text, err);
    if (!wide) {
        return false;
    }
    bool ok = win32_tell(h->window, deadline, WM_SETTEXT, 0, (LPARAM) wide, &taken, err);
    free(wide);
    if (!ok) {
        return false;
    }
    if (!taken) {
        return base_fail(err, BASE_REFUSED, "the field refused the text");
    }
    /* A single-line field tells its parent by itself; the others stay silent on this message. */
    DWORD style = (DWORD) GetWindowLongPtrW(h->window, GWL_STYLE);
    if (class == WIN32_COMBO) {
        return win32_notify(h->window, CBN_EDITCHANGE, err);
    }
    return !(style & ES_MULTILINE) || win32_notify(h->window, EN_CHANGE, err);
}
