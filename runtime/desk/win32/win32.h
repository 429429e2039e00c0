/* win32.h: what the platform's list (windows/desk_backends.c) names of the Windows backend. */
#ifndef DESK_WIN32_WIN32_H
#define DESK_WIN32_WIN32_H

#include "desk/activity_internal.h"

bool win32_desk_connect(desk **out, const desk_options *options, base_error *err);
bool win32_activity_connect(desk_activity **out, const desk_options *where, base_error *err);

#endif
