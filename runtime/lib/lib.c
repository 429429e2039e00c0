#include "lib.h"

#define ERROR_TYPE "deskpilot.error"

static int error_tostring(lua_State *L)
{
    lua_getfield(L, 1, "message");
    return 1;
}

void lib_push_error(lua_State *L, const char *code, const char *message)
{
    lua_createtable(L, 0, 2);
    lua_pushstring(L, code);
    lua_setfield(L, -2, "code");
    lua_pushstring(L, message);
    lua_setfield(L, -2, "message");
    if (luaL_newmetatable(L, ERROR_TYPE)) {
        lua_pushcfunction(L, error_tostring);
        lua_setfield(L, -2, "__tostring");
    }
    lua_setmetatable(L, -2);
}

int lib_fail(lua_State *L, const base_error *err)
{
    lua_pushnil(L);
    lib_push_error(L, base_code_name(err->code), err->message);
    return 2;
}

void lib_push_list(lua_State *L, size_t count,
                   void (*push)(lua_State *L, const void *list, size_t index), const void *list)
{
    lua_createtable(L, (int) count, 0);
    for (size_t i = 0; i < count; i++) {
        push(L, list, i);
        lua_rawseti(L, -2, (lua_Integer) i + 1);
    }
}

void lib_new_type(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction gc)
{
    luaL_newmetatable(L, name);
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, gc);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, gc);
    lua_setfield(L, -2, "__close");
    lua_pushstring(L, "no");
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

void lib_add_methods(lua_State *L, const char *name, const luaL_Reg *methods)
{
    luaL_getmetatable(L, name);
    lua_getfield(L, -1, "__index");
    luaL_setfuncs(L, methods, 0);
    lua_pop(L, 2);
}
