/* atspi_bus.h: connections to the accessibility bus. */
#ifndef DESK_ATSPI_ATSPI_BUS_H
#define DESK_ATSPI_ATSPI_BUS_H

#include "base/error.h"

#include <dbus/dbus.h>
#include <stdatomic.h>
#include <stdint.h>

/* Connects to the accessibility bus that belongs to the session bus at `session` (NULL: the
 * environment's) and asks applications to keep caches for us. NULL with `err` filled. */
DBusConnection *atspi_connect(const char *session, uint64_t deadline, atomic_bool *cancel,
                              base_error *err);
void atspi_disconnect(DBusConnection *c);

/* Sends `call` (taking it over) and waits for its answer, whatever its type, to be unreferenced.
 * NULL with BASE_TIMED_OUT, BASE_CANCELLED, BASE_UNAVAILABLE (connection lost) or no memory. */
DBusMessage *atspi_ask(DBusConnection *c, DBusMessage *call, uint64_t deadline, atomic_bool *cancel,
                       base_error *err);

/* Reads and writes for at most a moment; false if the connection has been lost. */
bool atspi_turn(DBusConnection *c, uint64_t deadline);
/* Milliseconds to wait for an answer now: short, so that a cancelled call ends soon. */
int atspi_slice_ms(uint64_t deadline);

#endif
