/*
 * platform.h: what the host asks of the operating system beside the desktop. One folder per
 * platform has the whole of it: linux/, windows/.
 */
#ifndef SYSTEM_PLATFORM_H
#define SYSTEM_PLATFORM_H

#include "base/error.h"

#include <uv.h>

/* "linux" or "windows": for Lua, which names its platform's files by it. */
extern const char *const system_name;

/* The program's arguments as UTF-8, for the life of the process; `argv` itself where it is that
 * already. Sets up the console: UTF-8, bytes as written, colours. NULL without memory. Does not
 * return where the first is --die-with-parent (linux/platform.c): the process becomes a program. */
char **system_start(int *argc, char **argv);

/* Who wants this program to stop: signals (console events on Windows), and threads of ours. */
typedef enum {
    INTERRUPT_INT,
    INTERRUPT_TERM,
    INTERRUPT_HUP,
    INTERRUPT_CHORD,   /* the kill chord */
    INTERRUPT_OVERDUE, /* a task that is past its deadline, of which only interrupt.c hears */
    INTERRUPT_KINDS
} system_interrupt_kind;

typedef void system_interrupt_handler(system_interrupt_kind kind);

/* From open to close, `handler` is called for each signal in the middle of whatever the main thread
 * does: as a signal handler, or with that thread suspended. And what was written to standard output
 * shows before the loop waits. */
void system_open(uv_loop_t *loop, system_interrupt_handler *handler);
void system_close(void);

/* Has the handler called in the same way, at once; from any other thread, between open and close
 * (else nothing happens). */
void system_interrupt(system_interrupt_kind kind);

/* Ends the process at once: nothing is flushed, no handler runs. Safe in a signal handler. */
_Noreturn void system_end(int status);

/* From now on whatever comes from this process ends with it, orphans too. Linux: orphans become our
 * children (prctl(2), PR_SET_CHILD_SUBREAPER), to be ended and reaped by us. Windows: a job object
 * that kills its processes when we end. */
bool system_hold_descendants(base_error *err);

/* Runs this program again, with its own arguments and `name` after them and with its standard
 * streams, on a new desktop of that name (letters, digits, - and _), and waits for its end; then
 * whatever came from it is ended. Its exit status, -1 with `err` where it cannot be started. It all
 * ends with this process too. Windows only: elsewhere BASE_UNSUPPORTED. */
int system_run_on_desktop(const char *name, base_error *err);

/* Collects child `pid` if it has ended. 1 collected, 0 still running, -1 not a child of ours. */
int system_reap(long pid);

/* The process that started `pid`; 0 if unknown or gone. */
long system_parent(long pid);

/* Writes the processes that come from `pid` (which is not among them), parents first, and says how
 * many there are; at most `capacity` are written. Windows only: elsewhere Lua reads them, and this
 * is 0.
 */
size_t system_descendants(long pid, long *out, size_t capacity);

/* The words that a process was started with, as UTF-8, each with its zero, one after another;
 * *size says how many bytes. To be freed by free(). NULL where they cannot be known. Windows only:
 * elsewhere Lua reads them, and this is NULL. */
char *system_command_line(long pid, size_t *size);

/* Has the system open a file or an address (UTF-8) with the application for it, which goes on after
 * us. May take seconds. Windows only: elsewhere BASE_UNSUPPORTED, there are programs for it. */
bool system_open_target(const char *target, base_error *err);

#endif
