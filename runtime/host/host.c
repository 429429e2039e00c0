#include "host.h"

#include "base/parallel.h"
#include "host_shipped.h"
#include "lib/lib.h"
#include "shipped.h"
#include "system/interrupt.h"
#include "system/memory.h"
#include "system/platform.h"
#include "system/unfinished.h"

#include <lauxlib.h>
#include <lualib.h>
#include <luv/luv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declared here because only Debian's lua-cjson has a header. */
extern int luaopen_cjson(lua_State *L);

/* Buffers of Lua's library raise the same message as an error like any other, after its place. */
static bool is_memory_error(lua_State *L, int status)
{
    static const char words[] = "not enough memory";
    size_t size = 0, end = sizeof words - 1;
    const char *message =
        status != LUA_OK && lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &size) : NULL;
    return status == LUA_ERRMEM ||
           (message && size >= end && strcmp(message + size - end, words) == 0);
}

static int traceback(lua_State *L)
{
    if (!is_memory_error(L, LUA_ERRRUN)) { /* of that the place says nothing */
        luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
    }
    return 1;
}

/* `lead` and a value, by Lua's `warn`, which the command line makes safe for a terminal; without
 * it, as they are. */
static int say_protected(lua_State *L)
{
    const char *lead = lua_touserdata(L, 1), *words = luaL_tolstring(L, 2, NULL);
    if (lua_getglobal(L, "warn") == LUA_TFUNCTION && !lua_iscfunction(L, -1)) {
        lua_pushfstring(L, "%s%s", lead, words);
        if (lua_pcall(L, 1, 0, 0) == LUA_OK) {
            return 0;
        }
    }
    fprintf(stderr, "deskpilot: %s%s\n", lead, words);
    return 0;
}

/* Says what is on the top of the stack to the user, and pops it. */
static void say(lua_State *L, const char *lead)
{
    lua_pushcfunction(L, say_protected);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, (void *) lead);
    lua_insert(L, -2);
    int status = lua_pcall(L, 2, 0, 0);
    if (is_memory_error(L, status)) {
        system_end_without_memory();
    }
    if (status != LUA_OK) {
        lua_pop(L, 1);
    }
}

/* Calls a callback of luv. An uncaught error in it is a bug in deskpilot or in a user's own luv
 * code. It is reported and the loop goes on; luv's default, exit(255), would skip all clean-up. */
static int callback(lua_State *L, int arguments, int results, int flags)
{
    (void) flags;
    int base = lua_gettop(L) - arguments;
    lua_pushcfunction(L, traceback);
    lua_insert(L, base);
    int status = lua_pcall(L, arguments, results, base);
    if (is_memory_error(L, status)) { /* whoever waits for the lost event would wait for ever */
        system_end_without_memory();
    }
    if (status != LUA_OK) {
        say(L, "error in a callback: ");
        lua_settop(L, base - 1);
        return -status;
    }
    lua_remove(L, base);
    return results == LUA_MULTRET ? lua_gettop(L) - base + 1 : results;
}

static bool load_shipped(lua_State *L, const char *module, const char *suffix)
{
    char name[256];
    size_t length = strlen(module);
    if (length + strlen(suffix) + 1 > sizeof name) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        name[i] = module[i] == '.' ? '/' : module[i];
    }
    strcpy(name + length, suffix);
    const shipped_file *file = shipped_find(name);
    if (!file) {
        return false;
    }
    char chunk[260];
    snprintf(chunk, sizeof chunk, "@%s", name);
    if (luaL_loadbufferx(L, file->data, file->size, chunk, "t") != LUA_OK) {
        lua_error(L);
    }
    lua_pushstring(L, chunk + 1);
    return true;
}

/* The last package searcher: finds modules inside the program. */
static int search_shipped(lua_State *L)
{
    const char *module = luaL_checkstring(L, 1);
    if (load_shipped(L, module, ".lua") || load_shipped(L, module, "/init.lua")) {
        return 2;
    }
    lua_pushfstring(L, "no module '%s' inside deskpilot", module);
    return 1;
}

/* Only preloaded and shipped modules are found until base/lookup.lua adds the user's folders. So
 * neither the working folder nor an inherited LUA_PATH can make the program run code. */
