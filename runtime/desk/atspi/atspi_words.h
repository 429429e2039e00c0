/* atspi_words.h: AT-SPI's vocabulary: roles, states and interfaces. */
#ifndef DESK_ATSPI_ATSPI_WORDS_H
#define DESK_ATSPI_ATSPI_WORDS_H

#include "desk/elements.h"

/* Interfaces that matter, as bits. */
enum {
    ATSPI_HAS_COMPONENT = 1,
    ATSPI_HAS_TEXT = 2,
    ATSPI_HAS_VALUE = 4,
    ATSPI_HAS_ACTION = 8,
};

const char *atspi_role_name(uint32_t role);
/* Whether elements of that role are there for the text that they hold. */
bool atspi_role_holds_text(uint32_t role);
/* From the two words of an AT-SPI state set to bits of desk_element_state. */
uint64_t atspi_states(uint32_t low, uint32_t high);
/* One of the bits above, 0 for an interface we have no use for. */
unsigned atspi_interface(const char *name);

#endif
