/* What the clipboard holds when another program owns it: a text, or a picture as a PNG file. The
 * owner of the CLIPBOARD selection is asked to convert it (ICCCM) and answers when it likes,
 * through a property of a window of ours; large contents come in parts, each after we have deleted
 * the one before (INCR). Every conversion has a window of its own, so that a late answer to an
 * earlier one goes nowhere; and each kind has a conversion of its own, so that two callers who wait
 * do not disturb each other.
 */
#include "x11_clipboard.h"

#include "base/utf8.h"
#include "x11_selection_owner.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* A conversion whose caller has not come back for so long (ns) is given up: the next caller wants
 * what has been copied since. */
enum { ABANDONED = 500 * 1000 * 1000 };

/* UTF-8 of what an owner handed over: from Latin-1 or UTF-8, malformed bytes become U+FFFD, line
 * ends "\n". malloc'ed and terminated; NULL without memory. */
static char *decode(const char *raw, size_t raw_length, bool latin1, size_t *length)
{
    enum { REPLACEMENT = 0xfffd, LONGEST = 3 /* bytes that one may become */ };
    char *text = malloc(raw_length * LONGEST + 1);
    size_t used = 0;
    for (size_t i = 0; text && i < raw_length;) {
        uint32_t c = (unsigned char) raw[i];
        size_t size = latin1 ? 1 : base_utf8_read(raw + i, raw_length - i, &c);
        used += base_utf8_write(text + used, size ? c : REPLACEMENT);
        i += size ? size : 1;
    }
    if (!text) {
        return NULL;
    }
    *length = desk_unify_line_ends(text, used);
    char *trimmed = realloc(text, *length + 1);
    return trimmed ? trimmed : text;
}

/* Ends a conversion, and with it whatever the owner still does about it. */
static void forget(x11_desk *x, x11_conversion *conversion)
{
    if (conversion->window) {
        xcb_destroy_window(x->c, conversion->window);
        xcb_flush(x->c);
    }
    free(conversion->data);
    *conversion = (x11_conversion){.kind = conversion->kind};
}

/* The window's work is done as soon as the answer is there. */
static void settle(x11_desk *x, x11_conversion *conversion, x11_conversion_state state)
{
    conversion->state = state;
    xcb_destroy_window(x->c, conversion->window);
    xcb_flush(x->c);
    conversion->window = XCB_NONE;
}

static void convert(x11_desk *x, x11_conversion *conversion, xcb_atom_t target)
{
    conversion->target = target;
    xcb_convert_selection(x->c, conversion->window, x->atoms[X11_CLIPBOARD], target,
                          x->atoms[X11_DESKPILOT_SELECTION], XCB_CURRENT_TIME);
    xcb_flush(x->c);
}

static void begin(x11_desk *x, x11_conversion *conversion, xcb_window_t owner)
{
    uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    conversion->state = X11_REQUESTED;
    conversion->window = xcb_generate_id(x->c);
    conversion->owner = owner;
    xcb_create_window(x->c, 0, conversion->window, x->root, -1, -1, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &mask);
    convert(x, conversion,
            x->atoms[conversion->kind == DESK_CLIPBOARD_PNG ? X11_IMAGE_PNG : X11_UTF8_STRING]);
}

/* --- what the owner answers --------------------------------------------------------------------
 */

static void append(x11_desk *x, x11_conversion *conversion, const char *bytes, size_t count)
{
    if (count > DESK_CLIPBOARD_MAX - conversion->length) {
        settle(x, conversion, X11_TOO_LARGE);
        return;
    }
    size_t needed = conversion->length + count;
    if (needed > conversion->capacity) {
        size_t capacity = needed * 2;
        char *data = realloc(conversion->data, capacity);
        if (!data) {
            settle(x, conversion, X11_NO_MEMORY);
            return;
        }
        conversion->data = data;
        conversion->capacity = capacity;
    }
    memcpy(conversion->data + conversion->length, bytes, count);
    conversion->length = needed;
}

/* Gets the property's value and deletes it; NULL where there is none. */
static xcb_get_property_reply_t *take_property(x11_desk *x, const x11_conversion *conversion)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        x->c,
        xcb_get_property(x->c, 1, conversion->window, x->atoms[X11_DESKPILOT_SELECTION],
                         XCB_GET_PROPERTY_TYPE_ANY, 0, DESK_CLIPBOARD_MAX / 4 + 1),
        &e);
    free(e);
    if (reply && reply->type == XCB_NONE) {
        free(reply);
        return NULL;
    }
    return reply;
}

static void take_part(x11_desk *x, x11_conversion *conversion,
                      const xcb_get_property_reply_t *reply)
{
    size_t count = (size_t) xcb_get_property_value_length(reply);
    conversion->latin1 = reply->type == XCB_ATOM_STRING;
    if (reply->format != 8 && count > 0) {
        settle(x, conversion,
               X11_CONVERTED); /* not what was asked for, whatever the owner calls it */
    } else if (reply->bytes_after > 0) {
        settle(x, conversion, X11_TOO_LARGE);
    } else if (count > 0) {
        append(x, conversion, xcb_get_property_value(reply), count);
    }
}

