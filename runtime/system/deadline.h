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

/* Sets the time (as above) at which the Lua state has to answer, which it does by setting another
 * one. Where it has not done so a second later, the process ends as the watchdog (watchdog.h) was
 * told; where that was told nothing, nothing happens. That second is one in which this process
 * runs: one that was suspended meanwhile gets it all the same. For the main thread. */
void system_deadline_answer_by(uint64_t at);

/* Ends the thread, if there is one. */
void system_deadline_stop(void);

#endif
