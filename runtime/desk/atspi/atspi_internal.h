/*
 * atspi_internal.h: the inside of the element reader for AT-SPI (accessibility over D-Bus), shared
 * by the atspi_*.c files and atspi_elements.c.
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
 *
 * Questions go straight to the application where it has a socket of its own, which halves the time;
 * else by the bus.
 */
#ifndef DESK_ATSPI_ATSPI_INTERNAL_H
#define DESK_ATSPI_ATSPI_INTERNAL_H

#include "base/arena.h"
#include "desk/elements.h"

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

/* --- atspi_bus.c: connections --------------------------------------------------------------
 */

/* Connects to the accessibility bus that belongs to the session bus at `session` (NULL: the
 * environment's) and asks applications to keep caches for us. NULL with `err` filled. */
DBusConnection *atspi_connect(const char *session, uint64_t deadline, atomic_bool *cancel,
                              base_error *err);
void atspi_disconnect(DBusConnection *c);

/* Sends `call` (taking it over) and waits for its answer, whatever its type, to be unreferenced.
 * NULL with BASE_TIMED_OUT, BASE_CANCELLED, BASE_UNAVAILABLE (connection lost) or no memory. */
DBusMessage *atspi_ask(DBusConnection *c, DBusMessage *call, uint64_t deadline, atomic_bool *cancel,
                       base_error *err);

/* Reads and writes for at most a moment; false if the connection has been lost. */
bool atspi_turn(DBusConnection *c, uint64_t deadline);
/* Milliseconds to wait for an answer now: short, so that a cancelled call ends soon. */
int atspi_slice_ms(uint64_t deadline);

/* --- atspi_peers.c: connections to applications' own sockets --------------------------------
 */

typedef struct {
    char bus[32];      /* unique name on the bus */
    char root[96];     /* its root's path */
    long pid;          /* of the process at the other end, as the system says */
    DBusConnection *c; /* NULL: it has no socket, or did not let us in */
    bool seen;         /* in the registry, by the read under way */
} atspi_peer;

typedef struct {
    atspi_peer items[DESK_ELEMENTS_MAX_APPS];
    size_t count;
} atspi_peers;

/* The application's entry, NULL if it was never tried. */
atspi_peer *atspi_peer_find(atspi_peers *peers, const char *bus);
/* Whether questions can go that way. */
bool atspi_peer_open(const atspi_peer *peer);
/* Connects to what the application says is its socket ("" for none) and remembers how it went. Only
 * sockets of this machine that belong to the process `pid` are connected to. */
void atspi_peer_join(atspi_peers *peers, const char *bus, const char *root, const char *address,
                     long pid);
/* Forgets the applications that the last read has not seen, and those that have let go. */
void atspi_peers_sweep(atspi_peers *peers);
void atspi_peers_close(atspi_peers *peers);

/* --- atspi_words.c: AT-SPI's vocabulary ----------------------------------------------------
 */

const char *atspi_role_name(uint32_t role);
/* Whether elements of that role are there for the text that they hold. */
bool atspi_role_holds_text(uint32_t role);
/* From the two words of an AT-SPI state set to bits of desk_element_state. */
uint64_t atspi_states(uint32_t low, uint32_t high);
/* One of the bits above, 0 for an interface we have no use for. */
unsigned atspi_interface(const char *name);

/* --- atspi_read.c: one read ----------------------------------------------------------------
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
    DBusConnection *c;   /* that questions go over */
    const char *address; /* of its own socket, where that was asked for */
    long pid;
    bool skipped; /* not wanted by the query */
    bool slow;    /* let the last read wait in vain: has ATSPI_PATIENCE_MS for each answer */
    uint64_t patience_end; /* of one that is slow */
    bool tried;            /* whether it has a socket of its own is known */
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
    image_rect rect;
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
    base_arena *arena;
    atspi_app *apps; /* the first is the bus itself */
    int32_t app_count;
    atspi_node *nodes;
    int32_t node_count, node_room, node_max;
    int32_t *buckets;
    atspi_flight flights[ATSPI_WINDOW];
    size_t flight_count;
    int32_t turn; /* whose questions are sent next */
    bool truncated, no_memory, no_apps;
    atspi_slow *slow;
    atspi_peers *peers;
    desk_element_details *details; /* of the only element that is asked about; NULL in a read */
} atspi_read;

enum { ATSPI_BUCKETS = 16384 };

/* Until when an application that is slow has time for its next answer. */
uint64_t atspi_patience(void);
/* Asks every question there is. False when nothing at all could be read. What was known when the
 * time was up is in `r`. */
bool atspi_read_run(atspi_read *r, base_error *err);
/* The same for one element, by its handle: r->details is filled, their list by atspi_result. */
bool atspi_read_one(atspi_read *r, const char *bus, const char *path, base_error *err);
void atspi_read_free(atspi_read *r);

/* --- atspi_answers.c: taking answers in -----------------------------------------------------
 */

