/*
 * null_inside.h: what the files of the null desk share.
 */
#ifndef DESK_NULL_INSIDE_H
#define DESK_NULL_INSIDE_H

#include "null.h"

typedef struct {
    desk base;
    desk_rect screen;
    int monitors; /* side by side */
    desk_rect window;
    bool window_open, window_active;
    desk_window_state window_state;
    int x, y; /* of the pointer */
    bool watching;
    uint64_t last_change;
    char *clipboard; /* NULL while nothing has been put there */
    size_t clipboard_length;
    char *log;
    size_t log_used, log_room;
} null_desk;

/* --- null.c ------------------------------------------------------------------------------------
 */

/* Writes a line to the log. */
void null_add_line(null_desk *n, const char *format, ...)
    __attribute__((format(DESK_PRINTF_FORMAT, 2, 3)));
/* What an application would do at any input: draw something. */
void null_changed(null_desk *n);
bool null_inside(desk_rect r, int x, int y);
/* Whether a picture or a window can be that many pixels wide or high. */
bool null_is_side(int pixels);

/* --- null_screen.c -----------------------------------------------------------------------------
 */

bool null_screen_rect(desk *d, desk_rect *out, desk_error *err);
bool null_capture(desk *d, desk_rect rect, bool cursor, desk_image *out, desk_error *err);
bool null_monitors(desk *d, desk_monitor_list *out, desk_error *err);
/* A part of the imagined space, the screen or not. */
bool null_draw(const null_desk *n, desk_rect rect, bool cursor, desk_image *out, desk_error *err);

/* --- null_windows.c ----------------------------------------------------------------------------
 */

/* Where the window is in its present state. */
desk_rect null_window_rect(const null_desk *n);
bool null_window_capture(desk *d, uint64_t id, bool cursor, desk_window_picture *out,
                         desk_error *err);
void null_window_capture_end(desk *d);

bool null_windows(desk *d, desk_window_list *out, desk_error *err);
bool null_window_focus(desk *d, uint64_t id, desk_error *err);
bool null_window_close(desk *d, uint64_t id, desk_error *err);
bool null_window_place(desk *d, uint64_t id, desk_rect rect, desk_error *err);
bool null_window_state(desk *d, uint64_t id, desk_window_state state, desk_error *err);

#endif
