/*
 * platform.h: functions of the operating system that do not concern the desktop. Each platform
 * implements all of them in a folder of its own: linux/, windows/.
 */
#ifndef SYSTEM_PLATFORM_H
#define SYSTEM_PLATFORM_H

#include "base/error.h"

#include <uv.h>

/* "linux" or "windows". Lua chooses its platform's files by this name. */
extern const char *const system_name;

/* Sets up the console (UTF-8, no translation of line ends, colours) and returns the program's
 * arguments as UTF-8, valid until the process ends. NULL without memory. If the first argument is
 * --die-with-parent (linux/platform.c) the process executes another program and does not return, or
 * has what follows it as its arguments. */
char **system_start(int *argc, char **argv);

/* Requests to stop the program: signals (on Windows console events), and threads of this program.
 */
typedef enum {
    INTERRUPT_INT,
    INTERRUPT_TERM,
    INTERRUPT_HUP,
    INTERRUPT_STOP_HOTKEY, /* the emergency-stop hotkey */
    INTERRUPT_OVERDUE,     /* a task is past its deadline; only interrupt.c handles it */
    INTERRUPT_KINDS
} system_interrupt_kind;

typedef void system_interrupt_handler(system_interrupt_kind kind);

/* Between open and close, `handler` is called for each signal while the main thread is stopped
 * wherever it is: as a signal handler, or with that thread suspended. Standard output is flushed
 * before the loop waits. */
void system_open(uv_loop_t *loop, system_interrupt_handler *handler);
void system_close(void);

/* Calls the handler in the same way, at once. To be called from another thread, between open and
 * close; otherwise it does nothing. */
void system_interrupt(system_interrupt_kind kind);

/* Ends the process at once, without flushing files or running exit handlers. May be called from a
 * signal handler. */
_Noreturn void system_end(int status);

/* Keeps all descendants of this process together, orphans too, so that they end with it. Linux:
 * orphans become children of this process (prctl(2), PR_SET_CHILD_SUBREAPER), which has to end and
 * reap them. Windows: a job object kills its processes when this process ends. */
bool system_hold_descendants(base_error *err);

/* Creates a Windows desktop called `name` (letters, digits, - and _), runs this program again on it
 * with the same arguments followed by `name` and the same standard streams, waits for its end, and
 * kills its descendants. They are killed also when this process ends. Returns its exit status; -1
 * with `err` if it cannot be started. Windows only: elsewhere BASE_UNSUPPORTED. */
int system_run_on_desktop(const char *name, base_error *err);

/* Reaps the child `pid` if it has ended. 1: reaped, 0: still running, -1: not our child. */
int system_reap(long pid);

/* The parent of the process `pid`; 0 if it is unknown or has ended. */
long system_parent(long pid);

/* Writes the descendants of `pid`, parents first, at most `capacity` of them, and returns how many
 * there are. Windows only: on Linux Lua reads /proc, and this returns 0. */
size_t system_descendants(long pid, long *out, size_t capacity);

/* The program and arguments of a process as UTF-8, each with a terminating zero, one after another;
 * *size is the number of bytes. To be freed with free(). NULL if they cannot be read. Windows only:
 * on Linux Lua reads /proc, and this returns NULL. */
char *system_command_line(long pid, size_t *size);

/* Opens a file or an address (UTF-8) with its default application, which keeps running after this
 * process has ended. May take seconds. Windows only: elsewhere BASE_UNSUPPORTED; Linux has programs
 * for this (xdg-open). */
bool system_open_target(const char *target, base_error *err);

/* Forgets what has been typed at the terminal of standard input and was not read yet. Does nothing
 * where that is none. */
void system_discard_input(void);

/* Locks an open file (a C library's descriptor that may be written to) until it is closed or this
 * process ends, however it ends. BASE_REFUSED where it is locked already, by whomever; another code
 * where the file system keeps no locks. What is read and written is not affected. */
bool system_lock_file(int file, base_error *err);

/* Gives back the memory of constants of this program (`size` bytes at `start`, nothing of which was
 * ever written): what of them is read again is fetched again from the program's file. Windows takes
 * such memory back by itself where it is short of it, so there this does nothing. */
void system_give_back(const void *start, size_t size);

/* Gives back to the system what free() has kept for later requests. Where large and small requests
 * alternate, what is kept lies in pieces between others that live on, and would grow for hours.
 * Takes about 0.4 ms. On Windows, whose allocator does so by itself, it does nothing. */
void system_trim_memory(void);

/* Who may change a file or folder beside this user and those who run the machine (root; SYSTEM,
 * Administrators, TrustedInstaller). */
typedef struct {
    bool link;        /* a link; on Windows any reparse point. The rest is about the link itself */
    bool ours;        /* it belongs to this user or to those who run the machine */
    char owner[128];  /* whom it belongs to where it is not ours, as UTF-8; else "" */
    char writer[128]; /* somebody else who may change it, "everybody" or "the group staff", or of a
                         folder may replace what is in it; "" for nobody */
} system_access;

/* Looks at `path` (UTF-8), without following it if it is a link. */
bool system_access_of(const char *path, system_access *out, base_error *err);

#endif
