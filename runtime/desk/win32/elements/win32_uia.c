/* Reading by UI Automation: one call brings a whole window, the rest is looking at what came. */
#include "win32_uia_internal.h"

#include <math.h>
#include <objbase.h>
#include <string.h>
#include <wchar.h>

static const GUID class_automation8 = {
    0xe22ad333, 0xb25f, 0x460c, {0x83, 0xd0, 0x05, 0x81, 0x10, 0x73, 0x95, 0xc9}};
static const GUID class_automation = {
    0xff48dba4, 0x60ef, 0x4201, {0xaa, 0x87, 0x54, 0x10, 0x3e, 0xef, 0x59, 0x4e}};
static const GUID interface_automation = {
    0x30cbe57d, 0xd9d0, 0x452a, {0xab, 0x13, 0x7a, 0xc5, 0xac, 0x48, 0x25, 0xee}};
static const GUID interface_automation2 = {
    0x34723aff, 0x0c9d, 0x49d0, {0x98, 0x96, 0x7a, 0xb5, 0x2d, 0xf8, 0xcd, 0x8a}};

/* --- the connection -----------------------------------------------------------------------------
 */

static const int bare_properties[] = {
    UIA_RECT,         UIA_CONTROL_TYPE,       UIA_NAME,         UIA_HAS_FOCUS,
    UIA_IS_FOCUSABLE, UIA_IS_ENABLED,         UIA_CLASS_NAME,   UIA_HELP_TEXT,
    UIA_IS_PASSWORD,  UIA_IS_OFFSCREEN,       UIA_IS_REQUIRED,  UIA_HAS_EXPAND_COLLAPSE,
    UIA_HAS_INVOKE,   UIA_HAS_SELECTION_ITEM, UIA_HAS_TOGGLE,   UIA_HAS_VALUE,
    UIA_IS_MODAL,     UIA_VALUE_IS_READ_ONLY, UIA_TOGGLE_STATE, UIA_EXPAND_COLLAPSE_STATE,
    UIA_IS_SELECTED,
};
static const int value_properties[] = {
    UIA_VALUE,         UIA_HAS_RANGE_VALUE, UIA_RANGE_VALUE,        UIA_LEGACY_VALUE,
    UIA_RANGE_MINIMUM, UIA_RANGE_MAXIMUM,   UIA_RANGE_SMALL_CHANGE, UIA_LEGACY_DEFAULT_ACTION,
};

static bool add_properties(uia_cache *cache, const int *properties, size_t count)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = SUCCEEDED(cache->table->AddProperty(cache, properties[i]));
    }
    return ok;
}

typedef enum { CACHE_FULL, CACHE_BARE, CACHE_IDS } cache_kind;

static uia_cache *new_cache(uia_automation *a, uia_condition *filter, cache_kind kind)
{
    uia_cache *cache = NULL;
    if (FAILED(a->table->CreateCacheRequest(a, &cache)) || !cache) {
        return NULL;
    }
    bool ok = SUCCEEDED(cache->table->put_TreeScope(cache, UIA_SCOPE_SUBTREE)) &&
              SUCCEEDED(cache->table->put_TreeFilter(cache, filter));
    /* What the cache has not is asked for one by one: slower, and no reason to do without. */
    cache->table->AddProperty(cache, UIA_RUNTIME_ID);
    if (kind != CACHE_IDS) {
        ok = ok && add_properties(cache, bare_properties,
                                  sizeof bare_properties / sizeof bare_properties[0]);
    }
    if (kind == CACHE_FULL) {
        ok = ok && add_properties(cache, value_properties,
                                  sizeof value_properties / sizeof value_properties[0]);
    }
    if (ok) {
        return cache;
    }
    cache->table->Release(cache);
    return NULL;
}

bool win32_uia_adopt(uia_source *u, uia_automation *automation)
{
    uia_condition *filter = NULL;
    void *second = NULL;
    *u = (uia_source){.automation = automation};
    if (SUCCEEDED(automation->table->QueryInterface(automation, &interface_automation2, &second)) &&
        second) {
        automation->table->Release(automation);
        u->automation = second;
        u->has_timeouts = true;
        /* Acting on an element is no reason to take the focus from where the user has it. */
        u->automation->table->put_AutoSetFocus(u->automation, FALSE);
    }
    if (SUCCEEDED(u->automation->table->get_ControlViewCondition(u->automation, &filter)) &&
        filter) {
        u->full = new_cache(u->automation, filter, CACHE_FULL);
        u->bare = new_cache(u->automation, filter, CACHE_BARE);
        u->ids = new_cache(u->automation, filter, CACHE_IDS);
        filter->lpVtbl->Release(filter);
    }
    if (u->full && u->bare && u->ids) {
        return true;
    }
    win32_uia_close(u);
    return false;
}

