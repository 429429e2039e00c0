/*
 * native.desk: the desktop for scripts, one platform call per method. A failure of the world is
 * `nil, err`; using a desk that has been closed is the caller's mistake and raises.
 */
#include "lib_desk.h"

#include <limits.h>
#include <string.h>

/* An optional whole number of a table of options. */
static int option_int(lua_State *L, int table, const char *name, int otherwise)
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

/* An optional string of a table; stays valid while the table is unchanged. */
static const char *option_string(lua_State *L, int table, const char *name)
{
    int type = lua_getfield(L, table, name);
    if (type != LUA_TNIL && type != LUA_TSTRING) {
        luaL_error(L, "option '%s' must be a string", name);
    }
    const char *value = lua_tostring(L, -1);
    lua_pop(L, 1);
    return value;
}

static bool option_bool(lua_State *L, int table, const char *name)
{
    lua_getfield(L, table, name);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

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
    desk_options options = {.display = option_string(L, 1, "display"),
                            .cookie = option_string(L, 1, "cookie"),
                            .width = option_int(L, 1, "width", 0),
                            .height = option_int(L, 1, "height", 0),
                            .x = option_int(L, 1, "x", 0),
                            .y = option_int(L, 1, "y", 0),
                            .monitors = option_int(L, 1, "monitors", 0)};
    const char *name = option_string(L, 1, "backend");
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

/* --- screen ------------------------------------------------------------------------------------
 */

/* The whole desktop space, all monitors together, in pixels.
 * ---@return { x: integer, y: integer, width: integer, height: integer }? rect
 * ---@return deskpilot.error? err */
static int lib_desk_screen(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    image_rect rect;
    if (!desk_screen_rect(d, &rect, &err)) {
        return lib_fail(L, &err);
    }
    lua_createtable(L, 0, 4);
    lib_push_rect_fields(L, rect);
    return 1;
}

/* The options x, y, width and height, which go together; NULL where there are none. */
static const image_rect *read_rect(lua_State *L, image_rect *out)
{
    static const char *const sides[] = {"x", "y", "width", "height"};
    int given = 0;
    for (int i = 0; i < 4; i++) {
        given += lua_getfield(L, 2, sides[i]) != LUA_TNIL;
        lua_pop(L, 1);
    }
    if (given == 0) {
        return NULL;
    }
    if (given < 4) {
        luaL_error(L, "a part of the screen needs x, y, width and height");
    }
    *out = (image_rect){option_int(L, 2, "x", 0), option_int(L, 2, "y", 0),
                        option_int(L, 2, "width", 0), option_int(L, 2, "height", 0)};
    return out;
}

/* The pixels of `from` in `to`, which keeps its memory if it is its own and of the same size. */
static bool copy_image(image_bitmap *to, const image_bitmap *from, base_error *err)
{
    bool fits =
        to->pixels && !to->borrowed && to->width == from->width && to->height == from->height;
    if (!fits && !image_alloc(to, from->width, from->height, err)) {
        return false;
    }
    for (int y = 0; y < from->height; y++) {
        memcpy(to->pixels + (size_t) y * to->stride, from->pixels + (size_t) y * from->stride,
               (size_t) from->width * 4);
    }
    return true;
}

/* Puts the picture into the image on top of the stack: by reference if it is to be lent and the
 * backend has a buffer to lend, else as a copy or by handing its memory over. */
static bool give(lua_State *L, image_bitmap *to, image_bitmap *frame, bool lend, base_error *err)
{
    if (frame->borrowed && !lend) {
        return copy_image(to, frame, err);
    }
    image_free(to);
    *to = *frame;
    if (frame->borrowed) {
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, 1, LENT_SLOT);
    }
    return true;
}

/* The image to fill, on top of the stack: options.into, even if it has been closed, or a new one.
 */
static image_bitmap *target_image(lua_State *L)
{
    if (lua_getfield(L, 2, "into") != LUA_TNIL) {
        return luaL_checkudata(L, -1, "native.Image");
    }
    lua_pop(L, 1);
    return lib_push_image(L);
}

/* A picture of the desktop, or of the part that x, y, width and height (all four) name. It is a
 * copy, in a new image or in the memory of the one given as `into`, so that a loop can go on with a
 * single one. With `lend`, the image looks straight into the backend's own buffer: nothing is
 * copied, and it is closed by the next capture or by the desk's closing (crop it to keep
 * something). `cursor` draws the pointer.
 * ---@param options { x: integer?, y: integer?, width: integer?, height: integer?,
 * cursor: boolean?, into: native.Image?, lend: boolean? }?
 * ---@return native.Image? image
 * ---@return deskpilot.error? err */
static int lib_desk_capture(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    image_rect rect;
    image_bitmap frame = {0};
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_newtable(L);
        lua_replace(L, 2);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    bool cursor = option_bool(L, 2, "cursor"), lend = option_bool(L, 2, "lend");
    const image_rect *part = read_rect(L, &rect);
    image_bitmap *image = target_image(L);
    lib_recall_lent(L, 1);
    if (!desk_capture(d, part, cursor, &frame, &err)) {
        return lib_fail(L, &err);
    }
    return give(L, image, &frame, lend, &err) ? 1 : lib_fail(L, &err);
}

/* Starts to watch for changes of the screen; see last_change.
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_watch_start(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_watch_start(d, &err), &err);
}

/* Ends the watching.
 * ---@return true ok */
static int lib_desk_watch_stop(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_watch_stop(d);
    return lib_done(L, true, NULL);
}

/* When pump last saw the screen change (blinking carets aside), or that region of watch_region:
 * nanoseconds of uv.hrtime, 0 for not since watch_start or watch_region.
 * ---@param region integer?
 * ---@return integer */
static int lib_desk_last_change(lua_State *L)
{
    desk *d = lib_check_desk(L);
    uint64_t when =
        lua_isnoneornil(L, 2) ? desk_last_change(d) : desk_region_changed(d, lib_check_int(L, 2));
    lua_pushinteger(L, (lua_Integer) when);
    return 1;
}

/* Tells changes of a part of the screen from the others, while the screen is watched and until
 * unwatch_region.
 * ---@param x integer
 * ---@param y integer
 * ---@param width integer
 * ---@param height integer
 * ---@return integer? region for last_change
 * ---@return deskpilot.error? err */
static int lib_desk_watch_region(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    image_rect rect = {lib_check_int(L, 2), lib_check_int(L, 3), lib_check_int(L, 4),
                       lib_check_int(L, 5)};
    int region;
    if (!desk_watch_region(d, rect, &region, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, region);
    return 1;
}

/* Ends what watch_region began.
 * ---@param region integer */
static int lib_desk_unwatch_region(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_unwatch_region(d, lib_check_int(L, 2));
    return 0;
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
        {"fd", lib_desk_fd},
        {"poll_every", lib_desk_poll_every},
        {"pump", lib_desk_pump},
        {"screen", lib_desk_screen},
        {"capture", lib_desk_capture},
        {"watch_start", lib_desk_watch_start},
        {"watch_stop", lib_desk_watch_stop},
        {"last_change", lib_desk_last_change},
        {"watch_region", lib_desk_watch_region},
        {"unwatch_region", lib_desk_unwatch_region},
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
    lib_add_methods(L, DESK_TYPE, lib_desk_clipboard_methods);
    luaL_newlib(L, functions);
    return 1;
}
