/* signals.h: console events become interrupt_request, from open to close. */
#ifndef SIGNALS_H
#define SIGNALS_H

void signals_open(void);
void signals_close(void);

#endif
