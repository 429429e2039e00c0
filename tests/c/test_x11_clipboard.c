/*
 * The X11 clipboard, both ways, against another client: a second connection of this test, which
 * owns or asks for the selection as good and bad programs do. All of it by turns in one thread.
 */
#include "desk/x11/x11_clipboard.h"
#include "desk/x11/x11_selection_owner.h"
#include "xserver.h"

typedef enum {
    ANSWERS,      /* UTF-8 */
    KNOWS_LATIN1, /* only STRING */
    REFUSES,
    GIVES_NUMBERS, /* format 32 where text was asked for */
    IN_PARTS,
    STOPS_AFTER_ONE, /* part, and dies */
    NEVER_ENDS,
    SILENT
} manners;

typedef struct {
    xcb_connection_t *c;
    xcb_window_t root, window;
    xcb_atom_t clipboard, utf8, incr, property;

    manners manners; /* as an owner */
    const char *text;
    size_t length, sent, part;
    xcb_selection_request_event_t asked; /* the last question */
    unsigned questions;

    char *got; /* as a requestor */
    size_t got_length;
    bool reading_parts, done, refused, hesitant /* takes no part */;
} client;

static xcb_atom_t atom(xcb_connection_t *c, const char *name)
{
    xcb_intern_atom_reply_t *reply =
        xcb_intern_atom_reply(c, xcb_intern_atom(c, 0, (uint16_t) strlen(name), name), NULL);
    xcb_atom_t value = reply->atom;
    free(reply);
    return value;
}

static void client_sync(client *w)
{
    free(xcb_get_input_focus_reply(w->c, xcb_get_input_focus(w->c), NULL));
}

static xcb_window_t new_window(client *w)
{
    uint32_t mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_window_t window = xcb_generate_id(w->c);
    xcb_create_window(w->c, XCB_COPY_FROM_PARENT, window, w->root, 0, 0, 5, 5, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK,
                      &mask);
    return window;
}

static client client_open(void)
{
    client w = {.c = xcb_connect(display, NULL), .part = 100000};
    w.root = xcb_setup_roots_iterator(xcb_get_setup(w.c)).data->root;
    w.window = new_window(&w);
    w.clipboard = atom(w.c, "CLIPBOARD");
    w.utf8 = atom(w.c, "UTF8_STRING");
    w.incr = atom(w.c, "INCR");
    w.property = atom(w.c, "THE_TEST");
    client_sync(&w);
    return w;
}

static void client_close(client *w)
{
    if (w->c) {
        xcb_disconnect(w->c);
    }
    free(w->got);
    *w = (client){0};
}

/* --- as an owner -------------------------------------------------------------------------------
 */

static void own(client *w, manners how, const char *text, size_t length)
{
    w->manners = how;
    w->text = text;
    w->length = length;
    w->sent = w->questions = 0;
    xcb_set_selection_owner(w->c, w->window, w->clipboard, XCB_CURRENT_TIME);
    client_sync(w);
}

static void put(client *w, xcb_atom_t type, uint8_t format, const void *data, size_t count)
{
    xcb_change_property(w->c, XCB_PROP_MODE_REPLACE, w->asked.requestor, w->asked.property, type,
                        format, (uint32_t) count, data);
}

static void answer(client *w)
{
    uint32_t size = 1, mask = XCB_EVENT_MASK_PROPERTY_CHANGE;
    uint32_t numbers[] = {1, 2, 3};
    bool refuse =
        w->manners == REFUSES || (w->manners == KNOWS_LATIN1 && w->asked.target != XCB_ATOM_STRING);
    if (w->manners == SILENT) {
        return;
    }
    if (w->manners >= IN_PARTS) {
        xcb_change_window_attributes(w->c, w->asked.requestor, XCB_CW_EVENT_MASK, &mask);
        put(w, w->incr, 32, &size, 1);
    } else if (w->manners == GIVES_NUMBERS) {
        put(w, w->utf8, 32, numbers, 3);
    } else if (!refuse) {
        put(w, w->asked.target, 8, w->text, w->length);
    }
    xcb_selection_notify_event_t event = {
        .response_type = XCB_SELECTION_NOTIFY,
        .time = w->asked.time,
        .requestor = w->asked.requestor,
        .selection = w->asked.selection,
        .target = w->asked.target,
        .property = refuse ? XCB_NONE : w->asked.property,
    };
    xcb_send_event(w->c, 0, w->asked.requestor, 0, (const char *) &event);
    xcb_flush(w->c);
}

