/*
 * win32_elements_internal.h: the inside of the element reader for Windows, shared by
 * win32_elements*.c, win32_messages.c, win32_describe.c, win32_controls*.c, win32_menus.c,
 * win32_msaa.c and win32_uia*.c.
 *
 * A read goes through the visible top-level windows, grouped by process. Each window is first asked
 * for a sign of life, within a moment. Then its tree comes from UI Automation (win32_uia.c), or,
 * where that does not exist, from the windows and standard controls themselves (win32_controls.c).
 * A window that gives no sign is listed with what the system knows of it, and its application gets
 * a note; the others are read all the same.
 *
 * What bounds a read: every message has a timeout of a fifth of the read's time, at least
 * WIN32_MESSAGE_TIMEOUT_MS, and of what is left of it: who gives a busy machine more time gets its
 * answers. Every call of UI Automation has a timeout of half of what is left (where Windows 8's
 * IUIAutomation2 is there; before it, the system's own). MSAA calls have no timeout of their own:
 * they are only made to a window that answered just before.
 */
#ifndef DESK_WIN32_ELEMENTS_WIN32_ELEMENTS_INTERNAL_H
#define DESK_WIN32_ELEMENTS_WIN32_ELEMENTS_INTERNAL_H

#include "base/arena.h"
#include "desk/elements.h"
#include "desk/win32/win32_internal.h"

enum {
    WIN32_MESSAGE_TIMEOUT_MS = 200,
    WIN32_MAX_WINDOWS = 1024,  /* top-level ones, of one read */
    WIN32_MAX_CHILDREN = 4096, /* windows within one, of one read */
    WIN32_MAX_ITEMS = 1000,    /* of one list or menu */
    WIN32_MAX_DEPTH = 200,
    WIN32_MAX_ID = 32,          /* numbers of a runtime id */
    WIN32_TEXT_UNITS = 0x10000, /* of the buffer that controls write their texts to */
};

#define WIN32_STATE(state) ((uint64_t) 1 << (DESK_STATE_##state))

/* --- win32_elements_list.c: the list that a read fills -------------------------------------------
 */

typedef struct {
    const desk_elements_query *query;
    base_arena *arena;
    desk_element_list *out;
    unsigned patience; /* milliseconds that one question may take */
    size_t capacity;   /* of out->items */
    wchar_t *buffer;   /* WIN32_TEXT_UNITS */
    bool no_memory;
} win32_reading;

bool win32_reading_open(win32_reading *r, const desk_elements_query *query, desk_element_list *out);
void win32_reading_close(win32_reading *r);
/* True when the time is up, the reader was told to stop, the list is full or memory is short. */
bool win32_reading_over(const win32_reading *r);
/* Milliseconds until then, at least 1. */
unsigned win32_left_ms(uint64_t deadline);
/* Milliseconds that one question may take now, at least 1. */
unsigned win32_reading_timeout(const win32_reading *r);

/* Adds an application and its element (depth 0); -1 when there is no room. */
int32_t win32_app_add(win32_reading *r, DWORD pid);
/* Says why something of it is missing. `note` is static storage; the first one stays. */
void win32_app_note(win32_reading *r, int32_t app, const char *note);

/* A new element at the end, of no role and without texts; -1 when there is no room. */
int32_t win32_element_add(win32_reading *r, int32_t parent, const char *handle);
/* Adding may move the elements: ask anew after each. */
static inline desk_element *win32_element(const win32_reading *r, int32_t index)
{
    return &r->out->items[index];
}
/* Cleaned copies in the arena, "" for what cannot be had: of one line, and of a text. */
const char *win32_reading_name(win32_reading *r, const wchar_t *wide, size_t units);
const char *win32_reading_text(win32_reading *r, const wchar_t *wide, size_t units);
/* As a name, without the ampersand that marks a mnemonic. */
const char *win32_reading_caption(win32_reading *r, const wchar_t *wide, size_t units);
void win32_element_place(desk_element *e, RECT rect);

/* --- win32_elements_handle.c ---------------------------------------------------------------------
 */

typedef enum {
    WIN32_HANDLE_APP,    /* "app:PID" */
    WIN32_HANDLE_WINDOW, /* "hwnd:WINDOW:PID" */
    WIN32_HANDLE_ITEM,   /* "item:WINDOW:PID:INDEX", of a list or combo box */
    WIN32_HANDLE_MENU,   /* "menu:WINDOW:PID:INDEX", of its menu bar, or of a popup menu's window */
    WIN32_HANDLE_UIA,    /* "uia:WINDOW:PID:N.N.N", a runtime id within a top-level window */
} win32_handle_kind;

typedef struct {
    win32_handle_kind kind;
    HWND window;
    DWORD pid;
    int index;
    int id[WIN32_MAX_ID];
    int id_count;
} win32_handle;

enum { WIN32_HANDLE_ROOM = 64 + WIN32_MAX_ID * 12 };

void win32_handle_write(const win32_handle *h, char out[WIN32_HANDLE_ROOM]);
/* BASE_INVALID for anything that handle_write does not write. */
bool win32_handle_read(win32_handle *h, const char *text, base_error *err);
/* BASE_NOT_FOUND where the window has gone, or its number belongs to another process now. */
bool win32_handle_alive(const win32_handle *h, base_error *err);

