/*
 * testapp.h: the test application for Windows, the judge of the tests: an ordinary Win32 program
 * that writes down what reached it. Three files: testapp.c (the window, its controls and what they
 * tell), testapp_canvas.c (the painted pattern, and the window over the whole screen), and
 * testapp_log.c (the log).
 *
 *     testapp.exe --log FILE [--at X,Y] [--size WxH] [--title T] [--fullscreen] [--hang]
 *     testapp.exe --release PID      ends the hang of that test application
 *
 * The log is UTF-8, one JSON object a line, written through at once. Every line has "event", and
 * most have "target", the name of the control (the table in testapp.c; "screen" of --fullscreen) or
 * "window":
 *
 *     ready    pid, hwnd, window and client (rectangles), controls: name -> rectangle and hwnd
 *     mouse    what: move, down, up, double, wheel or hwheel; button; x, y; delta; keys (MK_ bits)
 *     key      what: down or up; vk, scan, extended; system (with Alt); again (a repeat)
 *     char     unit: one UTF-16 unit
 *     focus    what: got or lost (a control); active the same (the window)
 *     capture  what: lost
 *     clicked  checked (0, 1)               text     text: all of it, lines end in \r\n
 *     selected index, text                  value    value: of the slider
 *     menu     text                         placed   window; minimized, maximized (0, 1)
 *     hung, released, closed
 *
 * All places are pixels of the screen; rectangles are [x, y, width, height].
 */
#ifndef TESTAPP_H
#define TESTAPP_H

#include <stdbool.h>
#include <windows.h>

/* The canvas: two rows of four flat blocks, then a field of single black and white pixels, white
 * where x + y (from the field's corner) is even. */
enum {
    CANVAS_BLOCK_WIDTH = 48,
    CANVAS_BLOCK_HEIGHT = 64,
    CANVAS_CHECKER_WIDTH = 64,
    CANVAS_WIDTH = 4 * CANVAS_BLOCK_WIDTH + CANVAS_CHECKER_WIDTH,
    CANVAS_HEIGHT = 2 * CANVAS_BLOCK_HEIGHT,
};

/* Opens the log, which must be new or empty; false if it cannot be written. */
bool log_open(const wchar_t *path);

/* One line: log_begin, its fields, log_end. A NULL target is left out. */
void log_begin(const char *event, const wchar_t *target);
void log_integer(const char *key, long long value);
void log_string(const char *key, const char *value);
void log_text(const char *key, const wchar_t *value);
void log_rect(const char *key, RECT rect);
/* An object as a value: its fields lie between the two. */
void log_object(const char *key);
void log_object_end(void);
void log_end(void);

/* Writes down what a window gets from mouse and keyboard, and of focus and capture; other messages
 * leave no line. */
void log_input(const wchar_t *target, HWND window, UINT message, WPARAM w, LPARAM l);

/* Registers the window class "TestCanvas", which paints the pattern as a child and one flat colour
 * as a top-level window, takes the focus when it is clicked, and logs by its window text. */
void canvas_register(HINSTANCE instance);

#endif