bool win32_uia_open(uia_source *u)
{
    void *automation = NULL;
    *u = (uia_source){0};
    HRESULT hr = CoCreateInstance(&class_automation8, NULL, CLSCTX_INPROC_SERVER,
                                  &interface_automation, &automation);
    if (FAILED(hr)) { /* before Windows 8 */
        hr = CoCreateInstance(&class_automation, NULL, CLSCTX_INPROC_SERVER, &interface_automation,
                              &automation);
    }
    return SUCCEEDED(hr) && automation && win32_uia_adopt(u, automation);
}

void win32_uia_close(uia_source *u)
{
    uia_cache *caches[] = {u->full, u->bare, u->ids};
    for (int i = 0; i < 3; i++) {
        if (caches[i]) {
            caches[i]->table->Release(caches[i]);
        }
    }
    if (u->automation) {
        u->automation->table->Release(u->automation);
    }
    *u = (uia_source){0};
}

void win32_uia_limit(const uia_source *u, unsigned ms)
{
    if (!u->has_timeouts) {
        return;
    }
    u->automation->table->put_ConnectionTimeout(u->automation, ms);
    u->automation->table->put_TransactionTimeout(u->automation, ms);
}

/* --- properties ---------------------------------------------------------------------------------
 */

/* To be cleared; empty where the property cannot be had. */
static VARIANT property_of(uia_element *e, int property)
{
    VARIANT value;
    VariantInit(&value);
    if (FAILED(e->table->GetCachedPropertyValue(e, property, &value))) {
        VariantInit(&value);
    }
    return value;
}

int uia_int(uia_element *e, int property)
{
    VARIANT value = property_of(e, property);
    int number = value.vt == VT_I4 ? value.lVal : 0;
    VariantClear(&value);
    return number;
}

bool uia_bool(uia_element *e, int property)
{
    VARIANT value = property_of(e, property);
    bool on = value.vt == VT_BOOL && value.boolVal != VARIANT_FALSE;
    VariantClear(&value);
    return on;
}

double uia_number(uia_element *e, int property)
{
    VARIANT value = property_of(e, property);
    double number = value.vt == VT_R8 && isfinite(value.dblVal) ? value.dblVal : 0;
    VariantClear(&value);
    return number;
}

static const char *text_of(win32_reading *r, uia_element *e, int property, bool one_line)
{
    VARIANT value = property_of(e, property);
    const char *copy = "";
    if (value.vt == VT_BSTR && value.bstrVal) {
        UINT units = SysStringLen(value.bstrVal);
        copy = one_line ? win32_reading_name(r, value.bstrVal, units)
                        : win32_reading_text(r, value.bstrVal, units);
    }
    VariantClear(&value);
    return copy;
}

static bool class_is(uia_element *e, const wchar_t *name)
{
    VARIANT value = property_of(e, UIA_CLASS_NAME);
    bool same = value.vt == VT_BSTR && value.bstrVal && wcscmp(value.bstrVal, name) == 0;
    VariantClear(&value);
    return same;
}

/* Left, top, width and height as doubles; they may be infinite or not be numbers at all. */
static bool rect_of(uia_element *e, RECT *out)
{
    VARIANT value = property_of(e, UIA_RECT);
    double side[4];
    bool ok = value.vt == (VT_R8 | VT_ARRAY) && value.parray && SafeArrayGetDim(value.parray) == 1;
    for (LONG i = 0; ok && i < 4; i++) {
        ok = SUCCEEDED(SafeArrayGetElement(value.parray, &i, &side[i]));
        ok = ok && side[i] >= -1e7 && side[i] <= 1e7;
    }
    if (ok) {
        *out = (RECT){(LONG) side[0], (LONG) side[1], (LONG) (side[0] + side[2]),
                      (LONG) (side[1] + side[3])};
    }
    VariantClear(&value);
    return ok;
}

static int read_id(SAFEARRAY *array, int id[WIN32_MAX_ID])
{
    LONG low = 0, high = -1;
    bool ok = SafeArrayGetDim(array) == 1 && SafeArrayGetElemsize(array) == sizeof(int) &&
              SUCCEEDED(SafeArrayGetLBound(array, 1, &low)) &&
              SUCCEEDED(SafeArrayGetUBound(array, 1, &high)) && high >= low &&
              (int64_t) high - low < WIN32_MAX_ID;
    for (LONG i = low; ok && i <= high; i++) {
        ok = SUCCEEDED(SafeArrayGetElement(array, &i, &id[i - low]));
    }
    return ok ? (int) (high - low + 1) : -1;
}

