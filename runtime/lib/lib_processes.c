/*
 * native.processes: whether some processes, and those that come from them, have anything left
 * to do.
 */
#include "lib.h"
#include "system/process_watch.h"

/* A watch of processes. */
#define PROCESS_WATCH_TYPE "native.ProcessWatch"

enum { MOST_ROOTS = 64, MOST_NAMES = 16, LONGEST_DRAIN = 50 /* ms */ };

typedef struct {
    system_process_watch *watch;
} lib_watch;

static system_process_watch *check_watch(lua_State *L)
{
    return ((lib_watch *) luaL_checkudata(L, 1, PROCESS_WATCH_TYPE))->watch;
}

/* Forgets all of them. Closing twice is no mistake. */
static int close_watch(lua_State *L)
{
    lib_watch *self = luaL_checkudata(L, 1, PROCESS_WATCH_TYPE);
    system_process_watch_free(self->watch);
    self->watch = NULL;
    return 0;
}

/* A new watch, which has looked at nothing yet.
 * ---@return native.ProcessWatch */
static int open_watch(lua_State *L)
{
    lib_watch *self = lua_newuserdatauv(L, sizeof *self, 0);
    self->watch = NULL;
    luaL_setmetatable(L, PROCESS_WATCH_TYPE);
    self->watch = system_process_watch_new();
    return self->watch ? 1 : luaL_error(L, "not enough memory");
}

static void push_time(lua_State *L, uint64_t time, const char *name)
{
    if (time != UINT64_MAX) {
        lua_pushnumber(L, (lua_Number) time / 1e9);
        lua_setfield(L, -2, name);
    }
}

/* Of the table at the top; the names stay valid with it. */
static void read_timers(lua_State *L, const char **names, system_process_timers *out)
{
    luaL_checktype(L, -1, LUA_TTABLE);
    lua_getfield(L, -1, "pid");
    out->pid = (long) luaL_checkinteger(L, -1);
    luaL_argcheck(L, lua_getfield(L, -2, "threads") == LUA_TTABLE, 3, "it has no threads");
    out->names = names;
    out->count = (size_t) lua_rawlen(L, -1);
    luaL_argcheck(L, out->count <= MOST_NAMES, 3, "too many names");
    for (size_t i = 0; i < out->count; i++) {
        luaL_argcheck(L, lua_rawgeti(L, -1, (lua_Integer) i + 1) == LUA_TSTRING, 3,
                      "a name must be a string");
        names[i] = lua_tostring(L, -1);
        lua_pop(L, 1); /* the list keeps it */
    }
    lua_pop(L, 2);
}

/* Looks at processes and all that come from them. Two looks of the same stamp, both with all
 * asleep, prove that nothing ran or was about to at a moment between them.
 * ---@param roots integer[] at most 64
 * ---@param timers { pid: integer, threads: string[] }[]? at most 8: of such a process and those
 * that come from it only the waits of threads of these names (at most 16) count, in `named_due`
 * ---@param first boolean? another look follows, to which it is left whether a thread that has not
 * run since the look before waits for a processor: it takes half the time
 * ---@return { asleep: boolean, stamp: integer, due: number?, named_due: number?, processes:
 * integer, threads: integer, busy: integer?, next: integer? }? look nil where the system does not
 * tell; due: seconds as uv.hrtime counts them: no wait that a thread has begun since the mark ends
 * by itself before; nil where none does; busy, next: a thread that is awake, and the one that `due`
 * is of */
