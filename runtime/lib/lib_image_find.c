/*
 * The part of native.image that finds a picture in a picture. A search runs on libuv's thread pool
 * with copies of its own (a millisecond), so that nobody waits for it and both images may be
 * painted on or closed meanwhile.
 */
#include "image/find/find.h"
#include "lib.h"
#include "lib_image.h"
#include "lib_job.h"

#include <math.h>

enum { MOST_HITS = 1000 };
static const double MIN_SCORE = 0.95;
/* Stands for 0, which means any difference: less than one step in a picture of 64 x 64. */
static const double NO_DIFFERENCE = 0.005;

typedef struct {
    lib_job job;
    find_options options;
    image_bitmap picture, template;
    image_rect region; /* what `picture` is of the image */
    find_hit hits[MOST_HITS], best;
    int max, count;
} search;

/* --- results ------------------------------------------------------------------------------------
 */

static void push_hit(lua_State *L, const search *s, const find_hit *hit)
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

static void push_hit_of(lua_State *L, const void *list, size_t index)
{
    const search *s = list;
    push_hit(L, s, &s->hits[index]);
}

static int search_push(lua_State *L, lib_job *job)
{
    const search *s = (const search *) job;
    lib_push_list(L, (size_t) s->count, push_hit_of, s);
    if (s->best.score >= 0) {
        push_hit(L, s, &s->best);
    } else {
        lua_pushnil(L);
    }
    return 2;
}

/* --- the search ---------------------------------------------------------------------------------
 */

static bool search_run(lib_job *job)
{
    search *s = (search *) job;
    s->options.cancel = &job->cancel;
    s->options.deadline = job->deadline;
    return find_all(s->hits, s->max, &s->count, &s->best, &s->picture, &s->template, &s->options,
                    &job->err);
}

static void search_release(lib_job *job)
{
    search *s = (search *) job;
    image_free(&s->picture);
    image_free(&s->template);
}

static const lib_job_ops search_ops = {search_run, search_push, search_release};

/* --- its options --------------------------------------------------------------------------------
 */

static double number_field(lua_State *L, int index, const char *name, double most, double otherwise)
{
    double value = otherwise;
    if (lua_getfield(L, index, name) != LUA_TNIL) {
        int is_number;
        value = lua_tonumberx(L, -1, &is_number);
        if (!is_number || !(value >= 0 && value <= most)) {
            luaL_error(L, "field '%s' must be a number from 0 to %f", name, most);
        }
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
    if (!exact || value < least || value > most) {
        luaL_error(L, "field '%s' must be an integer from %I to %I", name, least, most);
    }
    lua_pop(L, 1);
    return (int) value;
}

/* The part of the image to look in: all of it, or the field `region`, which must lie inside. */
static image_rect check_region(lua_State *L, int index, const image_bitmap *image)
{
    image_rect r = {0, 0, image->width, image->height};
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

/* Where in the image another one is, the best first; see runtime/image/find/find.h for
 * score and difference. `best` is the best place seen, hit or not, and nil where the template does
 * not fit in.
 * ---@param template native.Image where it has alpha, its transparent pixels do not count
 * ---@param options { min_score: number?, tolerance: number?, max: integer?, region: table?,
 * timeout: number? } 0.95, any difference, 1000, the whole, 10 s
 * ---@param callback fun(hits: deskpilot.hit[]?, best: deskpilot.hit|deskpilot.error|nil) in
 * pixels of the image
 * ---@return fun() cancel after which the callback is not called */
static int lib_image_find(lua_State *L)
{
    const image_bitmap *image = lib_check_image(L, 1), *template = lib_check_image(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    luaL_checktype(L, 4, LUA_TFUNCTION);
    lua_settop(L, 4);
    double min_score = number_field(L, 3, "min_score", 1, MIN_SCORE);
    double tolerance = number_field(L, 3, "tolerance", 255, -1);
    double timeout = number_field(L, 3, "timeout", 3600, 10);
    int max = MOST_HITS;
    if (lua_getfield(L, 3, "max") != LUA_TNIL) {
        max = integer_field(L, 3, "max", 1, MOST_HITS);
    }
    image_rect region = check_region(L, 3, image);
    search *s = lib_job_new(L, sizeof *s, &search_ops);
    const image_rect all = {0, 0, template->width, template->height};
    if (!image_crop(&s->picture, image, region, NULL) ||
        !image_crop(&s->template, template, all, NULL)) {
        return luaL_error(L, "not enough memory");
    }
    s->region = region;
    s->max = max;
    s->options.min_score = min_score;
    s->options.max_difference = tolerance < 0 ? 0 : fmax(tolerance, NO_DIFFERENCE);
    lib_job_start(L, &s->job, &(lib_job_start_options){.callback = 4, .timeout = timeout});
    return 1;
}

void lib_image_add_find(lua_State *L)
{
    static const luaL_Reg methods[] = {{"find", lib_image_find}, {NULL, NULL}};
    lib_job_open(L);
    lib_add_methods(L, IMAGE_TYPE, methods);
}
