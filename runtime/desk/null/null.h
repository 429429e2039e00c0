/*
 * null.h: a desk that is not there. It imagines a screen with one window, draws a picture that
 * depends only on the position of each pixel, and writes down every call, so that tests (and dry
 * runs) can see what would have happened. One line per call:
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

#include "desk/backend.h"

enum { NULL_WINDOW = 1 /* the id of the only window */ };

/* All lines so far, each ended by a newline; valid until the next call on `d`. */
const char *null_log(const desk *d);

void null_log_clear(desk *d);

#endif
