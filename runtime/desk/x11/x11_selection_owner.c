/* What we put into the clipboard, a text or a PNG file. X keeps none of it: for as long as we own
 * the CLIPBOARD selection, other programs request it from us (SelectionRequest) and are answered by
 * the event pump, with large contents in parts (INCR), each when the requestor has deleted the one
 * before. It is gone when the desk closes: it is not handed over to a clipboard manager
 * (SAVE_TARGETS), which would have to be served, with MULTIPLE, while closing. */
#include "x11_selection_owner.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* The most that is put into a property at once, and what a request needs beside its data. */
enum { PART = 256 * 1024, REQUEST_OVERHEAD = 64 };

static void release(x11_content *content)
{
    if (content && --content->uses == 0) {
        free(content);
    }
}

static x11_content *copy_of(desk_clipboard_kind kind, const char *bytes, size_t length)
{
    x11_content *content = malloc(sizeof *content + length);
    if (content) {
        content->uses = 1;
        content->kind = kind;
        content->length = length;
        memcpy(content->bytes, bytes, length);
    }
    return content;
}

/* The same in Latin-1; NULL where it has other characters, or without memory. */
static x11_content *latin1_text(const x11_content *utf8)
{
    x11_content *content = malloc(sizeof *content + utf8->length);
    size_t used = 0;
    uint32_t c = 0;
    for (size_t i = 0; content && i < utf8->length; content->bytes[used++] = (char) c) {
        i += base_utf8_read(utf8->bytes + i, utf8->length - i, &c);
        if (c > 0xff) {
            free(content);
            return NULL;
        }
    }
    if (content) {
        content->uses = 1;
        content->kind = DESK_CLIPBOARD_TEXT;
        content->length = used;
    }
    return content;
}

static size_t part_size(x11_desk *x)
{
    size_t most = (size_t) xcb_get_maximum_request_length(x->c) * 4 - REQUEST_OVERHEAD;
    return most < PART ? most : PART;
}

/* --- large contents, in parts ------------------------------------------------------------------
 */

static x11_transfer *find_transfer(x11_desk *x, xcb_window_t requestor, xcb_atom_t property)
{
    for (x11_transfer *t = x->selection->transfers; t < x->selection->transfers + X11_TRANSFERS;
         t++) {
        if (t->content && t->requestor == requestor &&
            (property == XCB_ATOM_ANY || t->property == property)) {
            return t;
        }
    }
    return NULL;
}

static void end_transfer(x11_desk *x, x11_transfer *t)
{
    xcb_window_t requestor = t->requestor;
    release(t->content);
    *t = (x11_transfer){0};
    if (!find_transfer(x, requestor, XCB_ATOM_ANY)) {
        uint32_t none = 0;
        xcb_change_window_attributes(x->c, requestor, XCB_CW_EVENT_MASK, &none);
    }
}

/* A free slot, or that of the requestor that has been silent for the longest. */
static x11_transfer *free_transfer(x11_desk *x)
{
    x11_transfer *oldest = x->selection->transfers;
    for (x11_transfer *t = oldest; t < x->selection->transfers + X11_TRANSFERS; t++) {
        if (!t->content) {
            return t;
        }
        oldest = t->heard < oldest->heard ? t : oldest;
    }
    end_transfer(x, oldest);
    return oldest;
}

/* The root window is no requestor: our event mask on it serves other purposes. */
static bool listen_to(x11_desk *x, xcb_window_t requestor)
{
    uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    return requestor != x->root &&
           x11_check(
               x, xcb_change_window_attributes_checked(x->c, requestor, XCB_CW_EVENT_MASK, &mask),
               "to listen to a window", NULL);
}

static bool begin_transfer(x11_desk *x, const xcb_selection_request_event_t *event,
                           xcb_atom_t property, x11_content *content)
{
    x11_transfer *t = find_transfer(x, event->requestor, property);
    if (t) {
        end_transfer(x, t);
    }
    t = free_transfer(x);
    if (!listen_to(x, event->requestor)) {
        return false;
    }
    content->uses++;
    *t = (x11_transfer){event->requestor, property, event->target, content, 0, uv_hrtime()};
    uint32_t least = (uint32_t) content->length;
    xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, event->requestor, property, x->atoms[X11_INCR],
                        32, 1, &least);
    return true;
}

