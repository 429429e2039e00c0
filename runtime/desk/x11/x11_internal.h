/*
 * x11_internal.h: the X11 backend's inside, shared by the files of this folder and nobody else.
 *
 * One XCB connection does everything; requests that do not depend on each other are sent together
 * before the first reply is read. The server may vanish at any moment: XCB then fails every call
 * without ending the program, and x11_lost or x11_refused turn that into `unavailable`. X errors
 * about windows that have closed meanwhile are expected and come back as "not found" or nothing.
 *
 * Needed: XTEST and a true-colour screen of 32-bit little-endian pixels. MIT-SHM, XFIXES, DAMAGE,
 * RANDR and COMPOSITE are used where present: without them capture is slower, has no pointer drawn
 * in it, watch_start fails, the screen is one monitor, and windows have no pixels of their own.
 */
#ifndef DESK_X11_X11_INTERNAL_H
#define DESK_X11_X11_INTERNAL_H

#include "desk/backend.h"
#include "x11_ledger.h"

#include <sys/types.h>
#include <xcb/damage.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xfixes.h>

typedef struct x11_desk x11_desk;

typedef enum {
    X11_NET_ACTIVE_WINDOW,
    X11_NET_CLIENT_LIST,
    X11_NET_CLIENT_LIST_STACKING,
    X11_NET_CLOSE_WINDOW,
    X11_NET_CURRENT_DESKTOP,
    X11_NET_DESKTOP_NAMES,
    X11_NET_FRAME_EXTENTS,
    X11_NET_MOVERESIZE_WINDOW,
    X11_NET_NUMBER_OF_DESKTOPS,
    X11_NET_RESTACK_WINDOW,
    X11_NET_SUPPORTED,
    X11_NET_SUPPORTING_WM_CHECK,
    X11_NET_WM_CM,
    X11_NET_WM_DESKTOP,
    X11_NET_WM_NAME,
    X11_NET_WM_PID,
    X11_NET_WM_PING,
    X11_NET_WM_STATE,
    X11_NET_WM_STATE_ABOVE,
    X11_NET_WM_STATE_BELOW,
    X11_NET_WM_STATE_HIDDEN,
    X11_NET_WM_STATE_MAXIMIZED_HORZ,
    X11_NET_WM_STATE_MAXIMIZED_VERT,
    X11_NET_WORKAREA,
    X11_NET_WM_WINDOW_TYPE,
    X11_NET_WM_WINDOW_TYPE_DESKTOP,
    X11_NET_WM_WINDOW_TYPE_DOCK,
    X11_CLIPBOARD,
    X11_DESKPILOT_SELECTION,
    X11_IMAGE_PNG,
    X11_INCR,
    X11_TARGETS,
    X11_TEXT_PLAIN_UTF8,
    X11_TIMESTAMP,
    X11_UTF8_STRING,
    X11_WM_CHANGE_STATE,
    X11_WM_DELETE_WINDOW,
    X11_WM_PROTOCOLS,
    X11_WM_STATE,
    X11_ATOM_COUNT
} x11_atom;

/* Where the last captured frame lives: a shared segment, or the reply that carried it. */
typedef struct {
    xcb_shm_seg_t segment;
    uint8_t *shared; /* NULL without MIT-SHM */
    size_t shared_size;
    xcb_get_image_reply_t *reply;

    /* What `shared` shows, so that an unchanged screen need not be fetched again: see
     * x11_capture. */
    xcb_damage_damage_t damage; /* 0 until the first capture, and where it cannot be trusted */
    unsigned cleared;           /* number of the request that cleared it last */
    bool current;               /* nothing has been drawn since then */
    image_rect rect, screen;
    bool with_cursor;
    uint32_t cursor_serial; /* of its picture */
    int16_t cursor_x, cursor_y;
} x11_frame;

enum { X11_MAX_SPARES = 64, X11_MAX_HELD = 32 };

/* A keycode that the user's keyboard map leaves empty, and what we made of it. */
typedef struct {
    xcb_keycode_t keycode;
    xcb_keysym_t keysym; /* what we wrote; 0 while it is empty as the user left it */
    bool used;           /* keystrokes that need `keysym` may still be on their way */
    int pins;            /* keys held down on it by `key` */
} x11_spare;

/* A keycode with the modifiers that turn it into the wanted keysym. */
typedef struct {
    xcb_keycode_t keycode;
    bool shift, level3;
} x11_stroke;

