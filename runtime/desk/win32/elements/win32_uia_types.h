/*
 * win32_uia_types.h: what is used of UI Automation's client interfaces, which the compiler's
 * headers lack. A COM interface is a table of functions whose order never changes; functions that
 * are not used are unnamed places in it. The numbers in the assertions are each function's place
 * as Microsoft's UIAutomationClient.h has it, with IUnknown's at 0 to 2.
 */
#ifndef DESK_WIN32_ELEMENTS_WIN32_UIA_TYPES_H
#define DESK_WIN32_ELEMENTS_WIN32_UIA_TYPES_H

#include "desk/win32/win32_internal.h"

#include <oleauto.h>
#include <stddef.h>

/* Interfaces, by the names of the documentation without the prefix IUIAutomation. */
typedef struct uia_automation uia_automation; /* IUIAutomation2, or its beginning */
typedef struct uia_element uia_element;
typedef struct uia_elements uia_elements; /* IUIAutomationElementArray */
typedef struct uia_cache uia_cache;       /* IUIAutomationCacheRequest */
typedef struct uia_pattern uia_pattern;   /* any control pattern */
typedef IUnknown uia_condition;

enum { /* TreeScope */
       UIA_SCOPE_ELEMENT = 1,
       UIA_SCOPE_SUBTREE = 7,
};

enum { /* properties */
       UIA_RUNTIME_ID = 30000,
       UIA_RECT = 30001,
       UIA_CONTROL_TYPE = 30003,
       UIA_NAME = 30005,
       UIA_HAS_FOCUS = 30008,
       UIA_IS_FOCUSABLE = 30009,
       UIA_IS_ENABLED = 30010,
       UIA_CLASS_NAME = 30012,
       UIA_HELP_TEXT = 30013,
       UIA_IS_PASSWORD = 30019,
       UIA_IS_OFFSCREEN = 30022,
       UIA_IS_REQUIRED = 30025,
       UIA_HAS_EXPAND_COLLAPSE = 30028,
       UIA_HAS_INVOKE = 30031,
       UIA_HAS_RANGE_VALUE = 30033,
       UIA_HAS_SELECTION_ITEM = 30036,
       UIA_HAS_TOGGLE = 30041,
       UIA_HAS_VALUE = 30043,
       UIA_VALUE = 30045,
       UIA_VALUE_IS_READ_ONLY = 30046,
       UIA_RANGE_VALUE = 30047,
       UIA_RANGE_MINIMUM = 30049,
       UIA_RANGE_MAXIMUM = 30050,
       UIA_RANGE_SMALL_CHANGE = 30052,
       UIA_EXPAND_COLLAPSE_STATE = 30070,
       UIA_IS_MODAL = 30077,
       UIA_IS_SELECTED = 30079,
       UIA_TOGGLE_STATE = 30086,
       UIA_LEGACY_VALUE = 30093,
       UIA_LEGACY_DEFAULT_ACTION = 30100,
};

enum { /* patterns */
       UIA_PATTERN_INVOKE = 10000,
       UIA_PATTERN_VALUE = 10002,
       UIA_PATTERN_RANGE_VALUE = 10003,
       UIA_PATTERN_EXPAND_COLLAPSE = 10005,
       UIA_PATTERN_SELECTION_ITEM = 10010,
       UIA_PATTERN_TOGGLE = 10015,
       UIA_PATTERN_SCROLL_ITEM = 10017,
       UIA_PATTERN_LEGACY = 10018,
};

enum { UIA_EXPAND_COLLAPSED, UIA_EXPAND_EXPANDED, UIA_EXPAND_PARTLY, UIA_EXPAND_LEAF };
enum { UIA_TOGGLE_OFF, UIA_TOGGLE_ON, UIA_TOGGLE_BETWEEN };