static int lib_watch_look(lua_State *L)
{
    system_process_watch *watch = check_watch(L);
    long roots[MOST_ROOTS];
    const char *names[SYSTEM_PROCESS_MOST_TIMERS][MOST_NAMES];
    system_process_timers timers[SYSTEM_PROCESS_MOST_TIMERS];
    lua_Unsigned timer_count = 0;
    lua_settop(L, 4);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_Unsigned count = lua_rawlen(L, 2);
    luaL_argcheck(L, watch, 1, "it is closed");
    luaL_argcheck(L, count <= MOST_ROOTS, 2, "too many processes");
    for (lua_Unsigned i = 0; i < count; i++) {
        lua_rawgeti(L, 2, (lua_Integer) i + 1);
        roots[i] = (long) luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
    if (!lua_isnil(L, 3)) {
        luaL_checktype(L, 3, LUA_TTABLE);
        timer_count = lua_rawlen(L, 3);
        luaL_argcheck(L, timer_count <= SYSTEM_PROCESS_MOST_TIMERS, 3, "too many programs");
    }
    for (lua_Unsigned i = 0; i < timer_count; i++) {
        lua_rawgeti(L, 3, (lua_Integer) i + 1);
        read_timers(L, names[i], &timers[i]);
        lua_pop(L, 1);
    }
    system_process_look look;
    if (!system_process_watch_look(watch, roots, (size_t) count, timers, (size_t) timer_count,
                                   lua_toboolean(L, 4), &look) ||
        !look.known) {
        return 0;
    }
    lua_createtable(L, 0, 8);
    lua_pushboolean(L, look.asleep);
    lua_setfield(L, -2, "asleep");
    lua_pushinteger(L, (lua_Integer) look.stamp);
    lua_setfield(L, -2, "stamp");
    push_time(L, look.due, "due");
    push_time(L, look.named_due, "named_due");
    lua_pushinteger(L, (lua_Integer) look.processes);
    lua_setfield(L, -2, "processes");
    lua_pushinteger(L, (lua_Integer) look.threads);
    lua_setfield(L, -2, "threads");
    if (look.busy) {
        lua_pushinteger(L, look.busy);
        lua_setfield(L, -2, "busy");
    }
    if (look.next) {
        lua_pushinteger(L, look.next);
        lua_setfield(L, -2, "next");
    }
    return 1;
}

/* Whether one of the threads that had run when the latest look was taken is awake, which costs far
 * less than a look.
 * ---@return boolean busy */
static int lib_watch_is_busy(lua_State *L)
{
    system_process_watch *watch = check_watch(L);
    luaL_argcheck(L, watch, 1, "it is closed");
    lua_pushboolean(L, system_process_watch_is_busy(watch));
    return 1;
}

/* What the threads wait for now counts no longer: only the waits of those that run from now on. */
static int lib_watch_mark(lua_State *L)
{
    system_process_watch *watch = check_watch(L);
    luaL_argcheck(L, watch, 1, "it is closed");
    system_process_watch_mark(watch);
    return 0;
}

/* Whether one of the processes that have run since the mark, without those that `timers` was about,
 * has a network connection, so that an answer may be on its way to it.
 * ---@return boolean connected true also where that cannot be known */
static int lib_watch_connected(lua_State *L)
{
    system_process_watch *watch = check_watch(L);
    luaL_argcheck(L, watch, 1, "it is closed");
    lua_pushboolean(L, system_process_watch_connected(watch));
    return 1;
}

/* Waits until what was written to terminals before has been handed to those who read it, at most
 * 50 ms. To be called between two looks.
 * ---@return boolean drained false where it has not happened in that time */
static int lib_watch_drain(lua_State *L)
{
    system_process_watch *watch = check_watch(L);
    luaL_argcheck(L, watch, 1, "it is closed");
    lua_pushboolean(L, system_process_watch_drain(watch, LONGEST_DRAIN));
    return 1;
}

int lib_open_processes(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"look", lib_watch_look},
        {"is_busy", lib_watch_is_busy},
        {"mark", lib_watch_mark},
        {"connected", lib_watch_connected},
        {"drain", lib_watch_drain},
        {"close", close_watch},
        {NULL, NULL},
    };
    static const luaL_Reg functions[] = {
        {"open", open_watch},
        {NULL, NULL},
    };
    lib_new_type(L, PROCESS_WATCH_TYPE, methods, close_watch);
    luaL_newlib(L, functions);
    return 1;
}
