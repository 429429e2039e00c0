/* atspi_apps.h: which applications there are, and how they are reached. */
#ifndef DESK_ATSPI_ATSPI_APPS_H
#define DESK_ATSPI_ATSPI_APPS_H

#include "atspi_state.h"

/* An application whose socket is known: it need not be waited for until the registry names it. */
void atspi_add_peer(atspi_read *r, const atspi_peer *peer);
void atspi_apps_answer(atspi_read *r, DBusMessage *reply);
void atspi_pid_answer(atspi_read *r, int32_t app, DBusMessage *reply);
void atspi_address_answer(atspi_read *r, int32_t app, DBusMessage *reply);

#endif