static void take_answer(x11_desk *x, x11_conversion *conversion,
                        const xcb_selection_notify_event_t *event)
{
    if (event->property == XCB_NONE) {
        if (conversion->target == x->atoms[X11_UTF8_STRING]) {
            convert(x, conversion, XCB_ATOM_STRING);
        } else {
            settle(x, conversion, X11_CONVERTED);
        }
        return;
    }
    xcb_get_property_reply_t *reply = take_property(x, conversion);
    if (reply && reply->type == x->atoms[X11_INCR]) {
        conversion->state = X11_INCREMENTAL;
    } else {
        if (reply) {
            take_part(x, conversion, reply);
        }
        if (conversion->state == X11_REQUESTED) {
            settle(x, conversion, X11_CONVERTED);
        }
    }
    free(reply);
}

static void take_next_part(x11_desk *x, x11_conversion *conversion)
{
    xcb_get_property_reply_t *reply = take_property(x, conversion);
    if (reply && xcb_get_property_value_length(reply) == 0) {
        settle(x, conversion, X11_CONVERTED);
    } else if (reply) {
        take_part(x, conversion, reply);
    }
    free(reply);
}

void x11_clipboard_selection_event(x11_desk *x, const xcb_generic_event_t *generic)
{
    const xcb_selection_notify_event_t *event = (const void *) generic;
    for (int i = 0; i < DESK_CLIPBOARD_KINDS; i++) {
        x11_conversion *conversion = &x->clipboard->conversions[i];
        if (conversion->state == X11_REQUESTED && event->requestor == conversion->window &&
            event->target == conversion->target) {
            take_answer(x, conversion, event);
        }
    }
}

void x11_clipboard_property_event(x11_desk *x, const xcb_generic_event_t *generic)
{
    const xcb_property_notify_event_t *event = (const void *) generic;
    for (int i = 0; i < DESK_CLIPBOARD_KINDS; i++) {
        x11_conversion *conversion = &x->clipboard->conversions[i];
        if (conversion->state == X11_INCREMENTAL && event->window == conversion->window &&
            event->atom == x->atoms[X11_DESKPILOT_SELECTION] &&
            event->state == XCB_PROPERTY_NEW_VALUE) {
            take_next_part(x, conversion);
        }
    }
}

/* --- what the caller gets ----------------------------------------------------------------------
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

static bool give(x11_desk *x, x11_conversion *conversion, const char *raw, size_t raw_length,
                 char **data, size_t *length, base_error *err)
{
    *data = conversion->kind == DESK_CLIPBOARD_TEXT
                ? decode(raw, raw_length, conversion->latin1, length)
                : copy(raw, raw_length, length);
    forget(x, conversion);
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

/* Whether nobody has to be asked: there is no owner, or it is us. */
static bool known(const x11_desk *x, const x11_conversion *conversion, xcb_window_t owner,
                  const char **raw, size_t *raw_length)
{
    const x11_content *ours = owner == x->selection->window ? x->selection->content : NULL;
    bool same = owner && ours && ours->kind == conversion->kind;
    *raw = same ? ours->bytes : "";
    *raw_length = same ? ours->length : 0;
    return !owner || ours;
}

static bool too_large(x11_desk *x, x11_conversion *conversion, base_error *err)
{
    forget(x, conversion);
    return base_fail(err, BASE_REFUSED, "The clipboard holds more than %d MiB, which is not taken.",
                     DESK_CLIPBOARD_MAX >> 20);
}

static bool x11_clipboard_get(desk *d, desk_clipboard_kind kind, char **data, size_t *length,
                              bool *pending, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    x11_conversion *conversion = &x->clipboard->conversions[kind];
    xcb_window_t owner;
    const char *raw;
    size_t raw_length;
    *pending = false;
    if (!find_owner(x, &owner, err)) {
        return false;
    }
    uint64_t now = uv_hrtime();
    if (conversion->owner != owner || now - conversion->wanted > ABANDONED) {
        forget(x, conversion);
    }
    conversion->kind = kind;
    if (known(x, conversion, owner, &raw, &raw_length)) {
        return give(x, conversion, raw, raw_length, data, length, err);
    }
    switch (conversion->state) {
    case X11_NO_CONVERSION:
        begin(x, conversion, owner);
        break;
    case X11_CONVERTED:
        return give(x, conversion, conversion->data, conversion->length, data, length, err);
    case X11_TOO_LARGE:
        return too_large(x, conversion, err);
    case X11_NO_MEMORY:
        forget(x, conversion);
        return base_fail(err, BASE_NO_MEMORY, "There is not enough memory for the clipboard.");
    default:
        break;
    }
    conversion->wanted = now;
    *pending = true;
    return true;
}

void x11_clipboard_close(x11_desk *x)
{
    for (int i = 0; i < DESK_CLIPBOARD_KINDS; i++) {
        forget(x, &x->clipboard->conversions[i]);
    }
}

void x11_clipboard_ops(desk_ops *ops)
{
    ops->clipboard_get = x11_clipboard_get;
}