enum { /* control types */
       UIA_BUTTON = 50000,
       UIA_CALENDAR,
       UIA_CHECK_BOX,
       UIA_COMBO_BOX,
       UIA_EDIT,
       UIA_HYPERLINK,
       UIA_IMAGE,
       UIA_LIST_ITEM,
       UIA_LIST,
       UIA_MENU,
       UIA_MENU_BAR,
       UIA_MENU_ITEM,
       UIA_PROGRESS_BAR,
       UIA_RADIO_BUTTON,
       UIA_SCROLL_BAR,
       UIA_SLIDER,
       UIA_SPINNER,
       UIA_STATUS_BAR,
       UIA_TAB,
       UIA_TAB_ITEM,
       UIA_TEXT,
       UIA_TOOL_BAR,
       UIA_TOOL_TIP,
       UIA_TREE,
       UIA_TREE_ITEM,
       UIA_CUSTOM,
       UIA_GROUP,
       UIA_THUMB,
       UIA_DATA_GRID,
       UIA_DATA_ITEM,
       UIA_DOCUMENT,
       UIA_SPLIT_BUTTON,
       UIA_WINDOW,
       UIA_PANE,
       UIA_HEADER,
       UIA_HEADER_ITEM,
       UIA_TABLE,
       UIA_TITLE_BAR,
       UIA_SEPARATOR,
       UIA_SEMANTIC_ZOOM,
       UIA_APP_BAR,
};

#define UIA_E_ELEMENTNOTENABLED ((HRESULT) 0x80040200)
#define UIA_E_ELEMENTNOTAVAILABLE ((HRESULT) 0x80040201)
#define UIA_E_NOTSUPPORTED ((HRESULT) 0x80040204)
#define UIA_E_TIMEOUT ((HRESULT) 0x80131505)
#define UIA_E_INVALIDOPERATION ((HRESULT) 0x80131509)

typedef HRESULT(STDMETHODCALLTYPE *uia_unused)(void);

#define UIA_UNKNOWN(type)                                                                          \
    HRESULT(STDMETHODCALLTYPE *QueryInterface)(type * self, REFIID iid, void **out);               \
    ULONG(STDMETHODCALLTYPE *AddRef)(type * self);                                                 \
    ULONG(STDMETHODCALLTYPE *Release)(type * self)

typedef struct {
    UIA_UNKNOWN(uia_automation);
    uia_unused at_3[7];
    HRESULT(STDMETHODCALLTYPE *ElementFromHandleBuildCache)
    (uia_automation *self, HWND window, uia_cache *cache, uia_element **out);
    uia_unused at_11[7];
    HRESULT(STDMETHODCALLTYPE *get_ControlViewCondition)
    (uia_automation *self, uia_condition **out);
    uia_unused at_19[1];
    HRESULT(STDMETHODCALLTYPE *CreateCacheRequest)(uia_automation *self, uia_cache **out);
    uia_unused at_21[37];
    /* From here on of IUIAutomation2. */
    uia_unused at_58[1];
    HRESULT(STDMETHODCALLTYPE *put_AutoSetFocus)(uia_automation *self, BOOL on);
    uia_unused at_60[1];
    HRESULT(STDMETHODCALLTYPE *put_ConnectionTimeout)(uia_automation *self, DWORD ms);
    uia_unused at_62[1];
    HRESULT(STDMETHODCALLTYPE *put_TransactionTimeout)(uia_automation *self, DWORD ms);
} uia_automation_table;

typedef struct {
    UIA_UNKNOWN(uia_element);
    HRESULT(STDMETHODCALLTYPE *SetFocus)(uia_element *self);
    HRESULT(STDMETHODCALLTYPE *GetRuntimeId)(uia_element *self, SAFEARRAY **out);
    uia_unused at_5[7];
    HRESULT(STDMETHODCALLTYPE *GetCachedPropertyValue)
    (uia_element *self, int property, VARIANT *out);
    uia_unused at_13[3];
    HRESULT(STDMETHODCALLTYPE *GetCurrentPattern)
    (uia_element *self, int pattern, uia_pattern **out);
    uia_unused at_17[2];
    HRESULT(STDMETHODCALLTYPE *GetCachedChildren)(uia_element *self, uia_elements **out);
    uia_unused at_20[65];
} uia_element_table;

typedef struct {
    UIA_UNKNOWN(uia_elements);
    HRESULT(STDMETHODCALLTYPE *get_Length)(uia_elements *self, int *out);
    HRESULT(STDMETHODCALLTYPE *GetElement)(uia_elements *self, int index, uia_element **out);
} uia_elements_table;