typedef struct {
    xcb_keycode_t min, max;
    int columns;        /* keysyms per keycode */
    xcb_keysym_t *map;  /* (max - min + 1) rows; NULL until first needed */
    xcb_keycode_t lock; /* the caps lock key; this and the next two are 0 if there is none */
    xcb_keycode_t shift, level3;
    uint16_t num_lock_mask;
    bool stale; /* the server told of a change */
    x11_spare spares[X11_MAX_SPARES];
    size_t spare_count;
} x11_keymap;

typedef struct {
    desk_key key;
    x11_stroke stroke; /* modifiers are set only where we pressed them ourselves */
} x11_held_key;

typedef struct {
    x11_held_key held[X11_MAX_HELD];
    size_t held_count;
} x11_keyboard;

enum { X11_KINDS = 2 /* keys and buttons */, X11_CODES = 256 /* of each */ };

typedef struct x11_journal x11_journal; /* in memory shared with the watchdog: x11_watchdog.c */

/* The process that restores keyboard and mouse when ours is killed. */
typedef struct {
    bool tried;                      /* to start it, which is done once */
    pid_t pid;                       /* these three only while there is a journal */
    int pipe;                        /* our end; the watchdog wakes when it closes */
    x11_journal *journal;            /* NULL: there is no watchdog */
    bool down[X11_KINDS][X11_CODES]; /* when all that is queued has been done */
} x11_watchdog;

/* An application that is watched until it has nothing to do: x11_idle.c. */
typedef struct {
    long pid; /* 0: none is */
    bool asleep;
    unsigned long long switches; /* of context, when it was looked at last */
    uint64_t asked, since;       /* ns; since when it has been as it is */
} x11_idle;

typedef enum {
    X11_NO_CONVERSION,
    X11_REQUESTED,
    X11_INCREMENTAL,
    X11_CONVERTED, /* this and the next two: for the caller, when it asks again */
    X11_TOO_LARGE,
    X11_NO_MEMORY
} x11_conversion_state;

/* What was requested from the clipboard's owner, and what came of it. */
typedef struct {
    desk_clipboard_kind kind;
    x11_conversion_state state;
    xcb_window_t window; /* ours, where the answer goes */
    xcb_window_t owner;
    xcb_atom_t target;
    uint64_t wanted; /* when the caller asked last, ns */
    char *data;      /* as it came, without a terminator; NULL while there is none */
    size_t length, capacity;
    bool latin1;
} x11_conversion;

/* What we put into the clipboard: used by the selection, and by transfers that go on after it. */
typedef struct {
    size_t uses;
    desk_clipboard_kind kind;
    size_t length;
    char bytes[];
} x11_content;

typedef struct {
    xcb_window_t requestor;
    xcb_atom_t property, type;
    x11_content *content; /* NULL: this slot is free */
    size_t sent;
    uint64_t heard; /* when its requestor last took a part, ns */
} x11_transfer;

enum { X11_TRANSFERS = 16 };

typedef struct {
    xcb_window_t window;        /* ours, which owns the clipboard; 0 until it first does */
    xcb_timestamp_t now, since; /* the server's clock when it told us, and when we became owner */
    x11_content *content;       /* NULL while we own nothing */
    x11_transfer transfers[X11_TRANSFERS];
} x11_selection;

enum { X11_LISTENED_MAX = 512, X11_EXPOSED_MAX = 64 };

typedef struct {
    xcb_window_t window;
    int x, y;      /* of its inside, counted from that of the window to be captured */
    uint32_t mask; /* of the events that we had selected on it before */
} x11_listened;

/* What the server asked to be drawn again: x11_exposed.c. */
typedef struct {
    x11_listened *items; /* NULL while nobody listens */
    size_t count;
    xcb_rectangle_t rects[X11_EXPOSED_MAX]; /* in the window to be captured */
    size_t rect_count;
} x11_exposed;

/* The window whose own picture is being taken: x11_window_capture.c. */
typedef struct {
    xcb_window_t window; /* 0: none is */
    x11_exposed exposed;
    xcb_damage_damage_t damage;
    xcb_xfixes_region_t missing; /* what has not been drawn yet; 0: nothing was hidden */
    xcb_xfixes_region_t drawn_parts;
    bool pinged;              /* else its application cannot be asked */
    uint64_t began, drawn;    /* ns; `drawn`: when it drew last */
    uint64_t heard, complete; /* ns: when it answered, when nothing was missing; 0: not yet */
} x11_capture_session;

/* Answers to _NET_WM_PING. */
typedef struct {
    uint32_t sent, seen; /* tokens */
    uint32_t aside;      /* the token of a ping whose answer is no answer to the others; 0: none */
    uint64_t *answered;  /* of that one */
} x11_pings;

/* What takes in an event of the type that it was registered for. */
typedef void x11_event_handler(x11_desk *x, const xcb_generic_event_t *event);

