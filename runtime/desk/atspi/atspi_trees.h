/* atspi_trees.h: which elements there are and what is below what. */
#ifndef DESK_ATSPI_ATSPI_TREES_H
#define DESK_ATSPI_ATSPI_TREES_H

#include "atspi_state.h"

void atspi_items_answer(atspi_read *r, int32_t app, DBusMessage *reply);
void atspi_children_answer(atspi_read *r, int32_t parent, DBusMessage *reply);
void atspi_child_count_answer(atspi_read *r, int32_t node, DBusMessage *reply);

#endif
