#include "interrupt.h"

#include "deadline.h"
#include "watchdog.h"

#include <lauxlib.h>
#include <luv/luv.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

/* The state of this module. It is global because a signal handler can reach nothing else. */
static struct {
    lua_State *main;
    lua_State *volatile current;   /* the coroutine that runs now; `main` if none does */
    volatile sig_atomic_t pending; /* requested, and not yet passed to the handler */
    volatile sig_atomic_t asked;   /* requested since the last system_interrupt_clear */
    volatile sig_atomic_t kind;
    volatile sig_atomic_t grace; /* calls of the hook until it raises an error again */
    uv_async_t wake;
    int handler, overdue; /* registry references, or LUA_NOREF */
} self;

/* Whether the running task is past its deadline. An error in the Lua function counts as no. */
static bool is_overdue(lua_State *L)
{
    if (self.overdue == LUA_NOREF) {
        return false;
    }
    lua_rawgeti(L, LUA_REGISTRYINDEX, self.overdue);
    bool yes = lua_pcall(L, 0, 1, 0) == LUA_OK && lua_toboolean(L, -1);
    lua_pop(L, 1);
    return yes;
}

/* The hook that stops the running coroutine: it yields. Where it may not yield (for example inside
 * a comparison function of table.sort) it raises an error. Code that catches the error is
 * interrupted again: at once where it may yield, else after CLEANUP_CALLS, so that it can clean up.
 * */
static void stop_hook(lua_State *L, lua_Debug *where)
{
    enum { CLEANUP_CALLS = 10000 /* calls of this hook */ };
    (void) where;
    if (!self.pending || (self.kind == INTERRUPT_OVERDUE && !is_overdue(L))) {
        lua_sethook(L, NULL, 0, 0);
    } else if (lua_isyieldable(L)) {
        lua_sethook(L, NULL, 0, 0);
        lua_yield(L, 0);
    } else if (self.grace-- <= 0) {
        self.grace = CLEANUP_CALLS;
        luaL_error(L, "interrupted");
    }
}

/* Installs the hook. Only line and count events may yield (Lua manual, lua_Hook). */
static void arm(lua_State *L)
{
    lua_sethook(L, stop_hook, LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

void system_interrupt_request(system_interrupt_kind kind)
{
    if (self.asked && kind == INTERRUPT_OVERDUE) {
        return; /* a signal is already stopping everything */
    }
    if (self.asked && kind != INTERRUPT_HUP) {
        if (system_watchdog_end(WATCHDOG_INTERRUPTED)) {
            return; /* its thread writes down how the run ended, and ends the process */
        }
        system_end(130);
    }
    self.asked = kind != INTERRUPT_OVERDUE;
    self.kind = kind;
    self.pending = 1;
    self.grace = 0;
    lua_State *running = self.current;
    if (running != self.main) {
        arm(running); /* lua_sethook may be called from a signal handler (manual, lua.c) */
    }
    uv_async_send(&self.wake);
}

void system_interrupt_clear(void)
{
    self.asked = 0;
}

static const char *const names[] = {
    [INTERRUPT_INT] = "SIGINT",
    [INTERRUPT_TERM] = "SIGTERM",
    [INTERRUPT_HUP] = "SIGHUP",
    [INTERRUPT_STOP_HOTKEY] = "stop_hotkey",
};

const char *system_interrupt_name(void)
{
    return self.asked ? names[self.kind] : NULL;
}

bool system_interrupt_pending(void)
{
    return self.asked && self.pending && self.handler != LUA_NOREF;
}

static void on_wake(uv_async_t *handle)
{
    (void) handle;
    if (!self.pending || self.handler == LUA_NOREF) {
        return;
    }
    self.pending = 0;
    if (self.kind == INTERRUPT_OVERDUE) {
        return; /* the task has been stopped, or it waits and the loop's timer ends it */
    }
    lua_State *L = self.main;
    lua_rawgeti(L, LUA_REGISTRYINDEX, self.handler);
    lua_pushstring(L, names[self.kind]);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
        lua_pop(L, 1); /* the handler is deskpilot's and reports its own errors */
    }
}

void system_interrupt_set_handler(lua_State *L)
{
    luaL_unref(L, LUA_REGISTRYINDEX, self.handler);
    self.handler = luaL_ref(L, LUA_REGISTRYINDEX);
}

void system_interrupt_set_overdue(lua_State *L)
{
    luaL_unref(L, LUA_REGISTRYINDEX, self.overdue);
    self.overdue = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Like lua_resume, but also updates self.current. Returns the number of results on `co`, or -1. */
static int resume(lua_State *L, lua_State *co, int arguments)
{
    int results;
    if (!lua_checkstack(co, arguments)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, arguments);
    lua_State *before = self.current;
    self.current = co;
    int status = lua_resume(co, L, arguments, &results);
    self.current = before;
    if (self.pending && before != self.main) {
        arm(before); /* the request came while a nested coroutine ran: stop the outer one too */
    }
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, results + 1)) {
        lua_pop(co, results);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, results);
    return results;
}

/* "dead" or "non-suspended" if `co` cannot be resumed, else NULL (as auxstatus of lcorolib.c). */
static const char *why_not(lua_State *L, lua_State *co)
{
    lua_Debug frame;
    if (co == L) {
        return "non-suspended";
    }
    if (lua_status(co) == LUA_YIELD) {
        return NULL;
    }
    if (lua_status(co) != LUA_OK) {
        return "dead";
    }
    if (lua_getstack(co, 0, &frame)) {
        return "non-suspended";
    }
    return lua_gettop(co) == 0 ? "dead" : NULL;
}

static int co_resume(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co, 1, "coroutine");
    const char *refusal = why_not(L, co);
    if (refusal) {
        lua_pushboolean(L, 0);
        lua_pushfstring(L, "cannot resume %s coroutine", refusal);
        return 2;
    }
    int results = resume(L, co, lua_gettop(L) - 1);
    lua_pushboolean(L, results >= 0);
    if (results < 0) {
        lua_insert(L, -2);
        return 2;
    }
    lua_insert(L, -(results + 1));
    return results + 1;
}

static int wrap_call(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    const char *refusal = why_not(L, co);
    if (refusal) {
        return luaL_error(L, "cannot resume %s coroutine", refusal);
    }
    int results = resume(L, co, lua_gettop(L));
    if (results >= 0) {
        return results;
    }
    if (lua_status(co) != LUA_OK && lua_status(co) != LUA_YIELD) {
        lua_resetthread(co);
    }
    if (lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int co_wrap(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, wrap_call, 1);
    return 1;
}

static void replace(lua_State *L, const char *library, const char *name, lua_CFunction function)
{
    lua_getglobal(L, library);
    if (function) {
        lua_pushcfunction(L, function);
    } else {
        lua_pushnil(L);
    }
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

void system_interrupt_open(lua_State *L)
{
    memset(&self, 0, sizeof self);
    self.main = L;
    self.current = L;
    self.handler = self.overdue = LUA_NOREF;
    uv_async_init(luv_loop(L), &self.wake, on_wake);
    uv_unref((uv_handle_t *) &self.wake);

    replace(L, "coroutine", "resume", co_resume);
    replace(L, "coroutine", "wrap", co_wrap);
    replace(L, "debug", "sethook", NULL);

    system_open(luv_loop(L), system_interrupt_request);
}

void system_interrupt_close(lua_State *L)
{
    system_deadline_stop();
    system_watchdog_stop();
    system_close();
    uv_close((uv_handle_t *) &self.wake, NULL);
    uv_run(luv_loop(L), UV_RUN_NOWAIT);
}