/* `reply` is NULL where the application said no. */
void atspi_answer(atspi_read *r, atspi_question question, DBusMessage *reply);
void atspi_queue(atspi_read *r, atspi_question_kind kind, int32_t app, int32_t node);
void atspi_queue_question(atspi_read *r, atspi_question question);
/* Asks who an element is; its other fields follow from the answer. */
void atspi_ask_identity(atspi_read *r, int32_t node);
/* One of those questions has been answered. */
void atspi_identity_answered(atspi_read *r, int32_t node);
/* Asks for place, text, value and actions, as far as they can be had and are wanted. */
void atspi_ask_fields(atspi_read *r, int32_t node);
void atspi_ask_children(atspi_read *r, int32_t node);

/* --- atspi_apps.c: applications -------------------------------------------------------------
 */

/* An application whose socket is known: it need not be waited for until the registry names it. */
void atspi_add_peer(atspi_read *r, const atspi_peer *peer);
void atspi_apps_answer(atspi_read *r, DBusMessage *reply);
void atspi_pid_answer(atspi_read *r, int32_t app, DBusMessage *reply);
void atspi_address_answer(atspi_read *r, int32_t app, DBusMessage *reply);

/* --- atspi_trees.c: what is below what ------------------------------------------------------
 */

void atspi_items_answer(atspi_read *r, int32_t app, DBusMessage *reply);
void atspi_children_answer(atspi_read *r, int32_t parent, DBusMessage *reply);
void atspi_child_count_answer(atspi_read *r, int32_t node, DBusMessage *reply);

/* --- atspi_message.c: taking messages apart -------------------------------------------------
 */

typedef struct {
    const char *bus, *path;
} atspi_reference;

/* Starts to read a message: false where it is none, or of another signature. */
bool atspi_begin(DBusMessage *reply, const char *signature, DBusMessageIter *i);
/* What is at the iterator, which the caller knows to be of that type, and a step on. */
void atspi_next_string(DBusMessageIter *i, const char **out);
int32_t atspi_next_int(DBusMessageIter *i);
atspi_reference atspi_next_reference(DBusMessageIter *i);
unsigned atspi_next_interfaces(DBusMessageIter *i);
uint64_t atspi_next_states(DBusMessageIter *i);
/* The value of a property, if it came and has that type. */
bool atspi_property(DBusMessage *reply, int type, void *out);
/* Cleaned copies in the read's arena: of one line; of a text, NULL without memory. */
const char *atspi_take_name(atspi_read *r, const char *text);
const char *atspi_take_text(atspi_read *r, const char *text);

/* --- atspi_details.c: what only one element is asked for ------------------------------------
 */

void atspi_ask_details(atspi_read *r, int32_t node);
void atspi_details_answer(atspi_read *r, atspi_question question, DBusMessage *reply);

/* --- atspi_questions.c: questions as messages -----------------------------------------------
 */

DBusMessage *atspi_question_message(const atspi_read *r, atspi_question question);

/* --- atspi_act.c, atspi_change.c: acting on one element ---------------------------------
 */

/* What is acted on: the element, and until when. */
typedef struct {
    DBusConnection *c;
    char bus[256];
    const char *path;
    uint64_t deadline;
    base_error *err;
} atspi_target;

/* Takes a handle apart (BASE_INVALID for what is none). `handle` and `err` must outlive it. */
bool atspi_target_open(atspi_target *t, DBusConnection *c, const char *handle, uint64_t deadline,
                       base_error *err);
/* A call of "org.a11y.atspi.INTERFACE"; NULL with the target's error. */
DBusMessage *atspi_call(const atspi_target *t, const char *interface, const char *method);
/* Sends (taking `call` over, which may be NULL) and waits; NULL with the target's error: of the
 * application it says that it cannot or refused to `what`. */
DBusMessage *atspi_target_ask(const atspi_target *t, DBusMessage *call, const char *what);
/* The same for what answers whether it was done. */
bool atspi_target_do(const atspi_target *t, DBusMessage *call, const char *what);
/* The action of that name, or without one of that index. */
bool atspi_target_act(const atspi_target *t, const char *action, int index);
/* The first of the named actions that the element has (a list that ends with NULL), else its first.
 */
bool atspi_target_act_any(const atspi_target *t, const char *const names[]);
bool atspi_target_change(const atspi_target *t, const desk_element_change *change);

/* --- atspi_nodes.c: the nodes of a read -----------------------------------------------------
 */

int32_t atspi_node_find(const atspi_read *r, int32_t app, const char *path);
/* A new node; -1 when there are too many or there is no memory. */
int32_t atspi_node_add(atspi_read *r, int32_t app, const char *path);
bool atspi_node_wanted(const atspi_read *r, const atspi_node *node);
bool atspi_is_root(const atspi_read *r, int32_t node);
/* Makes the result: wanted nodes in the order of the trees. */
bool atspi_result(atspi_read *r, desk_element_list *out, base_error *err);

#endif
