/*
 * x11_atspi.h: the inside of the element reader for AT-SPI (accessibility over D-Bus), shared by
 * the x11_atspi_*.c files and x11_elements.c.
 *
 * A read is a set of questions to many applications at once. Each application has a queue of
 * questions; up to ATSPI_WINDOW are in flight over all and ATSPI_APP_WINDOW for one, so that one
 * that hangs does not hold up the rest. Answers come in any order; each may ask more questions.
 * The read is over when no question is left, or when its time is.
 *
 * Trees come from Cache.GetItems, the one call that tells everything an application has in its
 * cache. That is often incomplete (a reader that trusts it misses what appeared later), so where an
 * element has another number of children than the cache lists, its children are asked for. An
 * application without a cache is read by the same questions, from its root down.
 */
#ifndef DESK_X11_ATSPI_H
#define DESK_X11_ATSPI_H

#include "arena.h"
#include "elements.h"

#include <dbus/dbus.h>

enum {
    ATSPI_WINDOW = 256,
    ATSPI_APP_WINDOW = 96,
    ATSPI_MAX_CHILDREN = 1000, /* of one element that we ask for its children */
    ATSPI_MAX_DEPTH = 200,
    ATSPI_PATIENCE_MS = 100,
};

/* Interfaces that matter, as bits. */
enum {
    ATSPI_HAS_COMPONENT = 1,
    ATSPI_HAS_TEXT = 2,
    ATSPI_HAS_VALUE = 4,
    ATSPI_HAS_ACTION = 8,
};

/* --- x11_atspi_bus.c: connections --------------------------------------------------------------
 */

/* Connects to the accessibility bus that belongs to the session bus at `session` (NULL: the
 * environment's) and asks applications to keep caches for us. NULL with `err` filled. */
DBusConnection *atspi_connect(const char *session, uint64_t deadline, atomic_bool *cancel,
                              desk_error *err);
void atspi_disconnect(DBusConnection *c);

/* Sends `call` (taking it over) and waits for its answer, whatever its type, to be unreferenced.
 * NULL with DESK_TIMED_OUT, DESK_CANCELLED, DESK_UNAVAILABLE (connection lost) or no memory. */
DBusMessage *atspi_ask(DBusConnection *c, DBusMessage *call, uint64_t deadline, atomic_bool *cancel,
                       desk_error *err);

/* Reads and writes for at most a moment; false if the connection has been lost. */
bool atspi_turn(DBusConnection *c, uint64_t deadline);

/* --- x11_atspi_words.c: AT-SPI's vocabulary ----------------------------------------------------
 */

const char *atspi_role_name(uint32_t role);
/* From the two words of an AT-SPI state set to bits of desk_element_state. */
uint64_t atspi_states(uint32_t low, uint32_t high);
/* One of the bits above, 0 for an interface we have no use for. */
unsigned atspi_interface(const char *name);

/* --- x11_atspi_read.c: one read ----------------------------------------------------------------
 */

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
    ATSPI_ASK_ACTIONS,
} atspi_question_kind;

typedef struct {
    atspi_question_kind kind;
    int32_t app, node;
} atspi_question;

typedef struct {
    const char *bus; /* unique name */
    const char *root;
    long pid;
    bool skipped; /* not wanted by the query */
    bool slow;    /* did not answer last time either: gets ATSPI_PATIENCE_MS only */
    const char *note;
    int32_t root_node;
    atspi_question *queue;
    size_t queue_start, queue_count, queue_room;
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
    desk_rect rect;
    double value;
    int actions;
    int8_t unanswered; /* questions about what it is that are still open */
    bool has_rect, has_value, asked_children, asked_fields;
    bool known;    /* from the cache, or asked what it is */
    bool answered; /* at least one answer came to that */
} atspi_node;

/* Bus names of applications that let the last read wait in vain. */
typedef struct {
    char names[8][32];
    size_t count;
} atspi_slow;

typedef struct {
    dbus_uint32_t serial;
    atspi_question question;
} atspi_flight;

typedef struct {
    DBusConnection *c;
    const desk_elements_query *query;
    desk_arena *arena;
    atspi_app *apps; /* the first is the bus itself */
    int32_t app_count;
    atspi_node *nodes;
    int32_t node_count, node_room, node_max;
    int32_t *buckets;
    atspi_flight flights[ATSPI_WINDOW];
    size_t flight_count;
    int32_t turn; /* whose questions are sent next */
    bool truncated, no_memory, no_apps;
    uint64_t patience_end; /* for slow applications */
    atspi_slow *slow;
} atspi_read;

enum { ATSPI_BUCKETS = 16384 };

/* Asks every question there is. False when nothing at all could be read. What was known when the
 * time was up is in `r`. */
bool atspi_read_run(atspi_read *r, desk_error *err);
void atspi_read_free(atspi_read *r);

/* --- x11_atspi_answers.c: taking answers in -----------------------------------------------------
 */

/* `reply` is NULL where the application said no. */
void atspi_answer(atspi_read *r, atspi_question question, DBusMessage *reply);
DBusMessage *atspi_question_message(const atspi_read *r, atspi_question question);
void atspi_queue(atspi_read *r, atspi_question_kind kind, int32_t app, int32_t node);

/* --- x11_atspi_nodes.c: the nodes of a read -----------------------------------------------------
 */

int32_t atspi_node_find(const atspi_read *r, int32_t app, const char *path);
/* A new node; -1 when there are too many or there is no memory. */
int32_t atspi_node_add(atspi_read *r, int32_t app, const char *path);
bool atspi_node_wanted(const atspi_read *r, const atspi_node *node);
bool atspi_is_root(const atspi_read *r, int32_t node);
/* Makes the result: wanted nodes in the order of the trees. */
bool atspi_result(atspi_read *r, desk_element_list *out, desk_error *err);

#endif
