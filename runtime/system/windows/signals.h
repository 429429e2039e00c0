/* signals.h: console events, and what other threads ask for, are given to `handler`, from open to
 * close. */
#ifndef SYSTEM_WINDOWS_SIGNALS_H
#define SYSTEM_WINDOWS_SIGNALS_H

#include "system/platform.h"

void signals_open(system_interrupt_handler *handler);
void signals_close(void);

#endif
