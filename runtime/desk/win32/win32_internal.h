/*
 * win32_internal.h: what the files of the Windows backend share. One win32_desk is one desk
 * (backend.h); its parts belong to the file that is named at each. Everything is done by the wide
 * (W) functions; UTF-8 is converted at this folder's edge (win32_text.c).
 *
 * Coordinates are physical pixels of the virtual screen: the process is per-monitor DPI aware (by
 * its manifest and by call), so that Windows scales nothing for us. Monitors left of or above the
 * primary one have negative coordinates.
 */
#ifndef DESK_WIN32_WIN32_INTERNAL_H
#define DESK_WIN32_WIN32_INTERNAL_H

#include "desk/backend.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

typedef struct {
    HDC memory;      /* a memory DC that holds the section, kept between captures */
    HBITMAP section; /* top-down 32-bit DIB section */
    HGDIOBJ before;  /* what the memory DC held at first */
    uint8_t *pixels; /* of the section; rows are `width` * 4 bytes apart */
    int width, height;
} win32_surface;

/* What is pressed for a key: a virtual key, or a character that no key of the layout types. */
typedef struct {
    WORD vk, scan;      /* vk 0: the character */
    bool extended;      /* of the keys that exist twice, the one outside the number pad */
    bool num_lock;      /* types what it should only while num lock is on */
    bool only_combined; /* types something else, or nothing yet, without ctrl and the like */
    unsigned modifiers; /* to be held around it: WIN32_SHIFT and so on */
    uint32_t character;
} win32_stroke;

/* As in the high byte of VkKeyScanEx. */
enum { WIN32_SHIFT = 1, WIN32_CTRL = 2, WIN32_ALT = 4 };

typedef struct {
    desk_key key;
    win32_stroke stroke; /* its modifiers are those that we pressed */
} win32_held_key;

enum { WIN32_MAX_HELD = DESK_COMBO_MAX * 2 };

typedef struct {
    desk base;

    /* win32_private.c */
    HDESK desktop;     /* another one than the user's, or NULL */
    desk_ops ordinary; /* there: the ops as they are on the user's own */

    /* win32_hold.c */
    struct {
        HANDLE mutex, name; /* NULL while we do not hold the desktop */
    } hold;

    /* win32_screen.c */
    win32_surface frame; /* of capture */

    /* win32_compose.c */
    win32_surface scratch; /* one window's picture */

    HWND highlight; /* win32_highlight.c; NULL while none is shown */

    /* win32_watch.c: changes are seen by comparing frames */
    struct {
        bool on;
        win32_surface now, before;
        image_rect rect;                       /* of `before`; no width: there is none */
        uint64_t taken;                        /* when `before` was */
        uint64_t last_look, last_change, cost; /* nanoseconds */
    } watch;

    /* win32_pointer.c */
    unsigned buttons_down; /* 1 << desk_button, as the mouse has them */
    bool moved;            /* by us, to `target` at `moved_at` */
    POINT target;
    uint64_t moved_at; /* nanoseconds */

    /* win32_keyboard.c: keys we hold, released by close */
    win32_held_key held[WIN32_MAX_HELD];
    size_t held_count;
    bool num_lock_turned; /* on by us; off again when the desk is closed */

    /* win32_typing.c: characters since the application was last given time */
    unsigned typed;
    HWND typed_into; /* the foreground window at the first step since type_end, or NULL */
} win32_desk;

/* --- win32_desktop.c: another Windows desktop than the user's -------------------------------- */

/* The desktop of that name (UTF-8), to be closed; NULL with BASE_UNAVAILABLE. While somebody has it
 * open it exists. */
HDESK win32_desktop_open(const char *name, base_error *err);
/* NULL is allowed. */
void win32_desktop_close(HDESK desktop);
/* Calls `call` on that desktop and gives its answer: on a new thread, because one that has windows,
 * as this one may, is tied to its desktop. NULL: calls it here. BASE_UNAVAILABLE where there is no
 * such thread. */