static void give_part(client *w)
{
    size_t left = w->length - w->sent, count = left < w->part ? left : w->part;
    if (w->manners == STOPS_AFTER_ONE && w->sent > 0) {
        xcb_disconnect(w->c);
        w->c = NULL;
        return;
    }
    put(w, w->utf8, 8, w->text + w->sent, count);
    xcb_flush(w->c);
    w->sent += w->manners == NEVER_ENDS ? 0 : count;
}

/* --- as a requestor ----------------------------------------------------------------------------
 */

static void request(client *w, const char *target, xcb_timestamp_t time)
{
    free(w->got);
    w->got = NULL;
    w->got_length = 0;
    w->done = w->refused = w->reading_parts = false;
    xcb_convert_selection(w->c, w->window, w->clipboard, atom(w->c, target), w->property, time);
    xcb_flush(w->c);
}

static void read_property(client *w)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        w->c,
        xcb_get_property(w->c, 1, w->window, w->property, XCB_GET_PROPERTY_TYPE_ANY, 0, 10000000),
        NULL);
    if (reply->type == w->incr) {
        w->reading_parts = true;
    } else if (reply->type != XCB_NONE) {
        size_t count = (size_t) xcb_get_property_value_length(reply);
        char *got = realloc(w->got, w->got_length + count + 1);
        if (!got) {
            abort();
        }
        w->got = got;
        memcpy(w->got + w->got_length, xcb_get_property_value(reply), count);
        w->got_length += count;
        w->got[w->got_length] = '\0';
        w->done = !w->reading_parts || count == 0;
    }
    free(reply);
}

/* --- its turn ----------------------------------------------------------------------------------
 */

static void take(client *w, const xcb_generic_event_t *event)
{
    const xcb_property_notify_event_t *property = (const void *) event;
    switch (event->response_type & 0x7f) {
    case XCB_SELECTION_REQUEST:
        w->asked = *(const xcb_selection_request_event_t *) event;
        w->questions++;
        answer(w);
        break;
    case XCB_SELECTION_NOTIFY:
        w->refused = ((const xcb_selection_notify_event_t *) event)->property == XCB_NONE;
        w->done = w->refused;
        if (!w->refused && !w->hesitant) {
            read_property(w);
        }
        break;
    case XCB_PROPERTY_NOTIFY:
        if (property->window == w->asked.requestor && property->state == XCB_PROPERTY_DELETE &&
            w->manners >= IN_PARTS && w->manners != SILENT) {
            give_part(w);
        } else if (property->window == w->window && property->state == XCB_PROPERTY_NEW_VALUE &&
                   w->reading_parts) {
            read_property(w);
        }
    }
}

static void client_turn(client *w)
{
    for (xcb_generic_event_t *e; w->c && (e = xcb_poll_for_event(w->c)); free(e)) {
        take(w, e);
    }
}

/* --- both in turns -----------------------------------------------------------------------------
 */

static desk_clipboard_kind kind = DESK_CLIPBOARD_TEXT; /* of what is got and set */
static char *text;
static size_t length;

/* What the desk gets while the client does its part, within `seconds`. */
typedef enum { GOT, FAILED, PENDING } outcome;

static outcome get_once(desk *d, client *w)
{
    bool pending = true;
    free(text);
    text = NULL;
    if (!desk_clipboard_get(d, kind, &text, &length, &pending, &err)) {
        return FAILED;
    }
    if (!pending) {
        return GOT;
    }
    client_turn(w);
    CHECK(desk_pump(d, &err));
    return PENDING;
}

/* On a machine that is busy with other things this program may come back later than the desk bears
 * with: it is as if it had been here all the time. */
static void still_want(desk *d)
{
    ((x11_desk *) d)->clipboard->conversions[kind].wanted = uv_hrtime();
}

static outcome get(desk *d, client *w, double seconds)
{
    double end = now() + seconds;
    outcome is = get_once(d, w);
    while (is == PENDING && now() < end) {
        nap(0.0005);
        still_want(d);
        is = get_once(d, w);
    }
    return is;
}

