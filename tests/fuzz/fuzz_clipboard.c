/*
 * Programs that own the clipboard, or ask for ours, and keep to no rule of ICCCM. An input is a
 * course of what they do: events in any order, properties of any type, format and size. What a
 * caller gets of it is a text that is UTF-8, bytes, a sentence, or the word to ask again later. The
 * functions of XCB are those of this file: the server that answers is the input.
 */
#include "base/utf8.h"
#include "desk/x11/x11_clipboard.h"
#include "desk/x11/x11_selection_owner.h"
#include "fuzz.h"

enum { ROOT = 1, OTHER = 2, FIRST_WINDOW = 100, MOST_STEPS = 300 };

static struct {
    fuzz_input input;
    uint32_t windows;   /* how many were made */
    xcb_window_t owner; /* of the clipboard */
    xcb_atom_t type;    /* of the property that is there now */
    uint8_t format;
    bool there, lost;
    uint32_t sum; /* of all bytes that the server was given */
} server;

/* --- the server ---------------------------------------------------------------------------------
 */

int xcb_flush(xcb_connection_t *c)
{
    (void) c;
    return 1;
}

int xcb_connection_has_error(xcb_connection_t *c)
{
    (void) c;
    return server.lost;
}

uint32_t xcb_generate_id(xcb_connection_t *c)
{
    (void) c;
    return FIRST_WINDOW + server.windows++;
}

uint32_t xcb_get_maximum_request_length(xcb_connection_t *c)
{
    (void) c;
    return 40; /* four-byte words: our own contents go in parts as well */
}

xcb_void_cookie_t xcb_create_window(xcb_connection_t *c, uint8_t depth, xcb_window_t wid,
                                    xcb_window_t parent, int16_t x, int16_t y, uint16_t width,
                                    uint16_t height, uint16_t border_width, uint16_t class,
                                    xcb_visualid_t visual, uint32_t value_mask,
                                    const void *value_list)
{
    (void) c, (void) depth, (void) wid, (void) parent, (void) x, (void) y, (void) width;
    (void) height, (void) border_width, (void) class, (void) visual, (void) value_mask;
    (void) value_list;
    return (xcb_void_cookie_t){0};
}

xcb_void_cookie_t xcb_destroy_window(xcb_connection_t *c, xcb_window_t window)
{
    (void) c;
    REQUIRE(window >= FIRST_WINDOW);
    return (xcb_void_cookie_t){0};
}

xcb_void_cookie_t xcb_convert_selection(xcb_connection_t *c, xcb_window_t requestor,
                                        xcb_atom_t selection, xcb_atom_t target,
                                        xcb_atom_t property, xcb_timestamp_t time)
{
    (void) c, (void) requestor, (void) selection, (void) target, (void) property, (void) time;
    return (xcb_void_cookie_t){0};
}

xcb_void_cookie_t xcb_change_window_attributes(xcb_connection_t *c, xcb_window_t window,
                                               uint32_t value_mask, const void *value_list)
{
    (void) c, (void) window, (void) value_mask, (void) value_list;
    return (xcb_void_cookie_t){0};
}

xcb_void_cookie_t xcb_change_window_attributes_checked(xcb_connection_t *c, xcb_window_t window,
                                                       uint32_t value_mask, const void *value_list)
{
    return xcb_change_window_attributes(c, window, value_mask, value_list);
}

xcb_generic_error_t *xcb_request_check(xcb_connection_t *c, xcb_void_cookie_t cookie)
{
    (void) c, (void) cookie;
    if (fuzz_byte(&server.input) < 200) {
        return NULL;
    }
    xcb_generic_error_t *e = calloc(1, sizeof *e);
    REQUIRE(e);
    e->error_code = XCB_WINDOW;
    return e;
}

