/*
 * atspi_state.h: what a read knows while it is going on; its files stand on it.
 *
 * A read is a set of questions to many applications at once. Each application has a queue of
 * questions; up to ATSPI_WINDOW are in flight over all and ATSPI_APP_WINDOW for one, so that one
 * that hangs does not hold up the rest. Answers come in any order; each may ask more questions.
 * The read is over when no question is left, or when its time is.
 *
 * Trees come from Cache.GetItems, the one call that tells everything an application has in its
 * cache. That is often incomplete (a reader that trusts it misses what appeared later), so where an
 * element has another number of children than the cache lists, its children are asked for; but not
 * those of a closed menu where only what is showing is read. An application without a cache is read
 * by the same questions, from its root down.
 *
 * Questions go straight to the application where it has a socket of its own, by several connections
 * in turn (atspi_peers.h), which halves the time and more; else by the bus.
 */
#ifndef DESK_ATSPI_ATSPI_STATE_H
#define DESK_ATSPI_ATSPI_STATE_H

#include "atspi_peers.h"
#include "base/arena.h"

enum {
    ATSPI_WINDOW = 256,
    ATSPI_APP_WINDOW = 96,
    ATSPI_MAX_CHILDREN = 1000, /* of one element that we ask for its children */
    ATSPI_MAX_DEPTH = 200,
    ATSPI_SLOW_MS = 100,
    ATSPI_BUCKETS = 16384,
};

typedef enum {
    ATSPI_ASK_APPS,
    ATSPI_ASK_PID,
    ATSPI_ASK_ITEMS,
    ATSPI_ASK_CHILDREN,
    ATSPI_ASK_CHILD_COUNT,
    ATSPI_ASK_PROPERTIES,
    ATSPI_ASK_NAME, /* this and the next only where the properties do not come together */
    ATSPI_ASK_DESCRIPTION,
    ATSPI_ASK_ROLE,
    ATSPI_ASK_STATE,
    ATSPI_ASK_INTERFACES,
    ATSPI_ASK_EXTENTS,
    ATSPI_ASK_TEXT,
    ATSPI_ASK_VALUE,
    ATSPI_ASK_ADDRESS,
    ATSPI_ASK_MINIMUM, /* this and the next for the details of one element */
    ATSPI_ASK_MAXIMUM,
    ATSPI_ASK_STEP,
    ATSPI_ASK_CHARACTERS,
    ATSPI_ASK_CARET,
    ATSPI_ASK_SELECTIONS,
    ATSPI_ASK_SELECTION,
    ATSPI_ASK_SELECTED_TEXT,
    ATSPI_ASK_ACTION_LIST,
    ATSPI_ASK_ACTION_NAME,
} atspi_question_kind;

typedef struct {
    atspi_question_kind kind;
    int32_t app, node;
    int32_t index; /* of an action */
} atspi_question;

typedef struct {
    const char *bus; /* unique name */
    const char *root;
    atspi_connections connections; /* that questions go over, by turns */
    int next;                      /* of them */
    const char *address;           /* of its own socket, where that was asked for */
    long pid;
    bool skipped; /* not wanted by the query */
    bool slow;    /* did not answer the last read in time: has ATSPI_SLOW_MS for each answer */
    uint64_t answer_deadline; /* of one that is slow: for its next answer */
    bool tried;               /* whether it has a socket of its own is known */
    const char *note;
    int32_t root_node;
    atspi_question *queue;
    size_t queue_start, queue_count, queue_capacity;
    int in_flight;
} atspi_app;

typedef struct {
    const char *path;
    const char *parent_path; /* as the cache told; resolved when all items are known */
    const char *name, *description, *text;
    int32_t app, parent, order, child_count;
    int32_t next_same_hash;
    int32_t listed;                    /* children found in the cache */
    int32_t first_child, next_sibling; /* only while the result is made */
    uint32_t role;
    uint64_t states;
    unsigned interfaces;
    image_rect rect;
    double value;
    int actions;
    int8_t unanswered; /* questions about what it is that are still open */
    bool has_rect, has_value, asked_children, asked_fields, asked_place;
    bool known;    /* from the cache, or asked what it is */
    bool answered; /* at least one answer came to that */
} atspi_node;

/* Bus names of applications that did not answer the last read in time. */
typedef struct {
    char names[8][32];
    size_t count;
} atspi_slow;

typedef struct {
    DBusConnection *c;
    dbus_uint32_t serial;
    atspi_question question;
} atspi_flight;

typedef struct {
    DBusConnection *c;
    const desk_elements_query *query;
    base_arena *arena;
    atspi_app *apps; /* the first is the bus itself */
    int32_t app_count;
    atspi_node *nodes;
    int32_t node_count, node_capacity, node_max;
    int32_t *buckets;
    atspi_flight flights[ATSPI_WINDOW];
    size_t flight_count;
    int32_t turn; /* whose questions are sent next */
    bool truncated, no_memory, no_apps;
    atspi_slow *slow;
    atspi_peers *peers;
    desk_element_details *details; /* of the only element that is asked about; NULL in a read */
} atspi_read;

#endif
