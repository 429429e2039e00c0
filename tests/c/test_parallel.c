#include "base/parallel.h"
#include "check.h"

#include <stdatomic.h>
#include <uv.h>

enum { ITERATIONS = 200, LOOPS = 300, CALLERS = 3 };

typedef struct {
    atomic_int done[ITERATIONS];
    atomic_int wrong_worker;
} loop;

static void once(void *context, int index)
{
    loop *l = context;
    atomic_fetch_add(&l->done[index], 1);
    if (base_parallel_worker() < 0 || base_parallel_worker() >= base_parallel_threads()) {
        atomic_fetch_add(&l->wrong_worker, 1);
    }
}

/* Each iteration is done once. */
static bool run_loop(int count)
{
    loop l = {0};
    base_parallel(count, once, &l);
    bool ok = l.wrong_worker == 0;
    for (int i = 0; i < ITERATIONS; i++) {
        ok = ok && l.done[i] == (i < count);
    }
    return ok;
}

static void caller(void *failures)
{
    for (int i = 0; i < LOOPS; i++) {
        if (!run_loop(i % (ITERATIONS + 1))) {
            atomic_fetch_add((atomic_int *) failures, 1);
        }
    }
}

/* Many threads with loops of their own at the same time: one has the workers, the others go alone.
 */
static void test_callers_beside_each_other(int threads)
{
    uv_thread_t callers[CALLERS];
    atomic_int failures = 0;
    base_parallel_set_threads(threads);
    for (int i = 0; i < CALLERS; i++) {
        CHECK_EQ(uv_thread_create(&callers[i], caller, &failures), 0);
    }
    caller(&failures);
    for (int i = 0; i < CALLERS; i++) {
        uv_thread_join(&callers[i]);
    }
    CHECK_EQ(failures, 0);
}

static void nested(void *context, int index)
{
    (void) index;
    if (!run_loop(20)) {
        atomic_fetch_add((atomic_int *) context, 1);
    }
}

static void test_loops_in_loops(void)
{
    atomic_int failures = 0;
    base_parallel_set_threads(4);
    for (int i = 0; i < 50; i++) {
        base_parallel(8, nested, &failures);
    }
    CHECK_EQ(failures, 0);
}

/* The threads are ended while another thread has them: that one ends its loop first. */
static void test_stop_beside_a_loop(void)
{
    uv_thread_t thread;
    atomic_int failures = 0;
    base_parallel_set_threads(4);
    CHECK_EQ(uv_thread_create(&thread, caller, &failures), 0);
    for (int i = 0; i < 20; i++) {
        base_parallel_stop();
    }
    uv_thread_join(&thread);
    CHECK_EQ(failures, 0);
}

int main(void)
{
    for (int threads = 1; threads <= 5; threads += 2) {
        test_callers_beside_each_other(threads);
    }
    test_loops_in_loops();
    test_stop_beside_a_loop();
    base_parallel_set_threads(0);
    CHECK(run_loop(ITERATIONS));
    base_parallel_stop();
    return check_done();
}
