/* The part of native.desk that is about the clipboard (lib_desk.c). */
#include "lib_desk.h"

#include <stdlib.h>

static desk_clipboard_kind check_kind(lua_State *L, int index)
{
    static const char *const names[] = {"text", "png", NULL};
    return (desk_clipboard_kind) luaL_checkoption(L, index, "text", names);
}

/* What the clipboard holds, "" where it holds none of that kind: a text with "\n" line ends, or the
 * bytes of a PNG file. False while it is not to be had yet: ask again after pump.
 * ---@param kind "text"|"png"|nil
 * ---@return string|false? data
 * ---@return deskpilot.error? err */
static int lib_desk_clipboard_get(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    char *data = NULL;
    size_t length = 0;
    bool pending = false;
    if (!desk_clipboard_get(d, check_kind(L, 2), &data, &length, &pending, &err)) {
        return lib_fail(L, &err);
    }
    if (pending) {
        lua_pushboolean(L, 0);
        return 1;
    }
    lua_pushlstring(L, data, length);
    free(data);
    return 1;
}

/* Offers a text or a PNG file to other programs. False while that cannot be done yet: ask again
 * after pump.
 * ---@param data string
 * ---@param kind "text"|"png"|nil
 * ---@return boolean? ok
 * ---@return deskpilot.error? err */
static int lib_desk_clipboard_set(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    bool pending = false;
    size_t length;
    const char *data = luaL_checklstring(L, 2, &length);
    if (!desk_clipboard_set(d, check_kind(L, 3), data, length, &pending, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, !pending);
    return 1;
}

/* A number that grows whenever something is put into the clipboard and pump has seen it.
 * ---@return integer? number
 * ---@return deskpilot.error? err */
static int lib_desk_clipboard_changes(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    uint64_t number;
    if (!desk_clipboard_changes(d, &number, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, (lua_Integer) number);
    return 1;
}

const luaL_Reg lib_desk_clipboard_methods[] = {
    {"clipboard_get", lib_desk_clipboard_get},
    {"clipboard_set", lib_desk_clipboard_set},
    {"clipboard_changes", lib_desk_clipboard_changes},
    {NULL, NULL},
};
