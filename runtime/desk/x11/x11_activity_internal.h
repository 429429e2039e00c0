/* x11_activity_internal.h: a watch of the people at an X display, inside; see x11_activity.c and
 * x11_activity_keys.c. */
#ifndef DESK_X11_X11_ACTIVITY_INTERNAL_H
#define DESK_X11_X11_ACTIVITY_INTERNAL_H

#include "desk/activity_internal.h"
#include "x11_own_input.h"
#include "x11_xinput.h"

enum { X11_MAX_TEST_DEVICES = 32 };

typedef struct {
    desk_activity base;
    xcb_connection_t
        *c; /* used by the thread, and by who adds and removes hotkeys: XCB allows it */
    xcb_window_t root;
    uv_thread_t thread;

    uint8_t opcode; /* of XInput's events */
    uint16_t test_devices[X11_MAX_TEST_DEVICES];
    size_t test_device_count;
    x11_own_input *own_input;
    x11_account account; /* the thread's alone */

    /* The keyboard map, as the server told it; guarded by base.lock. */
    xcb_get_keyboard_mapping_reply_t *map;
    xcb_get_modifier_mapping_reply_t *modifiers;
    uint16_t locks; /* modifier bits of caps lock, num lock and scroll lock */

    bool map_stale; /* the thread's: the server told of another map, which has not been read */

    xcb_keycode_t released; /* last, of a hotkey that is ours, and when: a repeat follows at once */
    xcb_timestamp_t released_at;
} x11_activity;

/* --- x11_activity_keys.c: hotkeys and the keyboard map
 * ---------------------------------------------
 */

/* Asks for the map. Without the lock. */
bool x11_activity_read_map(x11_activity *x, base_error *err);
/* What the map has for a keycode, 0 for nothing. With the lock. */
xcb_keysym_t x11_activity_keysym_at(const x11_activity *x, unsigned keycode, int column);
/* The bits of the modifiers that any of the keys is. With the lock. */
uint16_t x11_activity_modifier_bits(const x11_activity *x, const activity_codes *keys);
bool x11_activity_find_keys(desk_activity *h, activity_hotkey *hotkey, base_error *err);
bool x11_activity_take(desk_activity *h, activity_hotkey *hotkey, base_error *err);
void x11_activity_give_back(desk_activity *h, const activity_hotkey *hotkey);
/* On the thread: the server told of another map. Takes anew what is ours. */
void x11_activity_map_changed(x11_activity *x);
/* On the thread: a key of a hotkey that is ours was pressed or released. */
void x11_activity_taken_key(x11_activity *x, const xcb_key_press_event_t *event, bool down);

/* --- x11_activity_record.c --- */

/* On the thread: a key or a button was pressed or released by a person; `type` as in the core
 * protocol. Keeps it with what it means by the present map. */
void x11_activity_record(x11_activity *x, uint8_t type, uint32_t detail);

#endif
