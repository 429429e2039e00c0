/* atspi_message.h: taking messages apart, and making what they hold safe to keep. */
#ifndef DESK_ATSPI_ATSPI_MESSAGE_H
#define DESK_ATSPI_ATSPI_MESSAGE_H

#include "atspi_state.h"

typedef struct {
    const char *bus, *path;
} atspi_reference;

/* Starts to read a message: false where it is none, or of another signature. */
bool atspi_begin(DBusMessage *reply, const char *signature, DBusMessageIter *i);
/* What is at the iterator, which the caller knows to be of that type, and a step on. */
void atspi_next_string(DBusMessageIter *i, const char **out);
int32_t atspi_next_int(DBusMessageIter *i);
atspi_reference atspi_next_reference(DBusMessageIter *i);
unsigned atspi_next_interfaces(DBusMessageIter *i);
uint64_t atspi_next_states(DBusMessageIter *i);
/* The value of a property, if it came and has that type. */
bool atspi_property(DBusMessage *reply, int type, void *out);
/* Cleaned copies in the read's arena: of one line; of a text, NULL without memory. */
const char *atspi_take_name(atspi_read *r, const char *text);
const char *atspi_take_text(atspi_read *r, const char *text);

#endif
