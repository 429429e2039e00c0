/*
 * native.desk: the desktop for scripts, one platform call per method. A failure of the world is
 * `nil, err`; using a desk that has been closed is the caller's mistake and raises.
 */
#include "lib_desk.h"

#include <string.h>

/* --- life --------------------------------------------------------------------------------------
 */

/* Releases held keys and buttons, restores the keyboard map. Closing twice is no mistake. */
static int lib_desk_close(lua_State *L)
{
    lib_desk *self = luaL_checkudata(L, 1, DESK_TYPE);
    lib_recall_lent(L, 1);
    if (self->d) {
        desk_close(self->d);
    }
    self->d = NULL;
    return 0;
}

/* Opens the desktop. `backend` is "x11", "win32" or "null", nil for this build's own; `display` is
 * X11's or the name of a Windows desktop, `cookie` (32 hexadecimal digits) is for X11; `width`,
 * `height`, `x`, `y` and `monitors` are the null desk's.
 * ---@param options { backend: string?, display: string?, cookie: string?, width: integer?,
 * height: integer?, x: integer?, y: integer?, monitors: integer? }?
 * ---@return native.Desk? desk
 * ---@return deskpilot.error? err */
static int open_desk(lua_State *L)
{
    base_error err = {0};
    lua_settop(L, 1);
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    desk_options options = {.display = lib_option_string(L, 1, "display"),
                            .cookie = lib_option_string(L, 1, "cookie"),
                            .width = lib_option_int(L, 1, "width", 0),
                            .height = lib_option_int(L, 1, "height", 0),
                            .x = lib_option_int(L, 1, "x", 0),
                            .y = lib_option_int(L, 1, "y", 0),
                            .monitors = lib_option_int(L, 1, "monitors", 0)};
    const char *name = lib_option_string(L, 1, "backend");
    lib_desk *self = lua_newuserdatauv(L, sizeof *self, LENT_SLOT);
    self->d = NULL;
    luaL_setmetatable(L, DESK_TYPE);
    return desk_open(&self->d, name, &options, &err) ? 1 : lib_fail(L, &err);
}

/* The name of the backend in use.
 * ---@return string */
static int lib_desk_backend(lua_State *L)
{
    lua_pushstring(L, desk_backend_name(lib_check_desk(L)));
    return 1;
}

/* Holds the desktop until the desk is closed or this process ends, however it ends: an agreement of
 * those who ask. A private desktop and the null desk are free for everybody.
 * ---@param holder string who others are told holds it: one line, at most 199 bytes
 * ---@return boolean? ok
 * ---@return deskpilot.error? err code "refused" where another desk holds it
 * ---@return string? other who that says it is */
static int lib_desk_hold(lua_State *L)
{
    base_error err;
    char other[DESK_HOLDER_SIZE];
    desk *d = lib_check_desk(L);
    const char *holder = lib_check_plain(L, 2);
    if (desk_hold(d, holder, other, &err)) {
        lua_pushboolean(L, 1);
        return 1;
    }
    lib_fail(L, &err);
    lua_pushstring(L, other);
    return 3;
}

/* A descriptor that turns readable when `pump` has something to do, -1 if there is none. Pump
 * before waiting on it: other calls may have taken in events already.
 * ---@return integer */
static int lib_desk_fd(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushinteger(L, desk_poll_fd(d));
    return 1;
}

/* After how many milliseconds of waiting to pump again, where the descriptor does not tell of
 * everything; 0 where it does, or while nothing is watched.
 * ---@return integer */
static int lib_desk_poll_every(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushinteger(L, desk_poll_every(d));
    return 1;
}

/* Takes in what the desktop has to tell (changes, answers to pings), without waiting.
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_pump(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_pump(d, &err), &err);
}

/* What the null desk was asked to do, a line per call; unsupported elsewhere.
 * ---@return string[]? lines
 * ---@return deskpilot.error? err */
static int lib_desk_log(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    const char *line = desk_log(d, &err);
    if (!line) {
        return lib_fail(L, &err);
    }
    lua_newtable(L);
    lua_Integer count = 0;
    for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
        lua_pushlstring(L, line, (size_t) (end - line));
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/* --- names of keys -----------------------------------------------------------------------------
 */

/* The canonical names of all named keys.
 * ---@return string[] */
static int list_keys(lua_State *L)
{
    lua_newtable(L);
    const char *name;
    for (size_t i = 0; (name = desk_key_known(i)); i++) {
        lua_pushstring(L, name);
        lua_rawseti(L, -2, (lua_Integer) i + 1);
    }
    return 1;
}

/* The form of a combination in which two that do the same are equal: "ctrl+alt+delete".
 * ---@param combo string
 * ---@return string? canonical
 * ---@return deskpilot.error? err */
static int canonical(lua_State *L)
{
    base_error err = {0};
    char out[DESK_COMBO_NAME_SIZE];
    if (!desk_combo_canonical(lib_check_plain(L, 1), out, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushstring(L, out);
    return 1;
}

/* The keys of a combination as names, in the order they are to be pressed.
 * ---@param combo string
 * ---@return string[]? keys
 * ---@return deskpilot.error? err */
static int parse_combo(lua_State *L)
{
    base_error err = {0};
    desk_combo combo;
    if (!desk_combo_parse(lib_check_plain(L, 1), &combo, &err)) {
        return lib_fail(L, &err);
    }
    lua_createtable(L, (int) combo.count, 0);
    for (size_t i = 0; i < combo.count; i++) {
        char name[DESK_KEY_NAME_SIZE];
        desk_key_name(combo.keys[i], name);
        lua_pushstring(L, name);
        lua_rawseti(L, -2, (lua_Integer) i + 1);
    }
    return 1;
}

int lib_open_desk(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"close", lib_desk_close},
        {"backend", lib_desk_backend},
        {"hold", lib_desk_hold},
        {"fd", lib_desk_fd},
        {"poll_every", lib_desk_poll_every},
        {"pump", lib_desk_pump},
        {"log", lib_desk_log},
        {NULL, NULL},
    };
    static const luaL_Reg functions[] = {
        {"open", open_desk},    {"keys", list_keys}, {"canonical", canonical},
        {"combo", parse_combo}, {NULL, NULL},
    };
    luaL_requiref(L, "native.image", lib_open_image, 0); /* capture makes images of its type */
    lua_pop(L, 1);
    lib_new_type(L, DESK_TYPE, methods, lib_desk_close);
    lib_add_methods(L, DESK_TYPE, lib_desk_input_methods);
    lib_add_methods(L, DESK_TYPE, lib_desk_window_methods);
    lib_add_methods(L, DESK_TYPE, lib_desk_screen_methods);
    lib_add_methods(L, DESK_TYPE, lib_desk_capture_methods);
    lib_add_methods(L, DESK_TYPE, lib_desk_clipboard_methods);
    luaL_newlib(L, functions);
    return 1;
}
