/*
 * native.activity: what people do at the mouse and keyboard, for scripts (activity.h). A watch's
 * thread only counts and wakes the loop; Lua hears of it there. The emergency-stop hotkey alone
 * acts from that thread, because it has to work while Lua is busy.
 */
#include "desk/activity.h"
#include "lib.h"
#include "system/platform.h"

#include <luv/luv.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

/* A watch over a desktop's mouse and keyboard. */
#define WATCH_TYPE "native.Activity"

typedef struct watch watch;

typedef struct {
    watch *watch;
    int number; /* 0: free */
    bool kills;
    atomic_uint presses; /* not told of yet */
} hotkey;

struct watch {
    uv_async_t wake; /* its data stays NULL: the loop is luv's */
    lua_State *L;    /* the main one */
    desk_activity *watch;
    uint64_t began; /* uv_hrtime */
    int tell;       /* registry reference: fn(what, hotkey) */
    bool reporting_input;
    atomic_bool used;
    hotkey hotkeys[DESK_HOTKEYS_MAX];
};

typedef struct {
    watch *w; /* NULL once closed */
} handle;

/* --- on the watch's thread ---------------------------------------------------------------------
 */

static void on_input(void *context)
{
    watch *w = context;
    atomic_store(&w->used, true);
    uv_async_send(&w->wake);
}

