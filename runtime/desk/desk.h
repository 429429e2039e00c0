/*
 * desk.h: a live desktop: its screen, pointer, keyboard, windows and clipboard, whatever system
 * shows it. Everything outside this folder uses these functions; which backend answers (X11,
 * Windows, the null desk of tests) is told by desk_backend_name and nothing else.
 *
 * Units: pixels of the whole desktop space (all monitors, origin where the system puts it), times
 * in nanoseconds of the monotonic clock (uv_hrtime). Strings are UTF-8. All calls on one desk come
 * from one thread. No call blocks for longer than a round trip to the display server; whatever
 * needs waiting is a state that the caller polls after desk_pump.
 *
 * Errors. A function that takes a `base_error *` returns false (0, NULL) after filling it, and its
 * other out-parameters are then undefined. Arguments are checked here, before the backend sees
 * them: BASE_INVALID for what no desktop could do (a point outside the screen, text that is not
 * UTF-8). BASE_UNSUPPORTED where this desktop cannot do it at all, BASE_UNAVAILABLE where the
 * desktop has gone, BASE_REFUSED where it denied the request: every such function may give these
 * three. What else there is stands at each. Functions without a `base_error *` have a neutral
 * answer where the desktop has none.
 */
#ifndef DESK_DESK_H
#define DESK_DESK_H

#include "base/error.h"
#include "image/image.h"
#include "keys.h"
#include "monitors.h"
#include "motion.h"
#include "regions.h"

typedef struct desk desk;

/* --- desk.c: life -------------------------------------------------------------------------------
 */

typedef struct {
    const char *display; /* X11: display name, NULL for $DISPLAY; Windows: name of another desktop,
                          * NULL for the user's; null ignores it */
    const char *cookie;  /* X11: its MIT-MAGIC-COOKIE-1 as 32 hexadecimal digits in lower case; NULL
                          * for what the user's Xauthority file says */
    int width, height;   /* null: the size of the imagined screen */
    int x, y;            /* null: its corner */
    int monitors;        /* null: how many of equal width stand side by side in it; 0 is one */
} desk_options;

/* Opens a desktop, to be closed by desk_close. `backend` names the one to use; NULL: those of this
 * build are tried in order until one finds its kind of desktop. `options` may be NULL.
 * BASE_UNSUPPORTED where this build has no backend of that name, BASE_UNAVAILABLE where there is no
 * desktop, BASE_INVALID for options that cannot be right. */
bool desk_open(desk **out, const char *backend, const desk_options *options, base_error *err);
/* Releases held keys and buttons, restores the keyboard map, and frees the desk. */
void desk_close(desk *d);
/* The name of the backend that answers, as desk_open takes it. Static storage. */
const char *desk_backend_name(const desk *d);

enum { DESK_HOLDER_SIZE = 200 };

/* Holds the desktop for this desk, until it is closed or its process ends, however it ends. Nobody
 * is kept from using the desktop by that: who is about to act on it asks first. `holder` (UTF-8,
 * one line, shorter than DESK_HOLDER_SIZE) is who the others are told. BASE_REFUSED where another
 * desk holds it, of whatever process, user or machine; `other` then names it. */
bool desk_hold(desk *d, const char *holder, char other[DESK_HOLDER_SIZE], base_error *err);

/* A descriptor that becomes readable when desk_pump has something to do; -1 if there is none. Pump
 * before waiting on it: other calls may have taken in events already. */
int desk_poll_fd(desk *d);
/* After how many milliseconds of waiting to pump again, where the descriptor does not tell of
 * everything; 0 where it does, or while nothing is watched. */
int desk_poll_every(desk *d);
/* Takes in what the desktop has to tell: changes of the screen, answers to pings, requests for our
 * clipboard. Does not wait. */
bool desk_pump(desk *d, base_error *err);

/* What the desk was asked to do so far, a line per call; valid until the next call. Only desks for
 * tests and dry runs keep such a log. */
