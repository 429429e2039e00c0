/* atspi.h: what the platform's list (linux/desk_backends.c) names of this reader of elements. */
#ifndef DESK_ATSPI_ATSPI_H
#define DESK_ATSPI_ATSPI_H

#include "desk/elements_internal.h"

bool atspi_elements_connect(desk_elements **out, const desk_elements_options *options,
                            base_error *err);

#endif
