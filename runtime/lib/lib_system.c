/*
 * native.system: what neither luv nor Lua's own library offers. Interruption, the process-tree
 * keeping of the private desktop's host, locks and checksums of files.
 * ---@field version string of this program
 * ---@field platform "linux"|"windows"
 */
#include "base/sha256.h"
#include "lib.h"
#include "system/deadline.h"
#include "system/interrupt.h"
#include "system/platform.h"

#include <stdlib.h>
#include <string.h>

/* Calls `handler(signal_name)` on the loop when the process is asked to stop.
 * ---@param handler fun(signal: string) */
static int lib_system_on_interrupt(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    system_interrupt_set_handler(L);
    return 0;
}

/* What the process has been asked to stop by (as on_interrupt's handler hears it); nil where it has
 * not, or where that has been cleared.
 * ---@return string? signal
 * ---@return boolean pending the handler has not heard of it yet, and whatever computes is stopped
 */
static int lib_system_interrupt(lua_State *L)
{
    lua_pushstring(L, system_interrupt_name());
    lua_pushboolean(L, system_interrupt_pending());
    return 2;
}

/* The request has been acted on: the next signal is a first one again. */
static int lib_system_clear_interrupt(lua_State *L)
{
    (void) L;
    system_interrupt_clear();
    return 0;
}

/* Sets when Lua code that computes without waiting has had time enough, in seconds of uv.hrtime;
 * nil for never. From then on, until another time is set, on_overdue's function is asked again and
 * again.
 * ---@param at number? */
static int lib_system_set_deadline(lua_State *L)
{
    lua_Number at = luaL_optnumber(L, 1, 0);
    /* A century will do for what is infinite, or nearly. */
    system_deadline_set(at <= 0 ? 0 : at < 3e9 ? (uint64_t) (at * 1e9) : UINT64_MAX);
    return 0;
}

/* Calls `judge()` in the middle of whatever runs past the deadline: true ends it there. It may not
 * wait.
 * ---@param judge fun(): boolean? */
static int lib_system_on_overdue(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    system_interrupt_set_overdue(L);
    return 0;
}

/* Whatever comes from this process ends with it from now on.
 * ---@return boolean? ok, deskpilot.error? err */
