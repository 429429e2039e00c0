#include "memory.h"

#include "platform.h"
#include "unfinished.h"
#include "watchdog.h"

#include <stdio.h>
#include <stdlib.h>

enum { STATUS = 3, WATCHDOG_TIMEOUT = 5000 /* milliseconds */ };

void system_end_without_memory(void)
{
    fputs("deskpilot: there is not enough memory\n", stderr);
    if (system_watchdog_end(WATCHDOG_NO_MEMORY)) {
        uv_sleep(WATCHDOG_TIMEOUT); /* its thread ends the process before */
    }
    system_unfinished_remove_all();
    system_end(STATUS);
}

/* --- requests of luv and lua-cjson (cmake/checked_memory.cmake) ----------------------------------
 */

void *checked_malloc(size_t size);
void *checked_calloc(size_t count, size_t size);
void *checked_realloc(void *old, size_t size);

void *checked_malloc(size_t size)
{
    void *made = malloc(size);
    if (!made && size > 0) {
        system_end_without_memory();
    }
    return made;
}

void *checked_calloc(size_t count, size_t size)
{
    void *made = calloc(count, size);
    if (!made && count > 0 && size > 0) {
        system_end_without_memory();
    }
    return made;
}

void *checked_realloc(void *old, size_t size)
{
    void *made = realloc(old, size);
    if (!made && size > 0) {
        system_end_without_memory();
    }
    return made;
}
