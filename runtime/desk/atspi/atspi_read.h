/* atspi_read.h: one read, from the first question to the last answer. */
#ifndef DESK_ATSPI_ATSPI_READ_H
#define DESK_ATSPI_ATSPI_READ_H

#include "atspi_state.h"

/* Asks every question there is. False when nothing at all could be read. What was known when the
 * time was up is in `r`. */
bool atspi_read_run(atspi_read *r, base_error *err);
/* The same for one element, by its handle: r->details is filled, their list by atspi_result. */
bool atspi_read_one(atspi_read *r, const char *bus, const char *path, base_error *err);
/* What both begin with: no nodes, and as the only application the bus. False without memory. */
bool atspi_read_begin(atspi_read *r);
/* The answer to a question, which may ask more; the reply is NULL where the application said no. */
void atspi_read_take(atspi_read *r, atspi_question question, DBusMessage *reply);
void atspi_read_free(atspi_read *r);

#endif
