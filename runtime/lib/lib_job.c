#include "lib_job.h"

#include "lib.h"

#include <luv/luv.h>
#include <stdlib.h>

/* The registry keeps this userdata, which points to the job and has the owner, as long as the job
 * runs. So if it is collected while it still points to one, the state is being closed. */
#define BOX_TYPE "deskpilot.job"

/* Called protected: (job) -> calls the callback with the result. */
static int deliver(lua_State *L)
{
    lib_job *job = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, job->callback);
    lua_call(L, job->ok ? job->ops->push(L, job) : lib_fail(L, &job->err), 0);
    return 0;
}

static void run(uv_work_t *work)
{
    lib_job *job = work->data;
    job->deadline = uv_hrtime() + (uint64_t) (job->timeout * 1e9);
    if (atomic_load(&job->cancel)) {
        job->ok = base_fail(&job->err, BASE_CANCELLED, "cancelled");
    } else {
        job->ok = job->ops->run(job);
    }
}

static void unlink_job(lib_job *job)
{
    for (lib_job **at = job->list ? &job->list->first : NULL; at && *at; at = &(*at)->next) {
        if (*at == job) {
            *at = job->next;
            break;
        }
    }
    job->list = NULL;
}

static void job_free(lib_job *job)
{
    job->ops->release(job);
    free(job);
}

static void done(uv_work_t *work, int status)
{
    lib_job *job = work->data;
    lua_State *L = job->L;
    unlink_job(job);
    if (status == UV_ECANCELED) {
        job->ok = base_fail(&job->err, BASE_CANCELLED, "cancelled");
    }
    if (!job->dropped) {
        lua_pushcfunction(L, deliver);
        lua_pushlightuserdata(L, job);
        luv_context(L)->cb_pcall(L, 1, 0, 0); /* reports what goes wrong; see host.c */
    }
    if (job->box) {
        *job->box = NULL;
        luaL_unref(L, LUA_REGISTRYINDEX, job->callback);
        luaL_unref(L, LUA_REGISTRYINDEX, job->self);
    }
    job_free(job);
}

static void drop(lib_job *job)
{
    job->dropped = true;
    atomic_store(&job->cancel, true);
    uv_cancel((uv_req_t *) &job->work); /* where it has not begun yet */
}

static int stop(lua_State *L)
{
    lib_job **box = lua_touserdata(L, lua_upvalueindex(1));
    if (*box) {
        drop(*box);
    }
    return 0;
}

static int box_gc(lua_State *L)
{
    lib_job **box = luaL_checkudata(L, 1, BOX_TYPE);
    lib_job *job = *box;
    *box = NULL;
    if (job && !job->started) {
        job_free(job);
    } else if (job) {
        job->box = NULL;
        unlink_job(job); /* the list is its owner's, who goes too */
        drop(job);
    }
    return 0;
}

void *lib_job_new(lua_State *L, size_t size, const lib_job_ops *ops)
{
    lib_job **box = lua_newuserdatauv(L, sizeof *box, 1);
    *box = NULL;
    luaL_setmetatable(L, BOX_TYPE);
    lua_pushcclosure(L, stop, 1);
    lib_job *job = calloc(1, size);
    if (!job) {
        luaL_error(L, "not enough memory");
    }
    job->ops = ops;
    job->L = luv_state(L);
    job->work.data = job;
    job->box = box;
    *box = job;
    return job;
}

void lib_job_start(lua_State *L, lib_job *job, const lib_job_start_options *options)
{
    lua_getupvalue(L, -1, 1);
    if (options->owner) {
        lua_pushvalue(L, options->owner);
        lua_setiuservalue(L, -2, 1);
    }
    lua_pushvalue(L, options->callback);
    job->callback = luaL_ref(L, LUA_REGISTRYINDEX);
    job->self = luaL_ref(L, LUA_REGISTRYINDEX);
    job->timeout = options->timeout;
    job->list = options->list;
    if (job->list) {
        job->next = job->list->first;
        job->list->first = job;
    }
    job->started = true;
    uv_queue_work(luv_loop(L), &job->work, run, done); /* fails only for a missing function */
}

void lib_job_cancel_all(lib_job_list *list)
{
    for (lib_job *job = list->first; job; job = job->next) {
        atomic_store(&job->cancel, true);
    }
}

void lib_job_open(lua_State *L)
{
    static const luaL_Reg none[] = {{NULL, NULL}};
    lib_new_type(L, BOX_TYPE, none, box_gc);
}