xcb_void_cookie_t xcb_change_property(xcb_connection_t *c, uint8_t mode, xcb_window_t window,
                                      xcb_atom_t property, xcb_atom_t type, uint8_t format,
                                      uint32_t data_len, const void *data)
{
    (void) c, (void) mode, (void) window, (void) property, (void) type;
    for (size_t i = 0; i < (size_t) data_len * (format / 8u); i++) {
        server.sum = server.sum * 31 + ((const uint8_t *) data)[i];
    }
    return (xcb_void_cookie_t){0};
}

xcb_void_cookie_t xcb_send_event(xcb_connection_t *c, uint8_t propagate, xcb_window_t destination,
                                 uint32_t event_mask, const char *event)
{
    (void) c, (void) propagate, (void) destination, (void) event_mask;
    for (size_t i = 0; i < 32; i++) { /* of that size, whatever kind it is */
        server.sum = server.sum * 31 + (uint8_t) event[i];
    }
    return (xcb_void_cookie_t){0};
}

xcb_get_property_cookie_t xcb_get_property(xcb_connection_t *c, uint8_t delete, xcb_window_t window,
                                           xcb_atom_t property, xcb_atom_t type,
                                           uint32_t long_offset, uint32_t long_length)
{
    (void) c, (void) delete, (void) window, (void) property, (void) type, (void) long_offset;
    (void) long_length;
    return (xcb_get_property_cookie_t){0};
}

xcb_get_property_reply_t *xcb_get_property_reply(xcb_connection_t *c,
                                                 xcb_get_property_cookie_t cookie,
                                                 xcb_generic_error_t **e)
{
    (void) c, (void) cookie;
    *e = NULL;
    if (server.lost) {
        return NULL;
    }
    if (!server.there) {
        xcb_get_property_reply_t *none = calloc(1, sizeof *none);
        REQUIRE(none);
        return none;
    }
    server.there = false;
    uint8_t choice = fuzz_byte(&server.input);
    uint32_t items = choice > 240 ? choice * 16u : choice % 64u;
    size_t bytes = (size_t) items * (server.format / 8);
    xcb_get_property_reply_t *reply = calloc(1, sizeof *reply + bytes);
    REQUIRE(reply);
    reply->type = server.type;
    reply->format = server.format;
    reply->value_len = items;
    reply->length = (uint32_t) (bytes + 3) / 4;
    reply->bytes_after = choice == 240 ? 1 : 0;
    for (size_t i = 0; i < bytes; i++) {
        ((uint8_t *) (reply + 1))[i] = fuzz_byte(&server.input);
    }
    return reply;
}

xcb_get_selection_owner_cookie_t xcb_get_selection_owner(xcb_connection_t *c, xcb_atom_t selection)
{
    (void) c, (void) selection;
    return (xcb_get_selection_owner_cookie_t){0};
}

xcb_get_selection_owner_reply_t *
xcb_get_selection_owner_reply(xcb_connection_t *c, xcb_get_selection_owner_cookie_t cookie,
                              xcb_generic_error_t **e)
{
    (void) c, (void) cookie, (void) e;
    xcb_get_selection_owner_reply_t *reply = server.lost ? NULL : calloc(1, sizeof *reply);
    if (reply) {
        reply->owner = server.owner;
    }
    return reply;
}

xcb_void_cookie_t xcb_set_selection_owner(xcb_connection_t *c, xcb_window_t owner,
                                          xcb_atom_t selection, xcb_timestamp_t time)
{
    (void) c, (void) selection, (void) time;
    server.owner = fuzz_byte(&server.input) < 230 ? owner : OTHER;
    return (xcb_void_cookie_t){0};
}

xcb_get_input_focus_cookie_t xcb_get_input_focus(xcb_connection_t *c)
{
    (void) c;
    return (xcb_get_input_focus_cookie_t){0};
}

xcb_get_input_focus_reply_t *xcb_get_input_focus_reply(xcb_connection_t *c,
                                                       xcb_get_input_focus_cookie_t cookie,
                                                       xcb_generic_error_t **e)
{
    (void) c, (void) cookie, (void) e;
    return NULL;
}

