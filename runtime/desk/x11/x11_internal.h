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
    desk_key key;
    x11_stroke stroke; /* modifiers are set only where we pressed them ourselves */
} x11_held_key;

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
    x11_held_key held[X11_MAX_HELD];
    size_t held_count;
    bool lock_taken; /* caps lock was on; text_end turns it on again */
} x11_keyboard;

enum { X11_KINDS = 2 /* keys and buttons */, X11_CODES = 256 /* of each */ };

typedef struct x11_journal x11_journal; /* shared with the guardian: x11_guardian.c */

/* The process that mends keyboard and mouse when ours is killed. */
typedef struct {
    bool tried;                      /* to start it, which is done once */
    pid_t pid;                       /* these three only while there is a journal */
    int pipe;                        /* the end whose closing wakes it */
    x11_journal *journal;            /* NULL: there is no guardian */
    bool down[X11_KINDS][X11_CODES]; /* as it will be when all that is queued is done */
} x11_guardian;

/* An application that is watched until it has nothing to do: x11_idle.c. */
typedef struct {
    long pid; /* 0: none is */
    bool asleep;
    unsigned long long switches; /* of context, when it was looked at last */
    uint64_t asked, since;       /* ns; since when it has been as it is */
} x11_idle;

typedef enum {
    X11_NOTHING_ASKED,
    X11_ASKED,
    X11_IN_PARTS,
    X11_ANSWERED, /* this and the next two: to be told to whoever comes back */
    X11_TOO_LARGE,
    X11_NO_ROOM
} x11_question_state;

/* What was asked of the clipboard's owner, and what came of it. */
typedef struct {
    desk_clipboard_kind kind;
    x11_question_state state;
    xcb_window_t window; /* ours, where the answer goes */
    xcb_window_t owner;
    xcb_atom_t target;
    uint64_t wanted; /* when the asker came last, ns */
    char *data;      /* as it came, without a terminator; NULL while there is none */
    size_t length, room;
    bool latin1;
} x11_question;

/* What is offered, and what still takes it when something else is offered. */
typedef struct {
    size_t uses;
    desk_clipboard_kind kind;
    size_t length;
    char bytes[];
} x11_content;

typedef struct {
    xcb_window_t requestor;
    xcb_atom_t property, type;
    x11_content *content; /* NULL: this place is free */
    size_t sent;
    uint64_t heard; /* when its requestor took a part, ns */
} x11_transfer;

enum { X11_TRANSFERS = 16 };

typedef struct {
    xcb_window_t window;        /* ours, owner of the clipboard; 0 until something is offered */
    xcb_timestamp_t now, since; /* the server's clock when it told us, and when we became owner */
    x11_content *content;       /* NULL while we own nothing */
    x11_transfer transfers[X11_TRANSFERS];
} x11_offer;

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
    unsigned released;     /* number of the request that ended the last one */
    uint32_t ping;         /* token; 0: its application cannot be asked */
    uint64_t began, drawn; /* ns; `drawn`: when it drew last */
    uint64_t heard, whole; /* ns: when it answered, and when nothing was missing; 0: not yet */
} x11_sitting;

typedef struct {
    desk base;
    char name[128];  /* of the display */
    char cookie[33]; /* as given to open; "" for what the user's Xauthority file says */
    xcb_connection_t *c;
    const xcb_screen_t *screen;
    xcb_window_t root;
    xcb_atom_t atoms[X11_ATOM_COUNT];
    bool has_shm, has_fixes, has_damage;

    x11_frame frame;
    x11_sitting sitting;

    xcb_damage_damage_t damage; /* 0 while nobody watches */
    uint8_t damage_event;
    bool damage_seen;
    uint64_t last_change;

    x11_ledger *ledger;    /* of what we send */
    uint32_t buttons_held; /* bit n: button n */
    uint8_t let_go; /* the button that was let go last, as applications number it; 0: it is up */
    x11_keyboard keyboard;
    x11_guardian guardian;

    x11_question questions[DESK_CLIPBOARD_KINDS]; /* one each */
    x11_offer offer;
    uint8_t fixes_event;
    uint64_t clipboard_changes; /* 0 until somebody asks */

    uint32_t root_mask;            /* of the events that we hear there */
    uint64_t window_changes;       /* 0 until somebody asks */
    uint32_t ping_sent, ping_seen; /* tokens */
    x11_idle idle;
} x11_desk;

/* --- x11.c: the connection ---------------------------------------------------------------------
 */

/* A connection to the display that the options name; `*number` is the screen's. Never NULL; has an
 * error, with `err` filled, where it cannot be opened. */
xcb_connection_t *x11_connect(const desk_options *options, int *number, base_error *err);
const xcb_screen_t *x11_screen_number(xcb_connection_t *c, int number);
/* False, with `err` filled, if the connection has gone. */
bool x11_alive(x11_desk *x, base_error *err);
/* Fills `err` for a request that failed while `doing` something; frees `e`, which may be NULL.
 * Returns false. */
