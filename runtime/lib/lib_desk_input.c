/* The part of native.desk that is about the pointer and the keyboard (lib_desk.c). */
#include "lib_desk.h"

#include <limits.h>
#include <math.h>

/* --- mouse -------------------------------------------------------------------------------------
 */

/* Where the pointer is.
 * ---@return integer? x
 * ---@return integer|deskpilot.error y the error if x is nil */
static int lib_desk_pointer(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    int x, y;
    if (!desk_pointer_get(d, &x, &y, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, x);
    lua_pushinteger(L, y);
    return 2;
}

/* Moves the pointer and makes sure that it arrived.
 * ---@param x integer
 * ---@param y integer
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_move(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_pointer_move(d, lib_check_int(L, 2), lib_check_int(L, 3), &err), &err);
}

static desk_button check_button(lua_State *L, int index)
{
    static const char *const names[] = {"left", "middle", "right", "back", "forward", NULL};
    if (lua_type(L, index) == LUA_TSTRING) {
        return (desk_button) (luaL_checkoption(L, index, NULL, names) + DESK_LEFT);
    }
    int number = lib_check_int(L, index);
    luaL_argcheck(L, number >= DESK_LEFT && number <= DESK_FORWARD, index,
                  "a button is 1 to 5, or left, middle, right, back, forward");
    return (desk_button) number;
}

/* Presses a button, or lets it go.
 * ---@param button "left"|"middle"|"right"|"back"|"forward"|integer
 * ---@param down boolean
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_button(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_button button = check_button(L, 2);
    luaL_checktype(L, 3, LUA_TBOOLEAN);
    return lib_done(L, desk_pointer_button(d, button, lua_toboolean(L, 3), &err), &err);
}

/* Whether the button that was let go last is still down for the display: press again when it is
 * not.
 * ---@return boolean */
static int lib_desk_button_waits(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushboolean(L, desk_pointer_button_waits(d));
    return 1;
}

/* Notches as what desk.h counts them in; more than it can hold is more than any desk turns. */
static int check_notches(lua_State *L, int index)
{
    lua_Number parts = luaL_checknumber(L, index) * DESK_NOTCH;
    luaL_argcheck(L, fabs(parts) < INT_MAX, index, "number out of range");
    return (int) lround(parts);
}

/* Turns the wheel by notches; positive is right and down. X11 turns by whole ones.
 * ---@param dx number
 * ---@param dy number
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_wheel(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_pointer_wheel(d, check_notches(L, 2), check_notches(L, 3), &err), &err);
}

/* --- keyboard ----------------------------------------------------------------------------------
 */

/* Presses or releases one key by name; a name that is not known is `nil, err`.
 * ---@param name string
 * ---@param down boolean
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_key(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_key key;
    const char *name = lib_check_plain(L, 2);
    luaL_checktype(L, 3, LUA_TBOOLEAN);
    bool ok =
        desk_key_parse(name, &key, &err) && desk_keyboard_key(d, key, lua_toboolean(L, 3), &err);
    return lib_done(L, ok, &err);
}

static bool read_keys(lua_State *L, int index, desk_combo *out, base_error *err)
{
    lua_Integer count = luaL_len(L, index);
    luaL_argcheck(L, count >= 1 && count <= DESK_COMBO_MAX, index, "wants 1 to 8 names of keys");
    *out = (desk_combo){.count = (size_t) count};
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, index, i);
        bool known = desk_key_parse(lib_check_plain(L, -1), &out->keys[i - 1], err);
        lua_pop(L, 1);
        if (!known) {
            return false;
        }
    }
    return true;
}

/* Presses the keys of a combination in their order and releases them in reverse; after a failure
 * none of them stays down. A name that is not known is `nil, err`.
 * ---@param names string[] at most 8
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_tap(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_combo combo;
    luaL_checktype(L, 2, LUA_TTABLE);
    bool ok = read_keys(L, 2, &combo, &err) && desk_keyboard_tap(d, combo.keys, combo.count, &err);
    return lib_done(L, ok, &err);
}

/* Types as much of `text`, from byte `offset` (0 is the start) on, as can go at once. Where
 * `remapped` is true the application must have caught up (ping, or a pause) before the next step
 * and before text_end.
 * ---@param text string
 * ---@param offset integer?
 * ---@return integer? consumed bytes
 * ---@return boolean|deskpilot.error remapped the error if consumed is nil
 * ---@return boolean? moved another window has the keyboard than at the first step since text_end,
 * or none, so nothing was typed */
static int lib_desk_text_step(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_text_step step;
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    lua_Integer offset = luaL_optinteger(L, 3, 0);
    luaL_argcheck(L, offset >= 0 && (size_t) offset <= length, 3, "lies outside the text");
    if (!desk_type_text(d, text + offset, length - (size_t) offset, &step, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, (lua_Integer) step.consumed);
    lua_pushboolean(L, step.remapped);
    lua_pushboolean(L, step.moved);
    return 3;
}

/* Puts the keyboard map back as it was; when the application has caught up.
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_text_end(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_type_end(d, &err), &err);
}

/* Finds out whether the active window's application has taken its input: by asking it, or by
 * watching it. The token is 0 where neither can be done.
 * ---@return integer? token
 * ---@return boolean|deskpilot.error asked the error if token is nil */
static int lib_desk_ping(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    uint64_t token;
    if (!desk_ping(d, &token, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, (lua_Integer) token);
    lua_pushboolean(L, token && !(token & DESK_PING_WATCHED));
    return 2;
}

/* Whether pump has seen the answer.
 * ---@param token integer
 * ---@return boolean */
static int lib_desk_ping_answered(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushboolean(L, desk_ping_answered(d, (uint64_t) luaL_checkinteger(L, 2)));
    return 1;
}

const luaL_Reg lib_desk_input_methods[] = {
    {"pointer", lib_desk_pointer},
    {"move", lib_desk_move},
    {"button", lib_desk_button},
    {"button_waits", lib_desk_button_waits},
    {"wheel", lib_desk_wheel},
    {"key", lib_desk_key},
    {"tap", lib_desk_tap},
    {"text_step", lib_desk_text_step},
    {"text_end", lib_desk_text_end},
    {"ping", lib_desk_ping},
    {"ping_answered", lib_desk_ping_answered},
    {NULL, NULL},
};
