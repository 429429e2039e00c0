/*
 * The part of native.image that finds a picture in a picture. A search runs on libuv's thread pool
 * with copies of its own (a millisecond), so that nobody waits for it and both images may be
 * painted on or closed meanwhile.
 */
#include "find.h"
#include "lib.h"
#include "lib_image.h"

#include <luv/luv.h>
#include <math.h>
#include <stdlib.h>

#define SEARCH_TYPE "deskpilot.image_search"

enum { MOST_HITS = 1000 };
static const double MIN_SCORE = 0.95;
/* Stands for 0, which means any difference: less than one step in a picture of 64 x 64. */
static const double NO_DIFFERENCE = 0.005;

/* Its userdata points to it as long as it runs, and is kept by the registry for that time. */
typedef struct search {
    uv_work_t work;
    struct search **box; /* NULL once the Lua state is being closed */
    lua_State *L;        /* the main one */
    int callback, self;
    bool dropped; /* nobody wants to know any more */
    atomic_bool cancel;
    double timeout;
    desk_find_options options;
    desk_image picture, template;
    desk_rect region; /* what `picture` is of the image */
    desk_hit hits[MOST_HITS], best;
    int max, count;
    desk_error err;
    bool ok;
} search;

/* --- results ------------------------------------------------------------------------------------
 */

static void push_hit(lua_State *L, const search *s, const desk_hit *hit)
{
    lua_createtable(L, 0, 6);
    lua_pushinteger(L, s->region.x + hit->x);
    lua_setfield(L, -2, "x");
    lua_pushinteger(L, s->region.y + hit->y);
    lua_setfield(L, -2, "y");
    lua_pushinteger(L, s->template.width);
    lua_setfield(L, -2, "width");
    lua_pushinteger(L, s->template.height);
    lua_setfield(L, -2, "height");
    lua_pushnumber(L, hit->score);
    lua_setfield(L, -2, "score");
    lua_pushnumber(L, hit->difference);
    lua_setfield(L, -2, "difference");
}

/* Called protected: (search) -> calls the callback with the result. */
static int deliver(lua_State *L)
{
    search *s = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, s->callback);
    if (!s->ok) {
        lua_call(L, lib_fail(L, &s->err), 0);
        return 0;
    }
    lua_createtable(L, s->count, 0);
    for (int i = 0; i < s->count; i++) {
        push_hit(L, s, &s->hits[i]);
        lua_rawseti(L, -2, i + 1);
    }
    if (s->best.score >= 0)
        push_hit(L, s, &s->best);
    else
        lua_pushnil(L);
    lua_call(L, 2, 0);
    return 0;
}

/* --- the search ---------------------------------------------------------------------------------
 */

static void run(uv_work_t *work)
{
    search *s = work->data;
    s->options.cancel = &s->cancel;
    s->options.deadline = uv_hrtime() + (uint64_t) (s->timeout * 1e9);
    s->ok = desk_find(s->hits, s->max, &s->count, &s->best, &s->picture, &s->template, &s->options,
                      &s->err);
}

static void search_free(search *s)
{
    if (s->box)
        *s->box = NULL;
    desk_image_free(&s->picture);
    desk_image_free(&s->template);
    free(s);
}

static void done(uv_work_t *work, int status)
{
    search *s = work->data;
    lua_State *L = s->L;
    if (status == UV_ECANCELED)
        s->ok = desk_fail(&s->err, DESK_CANCELLED, "The search for a picture was stopped.");
    if (!s->dropped) {
        lua_pushcfunction(L, deliver);
        lua_pushlightuserdata(L, s);
        luv_context(L)->cb_pcall(L, 1, 0, 0); /* reports what goes wrong; see host.c */
    }
    if (s->box) {
        luaL_unref(L, LUA_REGISTRYINDEX, s->callback);
        luaL_unref(L, LUA_REGISTRYINDEX, s->self);
    }
    search_free(s);
}

static void drop(search *s)
{
    s->dropped = true;
    atomic_store(&s->cancel, true);
    uv_cancel((uv_req_t *) &s->work); /* where it has not begun yet */
}

static int cancel(lua_State *L)
{
    search **box = lua_touserdata(L, lua_upvalueindex(1));
    if (*box)
        drop(*box);
    return 0;
}

/* The registry keeps the userdata while the search runs: one that runs now outlives the state. */
static int search_gc(lua_State *L)
{
    search **box = luaL_checkudata(L, 1, SEARCH_TYPE);
    if (*box) {
        drop(*box);
        (*box)->box = NULL;
    }
    *box = NULL;
    return 0;
}

