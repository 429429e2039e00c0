/* desk_internal.h: what the files of the front (desk.h) share. */
#ifndef DESK_DESK_INTERNAL_H
#define DESK_DESK_INTERNAL_H

#include "backend.h"

/* Fills `err` for an op that the desk does not have: "This desktop (NAME) cannot WHAT", and the
 * reason of its backend, which may be NULL. Returns false. */
bool desk_cannot(const desk *d, const char *what, const char *reason, base_error *err);

/* BASE_NOT_FOUND for an id that no window can have. */
bool desk_check_window(uint64_t id, base_error *err);
/* BASE_INVALID where bytes of what is called `what` are no UTF-8. */
bool desk_check_utf8(const char *what, const char *text, size_t length, base_error *err);

#endif
