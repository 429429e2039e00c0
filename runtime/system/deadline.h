/*
 * deadline.h: the clock for Lua code that never waits. Timers of the event loop are heard only
 * between two waits; this one is a thread, started by the first deadline, that interrupts
 * (interrupt.h). It gives the loop's own timers a head start, since they do the same more gently.
 */
#ifndef SYSTEM_DEADLINE_H
#define SYSTEM_DEADLINE_H

#include <stdint.h>

/* From `at` (uv_hrtime; 0 for never) on INTERRUPT_OVERDUE is requested, again and again until
 * another time is set. Cheap: it wakes the thread only where `at` is sooner than what it waits
 * for. For the main thread. */
void system_deadline_set(uint64_t at);

/* Ends the thread, if there is one. */
void system_deadline_stop(void);

#endif
