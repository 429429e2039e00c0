/* x11.h: what the platform's list (linux/desk_backends.c) names of the X11 backend. */
#ifndef DESK_X11_X11_H
#define DESK_X11_X11_H

#include "desk/human_internal.h"

bool x11_desk_connect(desk **out, const desk_options *options, base_error *err);
bool x11_human_connect(desk_human **out, const desk_options *where, base_error *err);

#endif
