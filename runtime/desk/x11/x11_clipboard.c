/* What the clipboard holds, as another program has it: a text, or a picture as a PNG file. The
 * CLIPBOARD selection has an owner, which is asked for it and answers when it likes, through a
 * property of a window of ours: what is large in parts, each after we have deleted the one before
 * (INCR). Every question has a window of its own, so that a late answer to an earlier one goes
 * nowhere; and each kind has a question of its own, so that two who wait do not disturb each other.
 */
#include "x11_internal.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* A question whose asker has not come back for so long (ns) is given up: what was copied since then
 * is what the next one wants. */
enum { ABANDONED = 500 * 1000 * 1000 };

/* UTF-8 of what an owner handed over: from Latin-1 or UTF-8, malformed bytes become U+FFFD, line
 * ends
 * "\n". malloc'ed and terminated; NULL without memory. */
static char *decode(const char *raw, size_t raw_length, bool latin1, size_t *length)
{
    enum { REPLACEMENT = 0xfffd, LONGEST = 3 /* bytes that one may become */ };
    char *text = malloc(raw_length * LONGEST + 1);
    size_t used = 0;
    for (size_t i = 0; text && i < raw_length;) {
        uint32_t c = (unsigned char) raw[i];
        size_t size = latin1 ? 1 : base_utf8_read(raw + i, raw_length - i, &c);
        bool line_end = c == '\r' && i + 1 < raw_length && raw[i + 1] == '\n';
        if (!line_end) {
            used += base_utf8_write(text + used, size ? c : REPLACEMENT);
        }
        i += size ? size : 1;
    }
    if (!text) {
        return NULL;
    }
    text[used] = '\0';
    *length = used;
    char *trimmed = realloc(text, used + 1);
    return trimmed ? trimmed : text;
}

/* Ends a question, and with it whatever its owner still does about it. */
static void forget(x11_desk *x, x11_question *q)
{
    if (q->window) {
        xcb_destroy_window(x->c, q->window);
        xcb_flush(x->c);
    }
    free(q->data);
    *q = (x11_question){.kind = q->kind};
}

/* The window's work is done as soon as the answer is there. */
static void settle(x11_desk *x, x11_question *q, x11_question_state state)
{
    q->state = state;
    xcb_destroy_window(x->c, q->window);
    xcb_flush(x->c);
    q->window = XCB_NONE;
}

static void convert(x11_desk *x, x11_question *q, xcb_atom_t target)
{
    q->target = target;
    xcb_convert_selection(x->c, q->window, x->atoms[X11_CLIPBOARD], target,
                          x->atoms[X11_DESKPILOT_SELECTION], XCB_CURRENT_TIME);
    xcb_flush(x->c);
}

static void begin(x11_desk *x, x11_question *q, xcb_window_t owner)
{
    uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    q->state = X11_ASKED;
    q->window = xcb_generate_id(x->c);
    q->owner = owner;
    xcb_create_window(x->c, 0, q->window, x->root, -1, -1, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
                      XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &mask);
    convert(x, q, x->atoms[q->kind == DESK_CLIPBOARD_PNG ? X11_IMAGE_PNG : X11_UTF8_STRING]);
}

/* --- what the owner says -----------------------------------------------------------------------
 */

static void append(x11_desk *x, x11_question *q, const char *bytes, size_t count)
{
    if (count > DESK_CLIPBOARD_MAX - q->length) {
        settle(x, q, X11_TOO_LARGE);
        return;
    }
    size_t needed = q->length + count;
    if (needed > q->room) {
        size_t room = needed * 2;
        char *data = realloc(q->data, room);
        if (!data) {
            settle(x, q, X11_NO_ROOM);
            return;
        }
        q->data = data;
        q->room = room;
    }
    memcpy(q->data + q->length, bytes, count);
    q->length = needed;
}

/* The property's value, which is deleted by that; NULL if it is not there. */
static xcb_get_property_reply_t *take_property(x11_desk *x, const x11_question *q)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        x->c,
        xcb_get_property(x->c, 1, q->window, x->atoms[X11_DESKPILOT_SELECTION],
                         XCB_GET_PROPERTY_TYPE_ANY, 0, DESK_CLIPBOARD_MAX / 4 + 1),
        &e);
    free(e);
    if (reply && reply->type == XCB_NONE) {
        free(reply);
        return NULL;
    }
    return reply;
}

static void take_part(x11_desk *x, x11_question *q, const xcb_get_property_reply_t *reply)
{
    size_t count = (size_t) xcb_get_property_value_length(reply);
    q->latin1 = reply->type == XCB_ATOM_STRING;
    if (reply->format != 8 && count > 0) {
        settle(x, q, X11_ANSWERED); /* not what was asked for, whatever the owner calls it */
    } else if (reply->bytes_after > 0) {
        settle(x, q, X11_TOO_LARGE);
    } else if (count > 0) {
        append(x, q, xcb_get_property_value(reply), count);
    }
}

