/*
 * null.h: a desk that is not there. It imagines a screen with one window, draws a picture that
 * depends only on the position of each pixel, and writes down every call, so that tests (and dry
 * runs) can see by desk_log what would have happened. One line per call:
 *
 *     move 10 20 · button 1 down · wheel 0 -3 · key ctrl up · text hello · text_end · focus 1
 *     · close_window 1 · place_window 1 10 20 300 200 · window_state 1 maximized
 *     · clipboard_get · clipboard_set hello · capture 0 0 640 480 · window_capture 1
 *     · watch_start · watch_stop
 *
 * Newlines, tabs, zero bytes and backslashes in text are written as \n, \t, \0 and \\.
 */
#ifndef DESK_NULL_NULL_H
#define DESK_NULL_NULL_H

#include "desk/activity_internal.h"

enum { NULL_WINDOW = 1 /* the id of the only window */ };

/* For the lists of platforms. */
bool null_desk_connect(desk **out, const desk_options *options, base_error *err);
bool null_activity_connect(desk_activity **out, const desk_options *where, base_error *err);

/* Forgets all lines so far (desk_log). */
void null_log_clear(desk *d);

#endif
