/*
 * atspi_details.h: what only one element is asked for: its range, its selected text, its actions by
 * name.
 */
#ifndef DESK_ATSPI_ATSPI_DETAILS_H
#define DESK_ATSPI_ATSPI_DETAILS_H

#include "atspi_state.h"

void atspi_ask_details(atspi_read *r, int32_t node);
void atspi_details_answer(atspi_read *r, atspi_question question, DBusMessage *reply);

#endif
