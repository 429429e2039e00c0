#include "deadline.h"

#include "platform.h"

#include <stdbool.h>
#include <uv.h>

static const uint64_t HEAD_START = 50000000, REPEAT = 100000000; /* nanoseconds */

static struct {
    bool started, ending;
    uv_thread_t thread;
    uv_mutex_t lock;
    uv_cond_t changed;
    uint64_t at;    /* the deadline; 0 for none */
    uint64_t until; /* the time until which the thread sleeps; UINT64_MAX: until it is woken */
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

/* The time to interrupt for a deadline: the event loop's timers get a head start. */
static uint64_t due_for(uint64_t at)
{
    return at == 0 || at > UINT64_MAX - HEAD_START ? UINT64_MAX : at + HEAD_START;
}

static void watch(void *nothing)
{
    (void) nothing;
    uint64_t asked = 0; /* the time of the latest request */
    uv_mutex_lock(&self.lock);
    while (!self.ending) {
        uint64_t due = due_for(self.at);
        if (due != UINT64_MAX && asked && due < asked + REPEAT) {
            due = asked + REPEAT;
        }
        if (due > uv_hrtime()) {
            sleep_until(due);
            continue;
        }
        asked = uv_hrtime();
        self.until = asked;
        uv_mutex_unlock(&self.lock);
        system_interrupt(INTERRUPT_OVERDUE);
        uv_mutex_lock(&self.lock);
    }
    uv_mutex_unlock(&self.lock);
}

static bool start(void)
{
    uv_mutex_init(&self.lock);
    uv_cond_init(&self.changed);
    self.until = 0;
    self.ending = false;
    self.started = uv_thread_create(&self.thread, watch, NULL) == 0;
    return self.started;
}

void system_deadline_set(uint64_t at)
{
    if (!self.started && (at == 0 || !start())) {
        return; /* without a thread, the loop's timers still stop tasks that wait */
    }
    uv_mutex_lock(&self.lock);
    self.at = at;
    if (due_for(at) < self.until) {
        uv_cond_signal(&self.changed);
    }
    uv_mutex_unlock(&self.lock);
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
