/* UI Automation's control types in AT-SPI's words. */
#include "win32_uia_internal.h"

#include <stddef.h>

static const char *const roles[] = {
    [UIA_BUTTON - UIA_BUTTON] = "push button",
    [UIA_CALENDAR - UIA_BUTTON] = "calendar",
    [UIA_CHECK_BOX - UIA_BUTTON] = "check box",
    [UIA_COMBO_BOX - UIA_BUTTON] = "combo box",
    [UIA_EDIT - UIA_BUTTON] = "text",
    [UIA_HYPERLINK - UIA_BUTTON] = "link",
    [UIA_IMAGE - UIA_BUTTON] = "image",
    [UIA_LIST_ITEM - UIA_BUTTON] = "list item",
    [UIA_LIST - UIA_BUTTON] = "list",
    [UIA_MENU - UIA_BUTTON] = "menu",
    [UIA_MENU_BAR - UIA_BUTTON] = "menu bar",
    [UIA_MENU_ITEM - UIA_BUTTON] = "menu item",
    [UIA_PROGRESS_BAR - UIA_BUTTON] = "progress bar",
    [UIA_RADIO_BUTTON - UIA_BUTTON] = "radio button",
    [UIA_SCROLL_BAR - UIA_BUTTON] = "scroll bar",
    [UIA_SLIDER - UIA_BUTTON] = "slider",
    [UIA_SPINNER - UIA_BUTTON] = "spin button",
    [UIA_STATUS_BAR - UIA_BUTTON] = "status bar",
    [UIA_TAB - UIA_BUTTON] = "page tab list",
    [UIA_TAB_ITEM - UIA_BUTTON] = "page tab",
    [UIA_TEXT - UIA_BUTTON] = "label",
    [UIA_TOOL_BAR - UIA_BUTTON] = "tool bar",
    [UIA_TOOL_TIP - UIA_BUTTON] = "tool tip",
    [UIA_TREE - UIA_BUTTON] = "tree",
    [UIA_TREE_ITEM - UIA_BUTTON] = "tree item",
    [UIA_CUSTOM - UIA_BUTTON] = "unknown",
    [UIA_GROUP - UIA_BUTTON] = "panel",
    [UIA_THUMB - UIA_BUTTON] = "unknown",
    [UIA_DATA_GRID - UIA_BUTTON] = "table",
    [UIA_DATA_ITEM - UIA_BUTTON] = "table row",
    [UIA_DOCUMENT - UIA_BUTTON] = "document web",
    [UIA_SPLIT_BUTTON - UIA_BUTTON] = "push button",
    [UIA_WINDOW - UIA_BUTTON] = "internal frame",
    [UIA_PANE - UIA_BUTTON] = "panel",
    [UIA_HEADER - UIA_BUTTON] = "header",
    [UIA_HEADER_ITEM - UIA_BUTTON] = "table column header",
    [UIA_TABLE - UIA_BUTTON] = "table",
    [UIA_TITLE_BAR - UIA_BUTTON] = "title bar",
    [UIA_SEPARATOR - UIA_BUTTON] = "separator",
    [UIA_SEMANTIC_ZOOM - UIA_BUTTON] = "panel",
    [UIA_APP_BAR - UIA_BUTTON] = "tool bar",
};

_Static_assert(UIA_APP_BAR == 50040, "control types are numbered without gaps");

const char *uia_role(const uia_kind *kind)
{
    int type = kind->control_type;
    if (kind->is_top && (type == UIA_WINDOW || type == UIA_PANE)) {
        return kind->is_dialog ? "dialog" : "frame";
    }
    if (type == UIA_WINDOW && kind->is_dialog) {
        return "dialog";
    }
    if (kind->is_password) {
        return "password text";
    }
    if (type == UIA_BUTTON && kind->is_toggle) {
        return "toggle button";
    }
    if (type == UIA_MENU_ITEM && kind->is_toggle) {
        return "check menu item";
    }
    if (type == UIA_MENU_ITEM && kind->opens) {
        return "menu";
    }
    if (type == UIA_DOCUMENT && kind->is_editable) {
        return "text";
    }
    if (type == UIA_CUSTOM && kind->is_invocable) {
        return "push button";
    }
    size_t at = (size_t) (type - UIA_BUTTON);
    return type >= UIA_BUTTON && at < sizeof roles / sizeof roles[0] ? roles[at] : "unknown";
}