typedef bool (*win32_call)(void *context, base_error *err);
bool win32_desktop_run(HDESK desktop, win32_call call, void *context, base_error *err);

/* --- win32_text.c: UTF-8 and UTF-16 ---------------------------------------------------------- */

/* The valid UTF-8 of a wide string of `length` units (-1: terminated); lone surrogates become
 * U+FFFD. malloc'ed and terminated; NULL without memory. */
char *win32_utf8(const wchar_t *wide, int length);
/* As above, for a title or name: without control characters, cut at `max` bytes. */
char *win32_clean_utf8(const wchar_t *wide, int length, size_t max);
/* The wide string of UTF-8 text; malloc'ed and terminated, units without the terminator in *length
 * (which may be NULL); NULL with `err` where the text is not valid or memory is short. */
wchar_t *win32_wide(const char *text, size_t bytes, size_t *length, base_error *err);
/* Fills `err` with "WHAT: the system's words (number)". Returns false. */
bool win32_fail(base_error *err, base_code code, const char *what, DWORD error);

/* --- win32_surface.c: DIB sections that are kept --------------------------------------------- */

/* Makes `s` at least that size, reusing what is there. On failure `s` is empty and holds nothing.
 */
bool win32_surface_fit(win32_surface *s, int width, int height, base_error *err);
void win32_surface_close(win32_surface *s);
/* Copies that part of the virtual screen to the surface's top left. BASE_REFUSED while Windows
 * shows what no program may see (the lock screen, a UAC prompt). */
bool win32_surface_grab(win32_surface *s, image_rect rect, base_error *err);

/* --- win32_compose.c ------------------------------------------------------------------------- */

/* Draws that part of this thread's desktop from its windows' own pictures to the surface's top
 * left; `scratch` is for one of them, kept. BASE_NO_MEMORY. */
bool win32_compose(win32_surface *s, image_rect rect, win32_surface *scratch, base_error *err);
/* Fetches that part of the desk's desktop, by win32_surface_grab or win32_compose. */
bool win32_grab(win32_desk *w, win32_surface *s, image_rect rect, base_error *err);

/* Has a window draw itself to the surface's top left, from its own corner on. A program that does
 * not answer holds us up: ask before. */
void win32_print(HWND window, win32_surface *on);
/* Whether its program answers at once. */
bool win32_window_answers(HWND window);

/* --- win32_cursor.c -------------------------------------------------------------------------- */

/* Draws the mouse pointer, if it shows, on `s`, whose top left is at `origin` of the screen. */
void win32_cursor_draw(const win32_surface *s, image_rect origin);

/* --- win32_watch.c --------------------------------------------------------------------------- */

/* Looks for a change if a look is due. Never fails: see the file. */
void win32_watch_look(win32_desk *w);
void win32_watch_close(win32_desk *w);
/* The smallest rectangle that holds all pixels in which two pictures of that size differ, their
 * fourth byte aside; false if there are none. `stride` in bytes, of both. */
bool win32_difference(const uint8_t *a, const uint8_t *b, int width, int height, size_t stride,
                      image_rect *out);
/* Whether a change of that size is more than a blinking text caret. */
bool win32_worth_telling(image_rect change);

/* --- win32_highlight.c ----------------------------------------------------------------------- */

/* Answers what Windows asks of the frame's window; nothing while there is none. */
void win32_highlight_pump(win32_desk *w);
void win32_highlight_close(win32_desk *w);

/* --- win32_hold.c ---------------------------------------------------------------------------- */

void win32_hold_close(win32_desk *w);

/* --- win32_held.c ---------------------------------------------------------------------------- */

/* Notes which keys and buttons these inputs press (`down`), or which they release, for the end of a
 * process that cannot release them itself. */
void win32_held_note(const INPUT *inputs, unsigned count, bool down);

/* --- win32_input.c: what SendInput is given -------------------------------------------------- */