static void take_answer(x11_desk *x, x11_question *q, const xcb_selection_notify_event_t *event)
{
    if (event->property == XCB_NONE) {
        if (q->target == x->atoms[X11_UTF8_STRING]) {
            convert(x, q, XCB_ATOM_STRING);
        } else {
            settle(x, q, X11_ANSWERED);
        }
        return;
    }
    xcb_get_property_reply_t *reply = take_property(x, q);
    if (reply && reply->type == x->atoms[X11_INCR]) {
        q->state = X11_IN_PARTS;
    } else {
        if (reply) {
            take_part(x, q, reply);
        }
        if (q->state == X11_ASKED) {
            settle(x, q, X11_ANSWERED);
        }
    }
    free(reply);
}

static void take_next_part(x11_desk *x, x11_question *q)
{
    xcb_get_property_reply_t *reply = take_property(x, q);
    if (reply && xcb_get_property_value_length(reply) == 0) {
        settle(x, q, X11_ANSWERED);
    } else if (reply) {
        take_part(x, q, reply);
    }
    free(reply);
}

static void take_event(x11_desk *x, x11_question *q, const xcb_generic_event_t *event)
{
    const xcb_selection_notify_event_t *notify = (const void *) event;
    const xcb_property_notify_event_t *property = (const void *) event;
    uint8_t type = event->response_type & 0x7f;
    if (type == XCB_SELECTION_NOTIFY) {
        if (q->state == X11_ASKED && notify->requestor == q->window &&
            notify->target == q->target) {
            take_answer(x, q, notify);
        }
    } else if (q->state == X11_IN_PARTS && property->window == q->window &&
               property->atom == x->atoms[X11_DESKPILOT_SELECTION] &&
               property->state == XCB_PROPERTY_NEW_VALUE) {
        take_next_part(x, q);
    }
}

void x11_clipboard_event(x11_desk *x, const xcb_generic_event_t *event)
{
    for (int i = 0; i < DESK_CLIPBOARD_KINDS; i++) {
        take_event(x, &x->questions[i], event);
    }
}

/* --- the question ------------------------------------------------------------------------------
 */

/* A copy, terminated; NULL without memory. */
static char *copy(const char *raw, size_t raw_length, size_t *length)
{
    char *data = malloc(raw_length + 1);
    if (data) {
        if (raw_length) {
            memcpy(data, raw, raw_length);
        }
        data[raw_length] = '\0';
        *length = raw_length;
    }
    return data;
}

static bool give(x11_desk *x, x11_question *q, const char *raw, size_t raw_length, char **data,
                 size_t *length, base_error *err)
{
    *data = q->kind == DESK_CLIPBOARD_TEXT ? decode(raw, raw_length, q->latin1, length)
                                           : copy(raw, raw_length, length);
    forget(x, q);
    return *data || base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
}

static bool find_owner(x11_desk *x, xcb_window_t *owner, base_error *err)
{
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(
        x->c, xcb_get_selection_owner(x->c, x->atoms[X11_CLIPBOARD]), NULL);
    *owner = reply ? reply->owner : XCB_NONE;
    free(reply);
    return x11_alive(x, err);
}

/* What is there at once: nothing, or what we offer ourselves. */
static bool known(const x11_desk *x, const x11_question *q, xcb_window_t owner, const char **raw,
                  size_t *raw_length)
{
    const x11_content *ours = owner == x->offer.window ? x->offer.content : NULL;
    bool same = owner && ours && ours->kind == q->kind;
    *raw = same ? ours->bytes : "";
    *raw_length = same ? ours->length : 0;
    return !owner || ours;
}

static bool too_large(x11_desk *x, x11_question *q, base_error *err)
{
    forget(x, q);
    return base_fail(err, BASE_REFUSED, "The clipboard holds more than %d MiB, which is not taken.",
                     DESK_CLIPBOARD_MAX >> 20);
}

bool x11_clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                       bool *pending, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    x11_question *q = &x->questions[kind];
    xcb_window_t owner;
    const char *raw;
    size_t raw_length;
    *pending = false;
    if (!find_owner(x, &owner, err)) {
        return false;
    }
    uint64_t now = uv_hrtime();
    if (q->owner != owner || now - q->wanted > ABANDONED) {
        forget(x, q);
    }
    q->kind = kind;
    if (known(x, q, owner, &raw, &raw_length)) {
        return give(x, q, raw, raw_length, data, length, err);
    }
    switch (q->state) {
    case X11_NOTHING_ASKED:
        begin(x, q, owner);
        break;
    case X11_ANSWERED:
        return give(x, q, q->data, q->length, data, length, err);
    case X11_TOO_LARGE:
        return too_large(x, q, err);
    case X11_NO_ROOM:
        forget(x, q);
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory for the clipboard.");
    default:
        break;
    }
    q->wanted = now;
    *pending = true;
    return true;
}

void x11_clipboard_close(x11_desk *x)
{
    for (int i = 0; i < DESK_CLIPBOARD_KINDS; i++) {
        forget(x, &x->questions[i]);
    }
}