/* The requestor has deleted a part: the next one, or an empty one for the end. */
static void send_part(x11_desk *x, x11_transfer *t)
{
    size_t left = t->content->length - t->sent, most = part_size(x);
    size_t count = left < most ? left : most;
    xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, t->requestor, t->property, t->type, 8,
                        (uint32_t) count, t->content->bytes + t->sent);
    t->sent += count;
    t->heard = uv_hrtime();
    if (count == 0) {
        end_transfer(x, t);
    }
    xcb_flush(x->c);
}

/* --- requests ----------------------------------------------------------------------------------
 */

static bool hand_over(x11_desk *x, const xcb_selection_request_event_t *event, xcb_atom_t property,
                      x11_content *content)
{
    if (content->length > part_size(x)) {
        return begin_transfer(x, event, property, content);
    }
    xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, event->requestor, property, event->target, 8,
                        (uint32_t) content->length, content->bytes);
    return true;
}

static bool hand_over_latin1(x11_desk *x, const xcb_selection_request_event_t *event,
                             xcb_atom_t property)
{
    x11_content *content = latin1_text(x->selection->content);
    bool given = content && hand_over(x, event, property, content);
    release(content);
    return given;
}

/* Answers TARGETS: the formats that we can give. */
static void list_targets(x11_desk *x, xcb_window_t requestor, xcb_atom_t property)
{
    const xcb_atom_t *atoms = x->atoms;
    xcb_atom_t text[] = {atoms[X11_TARGETS], atoms[X11_TIMESTAMP], atoms[X11_UTF8_STRING],
                         atoms[X11_TEXT_PLAIN_UTF8], XCB_ATOM_STRING};
    xcb_atom_t png[] = {atoms[X11_TARGETS], atoms[X11_TIMESTAMP], atoms[X11_IMAGE_PNG]};
    bool is_text = x->selection->content->kind == DESK_CLIPBOARD_TEXT;
    uint32_t count = is_text ? sizeof text / sizeof text[0] : sizeof png / sizeof png[0];
    xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, requestor, property, XCB_ATOM_ATOM, 32, count,
                        is_text ? text : png);
}

/* Puts what was requested into the requestor's property; false for a target that we do not have. */
static bool answer(x11_desk *x, const xcb_selection_request_event_t *event, xcb_atom_t property)
{
    const xcb_atom_t *atoms = x->atoms;
    xcb_atom_t target = event->target;
    x11_content *content = x->selection->content;
    if (target == atoms[X11_TARGETS]) {
        list_targets(x, event->requestor, property);
        return true;
    }
    if (target == atoms[X11_TIMESTAMP]) {
        xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, event->requestor, property,
                            XCB_ATOM_INTEGER, 32, 1, &x->selection->since);
        return true;
    }
    if (content->kind == DESK_CLIPBOARD_PNG) {
        return target == atoms[X11_IMAGE_PNG] && hand_over(x, event, property, content);
    }
    if (target == atoms[X11_UTF8_STRING] || target == atoms[X11_TEXT_PLAIN_UTF8]) {
        return hand_over(x, event, property, content);
    }
    return target == XCB_ATOM_STRING && hand_over_latin1(x, event, property);
}

static bool ours(const x11_selection *s, xcb_timestamp_t time)
{
    bool before = time != XCB_CURRENT_TIME && (int32_t) (time - s->since) < 0;
    return s->content && !before;
}

/* Every event that is sent has 32 bytes, of which this kind uses 24: the requestor gets the rest as
 * well, so there must be nothing in it. */
static void tell_requestor(x11_desk *x, const xcb_selection_request_event_t *event,
                           xcb_atom_t property)
{
    union {
        char bytes[32];
        xcb_selection_notify_event_t notify;
    } sent = {{0}};
    sent.notify = (xcb_selection_notify_event_t){
        .response_type = XCB_SELECTION_NOTIFY,
        .time = event->time,
        .requestor = event->requestor,
        .selection = event->selection,
        .target = event->target,
        .property = property,
    };
    xcb_send_event(x->c, 0, event->requestor, XCB_EVENT_MASK_NO_EVENT, sent.bytes);
    xcb_flush(x->c);
}

