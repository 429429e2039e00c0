#define _GNU_SOURCE /* process_vm_readv */
#include "wait_calls.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

static const uint64_t FOR_EVER = UINT64_MAX, SECOND = 1000000000;

typedef unsigned long long word;

static bool read_pair(long pid, word address, long out[2])
{
    struct iovec here = {out, 2 * sizeof *out},
                 there = {(void *) (uintptr_t) address, 2 * sizeof *out};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t) (2 * sizeof *out);
}

/* A span of seconds and parts of them, which `unit` says how long they are; ns. */
static wait_call span(long pid, word address, long unit)
{
    long pair[2];
    if (!address) {
        return (wait_call){.relative = true, .until = FOR_EVER};
    }
    if (!read_pair(pid, address, pair) || pair[0] < 0 || pair[1] < 0) {
        return (wait_call){.relative = true};
    }
    if (pair[0] > 1000000000) {
        return (wait_call){.relative = true, .until = FOR_EVER};
    }
    return (wait_call){.relative = true,
                       .until = (uint64_t) pair[0] * SECOND + (uint64_t) (pair[1] * unit)};
}

static wait_call milliseconds(word argument)
{
    int timeout = (int) argument;
    return (wait_call){.relative = true,
                       .until = timeout < 0 ? FOR_EVER : (uint64_t) timeout * (SECOND / 1000)};
}

/* A time of a clock; uv_hrtime's is CLOCK_MONOTONIC. */
static wait_call moment(long pid, word address, clockid_t clock, uint64_t now)
{
    struct timespec here;
    wait_call wait = span(pid, address, 1);
    wait.relative = false;
    if (wait.until == FOR_EVER || clock == CLOCK_MONOTONIC || clock_gettime(clock, &here) != 0) {
        return wait;
    }
    uint64_t clock_now = (uint64_t) here.tv_sec * SECOND + (uint64_t) here.tv_nsec;
    wait.until = wait.until > clock_now ? now + (wait.until - clock_now) : 0;
    return wait;
}

enum { FUTEX_WAIT = 0, FUTEX_WAIT_BITSET = 9, FUTEX_WAIT_REQUEUE_PI = 11, FUTEX_LOCK_PI2 = 13 };
enum { FUTEX_PRIVATE = 128, FUTEX_REALTIME = 256, ABSOLUTE = 1 };

static bool futex(const word a[6], long pid, uint64_t now, wait_call *out)
{
    int operation = (int) a[1] & ~(FUTEX_PRIVATE | FUTEX_REALTIME);
    clockid_t clock = (int) a[1] & FUTEX_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    switch (operation) {
    case FUTEX_WAIT:
        *out = span(pid, a[3], 1);
        return true;
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI2:
        *out =
            a[3] ? moment(pid, a[3], clock, now) : (wait_call){.relative = true, .until = FOR_EVER};
        return true;
    default:
        return false;
    }
}

/* Those that only some processors have are left out where they are missing. */
static bool timed(long number, const word a[6], long pid, uint64_t now, wait_call *out)
{
    switch (number) {
#ifdef SYS_poll
    case SYS_poll:
        *out = milliseconds(a[2]);
        return true;
#endif
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait:
        *out = milliseconds(a[3]);
        return true;
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
        *out = span(pid, a[3], 1);
        return true;
#endif
    case SYS_ppoll:
        *out = span(pid, a[2], 1);
        return true;
#ifdef SYS_select
    case SYS_select:
        *out = span(pid, a[4], 1000);
        return true;
#endif
    case SYS_pselect6:
        *out = span(pid, a[4], 1);
        return true;
    case SYS_rt_sigtimedwait:
        *out = span(pid, a[2], 1);
        return true;
    case SYS_nanosleep:
        *out = span(pid, a[0], 1);
        return true;
    case SYS_clock_nanosleep:
        *out =
            (int) a[1] & ABSOLUTE ? moment(pid, a[2], (clockid_t) a[0], now) : span(pid, a[2], 1);
        return true;
    case SYS_futex:
        return futex(a, pid, now, out);
    default:
        return false;
    }
}

/* Calls that wait for somebody else and for nothing more. */
static bool untimed(long number)
{
    switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_rt_sigsuspend:
#ifdef SYS_pause
    case SYS_pause:
#endif
        return true;
    default:
        return false;
    }
}

bool wait_call_read(const char *words, long pid, uint64_t now, wait_call *out)
{
    long number;
    word a[6];
    if (sscanf(words, "%ld %llx %llx %llx %llx %llx %llx", &number, &a[0], &a[1], &a[2], &a[3],
               &a[4], &a[5]) != 7) {
        return false;
    }
    if (untimed(number)) {
        *out = (wait_call){.relative = true,
                           .until = FOR_EVER,
                           .reads = number == SYS_read || number == SYS_readv};
        return true;
    }
    return timed(number, a, pid, now, out);
}
