/* The items of list boxes and combo boxes. Their messages are the system's own, so it carries texts
 * and places between processes. */
#include "win32_elements_internal.h"

#include <wchar.h>

typedef struct {
    HWND window;
    DWORD pid;
    int32_t parent;
    bool combo;
    bool has_texts; /* else the application draws its items and knows alone what they are */
    bool multiple;  /* several may be selected */
    bool is_popup;  /* the open list of a combo box, which only follows the mouse and keys */
    RECT client;    /* on the screen */
    POINT origin;
    uint64_t states; /* that all of them have */
} item_source;

static bool ask(win32_reading *r, HWND window, UINT message, WPARAM wparam, void *out,
                LRESULT *answer)
{
    DWORD_PTR raw = 0;
    bool ok = win32_ask(window, win32_reading_timeout(r), message, wparam, (LPARAM) out, &raw);
    *answer = (LRESULT) (int32_t) raw;
    return ok;
}

/* The text comes without a size, so the buffer has room for four times what is asked for: it may
 * grow between the two questions. */
static bool item_name(win32_reading *r, const item_source *s, int item, int32_t index)
{
    LRESULT units;
    if (!ask(r, s->window, s->combo ? CB_GETLBTEXTLEN : LB_GETTEXTLEN, (WPARAM) item, NULL,
             &units)) {
        return false;
    }
    if (units <= 0 || units > WIN32_TEXT_UNITS / 4) {
        return true;
    }
    r->buffer[0] = 0;
    if (!ask(r, s->window, s->combo ? CB_GETLBTEXT : LB_GETTEXT, (WPARAM) item, r->buffer,
             &units)) {
        return false;
    }
    r->buffer[WIN32_TEXT_UNITS - 1] = 0;
    win32_element(r, index)->name =
        win32_reading_name(r, r->buffer, wcsnlen(r->buffer, WIN32_TEXT_UNITS));
    return true;
}

static bool item_selected(win32_reading *r, const item_source *s, int item, bool *selected)
{
    LRESULT answer;
    UINT message = s->combo ? CB_GETCURSEL : s->multiple ? LB_GETSEL : LB_GETCURSEL;
    if (!ask(r, s->window, message, s->multiple ? (WPARAM) item : 0, NULL, &answer)) {
        return false;
    }
    *selected = s->multiple ? answer > 0 : answer == item;
    return true;
}

/* Its place on the screen, cut off where the list ends. */
static bool item_place(win32_reading *r, const item_source *s, int item, RECT *place)
{
    RECT rect = {0};
    LRESULT answer;
    *place = rect;
    if (s->combo) {
        return true;
    }
    if (!ask(r, s->window, LB_GETITEMRECT, (WPARAM) item, &rect, &answer)) {
        return false;
    }
    OffsetRect(&rect, s->origin.x, s->origin.y);
    if (answer == LB_ERR || !IntersectRect(place, &rect, &s->client)) {
        SetRectEmpty(place);
    }
    return true;
}

/* Adds one item; *past becomes true below the end of what is visible. */
static bool read_item(win32_reading *r, const item_source *s, int item, bool *past)
{
    RECT place;
    bool selected = false;
    char handle[WIN32_HANDLE_ROOM];
    if (!item_place(r, s, item, &place)) {
        return false;
    }
    *past = IsRectEmpty(&place);
    if ((*past && !r->query->all) || !item_selected(r, s, item, &selected)) {
        return *past;
    }
    win32_handle_write(
        &(win32_handle){
            .kind = WIN32_HANDLE_ITEM, .window = s->window, .pid = s->pid, .index = item},
        handle);
    int32_t index = win32_element_add(r, s->parent, handle);
    if (index < 0) {
        return true;
    }
    desk_element *e = win32_element(r, index);
    e->role = "list item";
    e->actions = !r->query->bare && !s->is_popup;
    e->states = s->states | (selected ? WIN32_STATE(SELECTED) : 0);
    win32_element_place(e, place);
    if (!e->has_rect) {
        e->states &= ~WIN32_STATE(SHOWING);
    }
    return !s->has_texts || item_name(r, s, item, index);
}

static item_source source_of(win32_reading *r, HWND window, DWORD pid, int32_t parent, bool combo)
{
    DWORD style = (DWORD) GetWindowLongPtrW(window, GWL_STYLE);
    DWORD drawn = LBS_OWNERDRAWFIXED | LBS_OWNERDRAWVARIABLE; /* CBS_'s are the same bits */
    DWORD strings = combo ? CBS_HASSTRINGS : LBS_HASSTRINGS;
    item_source s = {.window = window, .pid = pid, .parent = parent, .combo = combo};
    s.has_texts = !(style & drawn) || (style & strings);
    s.multiple = !combo && (style & (LBS_MULTIPLESEL | LBS_EXTENDEDSEL));
    s.is_popup = !combo && (style & WIN32_LBS_COMBOBOX);
    GetClientRect(window, &s.client);
    ClientToScreen(window, &s.origin);
    OffsetRect(&s.client, s.origin.x, s.origin.y);
    const uint64_t shared = WIN32_STATE(ENABLED) | WIN32_STATE(SHOWING) | WIN32_STATE(VISIBLE);
    s.states = (win32_element(r, parent)->states & shared) | WIN32_STATE(SELECTABLE);
    return s;
}

bool win32_items_read(win32_reading *r, HWND window, DWORD pid, int32_t parent, bool combo)
{
    LRESULT count, top = 0;
    item_source s = source_of(r, window, pid, parent, combo);
    if (!ask(r, window, combo ? CB_GETCOUNT : LB_GETCOUNT, 0, NULL, &count)) {
        return false;
    }
    if (!combo && !r->query->all && !ask(r, window, LB_GETTOPINDEX, 0, NULL, &top)) {
        return false;
    }
    if (top < 0) {
        top = 0;
    }
    if (count > top + WIN32_MAX_ITEMS) {
        count = top + WIN32_MAX_ITEMS;
        r->out->truncated = true;
    }
    bool past = false;
    for (LRESULT item = top; item < count; item++) {
        if (r->out->count >= r->query->max_nodes) {
            r->out->truncated = true;
            return true;
        }
        if (win32_reading_over(r) || !read_item(r, &s, (int) item, &past)) {
            return false;
        }
        if (past && !r->query->all) {
            break;
        }
    }
    return true;
}

bool win32_item_ask(win32_reading *r, const win32_handle *h, base_error *err)
{
    bool combo = win32_class_of(h->window) == WIN32_COMBO, past = false;
    LRESULT count = 0;
    if (!win32_window_describe(r, h->window, h->pid) ||
        !ask(r, h->window, combo ? CB_GETCOUNT : LB_GETCOUNT, 0, NULL, &count)) {
        return base_fail(err, BASE_TIMED_OUT, "the application did not answer in time");
    }
    if (h->index >= count) {
        return base_fail(err, BASE_NOT_FOUND, "the item is gone from its list");
    }
    item_source s = source_of(r, h->window, h->pid, 0, combo);
    if (!read_item(r, &s, h->index, &past)) {
        return base_fail(err, BASE_TIMED_OUT, "the application did not answer in time");
    }
    win32_reading_keep_last(r);
    return true;
}
