/* atspi_questions.h: questions as D-Bus messages. */
#ifndef DESK_ATSPI_ATSPI_QUESTIONS_H
#define DESK_ATSPI_ATSPI_QUESTIONS_H

#include "atspi_state.h"

/* NULL without memory. */
DBusMessage *atspi_question_message(const atspi_read *r, atspi_question question);

#endif
