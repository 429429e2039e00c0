/* The userdata of a desk, and what the files of its module share. */
#include "lib_desk.h"

#include <limits.h>
#include <string.h>

desk *lib_check_desk(lua_State *L)
{
    lib_desk *self = luaL_checkudata(L, 1, DESK_TYPE);
    luaL_argcheck(L, self->d, 1, "the desk has been closed");
    return self->d;
}

int lib_check_int(lua_State *L, int index)
{
    lua_Integer value = luaL_checkinteger(L, index);
    luaL_argcheck(L, value >= INT_MIN && value <= INT_MAX, index, "number out of range");
    return (int) value;
}

const char *lib_check_plain(lua_State *L, int index)
{
    size_t length;
    const char *text = luaL_checklstring(L, index, &length);
    luaL_argcheck(L, strlen(text) == length, index, "contains a zero byte");
    return text;
}

int lib_done(lua_State *L, bool ok, const base_error *err)
{
    if (!ok) {
        return lib_fail(L, err);
    }
    lua_pushboolean(L, 1);
    return 1;
}

void lib_recall_lent(lua_State *L, int desk_index)
{
    if (lua_getiuservalue(L, desk_index, LENT_SLOT) == LUA_TUSERDATA) {
        image_bitmap *image = lua_touserdata(L, -1);
        if (image->borrowed) {
            image_free(image);
        }
    }
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_setiuservalue(L, desk_index, LENT_SLOT);
}

void lib_push_rect_fields(lua_State *L, image_rect r)
{
    lua_pushinteger(L, r.x);
    lua_setfield(L, -2, "x");
    lua_pushinteger(L, r.y);
    lua_setfield(L, -2, "y");
    lua_pushinteger(L, r.width);
    lua_setfield(L, -2, "width");
    lua_pushinteger(L, r.height);
    lua_setfield(L, -2, "height");
}

int lib_option_int(lua_State *L, int table, const char *name, int otherwise)
{
    int isnum = 1;
    lua_Integer value = otherwise;
    if (lua_getfield(L, table, name) != LUA_TNIL) {
        value = lua_tointegerx(L, -1, &isnum);
    }
    if (!isnum || value < INT_MIN || value > INT_MAX) {
        return luaL_error(L, "option '%s' must be a whole number", name);
    }
    lua_pop(L, 1);
    return (int) value;
}

const char *lib_option_string(lua_State *L, int table, const char *name)
{
    int type = lua_getfield(L, table, name);
    if (type != LUA_TNIL && type != LUA_TSTRING) {
        luaL_error(L, "option '%s' must be a string", name);
    }
    const char *value = lua_tostring(L, -1);
    lua_pop(L, 1);
    return value;
}

bool lib_option_bool(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}
