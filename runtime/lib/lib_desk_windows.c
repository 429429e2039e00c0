/* The part of native.desk that is about windows and the clipboard (lib_desk.c). */
#include "lib_desk.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static uint64_t check_id(lua_State *L, int index)
{
    lua_Integer value = luaL_checkinteger(L, index);
    luaL_argcheck(L, value > 0, index, "a window's id is a positive number");
    return (uint64_t) value;
}

static void push_window(lua_State *L, const desk_window *w)
{
    lua_createtable(L, 0, 13);
    lib_push_rect_fields(L, w->rect);
    lua_pushinteger(L, (lua_Integer) w->id);
    lua_setfield(L, -2, "id");
    lua_pushstring(L, w->title);
    lua_setfield(L, -2, "title");
    lua_pushstring(L, w->klass);
    lua_setfield(L, -2, "class");
    lua_pushstring(L, w->executable);
    lua_setfield(L, -2, "executable");
    lua_pushinteger(L, w->pid);
    lua_setfield(L, -2, "pid");
    lua_pushboolean(L, w->active);
    lua_setfield(L, -2, "active");
    lua_pushboolean(L, w->visible);
    lua_setfield(L, -2, "visible");
    lua_pushboolean(L, w->minimized);
    lua_setfield(L, -2, "minimized");
    lua_pushboolean(L, w->maximized);
    lua_setfield(L, -2, "maximized");
}

/* The windows, bottom to top. Titles come from whoever made the window: data, never to be trusted.
 * ---@param self native.Desk
 * ---@return native.Window[]? windows
 * ---@return native.Error? err */
static int desk_windows(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_error err = {0};
    desk_window_list list;
    if (!d->ops->windows(d, &list, &err)) {
        return lib_fail(L, &err);
    }
    lua_createtable(L, (int) list.count, 0);
    for (size_t i = 0; i < list.count; i++) {
        push_window(L, &list.items[i]);
        lua_rawseti(L, -2, (lua_Integer) i + 1);
    }
    desk_window_list_free(&list);
    return 1;
}

/* Asks for the window to be raised and focused; look at `active` for when it is.
 * ---@param self native.Desk
 * ---@param id integer
 * ---@return true? ok
 * ---@return native.Error? err */
static int desk_focus(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_error err = {0};
    return lib_done(L, d->ops->window_focus(d, check_id(L, 2), &err), &err);
}

/* Asks the window to close, as its close button does; it may ask its user first.
 * ---@param self native.Desk
 * ---@param id integer
 * ---@return true? ok
 * ---@return native.Error? err */
static int desk_close_window(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_error err = {0};
    return lib_done(L, d->ops->window_close(d, check_id(L, 2), &err), &err);
}

/* Asks for a place and size of the window, which also ends its being minimized or maximized; look
 * at its rectangle for what came of it.
 * ---@param self native.Desk
 * ---@param id integer
 * ---@param x integer
 * ---@param y integer
 * ---@param width integer
 * ---@param height integer
 * ---@return true? ok
 * ---@return native.Error? err */
static int desk_place_window(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_error err = {0};
    desk_rect rect = {lib_check_int(L, 3), lib_check_int(L, 4), lib_check_int(L, 5),
                      lib_check_int(L, 6)};
    return lib_done(L, d->ops->window_place(d, check_id(L, 2), rect, &err), &err);
}

/* Asks for a state; look at `minimized` and `maximized` for when it is there.
 * ---@param self native.Desk
 * ---@param id integer
 * ---@param state "normal"|"minimized"|"maximized"
 * ---@return true? ok
 * ---@return native.Error? err */
static int desk_window_state_method(lua_State *L)
{
    static const char *const names[] = {"normal", "minimized", "maximized", NULL};
    desk *d = lib_check_desk(L);
    desk_error err = {0};
    desk_window_state state = (desk_window_state) luaL_checkoption(L, 3, NULL, names);
    return lib_done(L, d->ops->window_state(d, check_id(L, 2), state, &err), &err);
}

/* --- clipboard ---------------------------------------------------------------------------------
 */

/* The clipboard's text with "\n" line ends, "" where it holds none. False while it is not to be had
 * yet: ask again after pump.
 * ---@param self native.Desk
 * ---@return string|false|nil text
 * ---@return native.Error? err */
static int desk_clipboard_get(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_error err = {0};
    char *text = NULL;
    size_t length = 0;
    bool pending = false;
    if (!d->ops->clipboard_get(d, &text, &length, &pending, &err)) {
        return lib_fail(L, &err);
    }
    if (pending) {
        lua_pushboolean(L, 0);
        return 1;
    }
    lua_pushlstring(L, text, length);
    free(text);
    return 1;
}

/* Offers a text to other programs. False while that cannot be done yet: ask again after pump.
 * ---@param self native.Desk
 * ---@param text string
 * ---@return boolean? ok
 * ---@return native.Error? err */
static int desk_clipboard_set(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_error err = {0};
    bool pending = false;
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    if (!d->ops->clipboard_set(d, text, length, &pending, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushboolean(L, !pending);
    return 1;
}

const luaL_Reg lib_desk_window_methods[] = {
    {"windows", desk_windows},
    {"focus", desk_focus},
    {"close_window", desk_close_window},
    {"place_window", desk_place_window},
    {"window_state", desk_window_state_method},
    {"clipboard_get", desk_clipboard_get},
    {"clipboard_set", desk_clipboard_set},
    {NULL, NULL},
};