/* --- its options --------------------------------------------------------------------------------
 */

static double number_field(lua_State *L, int index, const char *name, double most, double otherwise)
{
    double value = otherwise;
    if (lua_getfield(L, index, name) != LUA_TNIL) {
        int is_number;
        value = lua_tonumberx(L, -1, &is_number);
        if (!is_number || !(value >= 0 && value <= most))
            luaL_error(L, "field '%s' must be a number from 0 to %f", name, most);
    }
    lua_pop(L, 1);
    return value;
}

static int integer_field(lua_State *L, int index, const char *name, lua_Integer least,
                         lua_Integer most)
{
    int exact;
    lua_getfield(L, index, name);
    lua_Integer value = lua_tointegerx(L, -1, &exact);
    if (!exact || value < least || value > most)
        luaL_error(L, "field '%s' must be an integer from %I to %I", name, least, most);
    lua_pop(L, 1);
    return (int) value;
}

/* The part of the image to look in: all of it, or the field `region`, which must lie inside. */
static desk_rect check_region(lua_State *L, int index, const desk_image *image)
{
    desk_rect r = {0, 0, image->width, image->height};
    if (lua_getfield(L, index, "region") != LUA_TNIL) {
        int region = lua_gettop(L);
        luaL_checktype(L, region, LUA_TTABLE);
        r.x = integer_field(L, region, "x", 0, image->width - 1);
        r.y = integer_field(L, region, "y", 0, image->height - 1);
        r.width = integer_field(L, region, "width", 1, image->width - r.x);
        r.height = integer_field(L, region, "height", 1, image->height - r.y);
    }
    lua_pop(L, 1);
    return r;
}

static search *new_search(desk_rect region, const desk_image *image, const desk_image *template)
{
    search *s = calloc(1, sizeof *s);
    const desk_rect all = {0, 0, template->width, template->height};
    if (!s)
        return NULL;
    s->region = region;
    if (desk_image_crop(&s->picture, image, region, NULL) &&
        desk_image_crop(&s->template, template, all, NULL))
        return s;
    search_free(s);
    return NULL;
}

/* --- Where in the image another one is, the best first; see runtime/desk/find.h for score and
 * difference. `best` is the best place seen, hit or not, and nil where the template does not fit
 * in.
 * ---@param template deskpilot.image where it has alpha, its transparent pixels do not count
 * ---@param options { min_score?: number, tolerance?: number, max?: integer, region?: table,
 * timeout?: number } 0.95, any difference, 1000, the whole, 10 s
 * ---@param callback fun(hits: table[]?, best: table|deskpilot.error|nil) each { x, y, width,
 * height, score, difference }
 * ---@return fun() cancel after which the callback is not called */
static int image_find(lua_State *L)
{
    const desk_image *image = lib_check_image(L, 1), *template = lib_check_image(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checktype(L, 4, LUA_TFUNCTION);
    lua_settop(L, 4);
    double min_score = number_field(L, 3, "min_score", 1, MIN_SCORE);
    double tolerance = number_field(L, 3, "tolerance", 255, -1);
    double timeout = number_field(L, 3, "timeout", 3600, 10);
    int max = MOST_HITS;
    if (lua_getfield(L, 3, "max") != LUA_TNIL)
        max = integer_field(L, 3, "max", 1, MOST_HITS);
    desk_rect region = check_region(L, 3, image);
    search **box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = NULL;
    luaL_setmetatable(L, SEARCH_TYPE);
    search *s = new_search(region, image, template);
    if (!s)
        return luaL_error(L, "not enough memory");
    s->box = box;
    s->L = luv_state(L);
    s->max = max;
    s->timeout = timeout;
    s->options.min_score = min_score;
    s->options.max_difference = tolerance < 0 ? 0 : fmax(tolerance, NO_DIFFERENCE);
    s->work.data = s;
    *box = s;
    lua_pushvalue(L, 4);
    s->callback = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushvalue(L, -1);
    s->self = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushcclosure(L, cancel, 1);
    uv_queue_work(luv_loop(L), &s->work, run, done); /* fails only for a missing function */
    return 1;
}

void lib_image_add_find(lua_State *L)
{
    static const luaL_Reg methods[] = {{"find", image_find}, {NULL, NULL}};
    static const luaL_Reg none[] = {{NULL, NULL}};
    lib_new_type(L, SEARCH_TYPE, none, search_gc);
    lib_add_methods(L, IMAGE_TYPE, methods);
}
