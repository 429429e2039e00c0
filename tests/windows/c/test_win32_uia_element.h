/*
 * test_win32_uia_element.h: elements of a made-up UI Automation, from a tree of nodes. Functions
 * that the reader may call are at their places in the tables, and nothing is at the others. Every
 * reference that is given out is counted, so that one that was not released is seen.
 */
#ifndef TEST_WIN32_UIA_ELEMENT_H
#define TEST_WIN32_UIA_ELEMENT_H

#include "check.h"
#include "desk/win32/elements/win32_uia_internal.h"

#include <math.h>
#include <stdlib.h>

enum {
    HAS_INVOKE = 1,
    HAS_TOGGLE = 2,
    HAS_SELECTION = 4,
    HAS_EXPAND = 8,
    HAS_VALUE = 16,
    HAS_LEGACY = 32,
    HAS_RANGE = 64,
    OFFSCREEN = 128,
    DISABLED = 256,
    PASSWORD = 512,
    READ_ONLY = 1024,
    MODAL = 2048,
    FAILS = 4096,
    BAD_NUMBERS = 8192,
    ODD_TYPES = 16384, /* answers of other types than asked for */
    HAS_SCROLL = 32768,
};

typedef struct node node;
struct node {
    uia_element base;
    int id, type, flags, state; /* state: of toggle, expansion or selection */
    const wchar_t *name, *value, *class;
    node *first, *next;
    int done; /* the pattern that something was done by, -1 for collapsing, -2 for the focus */
    double number;
    wchar_t set[64];
};

typedef struct {
    uia_elements base;
    node *of;
} node_array;

typedef struct {
    uia_pattern base;
    node *of;
    int pattern;
} node_pattern;

typedef struct {
    uia_cache base;
    int properties[64], count, scope;
} fake_cache;

static node *root;
static int alive, uncached, limit_ms = -1;
static const fake_cache *current; /* of the last read */
static bool is_second = true, times_out;

/* --- counting references: every object given out is one more, whatever it is ---------------------
 */

static ULONG STDMETHODCALLTYPE node_release(uia_element *self)
{
    (void) self;
    alive--;
    return 1;
}

static ULONG STDMETHODCALLTYPE array_release(uia_elements *self)
{
    alive--;
    free(self);
    return 0;
}

static ULONG STDMETHODCALLTYPE pattern_release(uia_pattern *self)
{
    alive--;
    free(self);
    return 0;
}

static ULONG STDMETHODCALLTYPE cache_release(uia_cache *self)
{
    alive--;
    free(self);
    return 0;
}

static ULONG STDMETHODCALLTYPE condition_release(IUnknown *self)
{
    alive--;
    free(self);
    return 0;
}

static ULONG STDMETHODCALLTYPE automation_release(uia_automation *self)
{
    (void) self;
    alive--;
    return 1;
}

/* --- elements -----------------------------------------------------------------------------------
 */

static void give_text(VARIANT *out, const wchar_t *text)
{
    out->vt = VT_BSTR;
    out->bstrVal = SysAllocString(text ? text : L"");
}

static void give_bool(VARIANT *out, bool on)
{
    out->vt = VT_BOOL;
    out->boolVal = on ? VARIANT_TRUE : VARIANT_FALSE;
}

static void give_int(VARIANT *out, int number)
{
    out->vt = VT_I4;
    out->lVal = number;
}

static void give_rect(VARIANT *out, const node *n)
{
    double sides[4] = {10.0 * n->id, 5, 100, 20};
    if (n->flags & BAD_NUMBERS) {
        sides[2] = INFINITY;
    }
    out->vt = VT_R8 | VT_ARRAY;
    out->parray = SafeArrayCreateVector(VT_R8, 0, 4);
    for (LONG i = 0; i < 4; i++) {
        SafeArrayPutElement(out->parray, &i, &sides[i]);
    }
}

static bool in_cache(int property)
{
    for (int i = 0; i < current->count; i++) {
        if (current->properties[i] == property) {
            return true;
        }
    }
    return false;
}

