/*
 * test_win32_uia_fake.h: a made-up UI Automation that knows one window: the tree of nodes whose
 * root is `root`.
 */
#ifndef TEST_WIN32_UIA_FAKE_H
#define TEST_WIN32_UIA_FAKE_H

#include "test_win32_uia_element.h"

/* --- the automation -----------------------------------------------------------------------------
 */

static HRESULT STDMETHODCALLTYPE add_property(uia_cache *self, int property)
{
    fake_cache *c = (fake_cache *) self;
    c->properties[c->count++] = property;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE put_scope(uia_cache *self, int scope)
{
    ((fake_cache *) self)->scope = scope;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE put_filter(uia_cache *self, uia_condition *filter)
{
    (void) self;
    return filter ? S_OK : E_INVALIDARG;
}

static const uia_cache_table cache_table = {.Release = cache_release,
                                            .AddProperty = add_property,
                                            .put_TreeScope = put_scope,
                                            .put_TreeFilter = put_filter};

static HRESULT STDMETHODCALLTYPE create_cache(uia_automation *self, uia_cache **out)
{
    (void) self;
    fake_cache *cache = calloc(1, sizeof *cache);
    cache->base.table = &cache_table;
    alive++;
    *out = &cache->base;
    return S_OK;
}

static IUnknownVtbl condition_table = {.Release = condition_release};

static HRESULT STDMETHODCALLTYPE control_view(uia_automation *self, uia_condition **out)
{
    (void) self;
    uia_condition *c = calloc(1, sizeof *c);
    c->lpVtbl = &condition_table;
    alive++;
    *out = c;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE from_handle(uia_automation *self, HWND window, uia_cache *cache,
                                             uia_element **out)
{
    (void) self, (void) window;
    if (times_out) {
        return UIA_E_TIMEOUT;
    }
    current = (fake_cache *) cache;
    *out = &root->base;
    alive++;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE put_limit(uia_automation *self, DWORD ms)
{
    (void) self;
    limit_ms = (int) ms;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE put_focus(uia_automation *self, BOOL on)
{
    (void) self;
    CHECK(!on);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE query(uia_automation *self, REFIID iid, void **out)
{
    static const GUID second = {
        0x34723aff, 0x0c9d, 0x49d0, {0x98, 0x96, 0x7a, 0xb5, 0x2d, 0xf8, 0xcd, 0x8a}};
    *out = NULL;
    if (!is_second || !IsEqualGUID(iid, &second)) {
        return E_NOINTERFACE;
    }
    alive++;
    *out = self;
    return S_OK;
}

static const uia_automation_table automation_table = {
    .QueryInterface = query,
    .Release = automation_release,
    .ElementFromHandleBuildCache = from_handle,
    .get_ControlViewCondition = control_view,
    .CreateCacheRequest = create_cache,
    .put_AutoSetFocus = put_focus,
    .put_ConnectionTimeout = put_limit,
    .put_TransactionTimeout = put_limit,
};

static uia_automation automation = {&automation_table};

/* --- trees --------------------------------------------------------------------------------------
 */

static node *add(node *parent, int id, int type, int flags, const wchar_t *name)
{
    node *n = calloc(1, sizeof *n);
    *n = (node){.base = {&node_table}, .id = id, .type = type, .flags = flags, .name = name};
    node **end = parent ? &parent->first : &root;
    while (*end) {
        end = &(*end)->next;
    }
    *end = n;
    return n;
}

static void free_tree(node *n)
{
    while (n) {
        node *next = n->next;
        free_tree(n->first);
        free(n);
        n = next;
    }
}

static void start_tree(void)
{
    free_tree(root);
    root = NULL;
    add(NULL, 1, UIA_WINDOW, 0, L"Window");
}

#endif
