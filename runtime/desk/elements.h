/*
 * elements.h: what applications say about themselves: buttons, fields and texts with their places
 * and states, read from the platform's accessibility interface (AT-SPI; UI Automation).
 *
 * One `desk_elements` is a kept connection to that interface. Unlike the rest of the desk library
 * its calls take as long as the applications do (up to a deadline), so they are made on a worker
 * thread; one `desk_elements` serves one call at a time and locks itself.
 *
 * Everything that applications say is untrusted: sizes, depths and counts are capped, texts are
 * valid UTF-8 without control characters, parents always come before their children. Coordinates
 * are pixels of the desktop space (desk.h). An application that does not answer in time costs
 * the deadline, not the result: what the others said is returned with a note about it.
 */
#ifndef DESK_ELEMENTS_H
#define DESK_ELEMENTS_H

#include "base/error.h"
#include "image/image.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct desk_elements desk_elements;

/* Bits of desk_element.states, and indexes of desk_element_state_name. */
typedef enum {
    DESK_STATE_ACTIVE,
    DESK_STATE_BUSY,
    DESK_STATE_CHECKABLE,
    DESK_STATE_CHECKED,
    DESK_STATE_COLLAPSED,
    DESK_STATE_EDITABLE,
    DESK_STATE_ENABLED, /* reacts to the user; AT-SPI's "sensitive" */
    DESK_STATE_EXPANDABLE,
    DESK_STATE_EXPANDED,
    DESK_STATE_FOCUSABLE,
    DESK_STATE_FOCUSED,
    DESK_STATE_INDETERMINATE,
    DESK_STATE_MODAL,
    DESK_STATE_MULTI_LINE,
    DESK_STATE_PRESSED,
    DESK_STATE_READ_ONLY,
    DESK_STATE_REQUIRED,
    DESK_STATE_SELECTABLE,
    DESK_STATE_SELECTED,
    DESK_STATE_SHOWING, /* on the screen now, as far as the application knows */
    DESK_STATE_VISIBLE,
    DESK_STATE_COUNT
} desk_element_state;

enum {
    DESK_ELEMENTS_MAX_NODES = 5000, /* of one read, unless told otherwise */
    DESK_ELEMENTS_MAX_APPS = 64,
    DESK_ELEMENTS_MAX_NAME = 512,  /* bytes of a name or description, with the terminator */
    DESK_ELEMENTS_MAX_TEXT = 2000, /* characters of a text */
};

typedef struct {
    const char *bus;     /* X11: address of the session bus; NULL for the environment's */
    const char *display; /* Windows: name of the desktop (desk_options); NULL for the user's own */
} desk_elements_options;

typedef struct {
    uint64_t deadline; /* uv_hrtime by which the read returns what it has */
    size_t max_nodes;
    long pid;            /* only applications of this process; 0 for all */
    bool all;            /* also what is not showing (unopened menus, hidden pages) */
    bool bare;           /* without texts, values and numbers of actions: quicker */
    atomic_bool *cancel; /* set by another thread: give up soon with BASE_CANCELLED; may be NULL */
} desk_elements_query;

typedef struct {
    const char *name;
    long pid;         /* 0 if unknown */
    const char *note; /* why its part is missing or incomplete, NULL if it is complete */
} desk_element_app;

/* Strings are never NULL but for those said to be; all belong to the list. */
typedef struct {
    int32_t parent; /* index in the list, always smaller than its own; -1 for an application */
    int32_t app;    /* index in apps */
    int depth;
    const char *role; /* AT-SPI's word, such as "push button", on every platform */
    const char *name, *description;
    const char *text;   /* contents of a text; NULL where there is none */
    const char *handle; /* for ask, act and change: opaque, stays valid while the thing exists */
    uint64_t states;
    image_rect rect;
    bool has_rect; /* else it has no place on the screen */
    bool has_value;
    double value;
    int actions; /* 0 where it has none; else at least 1, `ask` names them */
} desk_element;

