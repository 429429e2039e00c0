/*
 * null_internal.h: what the files of the null desk share.
 */
#ifndef DESK_NULL_NULL_INTERNAL_H
#define DESK_NULL_NULL_INTERNAL_H

#include "null.h"

typedef struct {
    desk base;
    image_rect screen;
    int monitors;         /* side by side */
    image_bitmap picture; /* as large as the screen; lent with what was captured last in it */
    image_rect window;
    bool window_open, window_active;
    desk_window_state window_state;
    int x, y; /* of the pointer */
    bool watching;
    uint64_t last_change;
    int window_workspace, workspace; /* of two, from 1 */
    char *clipboard;                 /* NULL while nothing has been put there */
    size_t clipboard_length;
    desk_clipboard_kind clipboard_kind;
    uint64_t clipboard_changes;
    char *log;
    size_t log_used, log_capacity;
} null_desk;

/* --- null_log.c --------------------------------------------------------------------------------
 */

/* Writes a line to the log. */
void null_add_line(null_desk *n, const char *format, ...)
    __attribute__((format(BASE_PRINTF_FORMAT, 2, 3)));
/* Adds to the line that is being written. */
void null_add_text(null_desk *n, const char *text, size_t length);
/* The same, with control characters as \\n and the like. */
void null_add_escaped(null_desk *n, const char *text, size_t length);
/* The lines so far: the op. */
const char *null_log(desk *d);

/* --- null_screen.c -----------------------------------------------------------------------------
 */

/* A part of the imagined space, the screen or not. */
bool null_draw(const null_desk *n, image_rect rect, bool cursor, image_bitmap *out,
               base_error *err);
/* What an application would do at any input: draw something. */
void null_changed(null_desk *n);

/* --- null_windows.c ----------------------------------------------------------------------------
 */

/* Where the window is in its present state. */
image_rect null_window_rect(const null_desk *n);

/* --- each file's ops ---------------------------------------------------------------------------
 */

void null_input_ops(desk_ops *ops);
void null_screen_ops(desk_ops *ops);
void null_windows_ops(desk_ops *ops);
void null_clipboard_ops(desk_ops *ops);

#endif