int uia_runtime_id(uia_element *e, int id[WIN32_MAX_ID])
{
    SAFEARRAY *array = NULL;
    VARIANT cached = property_of(e, UIA_RUNTIME_ID);
    int count = cached.vt == (VT_I4 | VT_ARRAY) && cached.parray ? read_id(cached.parray, id) : -1;
    VariantClear(&cached);
    if (count > 0 || FAILED(e->table->GetRuntimeId(e, &array)) || !array) {
        return count;
    }
    count = read_id(array, id);
    SafeArrayDestroy(array);
    return count;
}

/* --- one element --------------------------------------------------------------------------------
 */

static uia_kind kind_of(uia_element *e, bool is_top)
{
    uia_kind kind = {.control_type = uia_int(e, UIA_CONTROL_TYPE), .is_top = is_top};
    kind.is_dialog =
        kind.control_type == UIA_WINDOW && (uia_bool(e, UIA_IS_MODAL) || class_is(e, L"#32770"));
    kind.is_password = uia_bool(e, UIA_IS_PASSWORD);
    kind.is_toggle = uia_bool(e, UIA_HAS_TOGGLE);
    kind.is_invocable = uia_bool(e, UIA_HAS_INVOKE);
    kind.opens = uia_bool(e, UIA_HAS_EXPAND_COLLAPSE) &&
                 uia_int(e, UIA_EXPAND_COLLAPSE_STATE) != UIA_EXPAND_LEAF;
    bool text = kind.control_type == UIA_EDIT || kind.control_type == UIA_DOCUMENT ||
                kind.control_type == UIA_COMBO_BOX || kind.control_type == UIA_SPINNER;
    kind.is_editable = text && uia_bool(e, UIA_HAS_VALUE) && !uia_bool(e, UIA_VALUE_IS_READ_ONLY);
    return kind;
}

static uint64_t control_states(uia_element *e, const uia_kind *kind)
{
    uint64_t states = 0;
    int toggle = kind->is_toggle ? uia_int(e, UIA_TOGGLE_STATE) : UIA_TOGGLE_OFF;
    bool pressed = kind->control_type == UIA_BUTTON;
    if (kind->is_toggle || kind->control_type == UIA_RADIO_BUTTON) {
        states |= WIN32_STATE(CHECKABLE);
    }
    if (toggle == UIA_TOGGLE_ON) {
        states |= pressed ? WIN32_STATE(CHECKED) | WIN32_STATE(PRESSED) : WIN32_STATE(CHECKED);
    }
    if (toggle == UIA_TOGGLE_BETWEEN) {
        states |= WIN32_STATE(INDETERMINATE);
    }
    if (kind->opens) {
        int open = uia_int(e, UIA_EXPAND_COLLAPSE_STATE);
        states |= WIN32_STATE(EXPANDABLE);
        states |= open == UIA_EXPAND_COLLAPSED ? WIN32_STATE(COLLAPSED) : WIN32_STATE(EXPANDED);
    }
    if (!uia_bool(e, UIA_HAS_SELECTION_ITEM)) {
        return states;
    }
    bool selected = uia_bool(e, UIA_IS_SELECTED);
    /* AT-SPI's radio buttons are checked, not selected. */
    if (kind->control_type == UIA_RADIO_BUTTON) {
        return states | (selected ? WIN32_STATE(CHECKED) : 0);
    }
    return states | WIN32_STATE(SELECTABLE) | (selected ? WIN32_STATE(SELECTED) : 0);
}

static uint64_t states_of(uia_element *e, const uia_kind *kind)
{
    uint64_t states = WIN32_STATE(VISIBLE) | control_states(e, kind);
    bool text = kind->control_type == UIA_EDIT || kind->control_type == UIA_DOCUMENT;
    if (!uia_bool(e, UIA_IS_OFFSCREEN)) {
        states |= WIN32_STATE(SHOWING);
    }
    if (uia_bool(e, UIA_IS_ENABLED)) {
        states |= WIN32_STATE(ENABLED);
    }
    if (uia_bool(e, UIA_IS_FOCUSABLE)) {
        states |= WIN32_STATE(FOCUSABLE);
    }
    if (uia_bool(e, UIA_HAS_FOCUS)) {
        states |= WIN32_STATE(FOCUSED);
    }
    if (uia_bool(e, UIA_IS_REQUIRED)) {
        states |= WIN32_STATE(REQUIRED);
    }
    if (uia_bool(e, UIA_IS_MODAL)) {
        states |= WIN32_STATE(MODAL);
    }
    if (kind->is_editable) {
        states |= WIN32_STATE(EDITABLE);
    } else if (text) {
        states |= WIN32_STATE(READ_ONLY);
    }
    if (kind->control_type == UIA_DOCUMENT) {
        states |= WIN32_STATE(MULTI_LINE);
    }
    return states;
}

