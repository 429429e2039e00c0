/*
 * parallel.h: runs a loop on all cores of the machine. The threads are created at the first use and
 * sleep between uses. The calling thread works too, so a loop never waits for a thread to wake.
 *
 * One loop at a time uses the threads: a call from another thread meanwhile, or from inside a loop,
 * runs its iterations in the calling thread. Iterations run in any order; the caller has to make
 * them thread-safe.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

enum { BASE_PARALLEL_MAX = 8 };

typedef void base_parallel_fn(void *context, int index);

/* Calls fn(context, i) once for each i from 0 to count - 1, and returns when all calls are done.
 * Cannot fail: if no thread can be created, the calling thread does all of them. */
void base_parallel(int count, base_parallel_fn *fn, void *context);

/* The number of the thread that runs the iteration, below BASE_PARALLEL_MAX (0: the calling
 * thread). For scratch memory per thread. */
int base_parallel_worker(void);

/* How many threads to use, including the calling one, 1..BASE_PARALLEL_MAX; 0: one per core. */
void base_parallel_set_threads(int threads);
int base_parallel_threads(void);

/* Ends the threads when the running loop is done; the next loop creates new ones. For a clean exit.
 * May not be called from inside a loop. */
void base_parallel_stop(void);

#endif