const char *desk_log(desk *d, base_error *err);

/* --- desk_screen.c: the screen ------------------------------------------------------------------
 */

/* The whole desktop space, all monitors together. */
bool desk_screen_rect(desk *d, image_rect *out, base_error *err);
/* The monitors as they are now, to be freed by desk_monitor_list_free. */
bool desk_monitors(desk *d, desk_monitor_list *out, base_error *err);
/* Has the one monitor of a screen that nobody sees say that it shows so many pictures a second, up
 * to DESK_MOST_HERTZ: applications that draw in step with it draw so often. It stays so when the
 * desk is closed. BASE_INVALID, BASE_UNSUPPORTED. */
bool desk_set_refresh_rate(desk *d, int hertz, base_error *err);
enum { DESK_MOST_HERTZ = 1000 };

/* Fills `out` with `part` of the screen, or with all of it for NULL; `cursor` draws the pointer.
 * `out` begins zeroed and is reused between calls: the backend may lend its own buffer, valid until
 * the next capture on this desk. BASE_INVALID for a part that is not wholly inside the screen,
 * BASE_NO_MEMORY. */
bool desk_capture(desk *d, const image_rect *part, bool cursor, image_bitmap *out, base_error *err);
/* The number of the latest desk_capture's picture. As long as it stays the same, so does the
 * picture: the same part, and nothing has been drawn there. */
uint64_t desk_frame(const desk *d);

/* A window's own pixels. */
typedef struct {
    image_bitmap image; /* lent by the backend, or malloc'ed: `borrowed` tells */
    image_rect rect;    /* where the window is; may lie outside the screen in part, or wholly */
    bool pending;       /* there is no picture yet */
    bool incomplete;    /* its application did not draw everything that was hidden in time */
} desk_window_picture;

/* The pixels that a window draws, whatever covers it and where it hangs over the screen's edge.
 * Where its application has to draw what was hidden first, `pending` is set: call again, after
 * desk_pump, until there is a picture (at most a second), or call desk_window_capture_end. The
 * picture is valid until the next capture on this desk. BASE_UNAVAILABLE for a window that is not
 * shown (minimized, say), BASE_NOT_FOUND for one that has closed. */
bool desk_window_capture(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                         base_error *err);
/* Lets go of a window whose picture is no longer wanted; nothing where none is pending. */
void desk_window_capture_end(desk *d);

enum { DESK_HIGHLIGHT_WIDTH = 3 /* pixels */ };
/* Shows people a place: draws a frame of that width along the inside of `frame`, above all windows.
 * There is one a desk, which is moved; NULL takes it away, and so does the end of the desk, or of
 * this process. It takes no input (what is clicked there is what lies below), is no window that
 * desk_windows lists, and shows in pictures of the screen. BASE_INVALID for a frame that is not
 * wholly inside the screen. */
bool desk_highlight(desk *d, const image_rect *frame, base_error *err);

/* Starts, or stops, telling of changes of the screen. */
bool desk_watch_start(desk *d, base_error *err);
void desk_watch_stop(desk *d);
/* When desk_pump last saw the screen change (blinking carets aside); 0 for not since the start. */
uint64_t desk_last_change(desk *d);
/* Tells changes of a part of the screen from the others, while the screen is watched and until
 * desk_unwatch_region. `*region` is its number. BASE_REFUSED where DESK_REGIONS are watched. */
bool desk_watch_region(desk *d, image_rect part, int *region, base_error *err);
/* A number that is not in use is left alone. */
void desk_unwatch_region(desk *d, int region);
/* As desk_last_change, of that region; 0 for a number that is not in use. */
uint64_t desk_region_changed(desk *d, int region);
/* An act begins: what moves on the screen by itself by now is not its doing (motion.h). */
void desk_act_begins(desk *d);
/* As desk_last_change, without what moved by itself when the latest act began. */
uint64_t desk_last_act_change(desk *d);

/* --- desk_input.c: pointer and keyboard ---------------------------------------------------------
 */

