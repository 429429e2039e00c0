#include "lib_fields.h"

#include <string.h>

const char *lib_text(lua_State *L, int index, const char *who, const char *what)
{
    size_t size;
    if (lua_type(L, index) != LUA_TSTRING) {
        luaL_error(L, "%s: %s must be a string, not a %s", who, what, luaL_typename(L, index));
    }
    const char *text = lua_tolstring(L, index, &size);
    if (strlen(text) != size) {
        luaL_error(L, "%s: %s may not hold a NUL", who, what);
    }
    return text;
}

const char *lib_string_field(lua_State *L, int index, const char *who, const char *name,
                             const char *otherwise)
{
    const char *text = otherwise;
    if (lua_getfield(L, index, name) != LUA_TNIL || !otherwise) {
        const char *what = lua_pushfstring(L, "'%s'", name);
        text = lib_text(L, -2, who, what);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return text;
}

double lib_number_field(lua_State *L, int index, const char *who, const char *name, double most,
                        double otherwise)
{
    int type = lua_getfield(L, index, name);
    double value = type == LUA_TNIL ? otherwise : lua_tonumber(L, -1);
    if (type != LUA_TNIL && (type != LUA_TNUMBER || !(value >= 0 && value <= most))) {
        luaL_error(L, "%s: '%s' must be a number of 0 to %f", who, name, most);
    }
    lua_pop(L, 1);
    return value;
}

const net_header *lib_header_field(lua_State *L, int index, const char *who, size_t *count)
{
    int type = lua_getfield(L, index, "headers");
    if (type != LUA_TNIL && type != LUA_TTABLE) {
        luaL_error(L, "%s: 'headers' must be a table of name = value", who);
    }
    *count = 0;
    if (type == LUA_TNIL) {
        return NULL;
    }
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        ++*count;
    }
    net_header *headers = lua_newuserdatauv(L, (*count + 1) * sizeof *headers, 0);
    lua_insert(L, -2);
    size_t i = 0;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        const char *name = lib_text(L, -2, who, "a header's name");
        headers[i++] = (net_header){name, lib_text(L, -1, who, "a header's value")};
    }
    lua_pop(L, 1);
    return headers;
}
