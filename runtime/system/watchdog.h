/*
 * watchdog.h: ends the process where its Lua state does not answer: a C call that does not return
 * (a pattern that backtracks, a read that blocks) holds the state, and neither hooks nor the event
 * loop run meanwhile.
 *
 * While Lua still answers, it leaves here what is to be written in its place: a last line for a
 * file that is appended to (a journal), a file that is replaced as a whole (a result), words for
 * the terminal, and the exit status; each for both causes. A thread that sleeps otherwise writes
 * them, releases what is held down on the desktop, and ends the process, at the latest after
 * 2 seconds. Children see that as they see any other end of this process. For this it asks for no
 * memory: there may be none. Where the line or the file cannot be written, the status 0 becomes 1.
 *
 * In the texts the byte \1 stands for the seconds since `epoch`, and \2 for the number of lines
 * that were appended, the last one counted. Both have no other meaning in JSON.
 *
 * One lock is shared with system_watchdog_append, so that lines do not mix. Once the thread has it,
 * whoever else asks for it waits until the process has ended.
 */
#ifndef SYSTEM_WATCHDOG_H
#define SYSTEM_WATCHDOG_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    WATCHDOG_OVERDUE,     /* a limit has passed (deadline.h) */
    WATCHDOG_INTERRUPTED, /* it was asked to stop a second time (interrupt.h) */
    WATCHDOG_NO_MEMORY,   /* an event was lost because there was no memory to handle it */
    WATCHDOG_CAUSES
} system_watchdog_cause;

typedef struct {
    const char *bytes; /* may be NULL: nothing is written */
    size_t size;
} system_bytes;

/* What is left for one cause. */
typedef struct {
    system_bytes line;   /* for the journal, with its line end */
    system_bytes result; /* the contents of the file */
    system_bytes output; /* for standard output */
    system_bytes words;  /* for standard error */
    int status;          /* of the process */
} system_last_words;

/* Starts the thread, which does nothing while there are no words for a cause. `journal` is a C
 * library's descriptor that stays open until close; `result_path` is copied; `epoch` is a time of
 * uv_hrtime; `lines` is how many lines were appended before. Whoever opens it a second time has
 * closed it. For the main thread, as are append, set and close. */
bool system_watchdog_open(int journal, const char *result_path, uint64_t epoch, size_t lines,
                          base_error *err);

/* Leaves these words (copied) for the cause. BASE_NO_MEMORY: those of before stay. */
bool system_watchdog_set(system_watchdog_cause cause, const system_last_words *words,
                         base_error *err);

/* Appends text that ends with a line end to an open file of `size` bytes; this works also where
 * nothing was opened. What was written of a text that does not fit on the disk is taken back; where
 * that cannot be done, *left is how many bytes of it stay, else 0. `last`: it takes the place of
 * the line that was left for the journal. 0, or libuv's error. */
int system_watchdog_append(int file, const char *text, size_t length, uint64_t size, bool last,
                           size_t *left);

/* Nothing is left to be written any more. A journal may be closed already once words without a line
 * and without a result are left. */
void system_watchdog_close(void);

/* Ends the process for that cause, soon and on the thread. False, and nothing is done, where
 * nothing was left for it. May be called from a signal handler, from any thread, and on Windows
 * while the main thread is suspended. */
bool system_watchdog_end(system_watchdog_cause cause);

/* `release` is called before the end, by the thread: it releases keys and buttons. NULL: none. */
void system_watchdog_set_release(void (*release)(void));

/* Ends the thread, if there is one. */
void system_watchdog_stop(void);

#endif
