/* Acting on one element by UI Automation: it is found again by its runtime id. */
#include "win32_uia_internal.h"

#include <stdlib.h>
#include <string.h>

bool uia_explain(HRESULT hr, const char *what, base_error *err)
{
    switch (hr) {
    case UIA_E_ELEMENTNOTAVAILABLE:
        return base_fail(err, BASE_NOT_FOUND, "the element is gone");
    case UIA_E_ELEMENTNOTENABLED:
        return base_fail(err, BASE_REFUSED, "the element is disabled, so it cannot %s", what);
    case UIA_E_TIMEOUT:
        return base_fail(err, BASE_TIMED_OUT, "the application did not answer in time");
    case UIA_E_NOTSUPPORTED:
    case E_NOTIMPL:
        return base_fail(err, BASE_UNSUPPORTED, "the element cannot %s", what);
    case E_ACCESSDENIED:
        return base_fail(err, BASE_REFUSED,
                         "the application has higher rights than deskpilot; start deskpilot as "
                         "administrator to let it act there");
    case E_OUTOFMEMORY:
        return base_fail(err, BASE_NO_MEMORY, "not enough memory to ask an application");
    default:
        return base_fail(err, BASE_REFUSED, "the application refused to %s (error %08lx)", what,
                         (unsigned long) hr);
    }
}

/* --- finding ------------------------------------------------------------------------------------
 */

static bool is_same(uia_element *e, const win32_handle *h)
{
    int id[WIN32_MAX_ID];
    return uia_runtime_id(e, id) == h->id_count &&
           memcmp(id, h->id, (size_t) h->id_count * sizeof *id) == 0;
}

/* Searches what the cache holds, as reading does: what was listed is found again as long as it is
 * there. Takes `e` over; the result is the caller's. */
static uia_element *search(uia_element *e, const win32_handle *h, int depth)
{
    uia_elements *children = NULL;
    uia_element *found = NULL;
    int count = 0;
    if (is_same(e, h)) {
        return e;
    }
    if (depth + 1 < WIN32_MAX_DEPTH && SUCCEEDED(e->table->GetCachedChildren(e, &children)) &&
        children) {
        if (FAILED(children->table->get_Length(children, &count))) {
            count = 0;
        }
        for (int i = 0; !found && i < count; i++) {
            uia_element *child = NULL;
            if (SUCCEEDED(children->table->GetElement(children, i, &child)) && child) {
                found = search(child, h, depth + 1);
            }
        }
        children->table->Release(children);
    }
    e->table->Release(e);
    return found;
}

uia_element *uia_find(const uia_source *u, const win32_handle *h, uia_cache *cache, bool *is_top,
                      uint64_t deadline, base_error *err)
{
    uia_element *root = NULL, *found = NULL;
    win32_uia_limit(u, win32_left_ms(deadline));
    HRESULT hr =
        u->automation->table->ElementFromHandleBuildCache(u->automation, h->window, cache, &root);
    if (SUCCEEDED(hr) && root && is_top) {
        *is_top = is_same(root, h);
    }
    if (FAILED(hr)) {
        uia_explain(hr, "be found", err);
    } else if (!root || !(found = search(root, h, 0))) {
        base_fail(err, BASE_NOT_FOUND, "the element is gone");
    }
    return found;
}

/* --- actions, in their order --------------------------------------------------------------------
 */

static HRESULT do_invoke(uia_pattern *p)
{
    return p->table->at_3.Invoke(p);
}

static HRESULT do_toggle(uia_pattern *p)
{
    return p->table->at_3.Toggle(p);
}

static HRESULT do_select(uia_pattern *p)
{
    return p->table->at_3.Select(p);
}

static HRESULT do_open_or_close(uia_pattern *p)
{
    int state = UIA_EXPAND_LEAF;
    HRESULT hr = p->table->at_5.get_CurrentExpandCollapseState(p, &state);
    if (FAILED(hr)) {
        return hr;
    }
    if (state == UIA_EXPAND_LEAF) {
        return UIA_E_NOTSUPPORTED;
    }
    return state == UIA_EXPAND_EXPANDED ? p->table->at_4.Collapse(p) : p->table->at_3.Expand(p);
}

static HRESULT do_expand(uia_pattern *p)
{
    return p->table->at_3.Expand(p);
}

static HRESULT do_collapse(uia_pattern *p)
{
    return p->table->at_4.Collapse(p);
}

static HRESULT do_default(uia_pattern *p)
{
    return p->table->at_4.DoDefaultAction(p);
}

typedef struct {
    const char *name;
    int pattern;
    HRESULT (*run)(uia_pattern *p);
} action_kind;