/* The client has heard so many questions, and answers none. */
static bool unanswered(desk *d, client *w, unsigned questions)
{
    double end = now() + 30;
    outcome is = get_once(d, w);
    while (is == PENDING && w->questions < questions && now() < end) {
        nap(0.0005);
        still_want(d);
        is = get_once(d, w);
    }
    return CHECK_EQ(is, PENDING) && CHECK_EQ(w->questions, questions);
}

static bool got(desk *d, client *w, const char *wanted)
{
    return CHECK_EQ(get(d, w, 30), GOT) && CHECK_EQ(length, strlen(wanted)) &&
           CHECK_STR(text, wanted);
}

static bool set(desk *d, const char *bytes, size_t count)
{
    bool pending = true;
    bool ok = CHECK(desk_clipboard_set(d, kind, bytes, count, &pending, &err));
    return ok && CHECK(!pending);
}

static bool turn_and_done(desk *d, client *w)
{
    CHECK(desk_pump(d, &err));
    client_turn(w);
    return w->done;
}

/* What the client gets of the desk's text; false if it is refused. */
static bool asked(desk *d, client *w, const char *target)
{
    request(w, target, XCB_CURRENT_TIME);
    return CHECK(UNTIL(turn_and_done(d, w))) && !w->refused;
}

static char *large_text(size_t size)
{
    char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char) ('!' + i * 7 % 90);
    }
    bytes[size] = '\0';
    return bytes;
}

/* --- getting -----------------------------------------------------------------------------------
 */

static void test_get(void)
{
    desk *d = open_desk();
    client w = client_open();
    got(d, &w, ""); /* nobody has it */
    own(&w, ANSWERS, "Grüße 日本 😀", strlen("Grüße 日本 😀"));
    got(d, &w, "Grüße 日本 😀");
    own(&w, ANSWERS, "", 0);
    got(d, &w, "");
    own(&w, ANSWERS, "one\r\ntwo\rthree\n\r\n", 17);
    got(d, &w, "one\ntwo\rthree\n\n");
    own(&w, ANSWERS, "\r\r\ntwice\r\r\r\n\n\r", 14); /* converted more often than once */
    got(d, &w, "\ntwice\n\n\r");
    own(&w, KNOWS_LATIN1, "caf\xe9\r\r\n", 7);
    got(d, &w, "café\n");
    own(&w, ANSWERS, "bad \xff\xed\xa0\x80 end", 12);
    got(d, &w, "bad \ufffd\ufffd\ufffd\ufffd end");
    own(&w, ANSWERS, "a\0b", 3);
    CHECK_EQ(get(d, &w, 30), GOT);
    CHECK_EQ(length, 3);
    CHECK(memcmp(text, "a\0b", 4) == 0);
    own(&w, KNOWS_LATIN1, "caf\xe9", 4);
    got(d, &w, "café");
    CHECK_EQ(w.questions, 2);
    own(&w, REFUSES, NULL, 0);
    got(d, &w, "");
    own(&w, GIVES_NUMBERS, NULL, 0);
    got(d, &w, "");
    client_close(&w);
    got(d, &w, "");
    desk_close(d);
}

static void test_get_in_parts(void)
{
    char *large = large_text(3000000);
    desk *d = open_desk();
    client w = client_open();
    own(&w, IN_PARTS, large, 3000000);
    got(d, &w, large);
    own(&w, IN_PARTS, large, 0);
    got(d, &w, "");
    own(&w, NEVER_ENDS, large, 3000000);
    w.part = 250000;
    CHECK_EQ(get(d, &w, 60), FAILED);
    CHECK_EQ(err.code, BASE_REFUSED);
    CHECK(strstr(err.message, "16 MiB") != NULL);
    own(&w, ANSWERS, "small again", 11);
    got(d, &w, "small again");
    own(&w, STOPS_AFTER_ONE, large, 3000000);
    got(d, &w, ""); /* it took its text with it */
    CHECK(w.c == NULL);
    client_close(&w);
    desk_close(d);
    free(large);
}

