/*
 * native.shipped: the files inside the program (shipped.h), for Lua. The module is part of the
 * host, because nothing below the host may know which files are shipped.
 */
#include "host_shipped.h"

#include "shipped.h"
#include "system/platform.h"

#include <lauxlib.h>
#include <string.h>

/* The text of a file inside the program.
 * ---@param name string such as "missions/calculator.lua"
 * ---@return string? text nil if there is none of that name */
static int shipped_read(lua_State *L)
{
    const shipped_file *file = shipped_find(luaL_checkstring(L, 1));
    if (!file) {
        return 0;
    }
    lua_pushlstring(L, file->data, file->size);
    return 1;
}

/* The names of the files inside the program that begin with `prefix`, sorted.
 * ---@param prefix string
 * ---@return string[] */
static int shipped_list(lua_State *L)
{
    size_t length;
    const char *prefix = luaL_optlstring(L, 1, "", &length);
    lua_newtable(L);
    lua_Integer count = 0;
    for (size_t i = 0; i < shipped_count; i++) {
        if (strncmp(shipped_files[i].name, prefix, length) == 0) {
            lua_pushstring(L, shipped_files[i].name);
            lua_rawseti(L, -2, ++count);
        }
    }
    return 1;
}

/* Gives back the memory of the files that were read. They can be read again. */
static int shipped_give_back(lua_State *L)
{
    (void) L;
    const char *first = shipped_files[0].data, *end = first;
    for (size_t i = 0; i < shipped_count; i++) {
        const shipped_file *file = &shipped_files[i];
        first = file->data < first ? file->data : first;
        end = file->data + file->size > end ? file->data + file->size : end;
    }
    system_give_back(first, (size_t) (end - first));
    return 0;
}

int host_open_shipped(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"read", shipped_read},
        {"list", shipped_list},
        {"give_back", shipped_give_back},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
