#include "deadline.h"

#include "platform.h"
#include "watchdog.h"

#include <stdbool.h>
#include <uv.h>

static const uint64_t HEAD_START = 50000000, REPEAT = 100000000; /* nanoseconds */
enum { UNANSWERED = 9 /* times that it rings, within a second, until the state is given up */ };

/* Rings at its time, a little late, and again and again after that. */
typedef struct {
    uint64_t at;    /* 0: never */
    uint64_t rang;  /* when it did so last, also for another time */
    unsigned times; /* that it has rung for this one */
} alarm_clock;

static struct {
    bool started, ending;
    uv_thread_t thread;
    uv_mutex_t lock;
    uv_cond_t changed;
    alarm_clock limit;  /* the deadline of Lua code that computes */
    alarm_clock answer; /* the state has to answer */
    uint64_t until;     /* the time until which the thread sleeps; UINT64_MAX: until it is woken */
} self;

/* Sleeps until that time or until it is woken. The lock is held, but released during the sleep. */
static void sleep_until(uint64_t time)
{
    uint64_t now = uv_hrtime();
    self.until = time;
    if (time == UINT64_MAX) {
        uv_cond_wait(&self.changed, &self.lock);
    } else if (time > now) {
        uv_cond_timedwait(&self.changed, &self.lock, time - now);
    }
}

/* When an alarm rings next: the event loop's timers get a head start. */
static uint64_t next_ring(const alarm_clock *a)
{
    if (a->at == 0 || a->at > UINT64_MAX - HEAD_START) {
        return UINT64_MAX;
    }
    uint64_t due = a->at + HEAD_START;
    return a->rang && due < a->rang + REPEAT ? a->rang + REPEAT : due;
}

static void ring(alarm_clock *a)
{
    bool given_up = a == &self.answer && ++a->times == UNANSWERED;
    a->rang = uv_hrtime();
    self.until = a->rang;
    if (given_up) {
        a->at = 0;
    }
    uv_mutex_unlock(&self.lock);
    if (a == &self.limit) {
        system_interrupt(INTERRUPT_OVERDUE);
    } else if (given_up) {
        system_watchdog_end(WATCHDOG_OVERDUE);
    }
    uv_mutex_lock(&self.lock);
}

static void watch(void *nothing)
{
    (void) nothing;
    uv_mutex_lock(&self.lock);
    while (!self.ending) {
        uint64_t limit = next_ring(&self.limit), answer = next_ring(&self.answer);
        alarm_clock *next = limit <= answer ? &self.limit : &self.answer;
        if (next_ring(next) > uv_hrtime()) {
            sleep_until(next_ring(next));
        } else {
            ring(next);
        }
    }
    uv_mutex_unlock(&self.lock);
}

static bool start(void)
{
    uv_mutex_init(&self.lock);
    uv_cond_init(&self.changed);
    self.until = 0;
    self.limit = self.answer = (alarm_clock){0};
    self.ending = false;
    self.started = uv_thread_create(&self.thread, watch, NULL) == 0;
    return self.started;
}

static void set(alarm_clock *a, uint64_t at)
{
    if (!self.started && (at == 0 || !start())) {
        return; /* without a thread, the loop's timers still stop tasks that wait */
    }
    uv_mutex_lock(&self.lock);
    a->at = at;
    a->times = 0;
    if (next_ring(a) < self.until) {
        uv_cond_signal(&self.changed);
    }
    uv_mutex_unlock(&self.lock);
}

void system_deadline_set(uint64_t at)
{
    set(&self.limit, at);
}

void system_deadline_answer_by(uint64_t at)
{
    set(&self.answer, at);
}

void system_deadline_stop(void)
{
    if (!self.started) {
        return;
    }
    uv_mutex_lock(&self.lock);
    self.ending = true;
    uv_cond_signal(&self.changed);
    uv_mutex_unlock(&self.lock);
    uv_thread_join(&self.thread);
    uv_cond_destroy(&self.changed);
    uv_mutex_destroy(&self.lock);
    self.started = false;
}
