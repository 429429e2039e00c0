/*
 * parallel.h: one loop spread over the machine's cores. The threads are made at the first use and
 * sleep between uses; the calling thread works too, so a loop never waits for a thread to wake.
 *
 * One loop has the threads at a time: a call from another thread meanwhile, or from inside a loop,
 * does its iterations alone. Thread safety of what the loop touches is the caller's affair;
 * iterations run in any order.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

enum { BASE_PARALLEL_MAX = 8 };

typedef void base_parallel_fn(void *context, int index);

/* Calls fn(context, 0..count-1), each once, and returns when all are done. Cannot fail: where no
 * thread can be made the caller does it all. */
void base_parallel(int count, base_parallel_fn *fn, void *context);

/* Which of at most BASE_PARALLEL_MAX threads is running the iteration (0: the caller), for scratch
 * memory that is one per thread. */
int base_parallel_worker(void);

/* How many threads to use, caller included, 1..BASE_PARALLEL_MAX; 0 for the number of cores. */
void base_parallel_set_threads(int threads);
int base_parallel_threads(void);

/* Ends the threads, once the loop that has them is done; the next one makes new ones. For a clean
 * exit. Not from inside a loop. */
void base_parallel_stop(void);

#endif
