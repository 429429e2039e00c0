/*
 * atspi_answers.h: what one element says of itself, and which questions follow from which answers.
 * A reply is NULL where the application said no.
 */
#ifndef DESK_ATSPI_ATSPI_ANSWERS_H
#define DESK_ATSPI_ATSPI_ANSWERS_H

#include "atspi_state.h"

/* Asks who an element is; its other fields follow from the answer. */
void atspi_ask_identity(atspi_read *r, int32_t node);
/* One of those questions has been answered. */
void atspi_identity_answered(atspi_read *r, int32_t node);
/* Asks for place, text, value and actions, as far as they can be had and are wanted. */
void atspi_ask_fields(atspi_read *r, int32_t node);
void atspi_ask_children(atspi_read *r, int32_t node);

void atspi_properties_answer(atspi_read *r, int32_t node, DBusMessage *reply);
void atspi_identity_answer(atspi_read *r, atspi_question question, DBusMessage *reply);
void atspi_field_answer(atspi_read *r, atspi_question question, DBusMessage *reply);

#endif
