/*
 * Applications that answer anything when they are asked for their elements (AT-SPI). An input is
 * the answers: each question that the reader has is answered by a message of the signature that is
 * expected, of another one, or by an error, with contents from the input. Whatever was said, the
 * result is a list of elements whose parents stand before them and whose texts are UTF-8.
 */
#include "base/utf8.h"
#include "desk/atspi/atspi_answers.h"
#include "desk/atspi/atspi_nodes.h"
#include "desk/atspi/atspi_queue.h"
#include "desk/atspi/atspi_read.h"
#include "fuzz.h"

#include <math.h>

enum { MOST_ANSWERS = 400, MOST_NODES = 300, DEEPEST = 8 };

/* --- messages -----------------------------------------------------------------------------------
 */

static const char *const expected[] = {
    [ATSPI_ASK_APPS] = "a(so)",
    [ATSPI_ASK_PID] = "u",
    [ATSPI_ASK_ITEMS] = "a((so)(so)(so)iiassusau)",
    [ATSPI_ASK_CHILDREN] = "a(so)",
    [ATSPI_ASK_CHILD_COUNT] = "v",
    [ATSPI_ASK_PROPERTIES] = "a{sv}",
    [ATSPI_ASK_NAME] = "v",
    [ATSPI_ASK_DESCRIPTION] = "v",
    [ATSPI_ASK_ROLE] = "u",
    [ATSPI_ASK_STATE] = "au",
    [ATSPI_ASK_INTERFACES] = "as",
    [ATSPI_ASK_EXTENTS] = "(iiii)",
    [ATSPI_ASK_TEXT] = "s",
    [ATSPI_ASK_VALUE] = "v",
    [ATSPI_ASK_ADDRESS] = "s",
    [ATSPI_ASK_MINIMUM] = "v",
    [ATSPI_ASK_MAXIMUM] = "v",
    [ATSPI_ASK_STEP] = "v",
    [ATSPI_ASK_CHARACTERS] = "v",
    [ATSPI_ASK_CARET] = "v",
    [ATSPI_ASK_SELECTIONS] = "i",
    [ATSPI_ASK_SELECTION] = "ii",
    [ATSPI_ASK_SELECTED_TEXT] = "s",
    [ATSPI_ASK_ACTION_LIST] = "a(sss)",
    [ATSPI_ASK_ACTION_NAME] = "s",
};
enum { KINDS = sizeof expected / sizeof expected[0] };

static int32_t number(fuzz_input *in)
{
    static const int32_t telling[] = {0, 1, -1, INT32_MIN, INT32_MAX, 1000, 1001, 65536, -32769};
    uint8_t choice = fuzz_byte(in);
    size_t count = sizeof telling / sizeof telling[0];
    return choice < count ? telling[choice]
           : choice < 128 ? choice
                          : (int32_t) (choice - 128) << 24 | fuzz_byte(in);
}

/* Often one of the words that mean something; D-Bus itself lets nothing but UTF-8 through. */
static const char *words(fuzz_input *in, char *room, size_t size)
{
    static const char *const telling[] = {
        ":1.1",
        ":1.2",
        "",
        "Name",
        "Description",
        "ChildCount",
        "org.a11y.atspi.Component",
        "org.a11y.atspi.Text",
        "org.a11y.atspi.Value",
        "org.a11y.atspi.Action",
        "unix:path=/none",
    };
    uint8_t choice = fuzz_byte(in);
    if (choice < 88) {
        return telling[choice % (sizeof telling / sizeof telling[0])];
    }
    size_t length = (size_t) fuzz_byte(in) * (choice > 250 ? 64 : 1), used = 0;
    uint8_t filling = fuzz_byte(in);
    for (; used < length && used + 5 < size;) {
        uint32_t c = in->size ? fuzz_byte(in) : filling;
        c = c == 255 ? 0x202e : c == 254 ? 0x1f600 : c ? c : 1;
        used += base_utf8_write(room + used, c);
    }
    room[used] = 0;
    return room;
}