typedef struct {
    desk_element *items;
    size_t count;
    desk_element_app *apps;
    size_t app_count;
    bool truncated; /* a cap was reached */
    void *memory;   /* the strings */
} desk_element_list;

typedef struct {
    const char *name;                      /* for act */
    const char *title, *description, *key; /* for people, in their language; "" where unknown */
} desk_element_action;

/* One element as it is now, with what no list tells. All belongs to the list; free that. */
typedef struct {
    desk_element_list list; /* this element only, as `read` gives it */
    bool has_range;
    double minimum, maximum, step; /* of its value; a step of 0 is unknown */
    bool has_text;
    int32_t characters;   /* of its whole text */
    int32_t from, to;     /* the selected ones [from, to), or from == to: where the caret is */
    const char *selected; /* the selected text, at most DESK_ELEMENTS_MAX_TEXT characters */
    desk_element_action *actions;
    size_t action_count;
} desk_element_details;

typedef enum {
    DESK_CHANGE_TEXT,      /* replaces all of its text by `text` */
    DESK_CHANGE_VALUE,     /* to `number` */
    DESK_CHANGE_SELECTED,  /* selects it within its list, table, tabs ... */
    DESK_CHANGE_CHECKED,   /* what a click on a check box does: the next of its states */
    DESK_CHANGE_EXPANDED,  /* opens or closes it by `on`; the caller knows that it is not so yet */
    DESK_CHANGE_FOCUSED,   /* gives it the keyboard's focus within its window */
    DESK_CHANGE_IN_VIEW,   /* scrolls it into view */
    DESK_CHANGE_SELECTION, /* of its text: characters [from, to), or the caret where they are the
                            * same
                            */
} desk_change_kind;

typedef struct {
    desk_change_kind kind;
    double number;
    const char *text;
    bool on;
    int32_t from, to;
} desk_element_change;

/* A reader, to be closed by desk_elements_close. It connects when first used, so that this does not
 * wait. BASE_UNSUPPORTED where this build has none, BASE_UNAVAILABLE for a desktop that is not
 * there, BASE_NO_MEMORY. */
bool desk_elements_open(desk_elements **out, const desk_elements_options *options, base_error *err);
/* No call may be under way. */
void desk_elements_close(desk_elements *e);

/* What follows checks its arguments: BASE_INVALID for what is no handle, for text that is not UTF-8
 * and for numbers that no element can have. */

/* Fills `out`, to be freed by desk_element_list_free. BASE_UNAVAILABLE where there is no
 * accessibility interface, with how to get one; BASE_CANCELLED, BASE_NO_MEMORY. */
bool desk_elements_read(desk_elements *e, const desk_elements_query *query, desk_element_list *out,
                        base_error *err);
/* Does one of an element's actions: that of the name, or if NULL that of the index (0 is the usual
 * one). BASE_NOT_FOUND if it has gone or has no such action, BASE_REFUSED, BASE_TIMED_OUT. */
bool desk_elements_act(desk_elements *e, const char *handle, const char *action, int index,
                       uint64_t deadline, base_error *err);
/* Tells the application to change an element. It has answered when this returns, and may take a
 * moment to do it. Errors as of desk_elements_act; BASE_UNSUPPORTED where the element is not of
 * that kind. */
bool desk_elements_change(desk_elements *e, const char *handle, const desk_element_change *change,
                          uint64_t deadline, base_error *err);
/* Asks one element what it is now; `out->list` is to be freed. Errors as of desk_elements_act;
 * `out` is then empty. */
bool desk_elements_ask(desk_elements *e, const char *handle, uint64_t deadline,
                       desk_element_details *out, base_error *err);

/* "focused" and so on. Static storage. */
const char *desk_element_state_name(desk_element_state state);

void desk_element_list_free(desk_element_list *list);

#endif