enum { X11_EVENT_TYPES = 128, X11_HANDLERS_MAX = 3 };

typedef struct {
    x11_event_handler *handlers[X11_EVENT_TYPES][X11_HANDLERS_MAX + 1]; /* each ends with NULL */
    void (*taken)(x11_desk *x); /* called after all events that had arrived were taken in */
    uint32_t root_mask;         /* of the events that we select on the root window */
} x11_events;

struct x11_desk {
    desk base;
    char name[128];  /* of the display */
    char cookie[33]; /* as given to open; "" for what the user's Xauthority file says */
    xcb_connection_t *c;
    const xcb_screen_t *screen;
    xcb_window_t root;
    xcb_atom_t atoms[X11_ATOM_COUNT];
    bool has_shm, has_fixes, has_damage;

    x11_events events;
    x11_frame frame;
    x11_capture_session session;

    xcb_damage_damage_t damage; /* 0 while nobody watches */
    uint8_t damage_event;
    bool damage_seen;
    unsigned damage_ignored; /* number of a request whose damage is no change */
    uint64_t last_change;

    x11_ledger *ledger;    /* of what we send */
    uint32_t buttons_held; /* bit n: button n */
    uint8_t let_go; /* the button that was let go last, as applications number it; 0: it is up */
    x11_keymap keymap;
    x11_keyboard keyboard;
    bool lock_taken; /* caps lock was on; type_end turns it on again */
    x11_watchdog watchdog;

    x11_conversion conversions[DESK_CLIPBOARD_KINDS]; /* one each */
    x11_selection selection;
    uint8_t fixes_event;
    uint64_t clipboard_changes; /* 0 until somebody asks */

    uint64_t window_changes; /* 0 until somebody asks */
    x11_pings pings;
    x11_idle idle;
};

/* --- x11_connection.c --------------------------------------------------------------------------
 */

/* A connection to the display that the options name; `*number` is the screen's. Never NULL; has an
 * error, with `err` filled, where it cannot be opened. */
xcb_connection_t *x11_connect(const desk_options *options, int *number, base_error *err);
const xcb_screen_t *x11_screen_number(xcb_connection_t *c, int number);
/* Connects a new desk and finds out what its display can do. */
bool x11_connection_open(x11_desk *x, const desk_options *options, base_error *err);
void x11_connection_close(x11_desk *x);
/* False, with `err` filled, if the connection has gone. */
bool x11_alive(x11_desk *x, base_error *err);
/* Fills `err` for a request that failed while `doing` something; frees `e`, which may be NULL.
 * Returns false. */
bool x11_refused(x11_desk *x, const char *doing, xcb_generic_error_t *e, base_error *err);
/* Waits for a checked request. */
bool x11_check(x11_desk *x, xcb_void_cookie_t cookie, const char *doing, base_error *err);
/* Sends what is queued and waits until the server has done it. */
bool x11_sync(x11_desk *x, base_error *err);
/* --- x11_events.c ------------------------------------------------------------------------------
 */

/* From now on `handler` takes in the events of that type, after those that were registered before.
 */
void x11_events_on(x11_desk *x, uint8_t type, x11_event_handler *handler);
/* The event pump: takes in the events that have arrived, without waiting. */
void x11_take_events(x11_desk *x);
/* Selects those events of the root window, beside the others. */
void x11_listen_at_root(x11_desk *x, uint32_t events);

/* --- x11_watchdog.c: what is told to the watchdog before it is sent ----------------------------
 */

/* An XTEST key or button event. This and the next two start the watchdog if there is none yet. */
void x11_watchdog_input(x11_desk *x, uint8_t type, uint8_t detail);
/* An empty keycode gets this keysym on both levels; 0: it is emptied again. */
void x11_watchdog_keysym(x11_desk *x, xcb_keycode_t keycode, xcb_keysym_t keysym);
/* Caps lock, whose key this is, is turned off for a while; 0: it is on again. */
void x11_watchdog_caps_lock(x11_desk *x, xcb_keycode_t keycode);
/* The server has done everything that was sent. */
void x11_watchdog_done(x11_desk *x);
/* Ends the watchdog, or leaves the restoring to it where not everything was done. */
void x11_watchdog_close(x11_desk *x, bool all_done);

/* --- x11_input.c: input by XTEST ---------------------------------------------------------------
 */

void x11_input_open(x11_desk *x);
/* After all that is held down was released. */
void x11_input_close(x11_desk *x);
/* Queues one key or button event; errors turn up in x11_input_sync. */
void x11_fake(x11_desk *x, uint8_t type, uint8_t detail);
/* Sends one and waits until the server has done it. */
bool x11_fake_checked(x11_desk *x, uint8_t type, uint8_t detail, const char *doing,
                      base_error *err);