/* The mark (dwExtraInfo) by which a watch knows this process's own input again. */
ULONG_PTR win32_our_mark(void);
/* Sends all of it, or BASE_REFUSED. */
bool win32_send(INPUT *inputs, unsigned count, base_error *err);
INPUT win32_virtual_key(WORD vk, WORD scan, bool extended, bool down);
INPUT win32_unicode_unit(wchar_t unit, bool down);
/* A tap (down and up) of a key without modifiers; writes two inputs. */
unsigned win32_tap(INPUT *out, WORD vk, bool extended);
/* The bits of WIN32_SHIFT and so on that are held down now, by us or by the user. The Windows keys
 * are in *win. */
unsigned win32_modifiers_down(bool *win);

/* --- win32_windows.c ------------------------------------------------------------------------- */

/* The process of the application that shows a window; 0 if it is gone. The windows of all Store
 * applications belong to one process that draws their frames; the application's own is inside. */
DWORD win32_process_of(HWND window);
/* The frame of a window that is seen, as `windows` lists it while it is not minimized. False if it
 * is gone. */
bool win32_seen_frame(HWND window, RECT *out);

/* BASE_NOT_FOUND for a window that has closed. */
bool win32_find_window(uint64_t id, HWND *out, base_error *err);
/* "WHAT: Windows's reason" for the last error. Returns false. */
bool win32_refused(const char *what, base_error *err);

/* --- win32_clipboard_picture.c --------------------------------------------------------------- */

/* The clipboard's format for PNG files, by its registered name. */
UINT win32_png_format(void);
/* Copies the PNG file of a block of that format, or makes one of a block of CF_DIB. */
bool win32_read_png(HGLOBAL block, char **png, size_t *length, base_error *err);
bool win32_read_dib(HGLOBAL block, char **png, size_t *length, base_error *err);
/* A PNG file as a block of either format; NULL with `err`. */
HGLOBAL win32_make_png(const char *png, size_t length, base_error *err);
HGLOBAL win32_make_dib(const char *png, size_t length, base_error *err);

/* --- win32_rights.c -------------------------------------------------------------------------- */

/* Whether Windows hands input of ours to that window (NULL: nobody to refuse it); BASE_REFUSED
 * where its program has higher rights. */
bool win32_takes_input(HWND window, base_error *err);

/* --- win32_keymap.c: keys.h to virtual keys -------------------------------------------------- */

/* What types `key` in the keyboard layout of the active window. */
win32_stroke win32_stroke_of(desk_key key);

/* --- for all ops ----------------------------------------------------------------------------- */

/* Of win32_screen.c: the virtual screen, which reaches over all monitors. */
bool win32_screen_rect(desk *d, image_rect *out, base_error *err);
void win32_screen_close(win32_desk *w);

void win32_pointer_close(win32_desk *w);
/* Whether a move to that place, which has come just now, is one of ours. From any thread. */
bool win32_is_our_move(POINT to);
/* Waits until a pointer that was just moved stands still where it was sent. */
void win32_hold_still(win32_desk *w);
void win32_keyboard_close(win32_desk *w);

/* Each file fills in the ops that it has. */
void win32_hold_ops(desk_ops *ops);
void win32_screen_ops(desk_ops *ops);
void win32_monitor_ops(desk_ops *ops);
void win32_window_capture_ops(desk_ops *ops);
void win32_watch_ops(desk_ops *ops);
void win32_highlight_ops(desk_ops *ops);
void win32_pointer_ops(desk_ops *ops);
void win32_keyboard_ops(desk_ops *ops);
void win32_typing_ops(desk_ops *ops);
void win32_windows_ops(desk_ops *ops);
void win32_stack_ops(desk_ops *ops);
void win32_clipboard_ops(desk_ops *ops);
/* Then, for a desk on another desktop than the user's: does them there, and takes away those that
 * would reach the user's own windows. */
void win32_private_ops(win32_desk *w);

#endif