bool x11_refused(x11_desk *x, const char *doing, xcb_generic_error_t *e, base_error *err);
/* Waits for a checked request. */
bool x11_check(x11_desk *x, xcb_void_cookie_t cookie, const char *doing, base_error *err);
/* Sends what is queued and waits until the server has done it. */
bool x11_sync(x11_desk *x, base_error *err);
/* Takes in the events that have arrived, without waiting. */
void x11_take_events(x11_desk *x);
/* Asks to be told of those events of the root window, beside the others. */
void x11_listen_at_root(x11_desk *x, uint32_t events);
/* Queues one XTEST key or button event; errors turn up in x11_sync. */
void x11_fake(x11_desk *x, uint8_t type, uint8_t detail);

/* --- x11_guardian.c: what is told to the guardian before it is sent ----------------------------
 */

/* An XTEST key or button event. Like the next one it starts the guardian if there is none yet. */
void x11_guard_input(x11_desk *x, uint8_t type, uint8_t detail);
/* An empty keycode gets this keysym on both levels; 0: it is emptied again. */
void x11_guard_keysym(x11_desk *x, xcb_keycode_t keycode, xcb_keysym_t keysym);
/* Caps lock, whose key this is, is turned off for a while; 0: it is on again. */
void x11_guard_lock(x11_desk *x, xcb_keycode_t keycode);
/* The server has done everything that was sent. */
void x11_guard_done(x11_desk *x);
/* Ends the guardian, or leaves the mending to it where not everything was done. */
void x11_guardian_close(x11_desk *x, bool all_done);

/* --- x11_screen.c ------------------------------------------------------------------------------
 */

bool x11_screen_rect(desk *d, image_rect *out, base_error *err);
bool x11_capture(desk *d, image_rect rect, bool cursor, image_bitmap *out, base_error *err);
void x11_screen_close(x11_desk *x);
/* The pixels of a part of a pixmap, where the last frame was: valid until the next fetch. NULL with
 * `err`. */
uint8_t *x11_fetch_pixmap(x11_desk *x, xcb_pixmap_t pixmap, image_rect r, base_error *err);

/* --- x11_monitors.c ----------------------------------------------------------------------------
 */

bool x11_monitors(desk *d, desk_monitor_list *out, base_error *err);

/* --- x11_window_capture.c ----------------------------------------------------------------------
 */

bool x11_window_capture(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                        base_error *err);
void x11_window_capture_end(desk *d);
/* The window's damage object told of drawing. */
void x11_sitting_damaged(x11_desk *x);

/* --- x11_exposed.c -----------------------------------------------------------------------------
 */

/* Listens to what `window`, on which we had selected the events of `mask`, and the windows in it
 * are asked to draw. False without memory. */
bool x11_exposed_start(x11_desk *x, xcb_window_t window, uint32_t mask);
void x11_exposed_stop(x11_desk *x);
void x11_exposed_event(x11_desk *x, const xcb_expose_event_t *event);

/* --- x11_cursor.c ------------------------------------------------------------------------------
 */

/* Blends the pointer's picture into `image`, which shows `rect` of the screen. */
void x11_cursor_draw(const xcb_xfixes_get_cursor_image_reply_t *cursor, image_rect rect,
                     image_bitmap *image);

/* --- x11_damage.c ------------------------------------------------------------------------------
 */

bool x11_watch_start(desk *d, base_error *err);
void x11_watch_stop(desk *d);
uint64_t x11_last_change(desk *d);
void x11_damage_event(x11_desk *x, const xcb_damage_notify_event_t *event);
/* After a round of events: asks to be told of the next change. */
void x11_damage_rearm(x11_desk *x);

/* --- x11_pointer.c -----------------------------------------------------------------------------
 */

bool x11_pointer_get(desk *d, int *px, int *py, base_error *err);
bool x11_pointer_move(desk *d, int px, int py, base_error *err);
bool x11_button(desk *d, desk_button button, bool down, base_error *err);
bool x11_button_waits(desk *d);
bool x11_wheel(desk *d, int dx, int dy, base_error *err);
void x11_pointer_close(x11_desk *x);

/* --- x11_keyboard.c ----------------------------------------------------------------------------
 */

bool x11_key(desk *d, desk_key key, bool down, base_error *err);
void x11_keyboard_close(x11_desk *x);
/* Makes `x->keyboard` true to the server and hands out its modifier and button state. */
bool x11_keyboard_ready(x11_desk *x, uint16_t *state, base_error *err);
/* The keystroke that gives `keysym` in layout `group` of the user's own map. */
bool x11_keymap_find(const x11_keyboard *k, xcb_keysym_t keysym, int group, x11_stroke *out);
xcb_keysym_t x11_keysym_of_character(uint32_t codepoint);
/* What a named key is on the server's side: two keysyms in order of liking, 0 for none. */
void x11_keysyms_of_key(desk_key key, xcb_keysym_t out[2]);
/* The layout in use, from a state. */
int x11_state_group(uint16_t state);
/* A spare keycode that gives `keysym`: one that does already or a free one; NULL if all are used.
 * A new one is written to the server's map, and `*changed` set. */
