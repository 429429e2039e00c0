/*
 * backend.h: the contract for those who teach deskpilot another kind of desktop. Who uses a desktop
 * wants desk.h.
 *
 * A backend is a folder with a `connect` that makes a struct of its own, whose first member is a
 * `desk`, and fills in the ops that its kind of desktop can do; the list of a platform
 * (linux/desk_backends.c, windows/desk_backends.c) names it. An op that it leaves NULL has a
 * default in the front (desk.c, desk_screen.c and so on).
 *
 * The front has checked all arguments, as desk.h says, so an op does not: a point and a part are
 * inside the screen, a button is one of the five, a key has a name, text is UTF-8 without control
 * characters, a number is that of a workspace. What is left to an op is the world that changes
 * meanwhile (a window that has closed) and what is peculiar to its kind of desktop. Units,
 * ownership and errors are those of the function of desk.h that has the same name.
 */
#ifndef DESK_BACKEND_H
#define DESK_BACKEND_H

#include "desk.h"

/* Beside each op stands what the front does where it is NULL; "unsupported" is the error of that
 * code, with a sentence made of the op's words and the desk's `lacks`. Each file of a backend fills
 * in those that it has (x11_pointer_ops, say), so that a new one touches no other of its files. */
typedef struct desk_ops {
    void (*close)(desk *d); /* must be there */

    /* nothing, successfully: nobody else can be at such a desktop. It fills in `other` only where
     * it refuses, and the front makes one clean line of that. */
    bool (*hold)(desk *d, const char *holder, char other[DESK_HOLDER_SIZE], base_error *err);

    int (*poll_fd)(desk *d);                /* -1 */
    int (*poll_every)(desk *d);             /* 0 */
    bool (*pump)(desk *d, base_error *err); /* nothing, successfully */
    const char *(*log)(desk *d);            /* unsupported */

    bool (*screen_rect)(desk *d, image_rect *out, base_error *err); /* unsupported */
    /* In any order, with any number of primary ones. NULL, or where it finds none: one monitor that
     * is the whole screen. */
    bool (*monitors)(desk *d, desk_monitor_list *out, base_error *err);
    bool (*set_refresh_rate)(desk *d, int hertz, base_error *err); /* unsupported */
    /* `screen` is what screen_rect has answered just now; `out` may hold an earlier picture, whose
     * memory may be used again. It sets `same_frame` where it knows that the picture, of the same
     * part, is that of the call before. NULL: unsupported. */
    bool (*capture)(desk *d, image_rect screen, image_rect part, bool cursor, image_bitmap *out,
                    base_error *err);
    bool (*window_capture)(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                           base_error *err); /* unsupported */
    void (*window_capture_end)(desk *d);     /* nothing */
    /* While it watches, a backend notes what changes for the desk's regions too (regions.h), and
     * for what moves by itself (motion.h). NULL: unsupported. */
    bool (*watch_start)(desk *d, base_error *err);
    void (*watch_stop)(desk *d);      /* nothing */
    uint64_t (*last_change)(desk *d); /* 0 */

    /* `strips` are the frame's four sides; they meet at its corners. NULL, both: takes it away.
     * NULL: unsupported. */
    bool (*highlight)(desk *d, const image_rect *frame, const image_rect *strips, base_error *err);

    bool (*pointer_get)(desk *d, int *x, int *y, base_error *err); /* unsupported */
    bool (*pointer_move)(desk *d, int x, int y, base_error *err);  /* unsupported */
    bool (*pointer_button)(desk *d, desk_button button, bool down,
                           base_error *err);                                 /* unsupported */
    bool (*pointer_button_waits)(desk *d);                                   /* false */
    bool (*pointer_wheel)(desk *d, int dx, int dy, base_error *err);         /* unsupported */
    bool (*keyboard_key)(desk *d, desk_key key, bool down, base_error *err); /* unsupported */
    bool (*keyboard_tap)(desk *d, const desk_key *keys, size_t count,
                         base_error *err); /* by keyboard_key, one key after the other */
    bool (*type_text)(desk *d, const char *text, size_t length, desk_text_step *out,
                      base_error *err);                      /* unsupported */
    bool (*type_end)(desk *d, base_error *err);              /* nothing, successfully */
    bool (*ping)(desk *d, uint64_t *token, base_error *err); /* the token 0 */
    bool (*ping_answered)(desk *d, uint64_t token);          /* false */

    bool (*windows)(desk *d, desk_window_list *out, base_error *err);             /* unsupported */
    uint64_t (*window_active)(desk *d);                                           /* 0 */
    bool (*window_focus)(desk *d, uint64_t id, base_error *err);                  /* unsupported */
    bool (*window_close)(desk *d, uint64_t id, base_error *err);                  /* unsupported */
    bool (*window_place)(desk *d, uint64_t id, image_rect rect, base_error *err); /* unsupported */
    bool (*window_set_state)(desk *d, uint64_t id, desk_window_state state,
                             base_error *err);                                   /* unsupported */
    bool (*window_stack)(desk *d, uint64_t id, bool above, base_error *err);     /* unsupported */
    uint64_t (*window_changes)(desk *d);                                         /* 0 */
    bool (*workspaces)(desk *d, desk_workspace_list *out, base_error *err);      /* unsupported */
    bool (*workspace_go)(desk *d, int number, base_error *err);                  /* unsupported */
    bool (*window_workspace)(desk *d, uint64_t id, int number, base_error *err); /* unsupported */

    bool (*clipboard_get)(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                          bool *pending, base_error *err); /* unsupported */
    bool (*clipboard_set)(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                          bool *pending, base_error *err);                 /* unsupported */
    bool (*clipboard_changes)(desk *d, uint64_t *number, base_error *err); /* unsupported */
} desk_ops;

