/* How long a thread will wait is not told on Windows, so nothing is known of any process. */
#include "system/process_watch.h"

#include <stdlib.h>

struct system_process_watch {
    char nothing;
};

system_process_watch *system_process_watch_new(void)
{
    return calloc(1, sizeof(system_process_watch));
}

void system_process_watch_free(system_process_watch *watch)
{
    free(watch);
}

bool system_process_watch_look(system_process_watch *watch, const long *roots, size_t count,
                               const system_process_timers *timers, size_t timer_count, bool first,
                               system_process_look *out)
{
    (void) watch;
    (void) roots;
    (void) count;
    (void) timers;
    (void) timer_count;
    (void) first;
    *out = (system_process_look){.known = false};
    return true;
}

bool system_process_watch_is_busy(system_process_watch *watch)
{
    (void) watch;
    return false;
}

void system_process_watch_mark(system_process_watch *watch)
{
    (void) watch;
}

bool system_process_watch_connected(system_process_watch *watch)
{
    (void) watch;
    return true;
}

bool system_process_watch_drain(system_process_watch *watch, int milliseconds)
{
    (void) watch;
    (void) milliseconds;
    return true;
}
