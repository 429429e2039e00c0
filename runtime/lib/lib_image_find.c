/* The part of native.image that finds a picture in a picture (lib_image.c). */
#include "lib_image_find.h"
#include "find.h"
#include "lib.h"

#include <limits.h>

enum { MOST_HITS = 1000 };
static const double MIN_SCORE = 0.95;

static void push_hit(lua_State *L, const desk_hit *hit, const desk_image *template)
{
    lua_createtable(L, 0, 5);
    lua_pushinteger(L, hit->x);
    lua_setfield(L, -2, "x");
    lua_pushinteger(L, hit->y);
    lua_setfield(L, -2, "y");
    lua_pushinteger(L, template->width);
    lua_setfield(L, -2, "width");
    lua_pushinteger(L, template->height);
    lua_setfield(L, -2, "height");
    lua_pushnumber(L, hit->score);
    lua_setfield(L, -2, "score");
}

static int side(lua_State *L, int index, const char *name)
{
    int exact;
    lua_getfield(L, index, name);
    lua_Integer value = lua_tointegerx(L, -1, &exact);
    if (!exact || value < INT_MIN || value > INT_MAX)
        luaL_error(L, "bad region: field '%s' must be an integer", name);
    lua_pop(L, 1);
    return (int) value;
}

static void check_options(lua_State *L, int index, desk_find_options *o, int *max)
{
    *o = (desk_find_options){.min_score = MIN_SCORE};
    *max = MOST_HITS;
    if (lua_isnoneornil(L, index))
        return;
    luaL_checktype(L, index, LUA_TTABLE);
    if (lua_getfield(L, index, "min_score") != LUA_TNIL)
        o->min_score = luaL_checknumber(L, -1);
    luaL_argcheck(L, o->min_score >= 0 && o->min_score <= 1, index, "min_score must be 0 to 1");
    if (lua_getfield(L, index, "max") != LUA_TNIL) {
        lua_Integer most = luaL_checkinteger(L, -1);
        luaL_argcheck(L, most >= 1 && most <= MOST_HITS, index, "max must be 1 to 1000");
        *max = (int) most;
    }
    if (lua_getfield(L, index, "region") != LUA_TNIL) {
        int region = lua_gettop(L);
        luaL_checktype(L, region, LUA_TTABLE);
        o->region = (desk_rect){side(L, region, "x"), side(L, region, "y"),
                                side(L, region, "width"), side(L, region, "height")};
        luaL_argcheck(L, o->region.width > 0, index, "the region is empty");
    }
    lua_pop(L, 3);
}

/* --- Where in the image another one is, the best first; see runtime/desk/find.h for the score.
 * `best` is the best place seen, hit or not, and nil where the template does not fit in.
 * ---@param template deskpilot.image
 * ---@param options? { min_score?: number, max?: integer, region?: table } 0.95, 1000, the whole
 * ---@return table[]|nil hits, table|deskpilot.error? best each { x, y, width, height, score } */
int lib_image_find(lua_State *L)
{
    const desk_image *image = lib_check_image(L, 1), *template = lib_check_image(L, 2);
    desk_find_options options;
    int max, count;
    check_options(L, 3, &options, &max);
    desk_hit best, *hits = lua_newuserdatauv(L, (size_t) max * sizeof *hits, 0);
    desk_error err;
    if (!desk_find(hits, max, &count, &best, image, template, &options, &err))
        return lib_fail(L, &err);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        push_hit(L, &hits[i], template);
        lua_rawseti(L, -2, i + 1);
    }
    if (best.score >= 0)
        push_hit(L, &best, template);
    else
        lua_pushnil(L);
    return 2;
}