/* As one property, which a program may make as large as it likes. */
static void test_get_too_large(void)
{
    desk *d = open_desk();
    client w = client_open();
    char *large = large_text(1 << 20);
    own(&w, SILENT, NULL, 0);
    unanswered(d, &w, 1);
    for (int i = 0; i < 17; i++) {
        xcb_change_property(w.c, XCB_PROP_MODE_APPEND, w.asked.requestor, w.asked.property, w.utf8,
                            8, 1 << 20, large);
        client_sync(&w);
        still_want(d);
        CHECK_EQ(get_once(d, &w), PENDING); /* who does not come back is not answered */
    }
    w.manners = REFUSES; /* answer without writing it again */
    xcb_selection_notify_event_t event = {.response_type = XCB_SELECTION_NOTIFY,
                                          .requestor = w.asked.requestor,
                                          .selection = w.clipboard,
                                          .target = w.asked.target,
                                          .property = w.asked.property};
    xcb_send_event(w.c, 0, w.asked.requestor, 0, (const char *) &event);
    client_sync(&w);
    still_want(d);
    CHECK_EQ(get(d, &w, 30), FAILED);
    CHECK_EQ(err.code, BASE_REFUSED);
    free(large);
    client_close(&w);
    desk_close(d);
}

static void test_get_from_the_silent(void)
{
    desk *d = open_desk();
    client w = client_open();
    own(&w, SILENT, "old", 3);
    unanswered(d, &w, 1);
    CHECK_EQ(get(d, &w, 0.1), PENDING);
    CHECK_EQ(w.questions, 1);
    /* Nobody waits any more; what was asked then is answered late, and is not the answer now. */
    nap(0.6);
    w.manners = ANSWERS;
    answer(&w);
    CHECK(desk_pump(d, &err));
    w.text = "new";
    got(d, &w, "new");
    CHECK_EQ(w.questions, 2);
    own(&w, SILENT, NULL, 0);
    unanswered(d, &w, 1);
    client other = client_open();
    own(&other, ANSWERS, "another's", 9);
    got(d, &other, "another's"); /* the owner changed under the question */
    own(&w, SILENT, NULL, 0);
    unanswered(d, &w, 1);
    client_close(&w);
    got(d, &w, "");
    own(&other, SILENT, NULL, 0);
    unanswered(d, &other, 1);
    desk_close(d); /* with a question open */
    client_close(&other);
}

/* --- setting -----------------------------------------------------------------------------------
 */

static bool lists(const client *w, const char *target)
{
    xcb_atom_t wanted = atom(w->c, target);
    for (size_t at = 0; at + 4 <= w->got_length; at += 4) {
        if (memcmp(w->got + at, &wanted, 4) == 0) {
            return true;
        }
    }
    return false;
}

static bool owned(desk *d)
{
    return desk_pump(d, &err) && desk_poll_every(d) > 0;
}

static void test_set(void)
{
    static const char sample[] = "Grüße\n日本 😀", latin[] = "café\n";
    desk *d = open_desk();
    client w = client_open();
    bool pending;
    CHECK_EQ(desk_poll_every(d), 0);
    CHECK(set(d, sample, strlen(sample)));
    CHECK(owned(d));
    CHECK(asked(d, &w, "UTF8_STRING"));
    CHECK_STR(w.got, sample);
    CHECK(asked(d, &w, "text/plain;charset=utf-8"));
    CHECK_STR(w.got, sample);
    CHECK(asked(d, &w, "TARGETS"));
    CHECK(lists(&w, "UTF8_STRING") && lists(&w, "STRING") && lists(&w, "TARGETS"));
    CHECK(asked(d, &w, "TIMESTAMP"));
    CHECK_EQ(w.got_length, 4);
    xcb_timestamp_t since = ((x11_desk *) d)->selection->since;
    CHECK(memcmp(w.got, &since, 4) == 0 && since != 0);
    CHECK(!asked(d, &w, "STRING")); /* has other characters */
    CHECK(!asked(d, &w, "MULTIPLE"));
    CHECK(!asked(d, &w, "image/png"));
    request(&w, "UTF8_STRING", since - 1000); /* before it was ours */
    CHECK(UNTIL(turn_and_done(d, &w)));
    CHECK(w.refused);
    CHECK(set(d, latin, strlen(latin)));
    CHECK(asked(d, &w, "STRING"));
    CHECK_STR(w.got, "caf\xe9\n");
    got(d, &w, latin);
    CHECK(set(d, "", 0));
    CHECK(asked(d, &w, "UTF8_STRING"));
    CHECK_EQ(w.got_length, 0);
    CHECK(!desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "a\xff", 2, &pending, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    own(&w, ANSWERS, "theirs", 6);
    CHECK(UNTIL(!owned(d)));
    got(d, &w, "theirs");
    CHECK(set(d, "ours", 4));
    CHECK(asked(d, &w, "UTF8_STRING"));
    CHECK_STR(w.got, "ours");
    desk_close(d);
    request(&w, "UTF8_STRING", XCB_CURRENT_TIME);
    CHECK(UNTIL((client_turn(&w), w.done)));
    CHECK(w.refused); /* gone with us */
    client_close(&w);
}

static void test_set_too_large(desk *d)
{
    bool pending;
    char *large = large_text(DESK_CLIPBOARD_MAX + 1);
    CHECK(
        !desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, large, DESK_CLIPBOARD_MAX + 1, &pending, &err));
    CHECK_EQ(err.code, BASE_REFUSED);
    free(large);
}

