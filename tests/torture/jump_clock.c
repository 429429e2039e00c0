/*
 * jump_clock: a clock that is set while a program runs, for tests. Linux, by LD_PRELOAD:
 *
 *   CLOCK_JUMPS=200:-86400,900:315360000 LD_PRELOAD=libjump_clock.so deskpilot run mission.lua
 *
 * The time of day jumps by so many seconds, forward or back, so many milliseconds after the program
 * has started; later ones come on top of earlier ones. The monotonic clock goes on as it should.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { JUMPS = 16 };

static struct {
    int64_t after, by; /* milliseconds, seconds */
} jumps[JUMPS];
static int count;
static int64_t began;

static int64_t monotonic_ms(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

__attribute__((constructor)) static void start(void)
{
    const char *words = getenv("CLOCK_JUMPS");
    began = monotonic_ms();
    while (words && *words && count < JUMPS) {
        char *end;
        jumps[count].after = strtoll(words, &end, 10);
        if (*end != ':') {
            _exit(99);
        }
        jumps[count++].by = strtoll(end + 1, &end, 10);
        words = *end == ',' ? end + 1 : end;
    }
}

static int64_t set_by(void)
{
    int64_t passed = monotonic_ms() - began, seconds = 0;
    for (int i = 0; i < count; i++) {
        if (passed >= jumps[i].after) {
            seconds += jumps[i].by;
        }
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int status = (int) syscall(SYS_clock_gettime, clock, out);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        out->tv_sec += set_by();
    }
    return status;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void) zone;
    struct timespec now;
    int status = clock_gettime(CLOCK_REALTIME, &now);
    out->tv_sec = now.tv_sec;
    out->tv_usec = now.tv_nsec / 1000;
    return status;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) {
        *out = now.tv_sec;
    }
    return now.tv_sec;
}
