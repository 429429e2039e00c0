/* Windows and standard controls, read by their windows and by messages with a timeout. */
#include "win32_elements_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    HWND top;
    HWND windows[WIN32_MAX_CHILDREN];
    int32_t elements[WIN32_MAX_CHILDREN]; /* below which the window's children go */
    int count;
} children;

static BOOL CALLBACK collect(HWND window, LPARAM parameter)
{
    children *all = (children *) parameter;
    if (all->count >= WIN32_MAX_CHILDREN) {
        return FALSE;
    }
    all->windows[all->count++] = window;
    return TRUE;
}

/* Parents are enumerated before their children, so they are searched backwards. */
static int32_t parent_of(const children *all, int child, int32_t root)
{
    HWND parent = GetAncestor(all->windows[child], GA_PARENT);
    for (int at = parent == all->top ? -1 : child - 1; at >= 0; at--) {
        if (all->windows[at] == parent) {
            return all->elements[at];
        }
    }
    return root;
}

/* A field without a name of its own is named by the label before it, as screen readers do. */
static void name_by_label(win32_reading *r, int32_t index)
{
    desk_element *e = win32_element(r, index), *before = e - 1;
    if (!*e->name && before->parent == e->parent && strcmp(before->role, "label") == 0) {
        e->name = before->name;
    }
}

static bool read_child(win32_reading *r, children *all, int at, DWORD pid, int32_t root)
{
    HWND window = all->windows[at];
    int32_t parent = all->elements[at] = parent_of(all, at, root);
    if (!r->query->all && !(win32_window_states(window) & WIN32_STATE(SHOWING))) {
        return true;
    }
    win32_class class = win32_class_of(window);
    int32_t index = win32_window_add(r, window, pid, parent, class);
    if (index < 0) {
        return true;
    }
    all->elements[at] = index;
    if (!win32_control_describe(r, window, class, index)) {
        return false;
    }
    if (class != WIN32_STATIC && class != WIN32_BUTTON) {
        name_by_label(r, index);
    }
    if (class == WIN32_LIST || (class == WIN32_COMBO && r->query->all)) {
        return win32_items_read(r, window, pid, index, class == WIN32_COMBO);
    }
    return true;
}

static bool read_children(win32_reading *r, HWND window, DWORD pid, int32_t root)
{
    children *all = malloc(sizeof *all);
    if (!all) {
        r->no_memory = true;
        return true;
    }
    all->top = window;
    all->count = 0;
    EnumChildWindows(window, collect, (LPARAM) all);
    r->out->truncated |= all->count == WIN32_MAX_CHILDREN;
    bool answers = true, full = false;
    for (int at = 0; answers && !full && at < all->count; at++) {
        full = r->out->count >= r->query->max_nodes;
        answers = full || (!win32_reading_over(r) && read_child(r, all, at, pid, root));
    }
    r->out->truncated |= full;
    free(all);
    return answers;
}

bool win32_controls_read(win32_reading *r, HWND window, DWORD pid, int32_t parent)
{
    win32_class class = win32_class_of(window);
    int32_t index = win32_frame_read(r, window, pid, parent);
    if (index < 0) {
        return true;
    }
    if (class == WIN32_POPUP_MENU) {
        win32_popup_menu_read(r, window, pid, index);
        return true;
    }
    if (class == WIN32_LIST) {
        return win32_items_read(r, window, pid, index, false);
    }
    if (class != WIN32_OTHER && class != WIN32_DIALOG) {
        return win32_control_describe(r, window, class, index);
    }
    win32_menu_bar_read(r, window, pid, index);
    return read_children(r, window, pid, index);
}
