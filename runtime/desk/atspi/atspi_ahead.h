/*
 * atspi_ahead.h: the places of elements are asked for together with the tree, before it is known
 * which elements there are: of those that had a place in the read before. Else the application has
 * nothing to do while its tree is taken in. Each answer is of this read; one that turns out to be
 * of an element that is gone, or not showing, is left out.
 */
#ifndef DESK_ATSPI_ATSPI_AHEAD_H
#define DESK_ATSPI_ATSPI_AHEAD_H

#include "atspi_state.h"

/* Asks an application of the read for the places that its peer remembers. */
void atspi_ahead_ask(atspi_read *r, int32_t app, const atspi_peer *peer);
/* Remembers which elements had places, for the next read. Without memory none are. */
void atspi_ahead_remember(atspi_read *r);

#endif
