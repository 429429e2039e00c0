/*
 * backend.h: what a platform must be able to do. One `desk_ops` per platform (x11, win32, null),
 * chosen when a desk is opened; nobody above this header knows which one it is.
 *
 * Units: pixels of the whole desktop space (all monitors, origin where the platform puts it),
 * times in nanoseconds of the monotonic clock (uv_hrtime). Strings are UTF-8. All calls come from
 * one thread. No call blocks for longer than a round trip to the display server; whatever needs
 * waiting is a state that the caller polls after `pump`.
 *
 * An op that a platform cannot do fails with BASE_UNSUPPORTED and the reason; every op is present.
 */
#ifndef DESK_BACKEND_H
#define DESK_BACKEND_H

#include "base/error.h"
#include "image/image.h"
#include "keys.h"
#include "monitors.h"
#include "regions.h"

typedef struct desk desk;

typedef enum { DESK_LEFT = 1, DESK_MIDDLE, DESK_RIGHT, DESK_BACK, DESK_FORWARD } desk_button;

typedef struct {
    const char *display; /* X11: display name, NULL for $DISPLAY; Windows: name of another desktop,
                          * NULL for the user's; null ignores it */
    const char *cookie;  /* X11: its MIT-MAGIC-COOKIE-1 as 32 hexadecimal digits; NULL for what
                          * the user's Xauthority file says */
    int width, height;   /* null: the size of the imagined screen */
    int x, y;            /* null: its corner */
    int monitors;        /* null: how many of equal width stand side by side in it; 0 is one */
} desk_options;

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

/* How input text is taken in steps; see text_step. */
typedef struct {
    size_t consumed; /* bytes of the text that were queued by this step */
    bool remapped;   /* the keyboard map was changed, or is about to be, or more is queued than an
                      * application can be trusted to keep: let it catch up (ping) before the next
                      * step */
} desk_text_step;

/* A window's own pixels; see window_capture. */
typedef struct {
    image_bitmap image; /* lent by the backend, or malloc'ed: `borrowed` tells */
    image_rect rect;    /* where the window is; may lie outside the screen in part, or wholly */
    bool pending;       /* there is no picture yet */
    bool incomplete;    /* its application did not draw everything that was hidden in time */
} desk_window_picture;

enum { DESK_WORKSPACES_MAX = 64, DESK_WORKSPACE_NAME = 64 };

typedef struct {
    int count, current; /* current counts from 1; 0 where it is not told */
    char names[DESK_WORKSPACES_MAX][DESK_WORKSPACE_NAME]; /* clean UTF-8, "" for no name */
} desk_workspaces;

typedef enum { DESK_CLIPBOARD_TEXT, DESK_CLIPBOARD_PNG, DESK_CLIPBOARD_KINDS } desk_clipboard_kind;