/* Why a kind of desktop lacks something, and what to do instead: the end of the sentence that is
 * told where an op is missing ("This desktop (win32) cannot go to a workspace: ..."). NULL where
 * there is no more to say. Static storage. */
typedef struct {
    const char *input, *windows, *workspaces, *clipboard;
} desk_lacks;

/* The first member of each backend's own struct, zeroed but for what `connect` fills in. */
struct desk {
    desk_ops ops;
    desk_lacks lacks;
    desk_regions regions;
    desk_motion motion;
    const char *backend; /* its name in the list; the front's */
    uint64_t frame;      /* the front's, see desk_frame */
    bool same_frame;     /* set by `capture` where nothing has changed since it was called last */
};

/* --- which backends there are -------------------------------------------------------------------
 */

typedef struct {
    const char *name;
    /* Connects to the desktop that `options` (never NULL) names. BASE_NOT_FOUND where nothing says
     * that there is one of this kind (say, its environment variable is not set), with a sentence
     * that says so: then another backend may know better. */
    bool (*connect)(desk **out, const desk_options *options, base_error *err);
    bool only_by_name; /* never tried unless asked for */
} desk_backend;

/* This platform's, in the order in which they are tried; one without a name ends it. */
extern const desk_backend desk_backends[];

/* What desk_open does, with another list. */
bool desk_open_from(const desk_backend *list, desk **out, const char *name,
                    const desk_options *options, base_error *err);

/* For all lists of this form. Whether an entry is to be tried where `wanted` was asked for, or NULL
 * for none in particular. */
bool desk_backend_fits(const char *name, bool only_by_name, const char *wanted);
/* Keeps the error that is worth telling, in `best`, which begins zeroed: the first, but rather one
 * of a backend that found its kind of desktop than of one that did not. */
void desk_backend_failed(base_error *best, const base_error *err);
/* Tells it once all have failed. Returns false. */
bool desk_backend_none(const base_error *best, const char *wanted, base_error *err);
/* Whether options can be right, as desk_open checks them. */
bool desk_options_check(const desk_options *options, base_error *err);

/* --- what several backends do -------------------------------------------------------------------
 */

/* Makes "\n" of every line end of a terminated text, in place: "\r\n", and also "\r\r\n", which
 * programs leave that convert a text twice. A "\r" elsewhere stays. Returns the text's length. */
size_t desk_unify_line_ends(char *text, size_t length);

#endif
