#include "parallel.h"

#include "simd.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <uv.h>

/* How often the caller checks whether the last iterations are done before it sleeps: about 20 us,
 * which is less than sleeping and waking takes. */
enum { SPINS = 1000 };

/* One pool of threads for the process. */
static struct {
    bool ready;        /* mutex and conditions exist */
    int wanted;        /* threads asked for, 0 for the number of cores */
    int started;       /* threads that exist besides the caller */
    atomic_flag taken; /* set while a loop uses it, and while it is being stopped */
    uv_thread_t threads[BASE_PARALLEL_MAX];
    uv_mutex_t mutex;
    uv_cond_t work, done;
    unsigned round; /* changes with every loop; guarded by mutex */
    bool stopping;  /* guarded by mutex */
    base_parallel_fn *fn;
    void *context;
    int count;
    atomic_int next;   /* the first iteration that no thread has taken */
    atomic_int active; /* threads that are inside the loop */
} pool = {.taken = ATOMIC_FLAG_INIT};

static _Thread_local int self;

int base_parallel_worker(void)
{
    return self;
}

int base_parallel_threads(void)
{
    int threads = pool.wanted > 0 ? pool.wanted : (int) uv_available_parallelism();
    if (threads > BASE_PARALLEL_MAX) {
        threads = BASE_PARALLEL_MAX;
    }
    return threads < 1 ? 1 : threads;
}

static void take_iterations(void)
{
    for (;;) {
        int index = atomic_fetch_add(&pool.next, 1);
        if (index >= pool.count) {
            return;
        }
        pool.fn(pool.context, index);
    }
}

static void leave(void)
{
    if (atomic_fetch_sub(&pool.active, 1) != 1) {
        return;
    }
    /* With the mutex held: otherwise the signal could come between the caller's check and its
     * sleep.
     */
    uv_mutex_lock(&pool.mutex);
    uv_cond_signal(&pool.done);
    uv_mutex_unlock(&pool.mutex);
}

static void worker(void *argument)
{
    self = (int) (intptr_t) argument;
    uv_mutex_lock(&pool.mutex);
    unsigned seen = 0;
    for (;;) {
        while (!pool.stopping && seen == pool.round) {
            uv_cond_wait(&pool.work, &pool.mutex);
        }
        if (pool.stopping) {
            break;
        }
        seen = pool.round;
        /* A thread enters a loop with the mutex held, with which the caller also ends the loop. So
         * a thread that wakes too late finds no iterations left, and cannot read fields of the next
         * loop while they are being written. */
        if (!pool.fn || atomic_load(&pool.next) >= pool.count) {
            continue;
        }
        atomic_fetch_add(&pool.active, 1);
        uv_mutex_unlock(&pool.mutex);
        take_iterations();
        leave();
        uv_mutex_lock(&pool.mutex);
    }
    uv_mutex_unlock(&pool.mutex);
}

static void start_threads(int wanted)
{
    if (!pool.ready) {
        if (uv_mutex_init(&pool.mutex) != 0) {
            return;
        }
        if (uv_cond_init(&pool.work) != 0) {
            uv_mutex_destroy(&pool.mutex);
            return;
        }
        if (uv_cond_init(&pool.done) != 0) {
            uv_cond_destroy(&pool.work);
            uv_mutex_destroy(&pool.mutex);
            return;
        }
        pool.ready = true;
    }
    while (pool.started < wanted) {
        void *number = (void *) (intptr_t) (pool.started + 1);
        if (uv_thread_create(&pool.threads[pool.started], worker, number) != 0) {
            return;
        }
        pool.started++;
    }
}

static void wait_for_others(void)
{
    for (int i = 0; i < SPINS && atomic_load(&pool.active) > 0; i++) {
#if BASE_X86
        _mm_pause();
#endif
    }
    uv_mutex_lock(&pool.mutex);
    while (atomic_load(&pool.active) > 0) {
        uv_cond_wait(&pool.done, &pool.mutex);
    }
    pool.fn = NULL;
    uv_mutex_unlock(&pool.mutex);
}

static void do_alone(int count, base_parallel_fn *fn, void *context)
{
    for (int i = 0; i < count; i++) {
        fn(context, i);
    }
}

/* Runs the loop with the pool, which the caller has taken. */
static void do_together(int count, base_parallel_fn *fn, void *context)
{
    int others = (count < base_parallel_threads() ? count : base_parallel_threads()) - 1;
    if (pool.started != base_parallel_threads() - 1) {
        start_threads(base_parallel_threads() - 1);
    }
    if (pool.started < 1) {
        do_alone(count, fn, context);
        return;
    }
    uv_mutex_lock(&pool.mutex);
    pool.fn = fn;
    pool.context = context;
    pool.count = count;
    atomic_store(&pool.next, 0);
    pool.round++;
    if (others == 1) {
        uv_cond_signal(&pool.work);
    } else {
        uv_cond_broadcast(&pool.work);
    }
    uv_mutex_unlock(&pool.mutex);
    take_iterations();
    wait_for_others();
}

void base_parallel(int count, base_parallel_fn *fn, void *context)
{
    if (count < 2 || base_parallel_threads() < 2 || atomic_flag_test_and_set(&pool.taken)) {
        do_alone(count, fn, context);
        return;
    }
    do_together(count, fn, context);
    atomic_flag_clear(&pool.taken);
}

void base_parallel_set_threads(int threads)
{
    if (threads != pool.wanted) {
        base_parallel_stop();
    }
    pool.wanted = threads;
}

static void stop_threads(void)
{
    if (!pool.ready) {
        return;
    }
    uv_mutex_lock(&pool.mutex);
    pool.stopping = true;
    uv_cond_broadcast(&pool.work);
    uv_mutex_unlock(&pool.mutex);
    for (int i = 0; i < pool.started; i++) {
        uv_thread_join(&pool.threads[i]);
    }
    pool.started = 0;
    pool.stopping = false;
    uv_cond_destroy(&pool.work);
    uv_cond_destroy(&pool.done);
    uv_mutex_destroy(&pool.mutex);
    pool.ready = false;
}

void base_parallel_stop(void)
{
    while (atomic_flag_test_and_set(&pool.taken)) {
        uv_sleep(1);
    }
    stop_threads();
    atomic_flag_clear(&pool.taken);
}