/* Queues a move of the pointer to that place of the screen. */
void x11_fake_motion(x11_desk *x, int px, int py);
/* Sends what is queued and waits until the server has done it. */
bool x11_input_sync(x11_desk *x, base_error *err);

/* --- x11_screen.c ------------------------------------------------------------------------------
 */

bool x11_screen_rect(desk *d, image_rect *out, base_error *err);
void x11_screen_ops(desk_ops *ops);
x11_event_handler x11_screen_damaged;
void x11_screen_close(x11_desk *x);
/* The pixels of a part of a pixmap, where the last frame was: valid until the next fetch. NULL with
 * `err`. */
uint8_t *x11_fetch_pixmap(x11_desk *x, xcb_pixmap_t pixmap, image_rect r, base_error *err);

/* --- x11_monitors.c ----------------------------------------------------------------------------
 */

void x11_monitor_ops(desk_ops *ops);

/* --- x11_window_capture.c ----------------------------------------------------------------------
 */

void x11_window_capture_ops(desk_ops *ops);
void x11_window_capture_end(desk *d);
x11_event_handler x11_window_capture_exposed, x11_window_capture_damaged;

/* --- x11_exposed.c -----------------------------------------------------------------------------
 */

/* Listens to what `window`, on which we had selected the events of `mask`, and the windows in it
 * are asked to draw. False without memory. */
bool x11_exposed_start(x11_desk *x, x11_exposed *e, xcb_window_t window, uint32_t mask);
void x11_exposed_stop(x11_desk *x, x11_exposed *e);
void x11_exposed_note(x11_exposed *e, const xcb_expose_event_t *event);

/* --- x11_cursor.c ------------------------------------------------------------------------------
 */

/* Blends the pointer's picture into `image`, which shows `rect` of the screen. */
void x11_cursor_draw(const xcb_xfixes_get_cursor_image_reply_t *cursor, image_rect rect,
                     image_bitmap *image);

/* --- x11_damage.c ------------------------------------------------------------------------------
 */

void x11_damage_ops(desk_ops *ops);
void x11_watch_stop(desk *d);
x11_event_handler x11_damage_event;
/* What that request (its sequence number) damages is no change of the screen. */
void x11_damage_ignore(x11_desk *x, unsigned request);
/* After a round of events: asks to be told of the next change. */
void x11_damage_rearm(x11_desk *x);

/* --- x11_pointer.c -----------------------------------------------------------------------------
 */

void x11_pointer_ops(desk_ops *ops);
void x11_pointer_close(x11_desk *x);

/* --- x11_keysyms.c -----------------------------------------------------------------------------
 */

xcb_keysym_t x11_keysym_of_character(uint32_t codepoint);
/* What a named key is on the server's side: two keysyms, the preferred one first, 0 for none. */
void x11_keysyms_of_key(desk_key key, xcb_keysym_t out[2]);

/* --- x11_keymap.c ------------------------------------------------------------------------------
 */

/* Makes `x->keymap` true to the server and hands out its modifier and button state. */
bool x11_keymap_ready(x11_desk *x, uint16_t *state, base_error *err);
x11_event_handler x11_keymap_event;
void x11_keymap_close(x11_desk *x);
/* The keystroke that gives `keysym` in layout `group` of the user's own map. */
bool x11_keymap_find(const x11_keymap *k, xcb_keysym_t keysym, int group, x11_stroke *out);
/* The layout in use, from a state. */
int x11_state_group(uint16_t state);
/* The keypad's digits share their keys with arrows, and num lock says which of the two a key is:
 * gives the stroke for `keysym` the shift that it needs in that state. */
void x11_keymap_heed_num_lock(const x11_keymap *k, xcb_keysym_t keysym, uint16_t state,
                              x11_stroke *stroke);
/* A spare keycode that gives `keysym`: one that does already or a free one; NULL if all are used.
 * A new one is written to the server's map, and `*changed` set. */
x11_spare *x11_spare_for(x11_desk *x, xcb_keysym_t keysym, bool *changed);
/* Makes every spare keycode free for another keysym; what they say now stays until then. */
void x11_spares_forget(x11_desk *x);
/* Empties the spare keycodes again, but for those held down and those that others changed. */
void x11_spares_restore(x11_desk *x);
/* Where the keycode is a spare one: `by` (1 or -1) more keys are held down on it. */
void x11_spare_pin(x11_desk *x, xcb_keycode_t keycode, int by);

