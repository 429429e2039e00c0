/* atspi_act.h: asking one element something, and doing its actions. */
#ifndef DESK_ATSPI_ATSPI_ACT_H
#define DESK_ATSPI_ATSPI_ACT_H

#include "base/error.h"

#include <dbus/dbus.h>
#include <stdint.h>

/* What is acted on: the element, and until when. */
typedef struct {
    DBusConnection *c;
    char bus[256];
    const char *path;
    uint64_t deadline;
    base_error *err;
} atspi_target;

/* Takes a handle apart (BASE_INVALID for what is none). `handle` and `err` must outlive it. */
bool atspi_target_open(atspi_target *t, DBusConnection *c, const char *handle, uint64_t deadline,
                       base_error *err);
/* A call of "org.a11y.atspi.INTERFACE"; NULL with the target's error. */
DBusMessage *atspi_call(const atspi_target *t, const char *interface, const char *method);
/* Sends (taking `call` over, which may be NULL) and waits; NULL with the target's error: of the
 * application it says that it cannot or refused to `what`. */
DBusMessage *atspi_target_ask(const atspi_target *t, DBusMessage *call, const char *what);
/* The same for what answers whether it was done. */
bool atspi_target_do(const atspi_target *t, DBusMessage *call, const char *what);
/* The action of that name, or without one of that index. */
bool atspi_target_act(const atspi_target *t, const char *action, int index);
/* The first of the named actions that the element has (a list that ends with NULL), else its first.
 */
bool atspi_target_act_any(const atspi_target *t, const char *const names[]);

#endif
