#include "lib_kept.h"
#include "lib.h"

#include <lauxlib.h>
#include <luv/luv.h>

void lib_kept_hold(lua_State *L, lib_kept *kept)
{
    kept->L = luv_state(L);
    kept->ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

void lib_kept_let_go(const lib_kept *kept)
{
    luaL_unref(kept->L, LUA_REGISTRYINDEX, kept->ref);
}

void lib_kept_push(const lib_kept *kept, int place)
{
    lua_rawgeti(kept->L, LUA_REGISTRYINDEX, kept->ref);
    lua_rawgeti(kept->L, -1, place);
    lua_remove(kept->L, -2);
}

void lib_kept_call(const lib_kept *kept, int arguments)
{
    luv_context(kept->L)->cb_pcall(kept->L, arguments, 0, 0);
}

void lib_kept_functions(lua_State *L, const char *who, const char *const *names, int first, int end)
{
    for (int place = first; place < end; place++) {
        if (lua_getfield(L, 1, names[place]) != LUA_TFUNCTION) {
            luaL_error(L, "%s: '%s' must be a function", who, names[place]);
        }
        lua_rawseti(L, -2, place);
    }
}

int lib_kept_fail(lua_State *L, const char *who, const base_error *err)
{
    if (err->code == BASE_INVALID) {
        return luaL_error(L, "%s: %s", who, err->message);
    }
    return lib_fail(L, err);
}