/* --- x11_keyboard.c ----------------------------------------------------------------------------
 */

void x11_keyboard_ops(desk_ops *ops);
/* Releases what is held down. */
void x11_keyboard_close(x11_desk *x);

/* --- x11_text.c --------------------------------------------------------------------------------
 */

void x11_text_ops(desk_ops *ops);
bool x11_type_end(desk *d, base_error *err);

/* --- x11_ping.c --------------------------------------------------------------------------------
 */

void x11_ping_ops(desk_ops *ops);
/* Asks a window that answers pings, apart from those of x11_ping: `*answered` becomes the time (ns)
 * of its answer, if that comes before x11_ping_aside_end. One at a time. */
void x11_ping_aside(x11_desk *x, xcb_window_t window, uint64_t *answered);
void x11_ping_aside_end(x11_desk *x);
x11_event_handler x11_ping_event;
/* Looks whether an application that cannot be asked is idle. */
void x11_ping_poll(x11_desk *x);

/* --- x11_idle.c --------------------------------------------------------------------------------
 */

/* Begins to watch the application of a window; false where it cannot be watched. */
bool x11_idle_start(x11_desk *x, xcb_window_t window);
/* Whether it has nothing to do any more; to be called every few milliseconds, until it is true. */
bool x11_idle_seen(x11_desk *x);
void x11_idle_stop(x11_desk *x);
bool x11_idle_watching(const x11_desk *x);

/* --- x11_properties.c --------------------------------------------------------------------------
 */

/* Asks for a property of any type, as much of it as is ever wanted of a window. */
xcb_get_property_cookie_t x11_ask_property(x11_desk *x, xcb_window_t window, xcb_atom_t property);
/* The first 32-bit value of a property, 0 if there is none. */
uint32_t x11_take_value(x11_desk *x, xcb_get_property_cookie_t cookie);
/* Whether a property that is a list of atoms holds that one. */
bool x11_has_atom(const xcb_get_property_reply_t *reply, xcb_atom_t atom);
/* Whether a window's WM_PROTOCOLS lists that one. */
bool x11_has_protocol(x11_desk *x, xcb_window_t window, x11_atom protocol);

/* --- x11_manager.c: the window manager ---------------------------------------------------------
 */

/* Whether a window manager of the extended hints is at work. */
bool x11_has_manager(x11_desk *x);
/* Whether it says that it understands `message`. */
bool x11_manager_knows(x11_desk *x, x11_atom message);
/* Asks the window manager, by a message to the root window about `window`. */
void x11_tell_manager(x11_desk *x, xcb_window_t window, x11_atom what, const uint32_t data[5]);
/* The window that has the user's attention, 0 if there is none. */
xcb_window_t x11_active_window(x11_desk *x);
/* BASE_NOT_FOUND for a window that has closed. */
bool x11_check_exists(x11_desk *x, uint64_t id, base_error *err);

/* --- x11_windows.c -----------------------------------------------------------------------------
 */

void x11_windows_ops(desk_ops *ops);

/* --- x11_window_actions.c ----------------------------------------------------------------------
 */

void x11_window_action_ops(desk_ops *ops);

/* --- x11_window_watch.c ------------------------------------------------------------------------
 */

void x11_window_watch_ops(desk_ops *ops);
x11_event_handler x11_window_event, x11_window_property_event;
/* Hears of that window's title and state, if anybody wants to know. */
void x11_window_listen(x11_desk *x, xcb_window_t window);

/* --- x11_workspaces.c --------------------------------------------------------------------------
 */

void x11_workspace_ops(desk_ops *ops);
/* The number for a window's _NET_WM_DESKTOP, as desk_window has it. */
int x11_workspace_number(x11_desk *x, xcb_get_property_cookie_t cookie);

/* --- x11_clipboard.c: what another program owns ------------------------------------------------
 */

void x11_clipboard_ops(desk_ops *ops);
x11_event_handler x11_clipboard_selection_event, x11_clipboard_property_event;
void x11_clipboard_close(x11_desk *x);

/* --- x11_clipboard_watch.c ---------------------------------------------------------------------
 */

void x11_clipboard_watch_ops(desk_ops *ops);
x11_event_handler x11_clipboard_owner_event;

/* --- x11_selection_owner.c: what we own --------------------------------------------------------
 */

void x11_selection_ops(desk_ops *ops);
x11_event_handler x11_selection_request_event, x11_selection_property_event;
x11_event_handler x11_selection_clear_event, x11_selection_destroy_event;
/* Whether other programs may request what we own, or are taking it. */
bool x11_selection_busy(const x11_desk *x);
void x11_selection_close(x11_desk *x);

#endif
