/* What we offer in the clipboard, a text or a PNG file. X keeps none of it: for as long as we own
 * the CLIPBOARD selection, other programs ask us (SelectionRequest) and are answered in pump, what
 * is large in parts (INCR), each when they have deleted the one before. When the desk closes it is
 * gone: it is not handed over to a clipboard manager (SAVE_TARGETS), which would have to be served,
 * MULTIPLE and all, while closing. */
#include "x11_internal.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* As much as is put into a property at once, and a request's own part of its largest size. */
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

/* --- large contents, in parts
 * ---------------------------------------------------------------------
 */

static x11_transfer *find_transfer(x11_desk *x, xcb_window_t requestor, xcb_atom_t property)
{
    for (x11_transfer *t = x->offer.transfers; t < x->offer.transfers + X11_TRANSFERS; t++) {
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

/* A free place, or that of the requestor that has been silent for the longest. */
static x11_transfer *free_transfer(x11_desk *x)
{
    x11_transfer *oldest = x->offer.transfers;
    for (x11_transfer *t = oldest; t < x->offer.transfers + X11_TRANSFERS; t++) {
        if (!t->content) {
            return t;
        }
        oldest = t->heard < oldest->heard ? t : oldest;
    }
    end_transfer(x, oldest);
    return oldest;
}

/* The root window is no requestor: its events are wanted for other things. */
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

/* --- questions ---------------------------------------------------------------------------------
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
    x11_content *content = latin1_text(x->offer.content);
    bool given = content && hand_over(x, event, property, content);
    release(content);
    return given;
}

/* The names of what we can give. */
static void list_targets(x11_desk *x, xcb_window_t requestor, xcb_atom_t property)
{
    const xcb_atom_t *atoms = x->atoms;
    xcb_atom_t text[] = {atoms[X11_TARGETS], atoms[X11_TIMESTAMP], atoms[X11_UTF8_STRING],
                         atoms[X11_TEXT_PLAIN_UTF8], XCB_ATOM_STRING};
    xcb_atom_t png[] = {atoms[X11_TARGETS], atoms[X11_TIMESTAMP], atoms[X11_IMAGE_PNG]};
    bool is_text = x->offer.content->kind == DESK_CLIPBOARD_TEXT;
    uint32_t count = is_text ? sizeof text / sizeof text[0] : sizeof png / sizeof png[0];
    xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, requestor, property, XCB_ATOM_ATOM, 32, count,
                        is_text ? text : png);
}

/* Puts what was asked for into the requestor's property; false for what we cannot give. */
static bool answer(x11_desk *x, const xcb_selection_request_event_t *event, xcb_atom_t property)
{
    const xcb_atom_t *atoms = x->atoms;
    xcb_atom_t target = event->target;
    x11_content *content = x->offer.content;
    if (target == atoms[X11_TARGETS]) {
        list_targets(x, event->requestor, property);
        return true;
    }
    if (target == atoms[X11_TIMESTAMP]) {
        xcb_change_property(x->c, XCB_PROP_MODE_REPLACE, event->requestor, property,
                            XCB_ATOM_INTEGER, 32, 1, &x->offer.since);
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

static bool ours(const x11_offer *offer, xcb_timestamp_t time)
{
    bool before = time != XCB_CURRENT_TIME && (int32_t) (time - offer->since) < 0;
    return offer->content && !before;
}

static void take_request(x11_desk *x, const xcb_selection_request_event_t *event)
{
    /* Clients of the first protocol named no property. */
    xcb_atom_t property = event->property ? event->property : event->target;
    bool given = event->owner == x->offer.window && event->selection == x->atoms[X11_CLIPBOARD] &&
                 ours(&x->offer, event->time) && answer(x, event, property);
    xcb_selection_notify_event_t notify = {
        .response_type = XCB_SELECTION_NOTIFY,
        .time = event->time,
        .requestor = event->requestor,
        .selection = event->selection,
        .target = event->target,
        .property = given ? property : XCB_NONE,
    };
    xcb_send_event(x->c, 0, event->requestor, XCB_EVENT_MASK_NO_EVENT, (const char *) &notify);
    xcb_flush(x->c);
}

static void take_property(x11_desk *x, const xcb_property_notify_event_t *event)
{
    if (event->window == x->offer.window) {
        x->offer.now = event->time;
    } else if (event->state == XCB_PROPERTY_DELETE) {
        x11_transfer *t = find_transfer(x, event->window, event->atom);
        if (t) {
            send_part(x, t);
        }
    }
}

/* Others have the clipboard now; transfers that have begun go on. */
static void take_clear(x11_desk *x, const xcb_selection_clear_event_t *event)
{
    if (event->owner == x->offer.window && event->selection == x->atoms[X11_CLIPBOARD] &&
        ours(&x->offer, event->time)) {
        release(x->offer.content);
        x->offer.content = NULL;
    }
}

static void drop_transfers(x11_desk *x, xcb_window_t requestor)
{
    for (x11_transfer *t; (t = find_transfer(x, requestor, XCB_ATOM_ANY));) {
        end_transfer(x, t);
    }
}

void x11_offer_event(x11_desk *x, const xcb_generic_event_t *event)
{
    if (!x->offer.window) {
        return;
    }
    switch (event->response_type & 0x7f) {
    case XCB_SELECTION_REQUEST:
        take_request(x, (const void *) event);
        break;
    case XCB_SELECTION_CLEAR:
        take_clear(x, (const void *) event);
        break;
    case XCB_PROPERTY_NOTIFY:
        take_property(x, (const void *) event);
        break;
    case XCB_DESTROY_NOTIFY:
        drop_transfers(x, ((const xcb_destroy_notify_event_t *) event)->window);
        break;
    }
}

bool x11_offer_open(const x11_desk *x)
{
    bool open = x->offer.content != NULL;
    for (size_t i = 0; i < X11_TRANSFERS; i++) {
        open = open || x->offer.transfers[i].content;
    }
    return open;
}

/* --- the offer ---------------------------------------------------------------------------------
 */

/* The server's time, which an owner has to name: it comes with the notice of a change of a
 * property. */
static bool learn_time(x11_desk *x, base_error *err)
{
    if (!x->offer.window) {
        uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
        x->offer.window = xcb_generate_id(x->c);
        xcb_create_window(x->c, 0, x->offer.window, x->root, -1, -1, 1, 1, 0,
                          XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK,
                          &mask);
    }
    xcb_change_property(x->c, XCB_PROP_MODE_APPEND, x->offer.window,
                        x->atoms[X11_DESKPILOT_SELECTION], XCB_ATOM_STRING, 8, 0, NULL);
    bool there = x11_sync(x, err);
    x11_take_events(x);
    return there;
}

/* Whether the server made us the owner: somebody with a later time may have been faster. */
static bool take_ownership(x11_desk *x, base_error *err)
{
    xcb_set_selection_owner(x->c, x->offer.window, x->atoms[X11_CLIPBOARD], x->offer.now);
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(
        x->c, xcb_get_selection_owner(x->c, x->atoms[X11_CLIPBOARD]), NULL);
    bool owner = reply && reply->owner == x->offer.window;
    free(reply);
    if (!x11_alive(x, err)) {
        return false;
    }
    return owner || base_fail(err, BASE_REFUSED,
                              "Another program took the clipboard at the same moment; try again.");
}

bool x11_clipboard_set(desk *d, desk_clipboard_kind kind, const char *data, size_t length,
                       bool *pending, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    *pending = false;
    if (!desk_clipboard_check(kind, data, length, err)) {
        return false;
    }
    x11_content *copy = copy_of(kind, data, length);
    if (!copy) {
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
    }
    if (!learn_time(x, err) || !take_ownership(x, err)) {
        release(copy);
        return false;
    }
    release(x->offer.content);
    x->offer.content = copy;
    x->offer.since = x->offer.now;
    return true;
}

void x11_offer_close(x11_desk *x)
{
    release(x->offer.content);
    for (size_t i = 0; i < X11_TRANSFERS; i++) {
        release(x->offer.transfers[i].content);
    }
}