typedef struct desk_ops {
    const char *name;

    bool (*open)(desk **out, const desk_options *options, base_error *err);
    void (*close)(desk *d); /* releases held keys and buttons, restores the keyboard map */

    /* A descriptor that becomes readable when `pump` has something to do; -1 if there is none. Pump
     * before waiting on it: other calls may have taken in events already. */
    int (*poll_fd)(desk *d);
    /* After how many milliseconds of waiting to pump again, where the descriptor does not tell of
     * everything: changes of the screen that are seen by looking only (Windows), or while other
     * programs may ask for our clipboard (X11). 0 where it does, or while nothing is watched. */
    int (*poll_every)(desk *d);
    /* Takes in what the server sent: damage, pings, errors. False when the connection is gone. */
    bool (*pump)(desk *d, base_error *err);

    /* The whole desktop space. */
    bool (*screen_rect)(desk *d, image_rect *out, base_error *err);
    /* Fills `out` (reused between calls: same size means no allocation; the backend may lend its
     * own buffer, valid until the next capture on this desk) with `rect`, cursor drawn if asked. */
    bool (*capture)(desk *d, image_rect rect, bool cursor, image_bitmap *out, base_error *err);

    /* The monitors as they are now, to be freed by desk_monitor_list_free. */
    bool (*monitors)(desk *d, desk_monitor_list *out, base_error *err);
    /* The pixels that a window draws, whatever covers it and where it hangs over the screen's edge.
     * Where its application has to draw what was hidden first, `pending` is set: call again, after
     * pump, until there is a picture (at most a second) or call window_capture_end. The picture is
     * valid until the next capture on this desk. BASE_UNAVAILABLE for a window that is not shown
     * (minimized, say), BASE_NOT_FOUND for one that has closed. */
    bool (*window_capture)(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                           base_error *err);
    /* Lets go of a window whose picture is no longer wanted; nothing where none is pending. */
    void (*window_capture_end)(desk *d);

    /* Starts or stops telling of changes of the screen. */
    bool (*watch_start)(desk *d, base_error *err);
    void (*watch_stop)(desk *d);
    /* When the last change that was no blinking caret was seen by pump; 0 for none since start.
     * While it watches, a backend notes the same for the desk's regions (regions.h). */
    uint64_t (*last_change)(desk *d);

    bool (*pointer_get)(desk *d, int *x, int *y, base_error *err);
    /* Moves and reads back; BASE_REFUSED with both positions when the pointer did not arrive. */
    bool (*pointer_move)(desk *d, int x, int y, base_error *err);
    bool (*button)(desk *d, desk_button button, bool down, base_error *err);
    /* Whether the button that was let go last is still down for the display: window managers of X11
     * look at each click before its window does, and a click that comes meanwhile may be lost. */
    bool (*button_waits)(desk *d);
    /* Turns the wheel by 120ths of a notch; positive is right and down. A platform that only knows
     * whole notches rounds, to at least one. */
    bool (*wheel)(desk *d, int dx, int dy, base_error *err);

    /* One named key (keys.h) down or up. */
    bool (*key)(desk *d, desk_key key, bool down, base_error *err);
    /* Queues as much of UTF-8 `text` as can go before the keyboard map must change again, or a
     * backend's fair share of it (so that typing can be stopped); at least one character, unless
     * the map had to be changed for them (`remapped`): then they go with the next step. Newline
     * and tab are keys. Invalid UTF-8 and other control characters are BASE_INVALID before anything
     * is typed; a modifier that is held down is BASE_REFUSED. */
    bool (*text_step)(desk *d, const char *text, size_t length, desk_text_step *out,
                      base_error *err);
    /* Puts the keyboard map back as it was (after `key` too, which may borrow a key as well); to be
     * called when the application has caught up. */
    bool (*text_end)(desk *d, base_error *err);
    /* Whether the active window's application has taken its input so far: asks it (_NET_WM_PING),
     * or watches until it has nothing to do where it answers no questions; then `*token` has the
     * bit DESK_PING_WATCHED. It is 0 where neither can be done. `ping_answered` is true once pump
     * has seen that it has. */
    bool (*ping)(desk *d, uint64_t *token, base_error *err);
    bool (*ping_answered)(desk *d, uint64_t token);

    bool (*windows)(desk *d, desk_window_list *out, base_error *err);
    /* The id of the window that gets what is typed; 0 while there is none. */
    uint64_t (*window_active)(desk *d);
    bool (*window_focus)(desk *d, uint64_t id, base_error *err);
    bool (*window_close)(desk *d, uint64_t id, base_error *err);
    /* Asks for a place and size of the window's rect, as `windows` gives it; a maximized or
     * minimized window becomes a normal one. The window manager or the application may refuse: look
     * again. */
    bool (*window_place)(desk *d, uint64_t id, image_rect rect, base_error *err);
    bool (*window_state)(desk *d, uint64_t id, desk_window_state state, base_error *err);
    /* Asks for a window to be above or below all others, without the focus; look again. */
    bool (*window_stack)(desk *d, uint64_t id, bool above, base_error *err);
    /* A number that grows when pump sees windows come or go, or change their title, state or order;
     * 0 where the platform does not tell of that. The first call starts it. */
    uint64_t (*window_changes)(desk *d);

    /* Workspaces (virtual desktops), counted from 1. The window manager may refuse: look again. */
    bool (*workspaces)(desk *d, desk_workspaces *out, base_error *err);
    bool (*workspace_go)(desk *d, int number, base_error *err);
    bool (*window_workspace)(desk *d, uint64_t id, int number, base_error *err);

    /* What the clipboard holds of that kind, malloc'ed and terminated; "" where it holds none: text
     * as UTF-8 with "\n" line ends, a picture as the bytes of a PNG file, which nobody has checked.
     * `*pending` is set where it is not to be had yet (another program holds it, or has not
     * answered): call again, after pump and at least twice a second, until the caller's patience
     * ends. At most DESK_CLIPBOARD_MAX bytes, else BASE_REFUSED. */
    bool (*clipboard_get)(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                          bool *pending, base_error *err);
    /* Offers a text or a PNG file (see desk_clipboard_check) to other programs, in place of what
     * was there, for as long as the platform allows (X11: while this desk is open). `*pending` as
     * above. */
    bool (*clipboard_set)(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                          bool *pending, base_error *err);
    /* A number that grows whenever something is put into the clipboard, by us too, and pump has
     * seen it. X11: the first call starts it. */
    bool (*clipboard_changes)(desk *d, uint64_t *number, base_error *err);
} desk_ops;

#define DESK_PING_WATCHED (1ull << 32)

enum { DESK_NOTCH = 120, DESK_NOTCHES_MAX = 1000 /* at once */ };
enum { DESK_CLIPBOARD_MAX = 16 * 1024 * 1024 };

/* The first member of each platform's own struct. */
struct desk {
    const desk_ops *ops;
    desk_regions regions;
};

extern const desk_ops null_ops;

/* The backend of that name, or this build's native one for NULL; NULL if there is none. */
const desk_ops *desk_backend(const char *name);

void desk_window_list_free(desk_window_list *list);

/* Whether the data can be offered as that kind: BASE_INVALID for what is no UTF-8 or has no PNG
 * file's signature, BASE_REFUSED where it is too long. */
bool desk_clipboard_check(desk_clipboard_kind kind, const char *data, size_t length,
                          base_error *err);

#endif