xcb_generic_event_t *xcb_poll_for_event(xcb_connection_t *c)
{
    (void) c;
    return NULL;
}

/* --- what happens -------------------------------------------------------------------------------
 */

static xcb_window_t some_window(x11_desk *x)
{
    xcb_window_t known[] = {x->clipboard->conversions[0].window,
                            x->clipboard->conversions[1].window,
                            x->selection->window,
                            OTHER,
                            OTHER + 1,
                            ROOT,
                            XCB_NONE};
    return known[fuzz_byte(&server.input) % (sizeof known / sizeof known[0])];
}

static xcb_atom_t some_atom(x11_desk *x)
{
    xcb_atom_t known[] = {x->atoms[X11_UTF8_STRING],
                          XCB_ATOM_STRING,
                          x->atoms[X11_IMAGE_PNG],
                          x->atoms[X11_INCR],
                          x->atoms[X11_DESKPILOT_SELECTION],
                          x->atoms[X11_TARGETS],
                          x->atoms[X11_TIMESTAMP],
                          x->atoms[X11_CLIPBOARD],
                          XCB_ATOM_ATOM,
                          XCB_NONE};
    return known[fuzz_byte(&server.input) % (sizeof known / sizeof known[0])];
}

static desk_clipboard_kind some_kind(void)
{
    return fuzz_byte(&server.input) % 2 ? DESK_CLIPBOARD_PNG : DESK_CLIPBOARD_TEXT;
}

static void get(x11_desk *x, const desk_ops *ops)
{
    char *data = NULL;
    size_t length = 0;
    bool pending = false;
    base_error err = {0};
    desk_clipboard_kind kind = some_kind();
    if (!ops->clipboard_get((desk *) x, kind, &data, &length, &pending, &err)) {
        REQUIRE(err.code && err.message[0]);
        return;
    }
    if (pending) {
        return;
    }
    REQUIRE(data && !data[length]);
    if (kind == DESK_CLIPBOARD_TEXT) {
        REQUIRE(base_utf8_check(data, length) == length);
        for (size_t i = 0; i + 1 < length; i++) {
            REQUIRE(data[i] != '\r' || data[i + 1] != '\n');
        }
    }
    free(data);
}

static void set(x11_desk *x, const desk_ops *ops)
{
    char content[400], raw[400];
    bool pending;
    base_error err = {0};
    desk_clipboard_kind kind = some_kind();
    size_t length = fuzz_byte(&server.input);
    for (size_t i = 0; i < length; i++) {
        raw[i] = (char) fuzz_byte(&server.input);
    }
    memcpy(content, raw, length);
    if (kind == DESK_CLIPBOARD_TEXT) { /* callers are checked to give UTF-8 */
        length = base_utf8_check(raw, length);
    }
    char *exact = malloc(length ? length : 1);
    REQUIRE(exact);
    memcpy(exact, content, length);
    if (!ops->clipboard_set((desk *) x, kind, exact, length, &pending, &err)) {
        REQUIRE(err.code && err.message[0]);
    }
    free(exact);
}

static void give_notice(x11_desk *x)
{
    const x11_conversion *open =
        &x->clipboard->conversions[fuzz_byte(&server.input) % DESK_CLIPBOARD_KINDS];
    xcb_selection_notify_event_t event = {.response_type = XCB_SELECTION_NOTIFY,
                                          .requestor = open->window,
                                          .target = open->target,
                                          .property = x->atoms[X11_DESKPILOT_SELECTION]};
    uint8_t choice = fuzz_byte(&server.input);
    if (choice < 40) {
        event.property = XCB_NONE;
    } else if (choice < 60) {
        event.target = some_atom(x);
        event.requestor = some_window(x);
    }
    x11_clipboard_selection_event(x, (xcb_generic_event_t *) &event);
}

