/* signals.h: between open and close, console events call system_interrupt_request. */
#ifndef SYSTEM_WINDOWS_SIGNALS_H
#define SYSTEM_WINDOWS_SIGNALS_H

void signals_open(void);
void signals_close(void);

#endif