typedef enum { DESK_LEFT = 1, DESK_MIDDLE, DESK_RIGHT, DESK_BACK, DESK_FORWARD } desk_button;

enum { DESK_NOTCH = 120, DESK_NOTCHES_MAX = 1000 /* at once */ };

bool desk_pointer_get(desk *d, int *x, int *y, base_error *err);
/* Moves the pointer and reads back where it is. BASE_INVALID for a point outside the screen,
 * BASE_REFUSED with both positions when it did not arrive. */
bool desk_pointer_move(desk *d, int x, int y, base_error *err);
/* Presses a button or lets it go. BASE_INVALID for a button that there is not. */
bool desk_pointer_button(desk *d, desk_button button, bool down, base_error *err);
/* Whether the button that was let go last is still down for the display: window managers of X11
 * look at each click before its window does, and a click that comes meanwhile may be lost. */
bool desk_pointer_button_waits(desk *d);
/* Turns the wheel by 120ths of a notch (DESK_NOTCH); positive is right and down. A system that only
 * knows whole notches rounds, to at least one. BASE_INVALID beyond DESK_NOTCHES_MAX notches. */
bool desk_pointer_wheel(desk *d, int dx, int dy, base_error *err);

/* Presses one key or lets it go. BASE_INVALID for a number that is no key, or where too many keys
 * are held already; BASE_UNSUPPORTED for a key that this keyboard does not have. */
bool desk_keyboard_key(desk *d, desk_key key, bool down, base_error *err);
/* Presses the `count` keys of a combination in their order and lets them go in reverse; after a
 * failure none of them stays down. Errors as above. Where waiting for the display is what takes the
 * time, this waits once for all of them. */
bool desk_keyboard_tap(desk *d, const desk_key *keys, size_t count, base_error *err);

/* How input text is taken in steps. */
typedef struct {
    size_t consumed; /* bytes of the text that were queued by this step */
    bool remapped;   /* the keyboard map was changed, or is about to be, or more is queued than an
                      * application can be trusted to keep: let it catch up (desk_ping) before the
                      * next step */
    bool moved; /* another window has the keyboard than at the first step since desk_type_end, or
                 * none, so nothing was typed */
} desk_text_step;

/* Queues as much of UTF-8 `text` as can go before the keyboard map must change again, or a fair
 * share of it (so that typing can be stopped); at least one character, unless the map had to be
 * changed for them (`remapped`) or the focus has `moved`: then they go with the next step. Newline
 * and tab are keys. BASE_INVALID for text that is not UTF-8 or has other control characters, before
 * any of it is typed; BASE_REFUSED while a modifier is held down. */
bool desk_type_text(desk *d, const char *text, size_t length, desk_text_step *out, base_error *err);
/* Puts the keyboard map back as it was (after desk_keyboard_key too, which may borrow a key as
 * well); to be called when the application has caught up. */
bool desk_type_end(desk *d, base_error *err);

#define DESK_PING_WATCHED (1ull << 32)

/* Whether the active window's application has taken its input so far: asks it (_NET_WM_PING), or
 * watches until it has nothing to do where it answers no questions; then `*token` has the bit
 * DESK_PING_WATCHED. It is 0 where neither can be done. */
bool desk_ping(desk *d, uint64_t *token, base_error *err);
/* Whether desk_pump has seen that it has; false for the token 0. */
bool desk_ping_answered(desk *d, uint64_t token);

/* --- desk_windows.c: windows and workspaces -----------------------------------------------------
 */

typedef struct {
    uint64_t id;      /* platform handle; 0 is no window */
    char *title;      /* UTF-8, never NULL once filled; control characters removed */
    char *klass;      /* WM_CLASS class part, or the window class; "" if none */
    char *executable; /* path of the process's program; "" if unknown */
    long pid;         /* 0 if unknown */
    image_rect rect;
    int workspace; /* counted from 1; 0 for all of them, or where there are none */
    int layer;     /* 1: kept above others (panels, topmost), -1: below (the desktop), else 0 */
    bool active, visible, minimized, maximized;
} desk_window;