static bool taking(desk *d, client *w)
{
    CHECK(desk_pump(d, &err));
    client_turn(w);
    return w->got_length > 0;
}

static void test_set_in_parts(void)
{
    char *large = large_text(3000000);
    desk *d = open_desk();
    client w = client_open(), other = client_open();
    test_set_too_large(d);
    CHECK(set(d, large, 3000000));
    CHECK(asked(d, &w, "UTF8_STRING"));
    CHECK_EQ(w.got_length, 3000000);
    CHECK_STR(w.got, large);
    CHECK(asked(d, &w, "STRING"));
    CHECK_STR(w.got, large);
    /* Another text is offered, then taken by somebody else, in the middle of handing over. */
    request(&w, "UTF8_STRING", XCB_CURRENT_TIME);
    CHECK(UNTIL(taking(d, &w)));
    CHECK(set(d, "another", 7));
    CHECK(asked(d, &other, "UTF8_STRING"));
    CHECK_STR(other.got, "another");
    own(&other, ANSWERS, "theirs", 6);
    CHECK(UNTIL(turn_and_done(d, &w)));
    CHECK_STR(w.got, large);
    CHECK(UNTIL(!owned(d)));
    client_close(&w);
    client_close(&other);
    desk_close(d);
    free(large);
}

/* Requestors that vanish, or take nothing: each costs a place until somebody needs it. */
static void test_set_for_the_rude(void)
{
    char *large = large_text(1000000);
    desk *d = open_desk();
    client w = client_open(), other = client_open();
    CHECK(set(d, large, 1000000));
    request(&w, "UTF8_STRING", XCB_CURRENT_TIME);
    CHECK(UNTIL(taking(d, &w)));
    client_close(&w); /* in the middle */
    own(&other, ANSWERS, "theirs", 6);
    CHECK(UNTIL(!owned(d)));
    CHECK(set(d, large, 1000000));
    w = client_open();
    w.hesitant = true;
    for (int i = 0; i < X11_TRANSFERS + 4; i++) {
        w.window = new_window(&w);
        CHECK(asked(d, &other, "TIMESTAMP")); /* a requestor with manners in between */
        request(&w, "UTF8_STRING", XCB_CURRENT_TIME);
    }
    xcb_window_t window = w.window = new_window(&w);
    request(&w, "UTF8_STRING", XCB_CURRENT_TIME);
    xcb_destroy_window(w.c, window); /* before we can answer */
    xcb_convert_selection(w.c, w.root, w.clipboard, w.utf8, w.property, XCB_CURRENT_TIME);
    client_sync(&w);
    CHECK(asked(d, &other, "UTF8_STRING"));
    CHECK_STR(other.got, large);
    client_close(&w);
    desk_close(d); /* with texts half handed over */
    client_close(&other);
    free(large);
}

/* --- pictures ----------------------------------------------------------------------------------
 */

/* Begins like a PNG file, which is all that is looked at. */
static char *large_png(size_t size)
{
    char *bytes = large_text(size);
    memcpy(bytes, "\x89PNG\r\n\x1a\n", 8);
    memset(bytes + size / 2, '\0', 9);
    return bytes;
}

static bool got_bytes(desk *d, client *w, const char *bytes, size_t count)
{
    return CHECK_EQ(get(d, w, 30), GOT) && CHECK_EQ(length, count) &&
           CHECK(memcmp(text, bytes, count) == 0) && CHECK_EQ(text[count], 0);
}