static void read_values(win32_reading *r, uia_element *e, const uia_kind *kind, desk_element *out)
{
    bool value = uia_bool(e, UIA_HAS_VALUE);
    bool text = kind->control_type == UIA_EDIT || kind->control_type == UIA_DOCUMENT;
    if (uia_bool(e, UIA_HAS_RANGE_VALUE)) {
        VARIANT number = property_of(e, UIA_RANGE_VALUE);
        out->has_value = number.vt == VT_R8 && isfinite(number.dblVal);
        out->value = out->has_value ? number.dblVal : 0;
        VariantClear(&number);
    }
    if (!kind->is_password && (value || text)) {
        out->text = text_of(r, e, value ? UIA_VALUE : UIA_LEGACY_VALUE, false);
    } else if (kind->control_type == UIA_TEXT && *out->name) {
        out->text = out->name;
    }
    out->actions =
        kind->is_invocable + kind->is_toggle + kind->opens + uia_bool(e, UIA_HAS_SELECTION_ITEM);
    if (!out->actions) {
        out->actions = *text_of(r, e, UIA_LEGACY_DEFAULT_ACTION, true) != 0;
    }
}

typedef struct {
    win32_reading *r;
    HWND window;
    DWORD pid;
    bool is_active; /* the window has the user's input */
} window_read;

/* -1 where it is not in the list: then its children take its place below `parent`. */
static int32_t add_element(window_read *w, uia_element *e, int32_t parent, bool is_top)
{
    win32_reading *r = w->r;
    uia_kind kind = kind_of(e, is_top);
    uint64_t states = states_of(e, &kind);
    if (!is_top && !r->query->all && !(states & WIN32_STATE(SHOWING))) {
        return -1;
    }
    win32_handle h = {.kind = WIN32_HANDLE_UIA, .window = w->window, .pid = w->pid};
    h.id_count = uia_runtime_id(e, h.id);
    if (h.id_count <= 0) {
        return -1; /* nothing could be done with it */
    }
    char handle[WIN32_HANDLE_ROOM];
    RECT rect;
    win32_handle_write(&h, handle);
    int32_t index = win32_element_add(r, parent, handle);
    if (index < 0) {
        return -1;
    }
    desk_element *out = win32_element(r, index);
    out->role = uia_role(&kind);
    out->states = states | (is_top && w->is_active ? WIN32_STATE(ACTIVE) : 0);
    out->name = text_of(r, e, UIA_NAME, true);
    out->description = text_of(r, e, UIA_HELP_TEXT, true);
    if (rect_of(e, &rect)) {
        win32_element_place(out, rect);
    }
    if (!r->query->bare) {
        read_values(r, e, &kind, out);
    }
    return index;
}

int32_t uia_add_element(win32_reading *r, const win32_handle *h, uia_element *e, bool is_top)
{
    window_read w = {r, h->window, h->pid, GetForegroundWindow() == h->window};
    return add_element(&w, e, -1, is_top);
}

static void read_tree(window_read *w, uia_element *e, int32_t parent, int depth)
{
    win32_reading *r = w->r;
    uia_elements *children = NULL;
    int count = 0;
    int32_t index = add_element(w, e, parent, depth == 0);
    if (FAILED(e->table->GetCachedChildren(e, &children)) || !children) {
        return;
    }
    if (FAILED(children->table->get_Length(children, &count))) {
        count = 0;
    }
    if (count > 0 && depth + 1 >= WIN32_MAX_DEPTH) {
        r->out->truncated = true;
        count = 0;
    }
    for (int i = 0; i < count; i++) {
        uia_element *child = NULL;
        if (win32_reading_over(r)) {
            r->out->truncated |= r->out->count >= r->query->max_nodes;
            break;
        }
        if (FAILED(children->table->GetElement(children, i, &child)) || !child) {
            continue;
        }
        read_tree(w, child, index >= 0 ? index : parent, depth + 1);
        child->table->Release(child);
    }
    children->table->Release(children);
}

bool win32_uia_read(const uia_source *u, win32_reading *r, HWND window, DWORD pid, int32_t parent)
{
    uia_element *root = NULL;
    /* Half of what is left: one slow window must leave time for the others. */
    win32_uia_limit(u, win32_left_ms(r->query->deadline) / 2 + 1);
    HRESULT hr = u->automation->table->ElementFromHandleBuildCache(
        u->automation, window, r->query->bare ? u->bare : u->full, &root);
    if (FAILED(hr) || !root) {
        return false;
    }
    window_read w = {r, window, pid, GetForegroundWindow() == window};
    read_tree(&w, root, parent, 0);
    root->table->Release(root);
    return true;
}
