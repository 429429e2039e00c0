/* x11.h: what the platform's list (linux/desk_backends.c) names of the X11 backend. */
#ifndef DESK_X11_X11_H
#define DESK_X11_X11_H

#include "desk/activity_internal.h"

bool x11_desk_connect(desk **out, const desk_options *options, base_error *err);
bool x11_activity_connect(desk_activity **out, const desk_options *where, base_error *err);

#endif
