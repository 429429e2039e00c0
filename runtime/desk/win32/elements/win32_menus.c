/* Menu bars and open popup menus. The system keeps menus, so reading them asks no application
 * (but for open popups, whose window knows its menu). */
#include "win32_elements_internal.h"

#ifndef MN_GETHMENU
#define MN_GETHMENU 0x01e1
#endif

typedef struct {
    HWND window; /* that shows it */
    HWND owner;  /* of a menu bar: the same; NULL for a popup */
    DWORD pid;
    HMENU menu;
    int32_t parent;
    const char *plain; /* role of an item without a submenu */
    uint64_t states;   /* that all of them have */
} menu_source;

static void item_state(desk_element *e, UINT state)
{
    if (state & (MF_GRAYED | MF_DISABLED)) {
        e->states &= ~WIN32_STATE(ENABLED);
    }
    if (state & MF_CHECKED) {
        e->role = "check menu item";
        e->states |= WIN32_STATE(CHECKABLE) | WIN32_STATE(CHECKED);
    }
    if (state & MF_HILITE) {
        e->states |= WIN32_STATE(SELECTED);
    }
}

static void read_item(win32_reading *r, const menu_source *m, int item)
{
    UINT state = GetMenuState(m->menu, (UINT) item, MF_BYPOSITION);
    char handle[WIN32_HANDLE_ROOM];
    RECT rect;
    if (state == (UINT) -1 || (state & MF_SEPARATOR && !GetSubMenu(m->menu, item))) {
        return;
    }
    win32_handle_write(
        &(win32_handle){
            .kind = WIN32_HANDLE_MENU, .window = m->window, .pid = m->pid, .index = item},
        handle);
    int32_t index = win32_element_add(r, m->parent, handle);
    if (index < 0) {
        return;
    }
    bool opens = GetSubMenu(m->menu, item) != NULL;
    int units =
        GetMenuStringW(m->menu, (UINT) item, r->buffer, DESK_ELEMENTS_MAX_NAME, MF_BYPOSITION);
    const char *name = units > 0 ? win32_reading_caption(r, r->buffer, (size_t) units) : "";
    desk_element *e = win32_element(r, index);
    e->name = name;
    e->role = opens ? "menu" : m->plain;
    e->states = m->states | WIN32_STATE(SELECTABLE);
    e->actions = !opens && !r->query->bare;
    /* The high byte of a submenu's state counts its items, the low one is as ever. */
    item_state(e, opens ? LOBYTE(state) : state);
    if (GetMenuItemRect(m->owner, m->menu, (UINT) item, &rect)) {
        win32_element_place(e, rect);
    }
}

static void read_items(win32_reading *r, const menu_source *m)
{
    int count = GetMenuItemCount(m->menu);
    for (int item = 0; item < count && item < WIN32_MAX_ITEMS && !win32_reading_over(r); item++) {
        read_item(r, m, item);
    }
}

void win32_menu_bar_read(win32_reading *r, HWND window, DWORD pid, int32_t parent)
{
    MENUBARINFO info = {.cbSize = sizeof info};
    HMENU menu = GetMenu(window);
    if (!menu || !IsMenu(menu) || GetMenuItemCount(menu) <= 0 || win32_reading_over(r)) {
        return;
    }
    char handle[WIN32_HANDLE_ROOM];
    win32_handle_write(&(win32_handle){.kind = WIN32_HANDLE_WINDOW, .window = window, .pid = pid},
                       handle);
    int32_t bar = win32_element_add(r, parent, handle);
    if (bar < 0) {
        return;
    }
    desk_element *e = win32_element(r, bar);
    e->role = "menu bar";
    e->states = win32_element(r, parent)->states &
                (WIN32_STATE(ENABLED) | WIN32_STATE(SHOWING) | WIN32_STATE(VISIBLE));
    if (GetMenuBarInfo(window, OBJID_MENU, 0, &info)) {
        win32_element_place(e, info.rcBar);
    }
    menu_source m = {window, window, pid, menu, bar, "menu item", e->states};
    read_items(r, &m);
}

static HMENU popup_menu(HWND window, unsigned timeout)
{
    DWORD_PTR menu = 0;
    if (!win32_ask(window, timeout, MN_GETHMENU, 0, 0, &menu) || !IsMenu((HMENU) menu)) {
        return NULL;
    }
    return (HMENU) menu;
}

void win32_popup_menu_read(win32_reading *r, HWND window, DWORD pid, int32_t parent)
{
    HMENU menu = popup_menu(window, win32_reading_timeout(r));
    if (!menu) {
        return;
    }
    menu_source m = {window,
                     NULL,
                     pid,
                     menu,
                     parent,
                     "menu item",
                     win32_element(r, parent)->states & ~WIN32_STATE(ACTIVE)};
    read_items(r, &m);
}

bool win32_menu_item_ask(win32_reading *r, const win32_handle *h, base_error *err)
{
    bool popup = win32_class_of(h->window) == WIN32_POPUP_MENU;
    HMENU menu = popup ? popup_menu(h->window, win32_reading_timeout(r)) : GetMenu(h->window);
    int32_t parent = win32_frame_read(r, h->window, h->pid, -1);
    if (menu && parent >= 0) {
        const menu_source m = {h->window,
                               popup ? NULL : h->window,
                               h->pid,
                               menu,
                               parent,
                               "menu item",
                               win32_element(r, parent)->states & ~WIN32_STATE(ACTIVE)};
        read_item(r, &m, h->index);
    }
    if (r->out->count != 2) {
        return base_fail(err, BASE_NOT_FOUND, "the menu item is gone");
    }
    win32_reading_keep_last(r);
    return true;
}

/* --- acting -------------------------------------------------------------------------------------
 */

/* The window that gets the commands of an open popup menu. */
static HWND popup_owner(HWND popup)
{
    GUITHREADINFO info = {.cbSize = sizeof info};
    DWORD thread = GetWindowThreadProcessId(popup, NULL);
    return GetGUIThreadInfo(thread, &info) ? info.hwndMenuOwner : NULL;
}

bool win32_menu_act(const win32_handle *h, base_error *err)
{
    bool popup = win32_class_of(h->window) == WIN32_POPUP_MENU;
    HMENU menu = popup ? popup_menu(h->window, WIN32_MESSAGE_TIMEOUT_MS) : GetMenu(h->window);
    HWND owner = popup ? popup_owner(h->window) : h->window;
    UINT state = menu ? GetMenuState(menu, (UINT) h->index, MF_BYPOSITION) : (UINT) -1;
    if (state == (UINT) -1 || !owner) {
        return base_fail(err, BASE_NOT_FOUND, "the menu item is gone");
    }
    if (GetSubMenu(menu, h->index)) {
        return base_fail(err, BASE_REFUSED, "this item opens a menu; click it with the mouse");
    }
    if (state & (MF_GRAYED | MF_DISABLED)) {
        return base_fail(err, BASE_REFUSED, "the menu item is disabled");
    }
    UINT command = GetMenuItemID(menu, h->index);
    if (popup) {
        PostMessageW(owner, WM_CANCELMODE, 0, 0);
    }
    if (!PostMessageW(owner, WM_COMMAND, MAKEWPARAM(command, 0), 0)) {
        return win32_fail(err, BASE_REFUSED, "the application does not take commands",
                          GetLastError());
    }
    return true;
}
