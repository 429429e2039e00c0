/* The X11 backend as a whole: how a desk is opened, pumped and closed, and what it is made of. */
#include "x11.h"

#include "x11_clipboard.h"
#include "x11_clipboard_watch.h"
#include "x11_connection.h"
#include "x11_damage.h"
#include "x11_events.h"
#include "x11_highlight.h"
#include "x11_hold.h"
#include "x11_idle.h"
#include "x11_input.h"
#include "x11_keyboard.h"
#include "x11_keymap.h"
#include "x11_monitors.h"
#include "x11_ping.h"
#include "x11_pointer.h"
#include "x11_refresh.h"
#include "x11_screen.h"
#include "x11_selection_owner.h"
#include "x11_text.h"
#include "x11_watchdog.h"
#include "x11_window_actions.h"
#include "x11_window_capture.h"
#include "x11_window_watch.h"
#include "x11_windows.h"
#include "x11_workspaces.h"

#include <stdlib.h>

/* All memory of a desk, but for what parts allocate themselves. */
typedef struct {
    x11_desk desk; /* first, so that the desk is freed as this */
    x11_events events;
    x11_watchdog watchdog;
    x11_input input;
    x11_keymap keymap;
    x11_keyboard keyboard;
    x11_text text;
    x11_pointer pointer;
    x11_frames frames;
    x11_damage damage;
    x11_highlight highlight;
    x11_capture_session session;
    x11_pings pings;
    x11_idle idle;
    x11_window_watch window_watch;
    x11_clipboard clipboard;
    x11_clipboard_watch clipboard_watch;
    x11_selection selection;
} memory;

static x11_desk *lay_out(memory *m)
{
    x11_desk *x = &m->desk;
    x->events = &m->events;
    x->watchdog = &m->watchdog;
    x->input = &m->input;
    x->keymap = &m->keymap;
    x->keyboard = &m->keyboard;
    x->text = &m->text;
    x->pointer = &m->pointer;
    x->frames = &m->frames;
    x->damage = &m->damage;
    x->highlight = &m->highlight;
    x->session = &m->session;
    x->pings = &m->pings;
    x->idle = &m->idle;
    x->window_watch = &m->window_watch;
    x->clipboard = &m->clipboard;
    x->clipboard_watch = &m->clipboard_watch;
    x->selection = &m->selection;
    return x;
}

/* Which event goes to whom; an extension's events are counted from its first one. */
static const struct {
    enum { CORE, DAMAGE, FIXES } extension;
    uint8_t type;
    x11_event_handler *handler;
} EVENTS[] = {
    {CORE, XCB_EXPOSE, x11_window_capture_exposed},
    {CORE, XCB_MAP_NOTIFY, x11_window_event},
    {CORE, XCB_UNMAP_NOTIFY, x11_window_event},
    {CORE, XCB_DESTROY_NOTIFY, x11_window_event},
    {CORE, XCB_DESTROY_NOTIFY, x11_selection_destroy_event},
    {CORE, XCB_PROPERTY_NOTIFY, x11_window_property_event},
    {CORE, XCB_PROPERTY_NOTIFY, x11_clipboard_property_event},
    {CORE, XCB_PROPERTY_NOTIFY, x11_selection_property_event},
    {CORE, XCB_SELECTION_NOTIFY, x11_clipboard_selection_event},
    {CORE, XCB_SELECTION_REQUEST, x11_selection_request_event},
    {CORE, XCB_SELECTION_CLEAR, x11_selection_clear_event},
    {CORE, XCB_CLIENT_MESSAGE, x11_ping_event},
    {CORE, XCB_MAPPING_NOTIFY, x11_keymap_event},
    {DAMAGE, XCB_DAMAGE_NOTIFY, x11_screen_damaged},
    {DAMAGE, XCB_DAMAGE_NOTIFY, x11_window_capture_damaged},
    {DAMAGE, XCB_DAMAGE_NOTIFY, x11_damage_event},
    {FIXES, XCB_XFIXES_SELECTION_NOTIFY, x11_clipboard_owner_event},
};

static void register_events(x11_desk *x)
{
    const bool present[] = {[CORE] = true, [DAMAGE] = x->has_damage, [FIXES] = x->has_fixes};
    const uint8_t first[] = {[CORE] = 0, [DAMAGE] = x->damage_event, [FIXES] = x->fixes_event};
    for (size_t i = 0; i < sizeof EVENTS / sizeof EVENTS[0]; i++) {
        if (present[EVENTS[i].extension]) {
            x11_events_on(x, (uint8_t) (first[EVENTS[i].extension] + EVENTS[i].type),
                          EVENTS[i].handler);
        }
    }
    x->events->taken = x11_damage_rearm;
}

static bool pump(desk *d, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    x11_ping_poll(x);
    x11_take_events(x);
    return x11_alive(x, err);
}

static int poll_fd(desk *d)
{
    return xcb_get_file_descriptor(((x11_desk *) d)->c);
}

/* Milliseconds. An application that is watched tells nothing. And while we own the clipboard, a
 * request for it may be read off the connection by another call that waits for its reply, after
 * which the descriptor does not become readable for it any more. */
static int poll_every(desk *d)
{
    enum { WATCHING = 4, OWNER = 100 };
    x11_desk *x = (x11_desk *) d;
    return x11_idle_watching(x) ? WATCHING : x11_selection_busy(x) ? OWNER : 0;
}

static void close_desk(desk *d)
{
    x11_desk *x = (x11_desk *) d;
    x11_pointer_close(x);
    x11_keyboard_close(x);
    x11_type_end(d, NULL);
    x11_keymap_close(x);
    x11_watch_stop(d);
    x11_window_capture_end(d);
    x11_input_close(x);
    x11_screen_close(x);
    x11_clipboard_close(x);
    x11_selection_close(x);
    x11_connection_close(x);
    free(x);
}

static void fill_ops(desk_ops *ops)
{
    ops->close = close_desk;
    ops->poll_fd = poll_fd;
    ops->poll_every = poll_every;
    ops->pump = pump;
    x11_hold_ops(ops);
    x11_screen_ops(ops);
    x11_monitor_ops(ops);
    x11_refresh_ops(ops);
    x11_window_capture_ops(ops);
    x11_damage_ops(ops);
    x11_highlight_ops(ops);
    x11_pointer_ops(ops);
    x11_keyboard_ops(ops);
    x11_text_ops(ops);
    x11_ping_ops(ops);
    x11_windows_ops(ops);
    x11_window_action_ops(ops);
    x11_window_watch_ops(ops);
    x11_workspace_ops(ops);
    x11_clipboard_ops(ops);
    x11_selection_ops(ops);
    x11_clipboard_watch_ops(ops);
}

bool x11_desk_connect(desk **out, const desk_options *options, base_error *err)
{
    memory *m = calloc(1, sizeof *m);
    if (!m) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to open a desk.");
    }
    x11_desk *x = lay_out(m);
    fill_ops(&x->base.ops);
    if (!x11_connection_open(x, options, err)) {
        x11_connection_close(x);
        free(x);
        return false;
    }
    register_events(x);
    x11_input_open(x);
    *out = &x->base;
    return true;
}
