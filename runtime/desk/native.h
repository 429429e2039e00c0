/*
 * native.h: which backend this build has beside the null one. Each platform's folder defines the
 * pointer (x11/x11_ops.c, win32/win32.c); the build compiles one of them, so nobody needs an #ifdef.
 */
#ifndef DESK_NATIVE_H
#define DESK_NATIVE_H

#include "backend.h"

extern const desk_ops *const desk_native_ops;

#endif