static void test_get_picture(void)
{
    char *large = large_png(3000000);
    desk *d = open_desk();
    client w = client_open(), other = client_open();
    kind = DESK_CLIPBOARD_PNG;
    got(d, &w, "");
    own(&w, ANSWERS, large, 2000);
    got_bytes(d, &w, large, 2000);
    CHECK_EQ(w.questions, 1);
    own(&w, ANSWERS, "a\r\nb\xff", 5); /* is taken as it is: nobody has looked at it */
    got_bytes(d, &w, "a\r\nb\xff", 5);
    own(&w, IN_PARTS, large, 3000000);
    got_bytes(d, &w, large, 3000000);
    own(&w, REFUSES, NULL, 0);
    got(d, &w, "");
    CHECK_EQ(w.questions, 1);
    own(&w, KNOWS_LATIN1, "text", 4);
    got(d, &w, ""); /* a text is no picture */
    own(&w, GIVES_NUMBERS, NULL, 0);
    got(d, &w, "");
    own(&w, NEVER_ENDS, large, 3000000);
    w.part = 250000;
    CHECK_EQ(get(d, &w, 60), FAILED);
    CHECK_EQ(err.code, BASE_REFUSED);
    /* A question for a text and one for a picture go on side by side. */
    own(&other, SILENT, "text", 4);
    unanswered(d, &other, 1);
    kind = DESK_CLIPBOARD_TEXT;
    unanswered(d, &other, 2);
    other.manners = ANSWERS;
    answer(&other); /* the last one */
    got(d, &other, "text");
    CHECK_EQ(other.questions, 2);
    client_close(&w);
    client_close(&other);
    desk_close(d);
    free(large);
}

static void test_set_picture(void)
{
    char *large = large_png(3000000);
    desk *d = open_desk();
    client w = client_open();
    bool pending;
    kind = DESK_CLIPBOARD_PNG;
    CHECK(!desk_clipboard_set(d, kind, "text", 4, &pending, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_clipboard_set(d, kind, "", 0, &pending, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(set(d, large, 5000));
    CHECK(asked(d, &w, "image/png"));
    CHECK(w.got_length == 5000 && memcmp(w.got, large, 5000) == 0);
    CHECK(asked(d, &w, "TARGETS"));
    CHECK(lists(&w, "image/png") && lists(&w, "TIMESTAMP") && !lists(&w, "UTF8_STRING"));
    CHECK(!asked(d, &w, "UTF8_STRING"));
    CHECK(!asked(d, &w, "STRING"));
    got_bytes(d, &w, large, 5000); /* our own */
    kind = DESK_CLIPBOARD_TEXT;
    got(d, &w, "");
    kind = DESK_CLIPBOARD_PNG;
    CHECK(set(d, large, 3000000));
    CHECK(asked(d, &w, "image/png"));
    CHECK(w.got_length == 3000000 && memcmp(w.got, large, 3000000) == 0);
    kind = DESK_CLIPBOARD_TEXT;
    CHECK(set(d, "text", 4));
    CHECK(asked(d, &w, "UTF8_STRING"));
    CHECK_STR(w.got, "text");
    CHECK(!asked(d, &w, "image/png"));
    client_close(&w);
    desk_close(d);
    free(large);
}

static void test_server_dies(pid_t server)
{
    desk *d = open_desk();
    char *data;
    bool pending;
    CHECK(set(d, "text", 4));
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    CHECK(!desk_clipboard_get(d, DESK_CLIPBOARD_TEXT, &data, &length, &pending, &err));
    CHECK_EQ(err.code, BASE_UNAVAILABLE);
    CHECK(!desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "text", 4, &pending, &err));
    CHECK_EQ(err.code, BASE_UNAVAILABLE);
    desk_close(d);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!installed("Xvfb")) {
        return 0;
    }
    pid_t server = start_server();
    if (!CHECK(server > 0)) {
        return check_done();
    }
    test_get();
    test_get_in_parts();
    test_get_too_large();
    test_get_from_the_silent();
    test_set();
    test_set_in_parts();
    test_set_for_the_rude();
    test_get_picture();
    test_set_picture();
    test_server_dies(server);
    free(text);
    return check_done();
}