static void give_flag(const node *n, int property, VARIANT *out)
{
    static const struct {
        int property, flag;
    } flags[] = {
        {UIA_HAS_INVOKE, HAS_INVOKE},
        {UIA_HAS_TOGGLE, HAS_TOGGLE},
        {UIA_HAS_SELECTION_ITEM, HAS_SELECTION},
        {UIA_HAS_EXPAND_COLLAPSE, HAS_EXPAND},
        {UIA_HAS_VALUE, HAS_VALUE},
        {UIA_HAS_RANGE_VALUE, HAS_RANGE},
        {UIA_IS_OFFSCREEN, OFFSCREEN},
        {UIA_IS_PASSWORD, PASSWORD},
        {UIA_VALUE_IS_READ_ONLY, READ_ONLY},
        {UIA_IS_MODAL, MODAL},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (flags[i].property == property) {
            give_bool(out, n->flags & flags[i].flag);
        }
    }
    if (property == UIA_IS_ENABLED) {
        give_bool(out, !(n->flags & DISABLED));
    }
    if (property == UIA_IS_SELECTED) {
        give_bool(out, n->state);
    }
}

static SAFEARRAY *new_id(const node *n)
{
    int id[2] = {42, n->id};
    SAFEARRAY *array = SafeArrayCreateVector(VT_I4, 0, 2);
    for (LONG i = 0; i < 2; i++) {
        SafeArrayPutElement(array, &i, &id[i]);
    }
    return array;
}

static void give_property(const node *n, int property, VARIANT *out)
{
    switch (property) {
    case UIA_RUNTIME_ID:
        if (n->id % 2) { /* the others have to be asked */
            *out = (VARIANT){.vt = VT_I4 | VT_ARRAY, .parray = new_id(n)};
        }
        return;
    case UIA_RECT:
        give_rect(out, n);
        return;
    case UIA_CONTROL_TYPE:
        give_int(out, n->type);
        return;
    case UIA_NAME:
        give_text(out, n->name);
        return;
    case UIA_CLASS_NAME:
        give_text(out, n->class);
        return;
    case UIA_VALUE:
    case UIA_LEGACY_VALUE:
        give_text(out, n->value);
        return;
    case UIA_LEGACY_DEFAULT_ACTION:
        give_text(out, n->flags & HAS_LEGACY ? L"Press" : L"");
        return;
    case UIA_EXPAND_COLLAPSE_STATE:
    case UIA_TOGGLE_STATE:
        give_int(out, n->state);
        return;
    case UIA_RANGE_MINIMUM:
    case UIA_RANGE_MAXIMUM:
        *out = (VARIANT){.vt = VT_R8, .dblVal = property == UIA_RANGE_MAXIMUM ? 50 : -5};
        return;
    case UIA_RANGE_VALUE:
        out->vt = VT_R8;
        out->dblVal = n->flags & BAD_NUMBERS ? NAN : 12.5;
        return;
    default:
        give_flag(n, property, out);
        return;
    }
}

