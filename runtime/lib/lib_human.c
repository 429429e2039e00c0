/*
 * native.human: what people do at the mouse and keyboard, for scripts (human.h). A watch's thread
 * only counts and wakes the loop; Lua hears of it there. The kill chord alone acts from that
 * thread, because it has to work while Lua is busy.
 */
#include "desk/human.h"
#include "lib.h"
#include "system/platform.h"

#include <luv/luv.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* A watch over a desktop's mouse and keyboard. */
#define WATCH_TYPE "native.Human"

typedef struct watch watch;

typedef struct {
    watch *watch;
    int number; /* 0: free */
    bool kills;
    atomic_uint presses; /* not told of yet */
} chord;

struct watch {
    uv_async_t wake; /* its data stays NULL: the loop is luv's */
    lua_State *L;    /* the main one */
    desk_human *human;
    uint64_t began; /* uv_hrtime */
    int tell;       /* registry reference: fn(what, chord) */
    bool telling_touches;
    atomic_bool touched;
    chord chords[DESK_HUMAN_CHORDS];
};

typedef struct {
    watch *w; /* NULL once closed */
} handle;

/* --- on the watch's thread ---------------------------------------------------------------------
 */

static void on_touch(void *context)
{
    watch *w = context;
    atomic_store(&w->touched, true);
    uv_async_send(&w->wake);
}

static void on_chord(void *context)
{
    chord *c = context;
    if (c->kills) {
        system_interrupt(INTERRUPT_CHORD);
    } else {
        atomic_fetch_add(&c->presses, 1);
        uv_async_send(&c->watch->wake);
    }
}

/* --- on the loop -------------------------------------------------------------------------------
 */

static void tell_lua(watch *w, const char *what, int number)
{
    lua_State *L = w->L;
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->tell);
    lua_pushstring(L, what);
    lua_pushinteger(L, number);
    luv_context(L)->cb_pcall(L, 2, 0, 0); /* reports what goes wrong; see host.c */
}

static watch *watch_of(uv_handle_t *wake)
{
    return (watch *) ((char *) wake - offsetof(watch, wake));
}

static void on_wake(uv_async_t *wake)
{
    watch *w = watch_of((uv_handle_t *) wake);
    if (atomic_exchange(&w->touched, false) && w->human && w->telling_touches) {
        tell_lua(w, "touch", 0);
    }
    for (size_t i = 0; i < DESK_HUMAN_CHORDS; i++) {
        unsigned presses = atomic_exchange(&w->chords[i].presses, 0);
        /* Any of these may remove the chord, or close the watch. */
        for (; presses > 0 && w->human && w->chords[i].number; presses--) {
            tell_lua(w, "chord", w->chords[i].number);
        }
    }
}

/* --- life --------------------------------------------------------------------------------------
 */

static void free_watch(uv_handle_t *wake)
{
    free(watch_of(wake));
}

/* Ends the watch; nothing is told of any more. Closing twice is no mistake. */
static int human_close(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, WATCH_TYPE);
    watch *w = h->w;
    h->w = NULL;
    if (!w) {
        return 0;
    }
    desk_human_close(w->human);
    w->human = NULL;
    luaL_unref(L, LUA_REGISTRYINDEX, w->tell);
    uv_close((uv_handle_t *) &w->wake, free_watch);
    return 0;
}

static const char *option(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    const char *value = luaL_optstring(L, -1, NULL); /* the table keeps it */
    lua_pop(L, 1);
    return value;
}

/* Starts to watch a desktop's mouse and keyboard, on a thread: the user's, or the one that the
 * options name (as in native.desk.open). `tell("touch")` is called on the loop while somebody
 * touches them, at most ten times a second, if tell_touches was asked for; `tell("chord", number)`
 * when a chord of `add` is pressed. While either is wanted, the loop does not run dry.
 * ---@param options { backend: string?, display: string?, cookie: string? }
 * ---@param tell fun(what: "touch"|"chord", number: integer)
 * ---@return native.Human? watch
 * ---@return deskpilot.error? err */