/* --- win32_messages.c ----------------------------------------------------------------------------
 */

/* Asks a window, for at most that long. False where it did not answer. */
bool win32_ask(HWND window, unsigned timeout, UINT message, WPARAM wparam, LPARAM lparam,
               DWORD_PTR *answer);
/* The same for an action; BASE_TIMED_OUT, BASE_NOT_FOUND or BASE_REFUSED. */
bool win32_tell(HWND window, uint64_t deadline, UINT message, WPARAM wparam, LPARAM lparam,
                DWORD_PTR *answer, base_error *err);
/* Tells a control's parent, as the control does after the user changed it. */
bool win32_notify(HWND window, WORD code, base_error *err);
bool win32_post(HWND window, UINT message, WPARAM wparam, LPARAM lparam, base_error *err);

/* --- win32_controls_words.c: classes -------------------------------------------------------------
 */

/* What a window's class stands for. */
typedef enum {
    WIN32_OTHER,
    WIN32_FRAME, /* any top-level window that is none of the others */
    WIN32_DIALOG,
    WIN32_POPUP_MENU,
    WIN32_BUTTON,
    WIN32_EDIT,
    WIN32_STATIC,
    WIN32_LIST,
    WIN32_COMBO,
    WIN32_TRACKBAR,
    WIN32_PROGRESS,
    WIN32_SCROLLBAR,
    WIN32_UPDOWN,
    WIN32_TAB,
    WIN32_LIST_VIEW,
    WIN32_TREE_VIEW,
    WIN32_TOOLBAR,
    WIN32_STATUS,
    WIN32_HEADER,
    WIN32_TOOLTIP,
    WIN32_RICH_EDIT,
    WIN32_LINK,
} win32_class;

win32_class win32_class_of(HWND window);
/* The role of a window of that class and style. */
const char *win32_class_role(win32_class class, DWORD style);
/* The states that any window has. */
uint64_t win32_window_states(HWND window);

/* --- win32_describe.c: one window ----------------------------------------------------------------
 */

/* Adds the window, with its class and states, to the list; its index or -1. */
int32_t win32_window_add(win32_reading *r, HWND window, DWORD pid, int32_t parent,
                         win32_class class);
/* One top-level window with what the system itself knows; returns its index or -1. */
int32_t win32_frame_read(win32_reading *r, HWND window, DWORD pid, int32_t parent);
/* Class, states, text and value of a control that is in the list. False if it does not answer. */
bool win32_control_describe(win32_reading *r, HWND window, win32_class class, int32_t index);
/* The window's own element at the end of the list: as reading finds it. False if it is silent. */
bool win32_window_describe(win32_reading *r, HWND window, DWORD pid);

/* --- win32_controls*.c, win32_menus.c, win32_msaa.c: without UI Automation -----------------------
 */

/* One top-level window and all that is within. False if it stopped answering. */
bool win32_controls_read(win32_reading *r, HWND window, DWORD pid, int32_t parent);
/* A style of list boxes that are the open list of a combo box. */
#define WIN32_LBS_COMBOBOX 0x8000
/* The items of a list box or combo box, below its element. */
bool win32_items_read(win32_reading *r, HWND window, DWORD pid, int32_t parent, bool combo);
/* One of those items, as the list's only element; BASE_NOT_FOUND where it is gone. */
bool win32_item_ask(win32_reading *r, const win32_handle *h, base_error *err);
bool win32_menu_item_ask(win32_reading *r, const win32_handle *h, base_error *err);
/* Makes the last element of the list its first and only one. */
void win32_reading_keep_last(win32_reading *r);
void win32_menu_bar_read(win32_reading *r, HWND window, DWORD pid, int32_t parent);
void win32_popup_menu_read(win32_reading *r, HWND window, DWORD pid, int32_t parent);
/* Name, role, states, value and default action of a window of an unknown class. */
void win32_msaa_describe(win32_reading *r, HWND window, int32_t index);
bool win32_msaa_act(HWND window, base_error *err);

bool win32_control_act(const win32_handle *h, const char *action, int index, uint64_t deadline,
                       base_error *err);
bool win32_control_set_text(const win32_handle *h, const char *text, uint64_t deadline,
                            base_error *err);
/* Selects an item of a list or combo box. */
bool win32_item_select(const win32_handle *h, uint64_t deadline, base_error *err);

/* --- win32_controls_change.c, win32_controls_ask.c, win32_controls_edit.c */
bool win32_control_change(const win32_handle *h, const desk_element_change *change,
                          uint64_t deadline, base_error *err);
bool win32_control_ask(win32_reading *r, const win32_handle *h, desk_element_details *out,
                       base_error *err);
/* The selection of an edit field, in characters of its text as it is told: a line end is one, as is
 * what takes two UTF-16 units. */
bool win32_edit_select(HWND window, int32_t from, int32_t to, uint64_t deadline, base_error *err);
bool win32_edit_ask(win32_reading *r, HWND window, desk_element_details *out);
/* An action in the list's memory; `name` is static storage. */
void win32_details_action(win32_reading *r, desk_element_details *out, const char *name);
bool win32_menu_act(const win32_handle *h, base_error *err);
/* True for NULL and for what other platforms call the usual action ("click", "press", ...). */
bool win32_usual_action(const char *action);

#endif
