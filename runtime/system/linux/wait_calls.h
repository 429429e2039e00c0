/*
 * wait_calls.h: which system call a thread sleeps in, and until when.
 */
#ifndef SYSTEM_LINUX_WAIT_CALLS_H
#define SYSTEM_LINUX_WAIT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    bool relative;  /* `until` counts from when the call began */
    uint64_t until; /* ns; of uv_hrtime's clock where it is not relative; UINT64_MAX: for ever */
    bool reads;     /* from somebody else, or from a disk, which ends by itself */
} wait_call;

/* Reads what /proc/PID/syscall says. False where the thread runs, or is in a call that is none of
 * the known waits. A time-out that cannot be read is one that may have passed. `now` is
 * uv_hrtime's. */
bool wait_call_read(const char *words, long pid, uint64_t now, wait_call *out);

#endif