typedef enum { DESK_WINDOW_NORMAL, DESK_WINDOW_MINIMIZED, DESK_WINDOW_MAXIMIZED } desk_window_state;

typedef struct {
    desk_window *items; /* bottom to top in stacking order */
    size_t count;
} desk_window_list;

/* The windows of applications, to be freed by desk_window_list_free. BASE_NO_MEMORY. */
bool desk_windows(desk *d, desk_window_list *out, base_error *err);
void desk_window_list_free(desk_window_list *list);
/* The id of the window that gets what is typed; 0 while there is none. */
uint64_t desk_window_active(desk *d);

/* What follows asks for something; the window manager or the application may do otherwise, or
 * later: look again. All give BASE_NOT_FOUND for an id that is no window (any more). */

/* Raises a window and gives it the focus. */
bool desk_window_focus(desk *d, uint64_t id, base_error *err);
/* What its close button does; the application may ask its user first. */
bool desk_window_close(desk *d, uint64_t id, base_error *err);
/* A place and size of its rect, as desk_windows gives it; a maximized or minimized window becomes a
 * normal one. BASE_INVALID for a size or place that no screen has. */
bool desk_window_place(desk *d, uint64_t id, image_rect rect, base_error *err);
bool desk_window_set_state(desk *d, uint64_t id, desk_window_state state, base_error *err);
/* Above or below all others, without the focus. */
bool desk_window_stack(desk *d, uint64_t id, bool above, base_error *err);
/* A number that grows when desk_pump sees windows come or go, or change their title, state or
 * order; 0 where nothing tells of that. The first call starts it. */
uint64_t desk_window_changes(desk *d);

enum { DESK_WORKSPACES_MAX = 64, DESK_WORKSPACE_NAME = 64 };

typedef struct {
    int count, current; /* current counts from 1; 0 where it is not told */
    char names[DESK_WORKSPACES_MAX][DESK_WORKSPACE_NAME]; /* clean UTF-8, "" for no name */
} desk_workspace_list;

/* Workspaces (virtual desktops), counted from 1. */
bool desk_workspaces(desk *d, desk_workspace_list *out, base_error *err);
/* Shows another one, or sends a window there; look again. BASE_NOT_FOUND for a number that no
 * workspace has. */
bool desk_workspace_go(desk *d, int number, base_error *err);
bool desk_window_workspace(desk *d, uint64_t id, int number, base_error *err);

/* --- desk_clipboard.c: the clipboard ------------------------------------------------------------
 */

typedef enum { DESK_CLIPBOARD_TEXT, DESK_CLIPBOARD_PNG, DESK_CLIPBOARD_KINDS } desk_clipboard_kind;

enum { DESK_CLIPBOARD_MAX = 16 * 1024 * 1024 /* bytes */ };

/* What the clipboard holds of that kind, malloc'ed and terminated; "" where it holds none: text as
 * UTF-8 with "\n" line ends, a picture as the bytes of a PNG file, which nobody has checked.
 * `*pending` is set, and `*data` NULL, where it is not to be had yet (another program holds it, or
 * has not answered): call again, after desk_pump and at least twice a second. BASE_REFUSED for more
 * than DESK_CLIPBOARD_MAX bytes. */
bool desk_clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                        bool *pending, base_error *err);
/* Offers a text or a PNG file to other programs, in place of what was there, for as long as the
 * system allows (X11: while this desk is open). `*pending` as above. BASE_INVALID for what is no
 * UTF-8 or has no PNG file's signature, BASE_REFUSED for more than DESK_CLIPBOARD_MAX bytes. */
bool desk_clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                        bool *pending, base_error *err);
/* A number that grows whenever something is put into the clipboard, by us too, and desk_pump has
 * seen it. The first call starts it. */
bool desk_clipboard_changes(desk *d, uint64_t *number, base_error *err);

#endif
