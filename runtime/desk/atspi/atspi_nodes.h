/* atspi_nodes.h: the nodes of a read, and the result that is made of them. */
#ifndef DESK_ATSPI_ATSPI_NODES_H
#define DESK_ATSPI_ATSPI_NODES_H

#include "atspi_state.h"

int32_t atspi_node_find(const atspi_read *r, int32_t app, const char *path);
/* A new node; -1 when there are too many or there is no memory. */
int32_t atspi_node_add(atspi_read *r, int32_t app, const char *path);
/* A part of an application's tree is left out; the note says which. */
void atspi_cut(atspi_read *r, int32_t app, const char *note);
/* What is not showing has none, whatever it has answered. */
bool atspi_node_has_place(const atspi_node *node);
bool atspi_node_wanted(const atspi_read *r, const atspi_node *node);
bool atspi_is_root(const atspi_read *r, int32_t node);
/* Makes the result: wanted nodes in the order of the trees. */
bool atspi_result(atspi_read *r, desk_element_list *out, base_error *err);

#endif
