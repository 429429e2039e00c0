#include "atspi_words.h"

#include <string.h>

const char *atspi_role_name(uint32_t role)
{
    /* AtspiRole, in its order. */
    static const char *const names[] = {
        "invalid",
        "accelerator label",
        "alert",
        "animation",
        "arrow",
        "calendar",
        "canvas",
        "check box",
        "check menu item",
        "color chooser",
        "column header",
        "combo box",
        "date editor",
        "desktop icon",
        "desktop frame",
        "dial",
        "dialog",
        "directory pane",
        "drawing area",
        "file chooser",
        "filler",
        "focus traversable",
        "font chooser",
        "frame",
        "glass pane",
        "html container",
        "icon",
        "image",
        "internal frame",
        "label",
        "layered pane",
        "list",
        "list item",
        "menu",
        "menu bar",
        "menu item",
        "option pane",
        "page tab",
        "page tab list",
        "panel",
        "password text",
        "popup menu",
        "progress bar",
        "push button",
        "radio button",
        "radio menu item",
        "root pane",
        "row header",
        "scroll bar",
        "scroll pane",
        "separator",
        "slider",
        "spin button",
        "split pane",
        "status bar",
        "table",
        "table cell",
        "table column header",
        "table row header",
        "tearoff menu item",
        "terminal",
        "text",
        "toggle button",
        "tool bar",
        "tool tip",
        "tree",
        "tree table",
        "unknown",
        "viewport",
        "window",
        "extended",
        "header",
        "footer",
        "paragraph",
        "ruler",
        "application",
        "autocomplete",
        "editbar",
        "embedded",
        "entry",
        "chart",
        "caption",
        "document frame",
        "heading",
        "page",
        "section",
        "redundant object",
        "form",
        "link",
        "input method window",
        "table row",
        "tree item",
        "document spreadsheet",
        "document presentation",
        "document text",
        "document web",
        "document email",
        "comment",
        "list box",
        "grouping",
        "image map",
        "notification",
        "info bar",
        "level bar",
        "title bar",
        "block quote",
        "audio",
        "video",
        "definition",
        "article",
        "landmark",
        "log",
        "marquee",
        "math",
        "rating",
        "timer",
        "static",
        "math fraction",
        "math root",
        "subscript",
        "superscript",
        "description list",
        "description term",
        "description value",
        "footnote",
        "content deletion",
        "content insertion",
        "mark",
        "suggestion",
        "push button menu",
    };
    return role < sizeof names / sizeof names[0] ? names[role] : "unknown";
}

bool atspi_role_holds_text(uint32_t role)
{
    enum {
        COMBO_BOX = 11,
        PASSWORD_TEXT = 40,
        SPIN_BUTTON = 52,
        STATUS_BAR = 54,
        TERMINAL = 60,
        TEXT = 61,
        AUTOCOMPLETE = 76,
        EDITBAR = 77,
        ENTRY = 79,
        DOCUMENT_TEXT = 94,
    };
    static const uint8_t holders[] = {COMBO_BOX, PASSWORD_TEXT, SPIN_BUTTON,  STATUS_BAR,
                                      TERMINAL,  TEXT,          AUTOCOMPLETE, EDITBAR,
                                      ENTRY,     DOCUMENT_TEXT};
    for (size_t i = 0; i < sizeof holders; i++) {
        if (holders[i] == role) {
            return true;
        }
    }
    return false;
}

uint64_t atspi_states(uint32_t low, uint32_t high)
{
    /* Bit numbers of AtspiStateType. */
    static const struct {
        uint8_t bit, state;
    } known[] = {
        {1, DESK_STATE_ACTIVE},      {3, DESK_STATE_BUSY},        {4, DESK_STATE_CHECKED},
        {5, DESK_STATE_COLLAPSED},   {7, DESK_STATE_EDITABLE},    {9, DESK_STATE_EXPANDABLE},
        {10, DESK_STATE_EXPANDED},   {11, DESK_STATE_FOCUSABLE},  {12, DESK_STATE_FOCUSED},
        {16, DESK_STATE_MODAL},      {17, DESK_STATE_MULTI_LINE}, {20, DESK_STATE_PRESSED},
        {22, DESK_STATE_SELECTABLE}, {23, DESK_STATE_SELECTED},   {24, DESK_STATE_ENABLED},
        {25, DESK_STATE_SHOWING},    {30, DESK_STATE_VISIBLE},    {32, DESK_STATE_INDETERMINATE},
        {33, DESK_STATE_REQUIRED},   {41, DESK_STATE_CHECKABLE},  {43, DESK_STATE_READ_ONLY},
    };
    uint64_t set = (uint64_t) high << 32 | low, states = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (set >> known[i].bit & 1) {
            states |= (uint64_t) 1 << known[i].state;
        }
    }
    return states;
}

unsigned atspi_interface(const char *name)
{
    static const char prefix[] = "org.a11y.atspi.";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return 0;
    }
    name += sizeof prefix - 1;
    if (strcmp(name, "Component") == 0) {
        return ATSPI_HAS_COMPONENT;
    }
    if (strcmp(name, "Text") == 0) {
        return ATSPI_HAS_TEXT;
    }
    if (strcmp(name, "Value") == 0) {
        return ATSPI_HAS_VALUE;
    }
    return strcmp(name, "Action") == 0 ? ATSPI_HAS_ACTION : 0;
}
