/* win32_elements.h: what the platform's list (windows/desk_backends.c) names of this reader. */
#ifndef DESK_WIN32_ELEMENTS_WIN32_ELEMENTS_H
#define DESK_WIN32_ELEMENTS_WIN32_ELEMENTS_H

#include "desk/elements_internal.h"

bool win32_elements_connect(desk_elements **out, const desk_elements_options *options,
                            base_error *err);

#endif
