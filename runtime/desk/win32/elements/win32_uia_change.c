/* The ways to change an element by UI Automation, and what one element tells of itself alone. */
#include "win32_uia_internal.h"

typedef enum { DONE, FAILED_TO, HAS_NONE } outcome;

/* Runs one pattern's function, where the element has the pattern. */
static outcome by_pattern(uia_element *e, int pattern,
                          HRESULT (*run)(uia_pattern *p, double number), double number,
                          const char *what, base_error *err)
{
    uia_pattern *p = uia_pattern_of(e, pattern);
    if (!p) {
        return HAS_NONE;
    }
    HRESULT hr = run(p, number);
    p->table->Release(p);
    if (SUCCEEDED(hr)) {
        return DONE;
    }
    uia_explain(hr, what, err);
    return FAILED_TO;
}

static HRESULT run_plain(uia_pattern *p, double unused)
{
    (void) unused;
    return p->table->at_3.Invoke(p); /* the first function of each of these patterns */
}

static HRESULT run_number(uia_pattern *p, double number)
{
    return p->table->at_3.SetNumber(p, number);
}

static HRESULT run_collapse(uia_pattern *p, double unused)
{
    (void) unused;
    return p->table->at_4.Collapse(p);
}

static bool focus(uia_element *e, base_error *err)
{
    HRESULT hr = e->table->SetFocus(e);
    return SUCCEEDED(hr) || uia_explain(hr, "take the focus", err);
}

static bool cannot(const char *what, base_error *err)
{
    return base_fail(err, BASE_UNSUPPORTED, "the element cannot %s", what);
}

static bool change_it(uia_element *e, const desk_element_change *change, base_error *err)
{
    outcome o;
    switch (change->kind) {
    case DESK_CHANGE_VALUE:
        o = by_pattern(e, UIA_PATTERN_RANGE_VALUE, run_number, change->number, "take the value",
                       err);
        return o == HAS_NONE ? cannot("take a value", err) : o == DONE;
    case DESK_CHANGE_SELECTED:
        o = by_pattern(e, UIA_PATTERN_SELECTION_ITEM, run_plain, 0, "be selected", err);
        return o == HAS_NONE ? cannot("be selected", err) : o == DONE;
    case DESK_CHANGE_CHECKED: /* a radio button has no other states to go to */
        o = by_pattern(e, UIA_PATTERN_TOGGLE, run_plain, 0, "be switched", err);
        if (o == HAS_NONE) {
            o = by_pattern(e, UIA_PATTERN_SELECTION_ITEM, run_plain, 0, "be switched", err);
        }
        return o == HAS_NONE ? cannot("be switched", err) : o == DONE;
    case DESK_CHANGE_EXPANDED:
        o = by_pattern(e, UIA_PATTERN_EXPAND_COLLAPSE, change->on ? run_plain : run_collapse, 0,
                       change->on ? "be opened" : "be closed", err);
        return o == HAS_NONE ? cannot("be opened or closed", err) : o == DONE;
    case DESK_CHANGE_FOCUSED:
        return focus(e, err);
    case DESK_CHANGE_IN_VIEW: /* what gets the focus is brought into view too */
        o = by_pattern(e, UIA_PATTERN_SCROLL_ITEM, run_plain, 0, "be scrolled to", err);
        return o == DONE || focus(e, err);
    default:
        return cannot("select a part of its text by UI Automation; click it and use the keyboard",
                      err);
    }
}

bool win32_uia_change(const uia_source *u, const win32_handle *h, const desk_element_change *change,
                      uint64_t deadline, base_error *err)
{
    if (change->kind == DESK_CHANGE_TEXT) {
        return win32_uia_set_text(u, h, change->text, deadline, err);
    }
    uia_element *e = uia_find(u, h, u->ids, NULL, deadline, err);
    if (!e) {
        return false;
    }
    win32_uia_limit(u, win32_left_ms(deadline));
    bool ok = change_it(e, change, err);
    e->table->Release(e);
    return ok;
}

static void details_of(win32_reading *r, uia_element *e, desk_element_details *out)
{
    static const struct {
        int property;
        const char *name;
    } actions[] = {
        {UIA_HAS_INVOKE, "click"},
        {UIA_HAS_TOGGLE, "toggle"},
        {UIA_HAS_SELECTION_ITEM, "select"},
        {UIA_HAS_EXPAND_COLLAPSE, "expand or contract"},
    };
    if (uia_bool(e, UIA_HAS_RANGE_VALUE)) {
        out->minimum = uia_number(e, UIA_RANGE_MINIMUM);
        out->maximum = uia_number(e, UIA_RANGE_MAXIMUM);
        out->step = uia_number(e, UIA_RANGE_SMALL_CHANGE);
        out->has_range = out->maximum > out->minimum;
    }
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (uia_bool(e, actions[i].property)) {
            win32_details_action(r, out, actions[i].name);
        }
    }
    if (!out->action_count && r->out->items[0].actions) {
        win32_details_action(r, out, "click");
    }
}

bool win32_uia_ask(const uia_source *u, win32_reading *r, const win32_handle *h,
                   desk_element_details *out, base_error *err)
{
    bool is_top = false;
    uia_element *e = uia_find(u, h, u->full, &is_top, r->query->deadline, err);
    if (!e) {
        return false;
    }
    bool ok = uia_add_element(r, h, e, is_top) >= 0;
    if (ok) {
        details_of(r, e, out);
    }
    e->table->Release(e);
    return ok || base_fail(err, BASE_NOT_FOUND, "the element is gone");
}