/* The first four are what an element's number of actions counts; the others only have names. */
enum { COUNTED = 4 };

static const action_kind actions[] = {
    {"click", UIA_PATTERN_INVOKE, do_invoke},
    {"toggle", UIA_PATTERN_TOGGLE, do_toggle},
    {"select", UIA_PATTERN_SELECTION_ITEM, do_select},
    {"expand or contract", UIA_PATTERN_EXPAND_COLLAPSE, do_open_or_close},
    {"expand", UIA_PATTERN_EXPAND_COLLAPSE, do_expand},
    {"collapse", UIA_PATTERN_EXPAND_COLLAPSE, do_collapse},
};
static const action_kind last_resort = {"click", UIA_PATTERN_LEGACY, do_default};

enum { ACTIONS = sizeof actions / sizeof actions[0] };

uia_pattern *uia_pattern_of(uia_element *e, int pattern)
{
    uia_pattern *p = NULL;
    return SUCCEEDED(e->table->GetCurrentPattern(e, pattern, &p)) ? p : NULL;
}

static const action_kind *choose_named(uia_element *e, const char *name, uia_pattern **p)
{
    for (int i = 0; i < ACTIONS; i++) {
        if (_stricmp(actions[i].name, name) == 0 && (*p = uia_pattern_of(e, actions[i].pattern))) {
            return &actions[i];
        }
    }
    return NULL;
}

static const action_kind *choose_numbered(uia_element *e, int index, uia_pattern **p)
{
    int number = 0;
    for (int i = 0; i < COUNTED; i++) {
        if (!(*p = uia_pattern_of(e, actions[i].pattern))) {
            continue;
        }
        if (number++ == index) {
            return &actions[i];
        }
        (*p)->table->Release(*p);
    }
    *p = number == 0 && index == 0 ? uia_pattern_of(e, last_resort.pattern) : NULL;
    return *p ? &last_resort : NULL;
}

static bool act_on(uia_element *e, const char *action, int index, base_error *err)
{
    uia_pattern *p = NULL;
    const action_kind *kind = action ? choose_named(e, action, &p) : choose_numbered(e, index, &p);
    if (!kind && win32_usual_action(action)) {
        kind = choose_numbered(e, action ? 0 : index, &p);
    }
    if (!kind && action) {
        return base_fail(err, BASE_NOT_FOUND, "the element has no action \"%.60s\"", action);
    }
    if (!kind) {
        return base_fail(err, BASE_NOT_FOUND, "the element has no action number %d", index);
    }
    HRESULT hr = kind->run(p);
    p->table->Release(p);
    return SUCCEEDED(hr) || uia_explain(hr, "do that", err);
}

bool win32_uia_act(const uia_source *u, const win32_handle *h, const char *action, int index,
                   uint64_t deadline, base_error *err)
{
    uia_element *e = uia_find(u, h, u->ids, NULL, deadline, err);
    if (!e) {
        return false;
    }
    win32_uia_limit(u, win32_left_ms(deadline));
    bool ok = act_on(e, action, index, err);
    e->table->Release(e);
    return ok;
}

/* --- texts --------------------------------------------------------------------------------------
 */

static bool put_text(uia_pattern *p, const char *text, base_error *err)
{
    BOOL read_only = FALSE;
    HRESULT hr = p->table->at_5.get_CurrentIsReadOnly(p, &read_only);
    if (SUCCEEDED(hr) && read_only) {
        return base_fail(err, BASE_REFUSED, "the field is read-only");
    }
    size_t units;
    wchar_t *wide = win32_wide(text, strlen(text), &units, err);
    if (!wide) {
        return false;
    }
    BSTR value = SysAllocStringLen(wide, (UINT) units);
    free(wide);
    if (!value) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for the text");
    }
    hr = p->table->at_3.SetValue(p, value);
    SysFreeString(value);
    return SUCCEEDED(hr) || uia_explain(hr, "take the text", err);
}

bool win32_uia_set_text(const uia_source *u, const win32_handle *h, const char *text,
                        uint64_t deadline, base_error *err)
{
    uia_element *e = uia_find(u, h, u->ids, NULL, deadline, err);
    if (!e) {
        return false;
    }
    win32_uia_limit(u, win32_left_ms(deadline));
    uia_pattern *p = uia_pattern_of(e, UIA_PATTERN_VALUE);
    e->table->Release(e);
    if (!p) {
        return base_fail(err, BASE_UNSUPPORTED, "the element cannot take a text");
    }
    bool ok = put_text(p, text, err);
    p->table->Release(p);
    return ok;
}
