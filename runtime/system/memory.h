/* memory.h: the end of the process where there is not enough memory. */
#ifndef SYSTEM_MEMORY_H
#define SYSTEM_MEMORY_H

/* Says so on standard error, and ends the process: what is left of a run is written by the watchdog
 * (watchdog.h), whose status is the process's; without one it is 3. For the main thread. */
_Noreturn void system_end_without_memory(void);

#endif
