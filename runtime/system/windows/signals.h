/* signals.h: console events become system_interrupt_request, from open to close. */
#ifndef SYSTEM_WINDOWS_SIGNALS_H
#define SYSTEM_WINDOWS_SIGNALS_H

void signals_open(void);
void signals_close(void);

#endif