void x11_selection_request_event(x11_desk *x, const xcb_generic_event_t *generic)
{
    const xcb_selection_request_event_t *event = (const void *) generic;
    if (!x->selection->window) {
        return;
    }
    /* Clients of the first protocol named no property. */
    xcb_atom_t property = event->property ? event->property : event->target;
    bool given = event->owner == x->selection->window &&
                 event->selection == x->atoms[X11_CLIPBOARD] && ours(x->selection, event->time) &&
                 answer(x, event, property);
    tell_requestor(x, event, given ? property : XCB_NONE);
}

void x11_selection_property_event(x11_desk *x, const xcb_generic_event_t *generic)
{
    const xcb_property_notify_event_t *event = (const void *) generic;
    if (event->window == x->selection->window) {
        x->selection->now = event->time;
    } else if (event->state == XCB_PROPERTY_DELETE) {
        x11_transfer *t = find_transfer(x, event->window, event->atom);
        if (t) {
            send_part(x, t);
        }
    }
}

/* Another program owns the selection now; transfers that have begun go on. */
void x11_selection_clear_event(x11_desk *x, const xcb_generic_event_t *generic)
{
    const xcb_selection_clear_event_t *event = (const void *) generic;
    if (event->owner == x->selection->window && event->selection == x->atoms[X11_CLIPBOARD] &&
        ours(x->selection, event->time)) {
        release(x->selection->content);
        x->selection->content = NULL;
    }
}

/* A requestor's window was destroyed. */
void x11_selection_destroy_event(x11_desk *x, const xcb_generic_event_t *event)
{
    xcb_window_t requestor = ((const xcb_destroy_notify_event_t *) event)->window;
    for (x11_transfer *t; (t = find_transfer(x, requestor, XCB_ATOM_ANY));) {
        end_transfer(x, t);
    }
}

bool x11_selection_busy(const x11_desk *x)
{
    bool open = x->selection->content != NULL;
    for (size_t i = 0; i < X11_TRANSFERS; i++) {
        open = open || x->selection->transfers[i].content;
    }
    return open;
}

/* --- becoming the owner ------------------------------------------------------------------------
 */

/* The server's time, which an owner has to name: a PropertyNotify event carries it. */
static bool learn_time(x11_desk *x, base_error *err)
{
    if (!x->selection->window) {
        uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
        x->selection->window = xcb_generate_id(x->c);
        xcb_create_window(x->c, 0, x->selection->window, x->root, -1, -1, 1, 1, 0,
                          XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK,
                          &mask);
    }
    xcb_change_property(x->c, XCB_PROP_MODE_APPEND, x->selection->window,
                        x->atoms[X11_DESKPILOT_SELECTION], XCB_ATOM_STRING, 8, 0, NULL);
    bool there = x11_sync(x, err);
    x11_take_events(x);
    return there;
}

/* False where another program became the owner with a later time. */
static bool take_ownership(x11_desk *x, base_error *err)
{
    xcb_set_selection_owner(x->c, x->selection->window, x->atoms[X11_CLIPBOARD], x->selection->now);
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(
        x->c, xcb_get_selection_owner(x->c, x->atoms[X11_CLIPBOARD]), NULL);
    bool owner = reply && reply->owner == x->selection->window;
    free(reply);
    if (!x11_alive(x, err)) {
        return false;
    }
    return owner || base_fail(err, BASE_REFUSED,
                              "Another program took the clipboard at the same moment; try again.");
}

static bool x11_clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                              bool *pending, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    *pending = false;
    x11_content *copy = copy_of(kind, data, length);
    if (!copy) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
    }
    if (!learn_time(x, err) || !take_ownership(x, err)) {
        release(copy);
        return false;
    }
    release(x->selection->content);
    x->selection->content = copy;
    x->selection->since = x->selection->now;
    return true;
}

void x11_selection_close(x11_desk *x)
{
    release(x->selection->content);
    for (size_t i = 0; i < X11_TRANSFERS; i++) {
        release(x->selection->transfers[i].content);
    }
}

void x11_selection_ops(desk_ops *ops)
{
    ops->clipboard_set = x11_clipboard_set;
}