static int lib_system_hold_descendants(lua_State *L)
{
    base_error err;
    if (!system_hold_descendants(&err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* Runs this program again on a new Windows desktop, with the name after its own arguments and with
 * its standard streams; waits for its end (nothing else runs meanwhile), and ends what it started.
 * ---@param name string letters, digits, - and _
 * ---@return integer? status, deskpilot.error? err */
static int lib_system_run_on_desktop(lua_State *L)
{
    base_error err;
    int status = system_run_on_desktop(luaL_checkstring(L, 1), &err);
    if (status < 0) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, status);
    return 1;
}

/* Collects a child that luv does not know (an adopted one) if it has ended. Call when SIGCHLD came.
 * ---@param pid integer
 * ---@return integer state 1 collected, 0 still running, -1 no child of ours */
static int lib_system_reap(lua_State *L)
{
    lua_pushinteger(L, system_reap((long) luaL_checkinteger(L, 1)));
    return 1;
}

/* The process that started `pid`; nil if unknown or gone.
 * ---@param pid integer
 * ---@return integer? */
static int lib_system_parent(lua_State *L)
{
    long parent = system_parent((long) luaL_checkinteger(L, 1));
    if (parent <= 0) {
        return 0;
    }
    lua_pushinteger(L, parent);
    return 1;
}

/* Windows: the processes that come from `pid`, parents first, itself not among them.
 * ---@param pid integer
 * ---@return integer[] */
static int lib_system_descendants(lua_State *L)
{
    enum { MOST = 1024 };
    long found[MOST];
    size_t count = system_descendants((long) luaL_checkinteger(L, 1), found, MOST);
    lua_createtable(L, (int) count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushinteger(L, found[i]);
        lua_rawseti(L, -2, (lua_Integer) i + 1);
    }
    return 1;
}

/* Windows: the words that a process was started with; nil where they cannot be known.
 * ---@param pid integer
 * ---@return string[]? */
static int lib_system_command_line(lua_State *L)
{
    long pid = (long) luaL_checkinteger(L, 1);
    lua_newtable(L);
    size_t size;
    char *words = system_command_line(pid, &size);
    if (!words) {
        return 0;
    }
    lua_Integer count = 0;
    for (const char *word = words; word < words + size; word += strlen(word) + 1) {
        lua_pushstring(L, word);
        lua_rawseti(L, -2, ++count);
    }
    free(words);
    return 1;
}

/* Windows: opens a file or an address with the application for it. May take seconds, during which
 * nothing else runs.
 * ---@param target string
 * ---@return boolean? ok, deskpilot.error? err */
static int lib_system_open(lua_State *L)
{
    base_error err;
    if (!system_open_target(luaL_checkstring(L, 1), &err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* Forgets what has been typed at the terminal of standard input and was not read yet: it cannot be
 * meant for what is asked only now. */
static int lib_system_discard_input(lua_State *L)
{
    (void) L;
    system_discard_input();
    return 0;
}

/* Gives back to the system the memory that freed things have left, for what runs long; about 0.4
 * ms. Garbage that was not collected yet is none of it. */
static int lib_system_trim_memory(lua_State *L)
{
    (void) L;
    system_trim_memory();
    return 0;
}

/* Locks an open file until it is closed or this process ends, however it ends.
 * ---@param file integer as uv.fs_open gives it, for writing
 * ---@return boolean? ok, deskpilot.error? err code "refused": it is locked already */
static int lib_system_lock_file(lua_State *L)
{
    base_error err;
    if (!system_lock_file((int) luaL_checkinteger(L, 1), &err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* Who may change a file or folder beside this user and those who run the machine (root; SYSTEM,
 * Administrators). A link is not followed.
 * ---@param path string
 * ---@return { link: boolean, ours: boolean, owner: string?, writer: string? }? access ours: it
 * belongs to this user or to those, else `owner` has its name; writer: somebody else who may change
 * it, or replace what is in the folder
 * ---@return deskpilot.error? err */
static int lib_system_access(lua_State *L)
{
    base_error err;
    system_access access;
    if (!system_access_of(luaL_checkstring(L, 1), &access, &err)) {
        return lib_fail(L, &err);
    }
    lua_createtable(L, 0, 4);
    lua_pushboolean(L, access.link);
    lua_setfield(L, -2, "link");
    lua_pushboolean(L, access.ours);
    lua_setfield(L, -2, "ours");
    if (access.owner[0]) {
        lua_pushstring(L, access.owner);
        lua_setfield(L, -2, "owner");
    }
    if (access.writer[0]) {
        lua_pushstring(L, access.writer);
        lua_setfield(L, -2, "writer");
    }
    return 1;
}

/* The SHA-256 of some bytes, as sha256sum prints it.
 * ---@param bytes string
 * ---@return string hex */
static int lib_system_sha256(lua_State *L)
{
    size_t size;
    const char *bytes = luaL_checklstring(L, 1, &size);
    uint8_t sum[BASE_SHA256_SIZE];
    base_sha256(sum, bytes, size);
    char hex[2 * BASE_SHA256_SIZE];
    for (int i = 0; i < BASE_SHA256_SIZE; i++) {
        hex[2 * i] = "0123456789abcdef"[sum[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[sum[i] & 15];
    }
    lua_pushlstring(L, hex, sizeof hex);
    return 1;
}

int lib_open_system(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"on_interrupt", lib_system_on_interrupt},
        {"interrupt", lib_system_interrupt},
        {"clear_interrupt", lib_system_clear_interrupt},
        {"set_deadline", lib_system_set_deadline},
        {"on_overdue", lib_system_on_overdue},
        {"hold_descendants", lib_system_hold_descendants},
        {"run_on_desktop", lib_system_run_on_desktop},
        {"reap", lib_system_reap},
        {"parent", lib_system_parent},
        {"descendants", lib_system_descendants},
        {"command_line", lib_system_command_line},
        {"open", lib_system_open},
        {"discard_input", lib_system_discard_input},
        {"trim_memory", lib_system_trim_memory},
        {"lock_file", lib_system_lock_file},
        {"access", lib_system_access},
        {"sha256", lib_system_sha256},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    lua_pushliteral(L, DESKPILOT_VERSION);
    lua_setfield(L, -2, "version");
    lua_pushstring(L, system_name);
    lua_setfield(L, -2, "platform");
    return 1;
}
