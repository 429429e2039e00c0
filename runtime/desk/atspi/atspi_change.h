/* atspi_change.h: changing one element. */
#ifndef DESK_ATSPI_ATSPI_CHANGE_H
#define DESK_ATSPI_ATSPI_CHANGE_H

#include "atspi_act.h"
#include "desk/elements.h"

bool atspi_target_change(const atspi_target *t, const desk_element_change *change);

#endif