static void on_hotkey(void *context)
{
    hotkey *c = context;
    if (c->kills) {
        system_interrupt(INTERRUPT_STOP_HOTKEY);
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
    if (atomic_exchange(&w->used, false) && w->watch && w->reporting_input) {
        tell_lua(w, "input", 0);
    }
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        unsigned presses = atomic_exchange(&w->hotkeys[i].presses, 0);
        /* Any of these may remove the hotkey, or close the watch. */
        for (; presses > 0 && w->watch && w->hotkeys[i].number; presses--) {
            tell_lua(w, "hotkey", w->hotkeys[i].number);
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
static int activity_close(lua_State *L)
{
    handle *h = luaL_checkudata(L, 1, WATCH_TYPE);
    watch *w = h->w;
    h->w = NULL;
    if (!w) {
        return 0;
    }
    desk_activity_close(w->watch);
    w->watch = NULL;
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
 * options name (as in native.desk.open). `tell("input")` is called on the loop while somebody
 * input them, at most ten times a second, if report_input was asked for; `tell("hotkey", number)`
 * when a hotkey of `add` is pressed. While either is wanted, the loop does not run dry.
 * ---@param options { backend: string?, display: string?, cookie: string? }
 * ---@param tell fun(what: "input"|"hotkey", number: integer)
 * ---@return native.Activity? watch
 * ---@return deskpilot.error? err */
static int activity_open(lua_State *L)
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
    if (!desk_activity_open(&w->watch, backend, &where, on_input, w, &err)) {
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
    bool wanted = w->reporting_input;
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        wanted |= w->hotkeys[i].number && !w->hotkeys[i].kills;
    }
    if (wanted) {
        uv_ref((uv_handle_t *) &w->wake);
    } else {
        uv_unref((uv_handle_t *) &w->wake);
    }
}

/* --- what is asked -----------------------------------------------------------------------------
 */

/* Seconds since somebody used mouse or keyboard, this program's own input aside; since the watch
 * began, and false, where nobody has.
 * ---@return number seconds
 * ---@return boolean used */
static int activity_idle(lua_State *L)
{
    watch *w = check_watch(L);
    uint64_t last = desk_activity_last_input(w->watch), now = uv_hrtime();
    uint64_t since = last ? last : w->began;
    lua_pushnumber(L, now > since ? (lua_Number) (now - since) / 1e9 : 0);
    lua_pushboolean(L, last != 0);
    return 2;
}

/* Whether input is to be told of.
 * ---@param on boolean */
static int activity_report_input(lua_State *L)
{
    watch *w = check_watch(L);
    w->reporting_input = lua_toboolean(L, 2);
    desk_activity_report_input(w->watch, w->reporting_input);
    keep_loop(w);
    return 0;
}

/* From now on a combination of keys is told of ("take": applications do not get it; "watch": they
 * do, and it works also while one of them has the keyboard to itself, as for a menu), or stops the
 * program as Ctrl+C does, whatever it is at ("kill"). Of the last two only keys count that people
 * press, none of this program's.
 * ---@param combo string
 * ---@param kind "take"|"kill"|"watch"
 * ---@return integer? number
 * ---@return deskpilot.error? err */
static int activity_add(lua_State *L)
{
    enum { TAKE, KILL, WATCH };
    static const char *const kinds[] = {"take", "kill", "watch", NULL};
    watch *w = check_watch(L);
    const char *text = luaL_checkstring(L, 2);
    int kind = luaL_checkoption(L, 3, NULL, kinds);
    bool kills = kind == KILL;
    base_error err = {0};
    desk_combo combo;
    hotkey *c = w->hotkeys;
    while (c < w->hotkeys + DESK_HOTKEYS_MAX - 1 && c->number) {
        c++; /* with none free, desk_activity_add says so */
    }
    hotkey before = {.number = c->number, .kills = c->kills};
    c->watch = w;
    c->kills = kills;
    int number = desk_combo_parse(text, &combo, &err)
                     ? desk_activity_add(w->watch, &combo,
                                         kind == TAKE ? DESK_HOTKEY_GRABBED : DESK_HOTKEY_WATCHED,
                                         on_hotkey, c, &err)
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
static int activity_remove(lua_State *L)
{
    watch *w = check_watch(L);
    int number = (int) luaL_checkinteger(L, 2);
    for (size_t i = 0; i < DESK_HOTKEYS_MAX; i++) {
        if (number <= 0 || w->hotkeys[i].number != number) {
            continue;
        }
        desk_activity_remove(w->watch, number);
        w->hotkeys[i].number = 0;
        atomic_store(&w->hotkeys[i].presses, 0);
    }
    keep_loop(w);
    return 0;
}

/* --- recording ---------------------------------------------------------------------------------
 */

/* From now on what people press is kept, or no longer.
 * ---@param on boolean
 * ---@return boolean? ok
 * ---@return deskpilot.error? err */
static int activity_record(lua_State *L)
{
    watch *w = check_watch(L);
    base_error err = {0};
    if (!desk_activity_record(w->watch, lua_toboolean(L, 2), &err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, true);
    return 1;
}

static void push_event(lua_State *L, const desk_input_event *event)
{
    static const char *const names[] = {"ctrl", "alt", "shift", "win"};
    lua_createtable(L, 0, 8);
    lua_pushnumber(L, (lua_Number) event->at / 1e9);
    lua_setfield(L, -2, "at");
    lua_pushboolean(L, event->down);
    lua_setfield(L, -2, "down");
    lua_pushinteger(L, event->x);
    lua_setfield(L, -2, "x");
    lua_pushinteger(L, event->y);
    lua_setfield(L, -2, "y");
    for (unsigned i = 0; i < 4; i++) {
        if (event->held >> i & 1) {
            lua_pushboolean(L, true);
            lua_setfield(L, -2, names[i]);
        }
    }
    if (event->button) {
        lua_pushinteger(L, event->button);
        lua_setfield(L, -2, "button");
        return;
    }
    if (event->key) {
        char name[DESK_KEY_NAME_SIZE];
        desk_key_name(event->key, name);
        lua_pushstring(L, name);
        lua_setfield(L, -2, "key");
    }
    if (event->character) {
        lua_pushfstring(L, "%U", (long) event->character);
        lua_setfield(L, -2, "text");
    }
    if (event->composes) {
        lua_pushboolean(L, true);
        lua_setfield(L, -2, "composes");
    }
}

/* Takes what people have pressed since the last call, oldest first. `at` is in seconds (uv.hrtime).
 * ---@return { at: number, down: boolean, x: integer, y: integer, button: integer?, key: string?,
 *   text: string?, composes: boolean?, ctrl: boolean?, alt: boolean?, shift: boolean?,
 *   win: boolean? }[] events
 * ---@return integer lost how many could not be kept */
static int activity_taken(lua_State *L)
{
    watch *w = check_watch(L);
    desk_input_event event;
    size_t lost = 0, all_lost = 0;
    lua_newtable(L);
    for (lua_Integer i = 1; desk_activity_take(w->watch, &event, 1, &lost) == 1; i++) {
        all_lost += lost;
        push_event(L, &event);
        lua_rawseti(L, -2, i);
    }
    all_lost += lost;
    lua_pushinteger(L, (lua_Integer) all_lost);
    return 2;
}

int lib_open_activity(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"close", activity_close},
        {"idle", activity_idle},
        {"report_input", activity_report_input},
        {"add", activity_add},
        {"remove", activity_remove},
        {"record", activity_record},
        {"taken", activity_taken},
        {NULL, NULL},
    };
    static const luaL_Reg functions[] = {{"open", activity_open}, {NULL, NULL}};
    lib_new_type(L, WATCH_TYPE, methods, activity_close);
    luaL_newlib(L, functions);
    return 1;
}
