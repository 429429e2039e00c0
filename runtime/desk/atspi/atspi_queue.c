#include "atspi_queue.h"

#include "atspi_questions.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

uint64_t atspi_answer_deadline(void)
{
    return uv_hrtime() + (uint64_t) ATSPI_SLOW_MS * 1000000;
}

void atspi_queue_question(atspi_read *r, atspi_question question)
{
    atspi_app *app = &r->apps[question.app];
    if (app->queue_count == app->queue_capacity) {
        size_t capacity = app->queue_capacity ? app->queue_capacity * 2 : 64;
        atspi_question *queue = realloc(app->queue, capacity * sizeof *queue);
        if (!queue) {
            r->no_memory = true;
            return;
        }
        app->queue = queue;
        app->queue_capacity = capacity;
    }
    app->queue[app->queue_count++] = question;
}

void atspi_queue(atspi_read *r, atspi_question_kind kind, int32_t app, int32_t node)
{
    atspi_queue_question(r, (atspi_question){kind, app, node, 0});
}

static bool send_one(atspi_read *r, atspi_app *app)
{
    atspi_question question = app->queue[app->queue_start];
    DBusMessage *m = atspi_question_message(r, question);
    dbus_uint32_t serial;
    DBusConnection *c = app->connections.c[app->next];
    bool sent = m && dbus_connection_send(c, m, &serial);
    if (m) {
        dbus_message_unref(m);
    }
    if (!sent) {
        r->no_memory = true;
        return false;
    }
    if (++app->queue_start == app->queue_count) {
        app->queue_start = app->queue_count = 0;
    }
    app->next = (app->next + 1) % app->connections.count;
    app->in_flight++;
    r->flights[r->flight_count++] = (atspi_flight){c, serial, question};
    return true;
}

/* Takes turns between the applications, so that a large one does not keep the others waiting. */
void atspi_queue_send(atspi_read *r)
{
    for (int32_t idle = 0; idle < r->app_count && r->flight_count < ATSPI_WINDOW;) {
        r->turn = (r->turn + 1) % r->app_count;
        atspi_app *app = &r->apps[r->turn];
        bool may_send = app->connections.c[0] && app->in_flight < ATSPI_APP_WINDOW;
        if (app->queue_start == app->queue_count || !may_send) {
            idle++;
            continue;
        }
        idle = 0;
        if (!send_one(r, app)) {
            return;
        }
    }
}

/* Each connection counts its serial numbers by itself. */
bool atspi_queue_replied(atspi_read *r, DBusConnection *c, dbus_uint32_t serial,
                         atspi_question *out)
{
    for (size_t i = 0; i < r->flight_count; i++) {
        if (r->flights[i].serial != serial || r->flights[i].c != c) {
            continue;
        }
        *out = r->flights[i].question;
        /* The order is kept: answers mostly come in the order of the questions. */
        memmove(&r->flights[i], &r->flights[i + 1],
                (r->flight_count - i - 1) * sizeof r->flights[0]);
        r->flight_count--;
        r->apps[out->app].in_flight--;
        r->apps[out->app].answer_deadline = atspi_answer_deadline();
        return true;
    }
    return false;
}

bool atspi_queue_open(const atspi_app *app)
{
    return app->in_flight > 0 || app->queue_start < app->queue_count;
}

void atspi_queue_drop(atspi_read *r, int32_t app)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->flight_count; i++) {
        if (r->flights[i].question.app != app) {
            r->flights[kept++] = r->flights[i];
        }
    }
    r->flight_count = kept;
    r->apps[app].in_flight = 0;
    r->apps[app].queue_start = r->apps[app].queue_count = 0;
}
