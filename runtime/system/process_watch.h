/*
 * process_watch.h: whether some processes have anything left to do. A look tells whether all their
 * threads sleep, and until when at most those sleep that were awake since the mark. Two looks of
 * the same stamp, both with every thread asleep, prove that there was a moment between them at
 * which nothing was running or runnable in any of the processes: then only a timer, or somebody
 * outside, can wake one.
 */
#ifndef SYSTEM_PROCESS_WATCH_H
#define SYSTEM_PROCESS_WATCH_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct system_process_watch system_process_watch;

typedef struct {
    bool known;  /* false: the system does not tell, or not about these; nothing else is filled */
    bool asleep; /* every thread sleeps */
    uint64_t stamp; /* another one whenever a thread has run, or a process or thread came or went */
    uint64_t due;   /* ns, as uv_hrtime: no wait that began after the mark ends by itself before;
                       UINT64_MAX where none does */
    uint64_t named_due; /* the same of the threads that system_process_timers names */
    size_t processes, threads;
    long busy; /* a thread that does not sleep, 0 for none */
    long next; /* the thread that `due` is of, 0 for none */
} system_process_look;

/* NULL without memory. Freed by system_process_watch_free (NULL is no mistake). */
system_process_watch *system_process_watch_new(void);
void system_process_watch_free(system_process_watch *watch);

/* A program with timers that mean nothing: of the process `pid` and those that come from it only
 * the waits of threads of these names count, in `named_due`. */
typedef struct {
    long pid;
    const char *const *names;
    size_t count;
} system_process_timers;

/* The most programs with such timers, and the most processes to begin from. */
enum { SYSTEM_PROCESS_MOST_TIMERS = 8, SYSTEM_PROCESS_MOST_ROOTS = 512 };

/* Looks at `count` processes and all that come from them. False without memory. `first`: another
 * look follows, and whether a thread that has not run since the look before waits for a processor
 * is left to that one; it takes half the time. */
bool system_process_watch_look(system_process_watch *watch, const long *roots, size_t count,
                               const system_process_timers *timers, size_t timer_count, bool first,
                               system_process_look *out);

/* Whether one of the threads that had run when the latest look was taken is awake: what goes on is
 * mostly done by these, and they cost a tenth of a look. False where there was none, or it cannot
 * be told. */
bool system_process_watch_is_busy(system_process_watch *watch);

/* What the threads wait for now was begun by nobody who is interesting: from the next look on, only
 * the waits of threads that have run meanwhile count in `due`. */
void system_process_watch_mark(system_process_watch *watch);

/* Whether one of the processes of the latest look that have run since the mark, without those that
 * system_process_timers were about, has a network connection to anywhere, so that an answer may be
 * on its way; true where that cannot be known. */
bool system_process_watch_connected(system_process_watch *watch);

/* Waits until what was written to terminals before the call has been handed to those who read it,
 * for at most so long: a kernel's thread does it, which may wait for a processor while all programs
 * sleep. Between two looks it makes them prove more. False where it has not happened in time, or
 * cannot be known; true also where the system has no terminals. */
bool system_process_watch_drain(system_process_watch *watch, int milliseconds);

#endif
