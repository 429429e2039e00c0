/*
 * win32_uia_internal.h: reading and acting by UI Automation. One uia_source is a kept connection;
 * it may be used from any thread of the multithreaded apartment, one at a time.
 */
#ifndef DESK_WIN32_ELEMENTS_WIN32_UIA_INTERNAL_H
#define DESK_WIN32_ELEMENTS_WIN32_UIA_INTERNAL_H

#include "win32_elements_internal.h"
#include "win32_uia_types.h"

typedef struct {
    uia_automation *automation; /* NULL: this system has no UI Automation */
    bool has_timeouts;          /* it is an IUIAutomation2 */
    /* What one call brings: a whole window, the same without values, and only what is there. */
    uia_cache *full, *bare, *ids;
} uia_source;

/* Connects; false, with an empty source, where there is none. */
bool win32_uia_open(uia_source *u);
/* The same with an IUIAutomation that the caller has; takes it over, also on failure. */
bool win32_uia_adopt(uia_source *u, uia_automation *automation);
void win32_uia_close(uia_source *u);

/* Reads one top-level window below `parent`. False if its application did not answer: nothing has
 * been added then. */
bool win32_uia_read(const uia_source *u, win32_reading *r, HWND window, DWORD pid, int32_t parent);

bool win32_uia_act(const uia_source *u, const win32_handle *h, const char *action, int index,
                   uint64_t deadline, base_error *err);
bool win32_uia_set_text(const uia_source *u, const win32_handle *h, const char *text,
                        uint64_t deadline, base_error *err);

bool win32_uia_change(const uia_source *u, const win32_handle *h, const desk_element_change *change,
                      uint64_t deadline, base_error *err);
/* The element as the only one of the list of `r`, with what no list tells. */
bool win32_uia_ask(const uia_source *u, win32_reading *r, const win32_handle *h,
                   desk_element_details *out, base_error *err);

/* --- between the win32_uia*.c files --------------------------------------------------------------
 */

/* No call may take longer than `ms`, where the system can promise that. */
void win32_uia_limit(const uia_source *u, unsigned ms);

/* Reads the element that was found, without what is below it. */
int32_t uia_add_element(win32_reading *r, const win32_handle *h, uia_element *e, bool is_top);
/* The element again, with the properties of `cache`; *is_top (which may be NULL): it is the
 * window's own. NULL with `err`. To be released. */
uia_element *uia_find(const uia_source *u, const win32_handle *h, uia_cache *cache, bool *is_top,
                      uint64_t deadline, base_error *err);
/* NULL where the element has no such pattern. */
uia_pattern *uia_pattern_of(uia_element *e, int pattern);
/* Fills `err` by what a call answered; false. */
bool uia_explain(HRESULT hr, const char *what, base_error *err);
/* A finite number that the cache holds, else 0. */
double uia_number(uia_element *e, int property);

/* Properties that the cache holds; what is not there is 0, false or "". */
int uia_int(uia_element *e, int property);
bool uia_bool(uia_element *e, int property);
/* -1 without the array. */
int uia_runtime_id(uia_element *e, int id[WIN32_MAX_ID]);

typedef struct {
    int control_type;
    bool is_top; /* a top-level window's own element */
    bool is_dialog, is_password, is_toggle, opens, is_invocable, is_editable;
} uia_kind;

/* AT-SPI's word. */
const char *uia_role(const uia_kind *kind);

#endif