static HRESULT STDMETHODCALLTYPE get_property(uia_element *self, int property, VARIANT *out)
{
    node *n = (node *) self;
    if (n->flags & FAILS) {
        return UIA_E_ELEMENTNOTAVAILABLE;
    }
    if (!in_cache(property)) {
        printf("    property %d is not in the cache\n", property);
        uncached++;
        return E_INVALIDARG;
    }
    if (n->flags & ODD_TYPES) {
        give_text(out, L"odd");
    } else {
        give_property(n, property, out);
    }
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE get_runtime_id(uia_element *self, SAFEARRAY **out)
{
    node *n = (node *) self;
    if (n->flags & FAILS) {
        return UIA_E_ELEMENTNOTAVAILABLE;
    }
    *out = new_id(n);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE array_length(uia_elements *self, int *out)
{
    *out = 0;
    for (node *n = ((node_array *) self)->of->first; n; n = n->next) {
        ++*out;
    }
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE array_element(uia_elements *self, int index, uia_element **out)
{
    node *n = ((node_array *) self)->of->first;
    while (n && index-- > 0) {
        n = n->next;
    }
    *out = n ? &n->base : NULL;
    alive += n != NULL;
    return n ? S_OK : E_INVALIDARG;
}

static const uia_elements_table array_table = {
    .Release = array_release, .get_Length = array_length, .GetElement = array_element};

static HRESULT STDMETHODCALLTYPE get_children(uia_element *self, uia_elements **out)
{
    node *n = (node *) self;
    *out = NULL;
    if (!n->first) {
        return S_OK; /* as the documentation has it: no array where there are none */
    }
    node_array *array = calloc(1, sizeof *array);
    *array = (node_array){{&array_table}, n};
    alive++;
    *out = &array->base;
    return S_OK;
}

static node *search(node *n, int id)
{
    if (n->id == id) {
        return n;
    }
    for (node *child = n->first; child; child = child->next) {
        node *found = search(child, id);
        if (found) {
            return found;
        }
    }
    return NULL;
}

/* --- patterns -----------------------------------------------------------------------------------
 */

static HRESULT STDMETHODCALLTYPE do_it(uia_pattern *self)
{
    node_pattern *p = (node_pattern *) self;
    if (p->of->flags & DISABLED) {
        return UIA_E_ELEMENTNOTENABLED;
    }
    p->of->done = p->pattern;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE collapse(uia_pattern *self)
{
    ((node_pattern *) self)->of->done = -1;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE set_number(uia_pattern *self, double value)
{
    ((node_pattern *) self)->of->number = value;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE set_focus(uia_element *self)
{
    ((node *) self)->done = -2;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE set_value(uia_pattern *self, BSTR value)
{
    wcsncpy(((node_pattern *) self)->of->set, value, 63);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE is_read_only(uia_pattern *self, BOOL *out)
{
    *out = (((node_pattern *) self)->of->flags & READ_ONLY) != 0;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE expand_state(uia_pattern *self, int *out)
{
    *out = ((node_pattern *) self)->of->state;
    return S_OK;
}

static const uia_pattern_table act_table = {.Release = pattern_release, .at_3.Invoke = do_it};
static const uia_pattern_table range_table = {.Release = pattern_release,
                                              .at_3.SetNumber = set_number};
static const uia_pattern_table expand_table = {.Release = pattern_release,
                                               .at_3.Expand = do_it,
                                               .at_4.Collapse = collapse,
                                               .at_5.get_CurrentExpandCollapseState = expand_state};
static const uia_pattern_table value_table = {.Release = pattern_release,
                                              .at_3.SetValue = set_value,
                                              .at_5.get_CurrentIsReadOnly = is_read_only};
static const uia_pattern_table legacy_table = {.Release = pattern_release,
                                               .at_4.DoDefaultAction = do_it};

static HRESULT STDMETHODCALLTYPE get_pattern(uia_element *self, int pattern, uia_pattern **out)
{
    static const struct {
        int pattern, flag;
        const uia_pattern_table *table;
    } known[] = {
        {UIA_PATTERN_INVOKE, HAS_INVOKE, &act_table},
        {UIA_PATTERN_TOGGLE, HAS_TOGGLE, &act_table},
        {UIA_PATTERN_SELECTION_ITEM, HAS_SELECTION, &act_table},
        {UIA_PATTERN_EXPAND_COLLAPSE, HAS_EXPAND, &expand_table},
        {UIA_PATTERN_VALUE, HAS_VALUE, &value_table},
        {UIA_PATTERN_LEGACY, HAS_LEGACY, &legacy_table},
        {UIA_PATTERN_RANGE_VALUE, HAS_RANGE, &range_table},
        {UIA_PATTERN_SCROLL_ITEM, HAS_SCROLL, &act_table},
    };
    node *n = (node *) self;
    *out = NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].pattern != pattern || !(n->flags & known[i].flag)) {
            continue;
        }
        node_pattern *p = calloc(1, sizeof *p);
        *p = (node_pattern){{known[i].table}, n, pattern};
        alive++;
        *out = &p->base;
    }
    return S_OK; /* no pattern is no error */
}

static const uia_element_table node_table = {.Release = node_release,
                                             .SetFocus = set_focus,
                                             .GetRuntimeId = get_runtime_id,

                                             .GetCachedPropertyValue = get_property,
                                             .GetCurrentPattern = get_pattern,
                                             .GetCachedChildren = get_children};

#endif
