#include "x11_atspi.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* Whether somebody is left who has not answered and is worth waiting for. */
static bool worth_waiting(const atspi_read *r)
{
    bool patient = uv_hrtime() < r->patience_end;
    for (int32_t i = 0; i < r->app_count; i++) {
        const atspi_app *app = &r->apps[i];
        bool open = app->in_flight > 0 || app->queue_start < app->queue_count;
        if (open && (patient || !app->slow))
            return true;
    }
    return false;
}

static bool send_one(atspi_read *r, atspi_app *app)
{
    atspi_question question = app->queue[app->queue_start];
    DBusMessage *m = atspi_question_message(r, question);
    dbus_uint32_t serial;
    bool sent = m && dbus_connection_send(r->c, m, &serial);
    if (m)
        dbus_message_unref(m);
    if (!sent) {
        r->no_memory = true;
        return false;
    }
    if (++app->queue_start == app->queue_count)
        app->queue_start = app->queue_count = 0;
    app->in_flight++;
    r->flights[r->flight_count++] = (atspi_flight){serial, question};
    return true;
}

/* Takes turns between the applications, so that a large one does not keep the others waiting. */
static void send_questions(atspi_read *r)
{
    for (int32_t idle = 0; idle < r->app_count && r->flight_count < ATSPI_WINDOW;) {
        r->turn = (r->turn + 1) % r->app_count;
        atspi_app *app = &r->apps[r->turn];
        if (app->queue_start == app->queue_count || app->in_flight >= ATSPI_APP_WINDOW) {
            idle++;
            continue;
        }
        idle = 0;
        if (!send_one(r, app))
            return;
    }
}

static bool take_flight(atspi_read *r, dbus_uint32_t serial, const char *sender,
                        atspi_question *out)
{
    (void) sender; /* the bus only lets the one that was asked answer */
    for (size_t i = 0; i < r->flight_count; i++) {
        if (r->flights[i].serial != serial)
            continue;
        *out = r->flights[i].question;
        /* The order is kept: answers mostly come in the order of the questions. */
        memmove(&r->flights[i], &r->flights[i + 1],
                (r->flight_count - i - 1) * sizeof r->flights[0]);
        r->flight_count--;
        r->apps[out->app].in_flight--;
        return true;
    }
    return false;
}

static void take_messages(atspi_read *r)
{
    DBusMessage *m;
    while (!r->no_memory && (m = dbus_connection_pop_message(r->c))) {
        int type = dbus_message_get_type(m);
        atspi_question question;
        if ((type == DBUS_MESSAGE_TYPE_METHOD_RETURN || type == DBUS_MESSAGE_TYPE_ERROR) &&
            take_flight(r, dbus_message_get_reply_serial(m), dbus_message_get_sender(m), &question))
            atspi_answer(r, question, type == DBUS_MESSAGE_TYPE_ERROR ? NULL : m);
        dbus_message_unref(m);
    }
}

static bool start(atspi_read *r)
{
    r->node_max = (int32_t) (r->query->max_nodes > 50000 ? 200000 : r->query->max_nodes * 4);
    r->buckets = malloc(ATSPI_BUCKETS * sizeof *r->buckets);
    r->apps = calloc(DESK_ELEMENTS_MAX_APPS + 2, sizeof *r->apps);
    if (!r->buckets || !r->apps)
        return false;
    memset(r->buckets, 0xff, ATSPI_BUCKETS * sizeof *r->buckets);
    r->apps[0] = (atspi_app){.bus = "org.a11y.atspi.Registry",
                             .root = "/org/a11y/atspi/accessible/root",
                             .root_node = -1};
    r->app_count = 1;
    r->patience_end = uv_hrtime() + (uint64_t) ATSPI_PATIENCE_MS * 1000000;
    atspi_queue(r, ATSPI_ASK_APPS, 0, 0);
    return true;
}

/* Notes who did not answer, for the reader and for the next read. */
static void note_silence(atspi_read *r)
{
    r->slow->count = 0;
    for (int32_t i = 1; i < r->app_count; i++) {
        atspi_app *app = &r->apps[i];
        if (app->in_flight == 0 && app->queue_start == app->queue_count)
            continue;
        app->note = "did not answer in time";
        if (r->slow->count < sizeof r->slow->names / sizeof r->slow->names[0] &&
            strlen(app->bus) < sizeof r->slow->names[0])
            strcpy(r->slow->names[r->slow->count++], app->bus);
    }
}

static bool verdict(const atspi_read *r, desk_error *err)
{
    if (r->no_memory)
        return desk_fail(err, DESK_NO_MEMORY, "not enough memory for the elements");
    if (r->no_apps)
        return desk_fail(err, DESK_UNAVAILABLE,
                         "the accessibility registry does not answer; install at-spi2-core");
    if (r->app_count == 1 && r->flight_count > 0)
        return desk_fail(err, DESK_TIMED_OUT, "the accessibility registry did not answer in time");
    return true;
}

bool atspi_read_run(atspi_read *r, desk_error *err)
{
    if (!start(r))
        return desk_fail(err, DESK_NO_MEMORY, "not enough memory for the elements");
    while (worth_waiting(r) && !r->no_memory && uv_hrtime() < r->query->deadline) {
        if (r->query->cancel && atomic_load(r->query->cancel))
            return desk_fail(err, DESK_CANCELLED, "the read was cancelled");
        send_questions(r);
        if (!atspi_turn(r->c, r->query->deadline))
            return desk_fail(err, DESK_UNAVAILABLE,
                             "the connection to the accessibility bus was lost");
        take_messages(r);
    }
    note_silence(r);
    return verdict(r, err);
}

void atspi_read_free(atspi_read *r)
{
    for (int32_t i = 0; i < r->app_count; i++)
        free(r->apps[i].queue);
    free(r->apps);
    free(r->nodes);
    free(r->buckets);
}
