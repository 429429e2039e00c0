/*
 * null_internal.h: what the files of the null desk share.
 */
#ifndef DESK_NULL_NULL_INTERNAL_H
#define DESK_NULL_NULL_INTERNAL_H

#include "null.h"

typedef struct {
    desk base;
    image_rect screen;
    int monitors; /* side by side */
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
    size_t log_used, log_room;
} null_desk;

/* --- null.c ------------------------------------------------------------------------------------
 */

/* Writes a line to the log. */
void null_add_line(null_desk *n, const char *format, ...)
    __attribute__((format(BASE_PRINTF_FORMAT, 2, 3)));
/* Adds to the line that is being written. */
void null_add_text(null_desk *n, const char *text, size_t length);
/* The same, with control characters as \\n and the like. */
void null_add_escaped(null_desk *n, const char *text, size_t length);
/* What an application would do at any input: draw something. */
void null_changed(null_desk *n);
bool null_inside(image_rect r, int x, int y);
/* Whether a picture or a window can be that many pixels wide or high. */
bool null_is_side(int pixels);

/* --- null_screen.c -----------------------------------------------------------------------------
 */

bool null_screen_rect(desk *d, image_rect *out, base_error *err);
bool null_capture(desk *d, image_rect rect, bool cursor, image_bitmap *out, base_error *err);
bool null_monitors(desk *d, desk_monitor_list *out, base_error *err);
/* A part of the imagined space, the screen or not. */
bool null_draw(const null_desk *n, image_rect rect, bool cursor, image_bitmap *out,
               base_error *err);

/* --- null_windows.c ----------------------------------------------------------------------------
 */

/* Where the window is in its present state. */
image_rect null_window_rect(const null_desk *n);
bool null_window_capture(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                         base_error *err);
void null_window_capture_end(desk *d);

bool null_windows(desk *d, desk_window_list *out, base_error *err);
uint64_t null_window_active(desk *d);
bool null_window_focus(desk *d, uint64_t id, base_error *err);
bool null_window_close(desk *d, uint64_t id, base_error *err);
bool null_window_place(desk *d, uint64_t id, image_rect rect, base_error *err);
bool null_window_state(desk *d, uint64_t id, desk_window_state state, base_error *err);
bool null_window_stack(desk *d, uint64_t id, bool above, base_error *err);
uint64_t null_window_changes(desk *d);
bool null_workspaces(desk *d, desk_workspaces *out, base_error *err);
bool null_workspace_go(desk *d, int number, base_error *err);
bool null_window_workspace(desk *d, uint64_t id, int number, base_error *err);

/* --- null_clipboard.c --------------------------------------------------------------------------
 */

bool null_clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                        bool *pending, base_error *err);
bool null_clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                        bool *pending, base_error *err);
bool null_clipboard_changes(desk *d, uint64_t *number, base_error *err);

#endif
