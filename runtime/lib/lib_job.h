/*
 * lib_job.h: work that must not hold up the loop. A job runs on libuv's thread pool and tells a Lua
 * callback on the loop; the script has a function that stops it, after which the callback is not
 * called. A binding's own job begins with a lib_job:
 *
 *     typedef struct { lib_job job; ... } search;
 *     search *s = lib_job_new(L, sizeof *s, &search_ops);   -- pushes the stopping function
 *     ...                                                   -- fills it in; errors are safe here
 *     lib_job_start(L, &s->job, &(lib_job_start_options){.callback = 4, .timeout = 10});
 *     return 1;
 *
 * A job outlives the Lua state that it came from where it is in the middle of something when that
 * is closed: it then ends without a word.
 */
#ifndef LIB_LIB_JOB_H
#define LIB_LIB_JOB_H

#include "base/error.h"

#include <lua.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

typedef struct lib_job lib_job;

typedef struct {
    /* On a thread: the work. Looks at job->cancel and job->deadline; false and job->err if it
     * failed. Not called for a job that was stopped before it began. */
    bool (*run)(lib_job *job);
    /* On the loop: pushes what the callback is called with, and returns how many that are. A
     * failure is told without it, as nil and an error. */
    int (*push)(lua_State *L, lib_job *job);
    /* On the main thread, whatever has become of it: lets go of what the job holds, but not of the
     * job itself. All that was not filled in yet is zero. */
    void (*release)(lib_job *job);
} lib_job_ops;

/* Those of one owner, so that it can stop them all. Begins as zero. */
typedef struct {
    lib_job *first;
} lib_job_list;

struct lib_job {
    atomic_bool cancel; /* the work is to end soon */
    uint64_t deadline;  /* by uv_hrtime */
    base_error err;
    /* The rest is lib_job.c's own. */
    uv_work_t work;
    const lib_job_ops *ops;
    lua_State *L; /* the main one */
    lib_job **box;
    lib_job_list *list;
    lib_job *next;
    int callback, self;
    double timeout;
    bool started, dropped, ok;
};

/* A new job of `size` bytes, all zero, and pushes the function that stops it. It is freed with that
 * function as long as it is not started. Raises a Lua error where there is no memory. */
void *lib_job_new(lua_State *L, size_t size, const lib_job_ops *ops);

typedef struct {
    int callback;       /* where on the stack the function is */
    double timeout;     /* seconds, from when it begins, that make the deadline */
    int owner;          /* where on the stack a userdata is that is kept as long as it runs; or 0 */
    lib_job_list *list; /* in the owner's memory; or NULL */
} lib_job_start_options;

/* Starts it. */
void lib_job_start(lua_State *L, lib_job *job, const lib_job_start_options *options);

/* Asks all of them to end soon. Their callbacks are called. */
void lib_job_cancel_all(lib_job_list *list);

/* Registers what jobs need of Lua; for each module that has some. */
void lib_job_open(lua_State *L);

#endif