x11_spare *x11_spare_for(x11_desk *x, xcb_keysym_t keysym, bool *changed);
/* Makes every spare keycode free for another keysym; what they say now stays until then. */
void x11_spares_forget(x11_desk *x);
/* Empties the spare keycodes again, but for those held down and those that others changed. */
void x11_spares_restore(x11_desk *x);

/* --- x11_text.c --------------------------------------------------------------------------------
 */

bool x11_text_step(desk *d, const char *text, size_t length, desk_text_step *out, base_error *err);
bool x11_text_end(desk *d, base_error *err);

/* --- x11_ping.c --------------------------------------------------------------------------------
 */

bool x11_ping(desk *d, uint64_t *token, base_error *err);
bool x11_ping_answered(desk *d, uint64_t token);
/* Asks a window that knows how to answer; its token. */
uint32_t x11_ping_send(x11_desk *x, xcb_window_t window);
void x11_ping_event(x11_desk *x, const xcb_client_message_event_t *event);
/* For those who are not asked but watched: part of pump. */
void x11_ping_look(x11_desk *x);

/* --- x11_idle.c --------------------------------------------------------------------------------
 */

/* Begins to watch the application of a window; false where it cannot be watched. */
bool x11_idle_start(x11_desk *x, xcb_window_t window);
/* Whether it has nothing to do any more; to be called every few milliseconds, until it is true. */
bool x11_idle_seen(x11_desk *x);

/* --- x11_windows.c -----------------------------------------------------------------------------
 */

bool x11_windows(desk *d, desk_window_list *out, base_error *err);
uint64_t x11_window_active(desk *d);
/* The window that has the user's attention, 0 if there is none. */
xcb_window_t x11_active_window(x11_desk *x);
/* Whether a window manager of the extended hints is at work. */
bool x11_has_manager(x11_desk *x);
/* Asks for a property of any type, as much of it as is ever wanted of a window. */
xcb_get_property_cookie_t x11_ask_property(x11_desk *x, xcb_window_t window, xcb_atom_t property);
/* The first 32-bit value of a property, 0 if there is none. */
uint32_t x11_take_value(x11_desk *x, xcb_get_property_cookie_t cookie);
/* Whether a property that is a list of atoms holds that one. */
bool x11_has_atom(const xcb_get_property_reply_t *reply, xcb_atom_t atom);

/* --- x11_window_actions.c ----------------------------------------------------------------------
 */

bool x11_window_focus(desk *d, uint64_t id, base_error *err);
bool x11_window_close(desk *d, uint64_t id, base_error *err);
bool x11_window_place(desk *d, uint64_t id, image_rect rect, base_error *err);
bool x11_window_state(desk *d, uint64_t id, desk_window_state state, base_error *err);
bool x11_window_stack(desk *d, uint64_t id, bool above, base_error *err);
bool x11_has_protocol(x11_desk *x, xcb_window_t window, x11_atom protocol);
/* BASE_NOT_FOUND for a window that has closed. */
bool x11_check_exists(x11_desk *x, uint64_t id, base_error *err);
/* Asks the window manager, by a message to the root window about `window`. */
void x11_tell_manager(x11_desk *x, xcb_window_t window, x11_atom what, const uint32_t data[5]);

/* --- x11_window_watch.c ------------------------------------------------------------------------
 */

uint64_t x11_window_changes(desk *d);
void x11_window_event(x11_desk *x, const xcb_generic_event_t *event);
/* Hears of that window's title and state, if anybody wants to know. */
void x11_window_listen(x11_desk *x, xcb_window_t window);

/* --- x11_workspaces.c --------------------------------------------------------------------------
 */

bool x11_workspaces(desk *d, desk_workspaces *out, base_error *err);
bool x11_workspace_go(desk *d, int number, base_error *err);
bool x11_window_workspace(desk *d, uint64_t id, int number, base_error *err);
/* The number for a window's _NET_WM_DESKTOP, as desk_window has it. */
int x11_workspace_number(x11_desk *x, xcb_get_property_cookie_t cookie);

/* --- x11_clipboard.c: what another program offers -----------------------------------------------
 */

/* The asker has to come back twice a second. */
bool x11_clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                       bool *pending, base_error *err);
void x11_clipboard_event(x11_desk *x, const xcb_generic_event_t *event);
void x11_clipboard_close(x11_desk *x);

/* --- x11_clipboard_watch.c ---------------------------------------------------------------------
 */

bool x11_clipboard_changes(desk *d, uint64_t *number, base_error *err);
void x11_clipboard_changed(x11_desk *x, const xcb_xfixes_selection_notify_event_t *event);

/* --- x11_offer.c: what we offer ----------------------------------------------------------------
 */

bool x11_clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                       bool *pending, base_error *err);
void x11_offer_event(x11_desk *x, const xcb_generic_event_t *event);
/* Whether other programs may ask for what we offer, or are taking it. */
bool x11_offer_open(const x11_desk *x);
void x11_offer_close(x11_desk *x);

#endif
