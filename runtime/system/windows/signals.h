/* signals.h: between open and close, console events, and the requests of other threads, call
 * `handler`. */
#ifndef SYSTEM_WINDOWS_SIGNALS_H
#define SYSTEM_WINDOWS_SIGNALS_H

#include "system/platform.h"

void signals_open(system_interrupt_handler *handler);
void signals_close(void);

#endif