static int human_open(lua_State *L)
{
    base_error err = {0};
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    desk_options where = {.display = option(L, "display"), .cookie = option(L, "cookie")};
    const char *backend = option(L, "backend");
    handle *h = lua_newuserdatauv(L, sizeof *h, 0);
    h->w = NULL;
    luaL_setmetatable(L, WATCH_TYPE);
    watch *w = calloc(1, sizeof *w);
    if (!w) {
        return luaL_error(L, "not enough memory");
    }
    if (!desk_human_open(&w->human, backend, &where, on_touch, w, &err)) {
        free(w);
        return lib_fail(L, &err);
    }
    uv_async_init(luv_loop(L), &w->wake, on_wake);
    uv_unref((uv_handle_t *) &w->wake);
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    w->L = lua_tothread(L, -1);
    lua_pop(L, 1);
    lua_pushvalue(L, 2);
    w->tell = luaL_ref(L, LUA_REGISTRYINDEX);
    w->began = uv_hrtime();
    h->w = w;
    return 1;
}

static watch *check_watch(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, WATCH_TYPE);
    luaL_argcheck(L, h->w, 1, "the watch has been closed");
    return h->w;
}

/* The loop waits for what somebody wants to be told of. */
static void keep_loop(watch *w)
{
    bool wanted = w->telling_touches;
    for (size_t i = 0; i < DESK_HUMAN_CHORDS; i++) {
        wanted |= w->chords[i].number && !w->chords[i].kills;
    }
    if (wanted) {
        uv_ref((uv_handle_t *) &w->wake);
    } else {
        uv_unref((uv_handle_t *) &w->wake);
    }
}

/* --- what is asked -----------------------------------------------------------------------------
 */

/* Seconds since somebody touched mouse or keyboard, this program's own input aside; since the watch
 * began, and false, where nobody has.
 * ---@return number seconds
 * ---@return boolean touched */
static int human_idle(lua_State *L)
{
    watch *w = check_watch(L);
    uint64_t last = desk_human_last_touch(w->human), now = uv_hrtime();
    uint64_t since = last ? last : w->began;
    lua_pushnumber(L, now > since ? (lua_Number) (now - since) / 1e9 : 0);
    lua_pushboolean(L, last != 0);
    return 2;
}

/* Whether touches are to be told of.
 * ---@param on boolean */
static int human_tell_touches(lua_State *L)
{
    watch *w = check_watch(L);
    w->telling_touches = lua_toboolean(L, 2);
    desk_human_tell_touches(w->human, w->telling_touches);
    keep_loop(w);
    return 0;
}

/* From now on a combination of keys is told of ("take": applications do not get it), or stops the
 * program as Ctrl+C does, whatever it is at ("kill": keys that this program presses do not count).
 * ---@param combo string
 * ---@param kind "take"|"kill"
 * ---@return integer? number
 * ---@return deskpilot.error? err */
static int human_add(lua_State *L)
{
    static const char *const kinds[] = {"take", "kill", NULL};
    watch *w = check_watch(L);
    const char *text = luaL_checkstring(L, 2);
    bool kills = luaL_checkoption(L, 3, NULL, kinds) == 1;
    base_error err = {0};
    desk_combo combo;
    chord *c = w->chords;
    while (c < w->chords + DESK_HUMAN_CHORDS - 1 && c->number) {
        c++; /* with none free, desk_human_add says so */
    }
    chord before = {.number = c->number, .kills = c->kills};
    c->watch = w;
    c->kills = kills;
    int number = desk_combo_parse(text, &combo, &err)
                     ? desk_human_add(w->human, &combo, kills ? DESK_CHORD_SEEN : DESK_CHORD_TAKEN,
                                      on_chord, c, &err)
                     : 0;
    if (!number) {
        c->kills = before.kills;
        return lib_fail(L, &err);
    }
    c->number = number;
    keep_loop(w);
    lua_pushinteger(L, number);
    return 1;
}

/* Ends what `add` began; one that is gone is no mistake.
 * ---@param number integer */
static int human_remove(lua_State *L)
{
    watch *w = check_watch(L);
    int number = (int) luaL_checkinteger(L, 2);
    for (size_t i = 0; i < DESK_HUMAN_CHORDS; i++) {
        if (number <= 0 || w->chords[i].number != number) {
            continue;
        }
        desk_human_remove(w->human, number);
        w->chords[i].number = 0;
        atomic_store(&w->chords[i].presses, 0);
    }
    keep_loop(w);
    return 0;
}

int lib_open_human(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"close", human_close}, {"idle", human_idle},     {"tell_touches", human_tell_touches},
        {"add", human_add},     {"remove", human_remove}, {NULL, NULL},
    };
    static const luaL_Reg functions[] = {{"open", human_open}, {NULL, NULL}};
    lib_new_type(L, WATCH_TYPE, methods, human_close);
    luaL_newlib(L, functions);
    return 1;
}