static void append(fuzz_input *in, DBusMessageIter *out, DBusSignatureIter *signature, int depth);

static void append_all(fuzz_input *in, DBusMessageIter *out, const char *signature, int depth)
{
    DBusSignatureIter i;
    dbus_signature_iter_init(&i, signature);
    do {
        append(in, out, &i, depth);
    } while (dbus_signature_iter_next(&i));
}

static void append_container(fuzz_input *in, DBusMessageIter *out, DBusSignatureIter *signature,
                             int type, int depth)
{
    static const char *const variants[] = {"s", "i", "d", "u", "as", "(ii)", "v", "o"};
    DBusMessageIter inner;
    DBusSignatureIter within;
    if (type == DBUS_TYPE_VARIANT) {
        const char *chosen =
            variants[depth > DEEPEST ? 0 : fuzz_byte(in) % (sizeof variants / sizeof variants[0])];
        REQUIRE(dbus_message_iter_open_container(out, type, chosen, &inner));
        append_all(in, &inner, chosen, depth + 1);
    } else if (type == DBUS_TYPE_ARRAY) {
        dbus_signature_iter_recurse(signature, &within);
        char *element = dbus_signature_iter_get_signature(&within);
        REQUIRE(element && dbus_message_iter_open_container(out, type, element, &inner));
        uint8_t choice = fuzz_byte(in);
        for (int count = choice > 240 ? choice * 8 : choice % 8; count > 0; count--) {
            DBusSignatureIter again = within;
            append(in, &inner, &again, depth + 1);
        }
        dbus_free(element);
    } else {
        REQUIRE(dbus_message_iter_open_container(out, type, NULL, &inner));
        dbus_signature_iter_recurse(signature, &within);
        do {
            append(in, &inner, &within, depth + 1);
        } while (dbus_signature_iter_next(&within));
    }
    REQUIRE(dbus_message_iter_close_container(out, &inner));
}

static void append(fuzz_input *in, DBusMessageIter *out, DBusSignatureIter *signature, int depth)
{
    static char room[20000];
    static const double telling[] = {0, 1, -1, 1e308, 0.0 / 0.0, 1 / 0.0};
    int type = dbus_signature_iter_get_current_type(signature);
    DBusBasicValue value = {0};
    switch (type) {
    case DBUS_TYPE_STRING:
        value.str = (char *) words(in, room, sizeof room);
        break;
    case DBUS_TYPE_OBJECT_PATH:
        snprintf(room, sizeof room, "/o/%d", fuzz_byte(in) % 48);
        value.str = room;
        break;
    case DBUS_TYPE_INT32:
    case DBUS_TYPE_UINT32:
        value.i32 = number(in);
        break;
    case DBUS_TYPE_DOUBLE:
        value.dbl = telling[fuzz_byte(in) % (sizeof telling / sizeof telling[0])];
        break;
    default:
        append_container(in, out, signature, type, depth);
        return;
    }
    REQUIRE(dbus_message_iter_append_basic(out, type, &value));
}

/* NULL for an error. */
static DBusMessage *reply_to(fuzz_input *in, atspi_question_kind kind)
{
    enum { ERRORS = 16, OTHERS = 40 };
    uint8_t choice = fuzz_byte(in);
    if (choice > 255 - ERRORS) {
        return NULL;
    }
    const char *signature = expected[choice > 255 - OTHERS ? fuzz_byte(in) % KINDS : kind];
    DBusMessage *m = dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN);
    DBusMessageIter i;
    REQUIRE(m);
    dbus_message_iter_init_append(m, &i);
    append_all(in, &i, signature, 0);
    return m;
}

/* --- the reader ---------------------------------------------------------------------------------
 */

static bool next_question(atspi_read *r, uint8_t choice, atspi_question *question)
{
    for (int32_t i = 0; i < r->app_count; i++) {
        atspi_app *app = &r->apps[(choice + i) % r->app_count];
        if (app->queue_start < app->queue_count) {
            *question = app->queue[app->queue_start];
            if (++app->queue_start == app->queue_count) {
                app->queue_start = app->queue_count = 0;
            }
            return true;
        }
    }
    return false;
}