static void change_property(x11_desk *x)
{
    const x11_conversion *open =
        &x->clipboard->conversions[fuzz_byte(&server.input) % DESK_CLIPBOARD_KINDS];
    xcb_property_notify_event_t event = {.response_type = XCB_PROPERTY_NOTIFY,
                                         .window = open->window,
                                         .atom = x->atoms[X11_DESKPILOT_SELECTION],
                                         .state = XCB_PROPERTY_NEW_VALUE};
    uint8_t choice = fuzz_byte(&server.input);
    if (choice < 80) {
        event.window = some_window(x);
        event.atom = some_atom(x);
        event.state = choice % 2;
        event.time = choice;
    }
    x11_clipboard_property_event(x, (xcb_generic_event_t *) &event);
    if (x->selection->window) {
        x11_selection_property_event(x, (xcb_generic_event_t *) &event);
    }
}

static void put_property(x11_desk *x)
{
    static const uint8_t formats[] = {8, 8, 8, 16, 32};
    server.there = true;
    server.type = some_atom(x);
    server.format = server.type ? formats[fuzz_byte(&server.input) % sizeof formats] : 0;
}

static void ask(x11_desk *x)
{
    xcb_selection_request_event_t event = {.response_type = XCB_SELECTION_REQUEST,
                                           .time = fuzz_byte(&server.input) % 3,
                                           .owner = x->selection->window,
                                           .requestor = some_window(x),
                                           .selection = x->atoms[X11_CLIPBOARD],
                                           .target = some_atom(x),
                                           .property = some_atom(x)};
    if (fuzz_byte(&server.input) > 240) {
        event.owner = some_window(x);
        event.selection = some_atom(x);
    }
    x11_selection_request_event(x, (xcb_generic_event_t *) &event);
}

static void take_away(x11_desk *x)
{
    if (fuzz_byte(&server.input) % 2) {
        xcb_destroy_notify_event_t gone = {.response_type = XCB_DESTROY_NOTIFY,
                                           .window = some_window(x)};
        x11_selection_destroy_event(x, (xcb_generic_event_t *) &gone);
        return;
    }
    xcb_selection_clear_event_t event = {.response_type = XCB_SELECTION_CLEAR,
                                         .time = fuzz_byte(&server.input) % 3,
                                         .owner = some_window(x),
                                         .selection = x->atoms[X11_CLIPBOARD]};
    x11_selection_clear_event(x, (xcb_generic_event_t *) &event);
}

static void play(x11_desk *x, const desk_ops *ops)
{
    for (int step = 0; step < MOST_STEPS && server.input.size; step++) {
        switch (fuzz_byte(&server.input) % 9) {
        case 0:
        case 1:
            get(x, ops);
            break;
        case 2:
            give_notice(x);
            break;
        case 3:
            change_property(x);
            break;
        case 4:
            put_property(x);
            break;
        case 5:
            server.owner = some_window(x);
            break;
        case 6:
            set(x, ops);
            break;
        case 7:
            ask(x);
            break;
        default:
            take_away(x);
            break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memset(&server, 0, sizeof server);
    server.input = (fuzz_input){data, size};
    server.owner = OTHER;
    x11_desk *x = calloc(1, sizeof *x);
    x11_clipboard *clipboard = calloc(1, sizeof *clipboard);
    x11_selection *selection = calloc(1, sizeof *selection);
    x11_events *events = calloc(1, sizeof *events);
    REQUIRE(x && clipboard && selection && events);
    x->clipboard = clipboard;
    x->selection = selection;
    x->events = events;
    x->root = ROOT;
    for (int i = 0; i < X11_ATOM_COUNT; i++) {
        x->atoms[i] = 1000 + (xcb_atom_t) i;
    }
    desk_ops ops = {0};
    x11_clipboard_ops(&ops);
    x11_selection_ops(&ops);
    play(x, &ops);
    x11_clipboard_close(x);
    x11_selection_close(x);
    free(events);
    free(selection);
    free(clipboard);
    free(x);
    return 0;
}