static void set_searchers(lua_State *L)
{
    lua_getglobal(L, "package");
    lua_newtable(L);
    lua_getfield(L, -2, "searchers");
    lua_rawgeti(L, -1, 1);
    lua_rawseti(L, -3, 1);
    lua_pop(L, 1);
    lua_pushcfunction(L, search_shipped);
    lua_rawseti(L, -2, 2);
    lua_setfield(L, -2, "searchers");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "path");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_pop(L, 1);
}

static int open_all(lua_State *L)
{
    luaL_openlibs(L);
    luv_set_callback(L, callback);
    luaL_requiref(L, "luv", luaopen_luv, 0);
    lua_pop(L, 1);
    system_interrupt_open(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_cjson);
    lua_setfield(L, -2, "cjson");
    lua_pushcfunction(L, host_open_shipped);
    lua_setfield(L, -2, "native.shipped");
    lua_pop(L, 1);
    lib_preload(L);
    set_searchers(L);
    return 0;
}

lua_State *host_open(void)
{
    lua_State *L = luaL_newstate();
    if (!L) {
        return NULL;
    }
    lua_pushcfunction(L, open_all);
    if (lua_pcall(L, 0, 0, 0) == LUA_OK) {
        return L;
    }
    fprintf(stderr, "deskpilot: %s\n", lua_tostring(L, -1));
    lua_close(L);
    return NULL;
}

typedef struct {
    const char *module, *function;
    int argc, first;
    char **argv;
    int status;
} call;

static int call_protected(lua_State *L)
{
    call *c = lua_touserdata(L, 1);
    lua_getglobal(L, "require");
    lua_pushstring(L, c->module);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, c->function);
    lua_createtable(L, c->argc, 0);
    for (int i = c->first; i < c->argc; i++) {
        lua_pushstring(L, c->argv[i]);
        lua_rawseti(L, -2, i - c->first + 1);
    }
    lua_call(L, 1, 1);
    c->status = (int) lua_tointeger(L, -1);
    return 0;
}

int host_call(lua_State *L, const char *module, const char *function, int argc, char **argv,
              int first)
{
    call c = {module, function, argc, first, argv, 0};
    lua_settop(L, 0);
    lua_pushcfunction(L, traceback);
    lua_pushcfunction(L, call_protected);
    lua_pushlightuserdata(L, &c);
    int status = lua_pcall(L, 1, 0, 1);
    if (status == LUA_OK) {
        return c.status;
    }
    if (is_memory_error(L, status)) {
        system_end_without_memory();
    }
    say(L, "");
    return 2;
}

/* The end of the process waits for libuv's thread pool, where a system call may hang (an
 * application that does not answer COM, a name server). After this timeout the process ends without
 * it. */
enum { CLOSE_TIMEOUT = 5 /* seconds */ };

typedef struct {
    uv_mutex_t lock;
    uv_cond_t changed;
    bool closed;
    int status;
} ending;

static void end_anyway(void *context)
{
    ending *e = context;
    uint64_t now = uv_hrtime(), limit = now + CLOSE_TIMEOUT * UINT64_C(1000000000);
    uv_mutex_lock(&e->lock);
    for (; !e->closed && now < limit; now = uv_hrtime()) {
        uv_cond_timedwait(&e->changed, &e->lock, limit - now);
    }
    if (!e->closed) {
        fputs("deskpilot: ended without waiting for a call that does not return\n", stderr);
        fflush(stderr);
        system_unfinished_remove_all();
        system_end(e->status);
    }
    uv_mutex_unlock(&e->lock);
}

static void close_all(lua_State *L)
{
    system_interrupt_close(L);
    lua_close(L);
    system_unfinished_remove_all();
    base_parallel_stop();
}

void host_close(lua_State *L, int status)
{
    ending e = {.status = status};
    uv_thread_t guard;
    uv_mutex_init(&e.lock);
    uv_cond_init(&e.changed);
    fflush(stdout);
    bool guarded = uv_thread_create(&guard, end_anyway, &e) == 0;
    close_all(L);
    uv_mutex_lock(&e.lock);
    e.closed = true;
    uv_cond_signal(&e.changed);
    uv_mutex_unlock(&e.lock);
    if (guarded) {
        uv_thread_join(&guard);
    }
    uv_cond_destroy(&e.changed);
    uv_mutex_destroy(&e.lock);
}
