/* atspi_queue.h: the questions that wait to be sent, and those that are in flight. */
#ifndef DESK_ATSPI_ATSPI_QUEUE_H
#define DESK_ATSPI_ATSPI_QUEUE_H

#include "atspi_state.h"

void atspi_queue(atspi_read *r, atspi_question_kind kind, int32_t app, int32_t node);
void atspi_queue_question(atspi_read *r, atspi_question question);
/* Sends as many as may be in flight; nothing to an application that is only made up, without a
 * connection. */
void atspi_queue_send(atspi_read *r);
/* Finds the question in flight that a message over `c` is the reply to, and takes it out; false for
 * a reply to no question. */
bool atspi_queue_replied(atspi_read *r, DBusConnection *c, dbus_uint32_t serial,
                         atspi_question *out);
/* Whether the application still has a question to be asked or to answer. */
bool atspi_queue_open(const atspi_app *app);
/* Drops all of them. */
void atspi_queue_drop(atspi_read *r, int32_t app);
/* Until when an application that is slow has time for its next answer. */
uint64_t atspi_answer_deadline(void);

#endif
