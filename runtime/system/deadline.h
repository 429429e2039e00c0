/*
 * deadline.h: deadlines for Lua code that computes without waiting. The event loop's timers cannot
 * run meanwhile, so a thread, which is started by the first deadline, requests an interruption
 * (interrupt.h). It does so a little after the deadline: if the loop does run, its own timer ends
 * the task first, which needs no interruption.
 */
#ifndef SYSTEM_DEADLINE_H
#define SYSTEM_DEADLINE_H

#include <stdint.h>

/* Sets the deadline: a time of uv_hrtime, or 0 for none. From then on INTERRUPT_OVERDUE is
 * requested repeatedly, until another deadline is set. Cheap: the thread is woken only if `at` is
 * earlier than the time it sleeps until. For the main thread. */
void system_deadline_set(uint64_t at);

/* Ends the thread, if there is one. */
void system_deadline_stop(void);

#endif
