#include "host.h"

#include "base/parallel.h"
#include "host_shipped.h"
#include "lib/lib.h"
#include "shipped.h"
#include "system/interrupt.h"
#include "system/platform.h"
#include "system/watchdog.h"

#include <lauxlib.h>
#include <lualib.h>
#include <luv/luv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declared here because only Debian's lua-cjson has a header. */
extern int luaopen_cjson(lua_State *L);

enum { NO_MEMORY_STATUS = 3, WATCHDOG_TIMEOUT = 5000 /* milliseconds */ };

/* An event that cannot be handled because memory is short is lost, and whoever waits for it would
 * wait for ever. So the process ends; what can be written of the run is written by the watchdog. */
static void end_without_memory(void)
{
    fputs("deskpilot: there is not enough memory\n", stderr);
    if (system_watchdog_end(WATCHDOG_NO_MEMORY)) {
        uv_sleep(WATCHDOG_TIMEOUT); /* its thread ends the process before */
    }
    system_end(NO_MEMORY_STATUS);
}

/* Buffers of Lua's library raise the same message as an error like any other. */
static bool is_memory_error(lua_State *L, int status)
{
    static const char message[] = "not enough memory";
    return status == LUA_ERRMEM || (status != LUA_OK && lua_type(L, -1) == LUA_TSTRING &&
                                    strncmp(lua_tostring(L, -1), message, sizeof message - 1) == 0);
}

static int traceback(lua_State *L)
{
    luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
    return 1;
}

/* Says what is on the top of the stack to the user, by Lua's `warn`, which the command line makes
 * safe for a terminal; without it, as it is. Pops it. */
static void say(lua_State *L, const char *lead)
{
    const char *words = luaL_tolstring(L, -1, NULL);
    if (lua_getglobal(L, "warn") == LUA_TFUNCTION && !lua_iscfunction(L, -1)) {
        lua_pushfstring(L, "%s%s", lead, words);
        if (lua_pcall(L, 1, 0, 0) == LUA_OK) {
            lua_pop(L, 2);
            return;
        }
    }
    fprintf(stderr, "deskpilot: %s%s\n", lead, words);
    lua_pop(L, 3);
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
    if (is_memory_error(L, status)) {
        end_without_memory();
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

int host_call(lua_State *L, const char *module, const char *function, int argc, char **argv,
              int first)
{
    lua_settop(L, 0);
    lua_pushcfunction(L, traceback);
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    int status = lua_pcall(L, 1, 1, 1);
    if (status != LUA_OK) {
        goto failed;
    }
    lua_getfield(L, -1, function);
    lua_createtable(L, argc, 0);
    for (int i = first; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i - first + 1);
    }
    status = lua_pcall(L, 1, 1, 1);
    if (status != LUA_OK) {
        goto failed;
    }
    return (int) lua_tointeger(L, -1);

failed:
    if (is_memory_error(L, status)) {
        end_without_memory();
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
        system_end(e->status);
    }
    uv_mutex_unlock(&e->lock);
}

static void close_all(lua_State *L)
{
    system_interrupt_close(L);
    lua_close(L);
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