static void play(atspi_read *r, fuzz_input *in)
{
    atspi_question question;
    for (int i = 0; i < MOST_ANSWERS && in->size && next_question(r, fuzz_byte(in), &question);
         i++) {
        REQUIRE(question.app >= 0 && question.app < r->app_count);
        DBusMessage *reply = reply_to(in, question.kind);
        atspi_read_take(r, question, reply);
        if (reply) {
            dbus_message_unref(reply);
        }
        REQUIRE(!r->no_memory && r->node_count <= r->node_max);
    }
}

static void require_text(const char *text, size_t most)
{
    REQUIRE(text && strlen(text) <= most && base_utf8_check(text, strlen(text)) == strlen(text));
}

static void require_details(const desk_element_details *d)
{
    REQUIRE(d->from <= d->to && d->from >= 0 && d->characters >= 0);
    if (d->selected) {
        require_text(d->selected, DESK_ELEMENTS_MAX_TEXT * 4);
    }
    for (size_t i = 0; i < d->action_count; i++) {
        require_text(d->actions[i].name, DESK_ELEMENTS_MAX_NAME);
    }
}

static void require_list(atspi_read *r)
{
    desk_element_list list = {0};
    base_error err = {0};
    REQUIRE(atspi_result(r, &list, &err));
    REQUIRE(list.count <= r->query->max_nodes && list.app_count + 1 == (size_t) r->app_count);
    for (size_t i = 0; i < list.count; i++) {
        const desk_element *e = &list.items[i];
        REQUIRE(e->parent >= -1 && e->parent < (int32_t) i);
        REQUIRE(e->depth == (e->parent < 0 ? 0 : list.items[e->parent].depth + 1));
        REQUIRE(e->app >= 0 && (size_t) e->app < list.app_count);
        require_text(e->name, DESK_ELEMENTS_MAX_NAME);
        require_text(e->description, DESK_ELEMENTS_MAX_NAME);
        REQUIRE(e->role && e->handle);
        if (e->text) {
            require_text(e->text, DESK_ELEMENTS_MAX_TEXT * 4);
        }
        REQUIRE(!e->has_value || isfinite(e->value));
        if (e->has_rect) {
            REQUIRE(e->rect.width > 0 && e->rect.height > 0);
        }
    }
    free(list.items);
    free(list.apps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ALL = 1, BARE = 2, OF_ONE_PROGRAM = 4, ONE_ELEMENT = 8 };
    fuzz_input in = {data, size};
    uint8_t choices = fuzz_byte(&in);
    base_arena arena = {0};
    atspi_slow slow = {0};
    atspi_peers peers = {0};
    desk_element_details details = {0};
    desk_elements_query query = {
        .all = choices & ALL,
        .bare = choices & BARE,
        .pid = (choices & (OF_ONE_PROGRAM | ONE_ELEMENT)) == OF_ONE_PROGRAM ? 1000 : 0,
        .max_nodes = MOST_NODES};
    atspi_read r = {.query = &query,
                    .arena = &arena,
                    .slow = &slow,
                    .peers = &peers,
                    .details = choices & ONE_ELEMENT ? &details : NULL};
    REQUIRE(atspi_read_begin(&r));
    if (r.details) { /* as atspi_read_one */
        r.apps[1] = (atspi_app){.bus = ":1.1"};
        r.app_count = 2;
        r.apps[1].root_node = atspi_node_add(&r, 1, "/o/1");
        atspi_queue(&r, ATSPI_ASK_PID, 0, 1);
        atspi_ask_identity(&r, 0);
    } else {
        atspi_queue(&r, ATSPI_ASK_APPS, 0, 0);
    }
    play(&r, &in);
    require_list(&r);
    require_details(&details);
    atspi_read_free(&r);
    base_arena_free(&arena);
    return 0;
}
