/* The clipboard's text as another program has it. The CLIPBOARD selection has an owner, which is
 * asked for it and answers when it likes, through a property of a window of ours: a large text in
 * parts, each after we have deleted the one before (INCR). Every question has a window of its own,
 * so that a late answer to an earlier one goes nowhere. */
#include "x11.h"

#include "utf8.h"

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
        size_t size = latin1 ? 1 : desk_utf8_read(raw + i, raw_length - i, &c);
        bool line_end = c == '\r' && i + 1 < raw_length && raw[i + 1] == '\n';
        if (!line_end) {
            used += desk_utf8_write(text + used, size ? c : REPLACEMENT);
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
static void forget(x11_desk *x)
{
    x11_question *q = &x->question;
    if (q->window) {
        xcb_destroy_window(x->c, q->window);
        xcb_flush(x->c);
    }
    free(q->text);
    *q = (x11_question){0};
}

/* The window's work is done as soon as the answer is there. */
static void settle(x11_desk *x, x11_question_state state)
{
    x->question.state = state;
    xcb_destroy_window(x->c, x->question.window);
    xcb_flush(x->c);
    x->question.window = XCB_NONE;
}

static void convert(x11_desk *x, xcb_atom_t target)
{
    x11_question *q = &x->question;
    q->target = target;
    xcb_convert_selection(x->c, q->window, x->atoms[X11_CLIPBOARD], target,
                          x->atoms[X11_DESKPILOT_SELECTION], XCB_CURRENT_TIME);
    xcb_flush(x->c);
}

static void begin(x11_desk *x, xcb_window_t owner)
{
    uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    x->question =
        (x11_question){.state = X11_ASKED, .window = xcb_generate_id(x->c), .owner = owner};
    xcb_create_window(x->c, 0, x->question.window, x->root, -1, -1, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &mask);
    convert(x, x->atoms[X11_UTF8_STRING]);
}

/* --- what the owner says -----------------------------------------------------------------------
 */

static void append(x11_desk *x, const char *bytes, size_t count)
{
    x11_question *q = &x->question;
    if (count > DESK_CLIPBOARD_MAX - q->length) {
        settle(x, X11_TOO_LARGE);
        return;
    }
    size_t needed = q->length + count;
    if (needed > q->room) {
        size_t room = needed * 2;
        char *text = realloc(q->text, room);
        if (!text) {
            settle(x, X11_NO_ROOM);
            return;
        }
        q->text = text;
        q->room = room;
    }
    memcpy(q->text + q->length, bytes, count);
    q->length = needed;
}

/* The property's value, which is deleted by that; NULL if it is not there. */
static xcb_get_property_reply_t *take_property(x11_desk *x)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        x->c,
        xcb_get_property(x->c, 1, x->question.window, x->atoms[X11_DESKPILOT_SELECTION],
                         XCB_GET_PROPERTY_TYPE_ANY, 0, DESK_CLIPBOARD_MAX / 4 + 1),
        &e);
    free(e);
    if (reply && reply->type == XCB_NONE) {
        free(reply);
        return NULL;
    }
    return reply;
}

static void take_part(x11_desk *x, const xcb_get_property_reply_t *reply)
{
    x11_question *q = &x->question;
    size_t count = (size_t) xcb_get_property_value_length(reply);
    q->latin1 = reply->type == XCB_ATOM_STRING;
    if (reply->format != 8 && count > 0) {
        settle(x, X11_ANSWERED); /* no text, whatever the owner calls it */
    } else if (reply->bytes_after > 0) {
        settle(x, X11_TOO_LARGE);
    } else if (count > 0) {
        append(x, xcb_get_property_value(reply), count);
    }
}

static void take_answer(x11_desk *x, const xcb_selection_notify_event_t *event)
{
    x11_question *q = &x->question;
    if (event->property == XCB_NONE) {
        if (q->target == x->atoms[X11_UTF8_STRING]) {
            convert(x, XCB_ATOM_STRING);
        } else {
            settle(x, X11_ANSWERED);
        }
        return;
    }
    xcb_get_property_reply_t *reply = take_property(x);
    if (reply && reply->type == x->atoms[X11_INCR]) {
        q->state = X11_IN_PARTS;
    } else {
        if (reply) {
            take_part(x, reply);
        }
        if (q->state == X11_ASKED) {
            settle(x, X11_ANSWERED);
        }
    }
    free(reply);
}

static void take_next_part(x11_desk *x)
{
    xcb_get_property_reply_t *reply = take_property(x);
    if (reply && xcb_get_property_value_length(reply) == 0) {
        settle(x, X11_ANSWERED);
    } else if (reply) {
        take_part(x, reply);
    }
    free(reply);
}

void x11_clipboard_event(x11_desk *x, const xcb_generic_event_t *event)
{
    const xcb_selection_notify_event_t *notify = (const void *) event;
    const xcb_property_notify_event_t *property = (const void *) event;
    x11_question *q = &x->question;
    uint8_t type = event->response_type & 0x7f;
    if (type == XCB_SELECTION_NOTIFY) {
        if (q->state == X11_ASKED && notify->requestor == q->window &&
            notify->target == q->target) {
            take_answer(x, notify);
        }
    } else if (q->state == X11_IN_PARTS && property->window == q->window &&
               property->atom == x->atoms[X11_DESKPILOT_SELECTION] &&
               property->state == XCB_PROPERTY_NEW_VALUE) {
        take_next_part(x);
    }
}

/* --- the question ------------------------------------------------------------------------------
 */

static bool give(x11_desk *x, const char *raw, size_t raw_length, char **text, size_t *length,
                 desk_error *err)
{
    *text = decode(raw, raw_length, x->question.latin1, length);
    forget(x);
    return *text || desk_fail(err, DESK_NO_MEMORY, "There is not enough memory.");
}

static bool find_owner(x11_desk *x, xcb_window_t *owner, desk_error *err)
{
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(
        x->c, xcb_get_selection_owner(x->c, x->atoms[X11_CLIPBOARD]), NULL);
    *owner = reply ? reply->owner : XCB_NONE;
    free(reply);
    return x11_alive(x, err);
}

bool x11_clipboard_get(desk *d, char **text, size_t *length, bool *pending, desk_error *err)
{
    x11_desk *x = (x11_desk *) d;
    x11_question *q = &x->question;
    xcb_window_t owner;
    *pending = false;
    if (!find_owner(x, &owner, err)) {
        return false;
    }
    uint64_t now = uv_hrtime();
    if (q->owner != owner || now - q->wanted > ABANDONED) {
        forget(x);
    }
    if (owner == XCB_NONE) {
        return give(x, "", 0, text, length, err);
    }
    if (x->offer.text && owner == x->offer.window) {
        return give(x, x->offer.text->bytes, x->offer.text->length, text, length, err);
    }
    switch (q->state) {
    case X11_NOTHING_ASKED:
        begin(x, owner);
        break;
    case X11_ANSWERED:
        return give(x, q->text, q->length, text, length, err);
    case X11_TOO_LARGE:
        forget(x);
        return desk_fail(err, DESK_REFUSED,
                         "The clipboard holds more than %d MiB of text, which is not taken.",
                         DESK_CLIPBOARD_MAX >> 20);
    case X11_NO_ROOM:
        forget(x);
        return desk_fail(err, DESK_NO_MEMORY, "There is not enough memory for the clipboard.");
    default:
        break;
    }
    q->wanted = now;
    *pending = true;
    return true;
}

void x11_clipboard_close(x11_desk *x)
{
    forget(x);
}
