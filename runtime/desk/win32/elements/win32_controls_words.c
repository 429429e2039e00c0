/* What the classes of windows and standard controls are, in AT-SPI's words. */
#include "win32_elements_internal.h"

static const struct {
    const wchar_t *name;
    win32_class class;
} classes[] = {
    {L"#32768", WIN32_POPUP_MENU},
    {L"#32770", WIN32_DIALOG},
    {L"Button", WIN32_BUTTON},
    {L"Edit", WIN32_EDIT},
    {L"Static", WIN32_STATIC},
    {L"ListBox", WIN32_LIST},
    {L"ComboLBox", WIN32_LIST},
    {L"ComboBox", WIN32_COMBO},
    {L"ComboBoxEx32", WIN32_COMBO},
    {L"ScrollBar", WIN32_SCROLLBAR},
    {L"SysLink", WIN32_LINK},
    {L"SysHeader32", WIN32_HEADER},
    {L"SysListView32", WIN32_LIST_VIEW},
    {L"SysTabControl32", WIN32_TAB},
    {L"SysTreeView32", WIN32_TREE_VIEW},
    {L"ToolbarWindow32", WIN32_TOOLBAR},
    {L"msctls_progress32", WIN32_PROGRESS},
    {L"msctls_statusbar32", WIN32_STATUS},
    {L"msctls_trackbar32", WIN32_TRACKBAR},
    {L"msctls_updown32", WIN32_UPDOWN},
    {L"tooltips_class32", WIN32_TOOLTIP},
    {L"RichEdit", WIN32_RICH_EDIT},
    {L"RichEdit20A", WIN32_RICH_EDIT},
    {L"RichEdit20W", WIN32_RICH_EDIT},
    {L"RICHEDIT50W", WIN32_RICH_EDIT},
};

win32_class win32_class_of(HWND window)
{
    wchar_t name[256];
    if (!GetClassNameW(window, name, 256)) {
        return WIN32_OTHER;
    }
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (_wcsicmp(name, classes[i].name) == 0) {
            return classes[i].class;
        }
    }
    return WIN32_OTHER;
}

static const char *button_role(DWORD style)
{
    switch (style & BS_TYPEMASK) {
    case BS_CHECKBOX:
    case BS_AUTOCHECKBOX:
    case BS_3STATE:
    case BS_AUTO3STATE:
        return style & BS_PUSHLIKE ? "toggle button" : "check box";
    case BS_RADIOBUTTON:
    case BS_AUTORADIOBUTTON:
        return "radio button";
    case BS_GROUPBOX:
        return "panel";
    default:
        return "push button";
    }
}

static const char *static_role(DWORD style)
{
    switch (style & SS_TYPEMASK) {
    case SS_ICON:
    case SS_BITMAP:
    case SS_ENHMETAFILE:
        return "image";
    case SS_ETCHEDHORZ:
    case SS_ETCHEDVERT:
        return "separator";
    default:
        return "label";
    }
}

const char *win32_class_role(win32_class class, DWORD style)
{
    static const char *const roles[] = {
        [WIN32_OTHER] = "panel",
        [WIN32_FRAME] = "frame",
        [WIN32_DIALOG] = "dialog",
        [WIN32_POPUP_MENU] = "menu",
        [WIN32_LIST] = "list",
        [WIN32_COMBO] = "combo box",
        [WIN32_TRACKBAR] = "slider",
        [WIN32_PROGRESS] = "progress bar",
        [WIN32_SCROLLBAR] = "scroll bar",
        [WIN32_UPDOWN] = "spin button",
        [WIN32_TAB] = "page tab list",
        [WIN32_LIST_VIEW] = "table",
        [WIN32_TREE_VIEW] = "tree",
        [WIN32_TOOLBAR] = "tool bar",
        [WIN32_STATUS] = "status bar",
        [WIN32_HEADER] = "header",
        [WIN32_TOOLTIP] = "tool tip",
        [WIN32_RICH_EDIT] = "text",
        [WIN32_LINK] = "link",
    };
    if (class == WIN32_BUTTON) {
        return button_role(style);
    }
    if (class == WIN32_STATIC) {
        return static_role(style);
    }
    if (class == WIN32_EDIT) {
        return style & ES_PASSWORD ? "password text" : "text";
    }
    return roles[class];
}

static bool is_modal(HWND window)
{
    HWND owner = GetWindow(window, GW_OWNER);
    return owner && IsWindowVisible(owner) && !IsWindowEnabled(owner);
}

uint64_t win32_window_states(HWND window)
{
    HWND root = GetAncestor(window, GA_ROOT);
    GUITHREADINFO info = {.cbSize = sizeof info};
    uint64_t states = 0;
    if (GetWindowLongPtrW(window, GWL_STYLE) & WS_VISIBLE) {
        states |= WIN32_STATE(VISIBLE);
    }
    if (IsWindowVisible(window) && !IsIconic(root ? root : window)) {
        states |= WIN32_STATE(SHOWING);
    }
    if (IsWindowEnabled(window) && (!root || IsWindowEnabled(root))) {
        states |= WIN32_STATE(ENABLED);
    }
    if (window == GetForegroundWindow()) {
        states |= WIN32_STATE(ACTIVE);
    }
    if (GetGUIThreadInfo(0, &info) && info.hwndFocus == window) {
        states |= WIN32_STATE(FOCUSED);
    }
    if (root == window && is_modal(window)) {
        states |= WIN32_STATE(MODAL);
    }
    return states;
}
