/* Windows of unknown classes by MSAA: what the window's object says of itself, without children.
 * These calls have no timeout of their own; the window has answered a message just before. */
#define COBJMACROS
#include "win32_elements_internal.h"

#include <oleacc.h>
#include <string.h>
#include <wchar.h>

static const struct {
    LONG role;
    const char *name;
} roles[] = {
    {ROLE_SYSTEM_TITLEBAR, "title bar"},
    {ROLE_SYSTEM_MENUBAR, "menu bar"},
    {ROLE_SYSTEM_SCROLLBAR, "scroll bar"},
    {ROLE_SYSTEM_ALERT, "alert"},
    {ROLE_SYSTEM_MENUPOPUP, "menu"},
    {ROLE_SYSTEM_MENUITEM, "menu item"},
    {ROLE_SYSTEM_TOOLTIP, "tool tip"},
    {ROLE_SYSTEM_APPLICATION, "application"},
    {ROLE_SYSTEM_DOCUMENT, "document frame"},
    {ROLE_SYSTEM_CHART, "chart"},
    {ROLE_SYSTEM_DIALOG, "dialog"},
    {ROLE_SYSTEM_SEPARATOR, "separator"},
    {ROLE_SYSTEM_TOOLBAR, "tool bar"},
    {ROLE_SYSTEM_STATUSBAR, "status bar"},
    {ROLE_SYSTEM_TABLE, "table"},
    {ROLE_SYSTEM_LINK, "link"},
    {ROLE_SYSTEM_LIST, "list"},
    {ROLE_SYSTEM_LISTITEM, "list item"},
    {ROLE_SYSTEM_OUTLINE, "tree"},
    {ROLE_SYSTEM_OUTLINEITEM, "tree item"},
    {ROLE_SYSTEM_PAGETAB, "page tab"},
    {ROLE_SYSTEM_PAGETABLIST, "page tab list"},
    {ROLE_SYSTEM_GRAPHIC, "image"},
    {ROLE_SYSTEM_STATICTEXT, "label"},
    {ROLE_SYSTEM_TEXT, "text"},
    {ROLE_SYSTEM_PUSHBUTTON, "push button"},
    {ROLE_SYSTEM_CHECKBUTTON, "check box"},
    {ROLE_SYSTEM_RADIOBUTTON, "radio button"},
    {ROLE_SYSTEM_COMBOBOX, "combo box"},
    {ROLE_SYSTEM_PROGRESSBAR, "progress bar"},
    {ROLE_SYSTEM_SLIDER, "slider"},
    {ROLE_SYSTEM_SPINBUTTON, "spin button"},
};

static IAccessible *object_of(HWND window)
{
    void *object = NULL;
    HRESULT hr =
        AccessibleObjectFromWindow(window, (DWORD) OBJID_CLIENT, &IID_IAccessible, &object);
    return SUCCEEDED(hr) ? object : NULL;
}

static VARIANT self(void)
{
    VARIANT child;
    VariantInit(&child);
    child.vt = VT_I4;
    child.lVal = CHILDID_SELF;
    return child;
}

static void describe_role(IAccessible *object, desk_element *e)
{
    VARIANT role;
    VariantInit(&role);
    if (FAILED(IAccessible_get_accRole(object, self(), &role))) {
        return;
    }
    for (size_t i = 0; role.vt == VT_I4 && i < sizeof roles / sizeof roles[0]; i++) {
        if (roles[i].role == role.lVal) {
            e->role = roles[i].name;
        }
    }
    VariantClear(&role);
}

/* False where it is a protected field, whose value is not asked for. */
static bool describe_states(IAccessible *object, desk_element *e)
{
    static const struct {
        LONG msaa;
        uint64_t states;
    } known[] = {
        {STATE_SYSTEM_CHECKED, WIN32_STATE(CHECKED) | WIN32_STATE(CHECKABLE)},
        {STATE_SYSTEM_MIXED, WIN32_STATE(INDETERMINATE)},
        {STATE_SYSTEM_PRESSED, WIN32_STATE(PRESSED)},
        {STATE_SYSTEM_READONLY, WIN32_STATE(READ_ONLY)},
        {STATE_SYSTEM_EXPANDED, WIN32_STATE(EXPANDABLE) | WIN32_STATE(EXPANDED)},
        {STATE_SYSTEM_COLLAPSED, WIN32_STATE(EXPANDABLE) | WIN32_STATE(COLLAPSED)},
        {STATE_SYSTEM_SELECTABLE, WIN32_STATE(SELECTABLE)},
        {STATE_SYSTEM_SELECTED, WIN32_STATE(SELECTED)},
        {STATE_SYSTEM_FOCUSABLE, WIN32_STATE(FOCUSABLE)},
        {STATE_SYSTEM_BUSY, WIN32_STATE(BUSY)},
    };
    VARIANT state;
    VariantInit(&state);
    if (FAILED(IAccessible_get_accState(object, self(), &state))) {
        return true;
    }
    for (size_t i = 0; state.vt == VT_I4 && i < sizeof known / sizeof known[0]; i++) {
        if (state.lVal & known[i].msaa) {
            e->states |= known[i].states;
        }
    }
    bool secret = state.vt == VT_I4 && (state.lVal & STATE_SYSTEM_PROTECTED);
    VariantClear(&state);
    if (secret) {
        e->role = "password text";
    }
    return !secret;
}

/* Takes the string over. */
static const char *take(win32_reading *r, BSTR text, bool one_line)
{
    const char *copy = "";
    if (text) {
        copy = one_line ? win32_reading_name(r, text, SysStringLen(text))
                        : win32_reading_text(r, text, SysStringLen(text));
    }
    SysFreeString(text);
    return copy;
}

static void describe_value(win32_reading *r, IAccessible *object, desk_element *e)
{
    BSTR text = NULL;
    if (strcmp(e->role, "text") == 0 &&
        SUCCEEDED(IAccessible_get_accValue(object, self(), &text)) && text) {
        e->text = take(r, text, false);
    }
    text = NULL;
    if (SUCCEEDED(IAccessible_get_accDefaultAction(object, self(), &text)) && text) {
        e->actions = SysStringLen(text) > 0;
    }
    SysFreeString(text);
}

void win32_msaa_describe(win32_reading *r, HWND window, int32_t index)
{
    if (!win32_ask(window, win32_reading_timeout(r), WM_NULL, 0, 0, NULL)) {
        return;
    }
    IAccessible *object = object_of(window);
    if (!object) {
        return;
    }
    desk_element *e = win32_element(r, index);
    BSTR name = NULL;
    describe_role(object, e);
    bool open = describe_states(object, e);
    if (SUCCEEDED(IAccessible_get_accName(object, self(), &name))) {
        e->name = take(r, name, true);
    }
    if (open && !r->query->bare) {
        describe_value(r, object, e);
    }
    IAccessible_Release(object);
}

bool win32_msaa_act(HWND window, base_error *err)
{
    IAccessible *object = object_of(window);
    if (!object) {
        return base_fail(err, BASE_NOT_FOUND, "the element has no actions; click it instead");
    }
    HRESULT hr = IAccessible_accDoDefaultAction(object, self());
    IAccessible_Release(object);
    return SUCCEEDED(hr) ||
           win32_fail(err, BASE_REFUSED, "the application refused to do that", (DWORD) hr);
}