typedef struct {
    UIA_UNKNOWN(uia_cache);
    HRESULT(STDMETHODCALLTYPE *AddProperty)(uia_cache *self, int property);
    uia_unused at_4[3];
    HRESULT(STDMETHODCALLTYPE *put_TreeScope)(uia_cache *self, int scope);
    uia_unused at_8[1];
    HRESULT(STDMETHODCALLTYPE *put_TreeFilter)(uia_cache *self, uia_condition *filter);
    uia_unused at_10[2];
} uia_cache_table;

/* Patterns differ from the fourth function on; which is asked for says which it is. */
typedef struct {
    UIA_UNKNOWN(uia_pattern);
    union {
        HRESULT(STDMETHODCALLTYPE *Invoke)(uia_pattern *self);
        HRESULT(STDMETHODCALLTYPE *Toggle)(uia_pattern *self);
        HRESULT(STDMETHODCALLTYPE *Select)(uia_pattern *self); /* of SelectionItem */
        HRESULT(STDMETHODCALLTYPE *Expand)(uia_pattern *self);
        HRESULT(STDMETHODCALLTYPE *SetValue)(uia_pattern *self, BSTR value);    /* of Value */
        HRESULT(STDMETHODCALLTYPE *SetNumber)(uia_pattern *self, double value); /* of RangeValue */
        HRESULT(STDMETHODCALLTYPE *ScrollIntoView)(uia_pattern *self);          /* of ScrollItem */
    } at_3;
    union {
        HRESULT(STDMETHODCALLTYPE *Collapse)(uia_pattern *self);        /* of ExpandCollapse */
        HRESULT(STDMETHODCALLTYPE *DoDefaultAction)(uia_pattern *self); /* of LegacyIAccessible */
        HRESULT(STDMETHODCALLTYPE *get_CurrentValue)(uia_pattern *self, BSTR *out);
    } at_4;
    union {
        HRESULT(STDMETHODCALLTYPE *get_CurrentIsReadOnly)(uia_pattern *self, BOOL *out);
        HRESULT(STDMETHODCALLTYPE *get_CurrentExpandCollapseState)(uia_pattern *self, int *out);
    } at_5;
} uia_pattern_table;

struct uia_automation {
    const uia_automation_table *table;
};
struct uia_element {
    const uia_element_table *table;
};
struct uia_elements {
    const uia_elements_table *table;
};
struct uia_cache {
    const uia_cache_table *table;
};
struct uia_pattern {
    const uia_pattern_table *table;
};

#define UIA_AT(table, function, place)                                                             \
    _Static_assert(offsetof(table, function) == (place) * sizeof(void *), #function)
#define UIA_COUNT(table, count) _Static_assert(sizeof(table) == (count) * sizeof(void *), #table)

UIA_AT(uia_automation_table, ElementFromHandleBuildCache, 10);
UIA_AT(uia_automation_table, get_ControlViewCondition, 18);
UIA_AT(uia_automation_table, CreateCacheRequest, 20);
UIA_AT(uia_automation_table, put_AutoSetFocus, 59);
UIA_AT(uia_automation_table, put_ConnectionTimeout, 61);
UIA_AT(uia_automation_table, put_TransactionTimeout, 63);
UIA_COUNT(uia_automation_table, 64); /* IUIAutomation 58, IUIAutomation2 six more */
UIA_AT(uia_element_table, SetFocus, 3);
UIA_AT(uia_element_table, GetRuntimeId, 4);
UIA_AT(uia_element_table, GetCachedPropertyValue, 12);
UIA_AT(uia_element_table, GetCurrentPattern, 16);
UIA_AT(uia_element_table, GetCachedChildren, 19);
UIA_COUNT(uia_element_table, 85);
UIA_AT(uia_elements_table, get_Length, 3);
UIA_AT(uia_elements_table, GetElement, 4);
UIA_COUNT(uia_elements_table, 5);
UIA_AT(uia_cache_table, AddProperty, 3);
UIA_AT(uia_cache_table, put_TreeScope, 7);
UIA_AT(uia_cache_table, put_TreeFilter, 9);
UIA_COUNT(uia_cache_table, 12);
UIA_AT(uia_pattern_table, at_3, 3);
UIA_AT(uia_pattern_table, at_5, 5);

#endif
