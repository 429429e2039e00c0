/*
 * native.watchdog: what is written in our place where a C call holds this Lua state for good, and
 * when. A process has one, for one run.
 */
#include "lib.h"
#include "system/deadline.h"
#include "system/watchdog.h"

#include <uv.h>

/* Begins: nothing is written before `set` has been called.
 * ---@param journal integer the open file that lines are appended to, as uv.fs_open gives it
 * ---@param result string path of the file that is replaced as a whole
 * ---@param epoch number the time of uv.hrtime, in seconds, from which seconds are counted
 * ---@param lines integer how many lines the journal has that count
 * ---@return boolean? ok, deskpilot.error? err */
static int lib_watchdog_open(lua_State *L)
{
    int journal = (int) luaL_checkinteger(L, 1);
    const char *result = luaL_checkstring(L, 2);
    lua_Number epoch = luaL_checknumber(L, 3);
    lua_Integer lines = luaL_checkinteger(L, 4);
    base_error err;
    luaL_argcheck(L, epoch >= 0 && epoch < 3e9, 3, "a time of uv.hrtime, in seconds, is wanted");
    luaL_argcheck(L, lines >= 0, 4, "a number of lines is wanted");
    if (!system_watchdog_open(journal, result, (uint64_t) (epoch * 1e9), (size_t) lines, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

/* The text of a field of the table at `index`, which stays on the stack. */
static system_bytes bytes_of(lua_State *L, int index, const char *name)
{
    system_bytes bytes = {NULL, 0};
    if (lua_getfield(L, index, name) != LUA_TNIL) {
        if (lua_type(L, -1) != LUA_TSTRING) {
            luaL_error(L, "%s must be a text", name);
        }
        bytes.bytes = lua_tolstring(L, -1, &bytes.size);
    }
    return bytes;
}

/* What is written, and with which status the process ends. In the texts "\1" becomes the seconds
 * since epoch, "\2" the number of lines.
 * ---@param cause "overdue"|"interrupted"|"no_memory" a limit has passed; asked to stop for the
 * ---  second time; an event was lost because memory was short
 * ---@param words { line: string?, result: string?, output: string?, words: string?, status:
 * integer }
 * ---  for the journal, the result's file, standard output and standard error
 * ---@return boolean? ok, deskpilot.error? err */
static int lib_watchdog_set(lua_State *L)
{
    static const char *const causes[] = {"overdue", "interrupted", "no_memory", NULL};
    int cause = luaL_checkoption(L, 1, NULL, causes);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    system_last_words words = {.line = bytes_of(L, 2, "line"),
                               .result = bytes_of(L, 2, "result"),
                               .output = bytes_of(L, 2, "output"),
                               .words = bytes_of(L, 2, "words")};
    lua_getfield(L, 2, "status");
    words.status = (int) luaL_checkinteger(L, -1);
    base_error err;
    if (!system_watchdog_set((system_watchdog_cause) cause, &words, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

static void set_size(lua_State *L, int place, lua_Integer size)
{
    lua_pushinteger(L, size);
    lua_setfield(L, place, "size");
}

/* Appends a line to an open file, so that it does not mix with what the watchdog writes. What was
 * written of a line that did not fit is taken back. `place` says where the file ends and is changed
 * here, because Lua code may be interrupted between the call and what it would note.
 * ---@param file integer as uv.fs_open gives it
 * ---@param text string
 * ---@param place { size: integer, lines: integer, torn: boolean? } bytes and whole lines of the
 * ---  file, which grow; torn: half a line that could not be taken back stands at its end
 * ---@param last boolean? true: the watchdog need not write a line to it any more
 * ---@return boolean? ok
 * ---@return string? why in the system's words */
static int lib_watchdog_append(lua_State *L)
{
    size_t length, left;
    int file = (int) luaL_checkinteger(L, 1);
    const char *text = luaL_checklstring(L, 2, &length);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_getfield(L, 3, "size");
    lua_getfield(L, 3, "lines");
    lua_Integer size = luaL_checkinteger(L, -2), lines = luaL_checkinteger(L, -1);
    luaL_argcheck(L, size >= 0, 3, "a size is wanted");
    int error =
        system_watchdog_append(file, text, length, (uint64_t) size, lua_toboolean(L, 4), &left);
    if (error) {
        if (left > 0) {
            set_size(L, 3, size + (lua_Integer) left);
            lua_pushboolean(L, 1);
            lua_setfield(L, 3, "torn");
        }
        lua_pushnil(L);
        lua_pushfstring(L, "%s: %s", uv_err_name(error), uv_strerror(error));
        return 2;
    }
    set_size(L, 3, size + (lua_Integer) length);
    lua_pushinteger(L, lines + 1);
    lua_setfield(L, 3, "lines");
    lua_pushnil(L);
    lua_setfield(L, 3, "torn");
    lua_pushboolean(L, 1);
    return 1;
}

/* The time of uv.hrtime, in seconds, by which this is called again, with a later time or with nil
 * for never. Where it was not within a second of that, the process ends for the cause "overdue".
 * ---@param at number? */
static int lib_watchdog_answer_by(lua_State *L)
{
    lua_Number at = luaL_optnumber(L, 1, 0);
    /* A century will do for what is infinite, or nearly. */
    system_deadline_answer_by(at <= 0 ? 0 : at < 3e9 ? (uint64_t) (at * 1e9) : UINT64_MAX);
    return 0;
}

/* Nothing is written any more. Before the journal is closed, unless words without a line and
 * without a result have been left. */
static int lib_watchdog_close(lua_State *L)
{
    (void) L;
    system_deadline_answer_by(0);
    system_watchdog_close();
    return 0;
}

int lib_open_watchdog(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"open", lib_watchdog_open},     {"set", lib_watchdog_set},
        {"append", lib_watchdog_append}, {"answer_by", lib_watchdog_answer_by},
        {"close", lib_watchdog_close},   {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
