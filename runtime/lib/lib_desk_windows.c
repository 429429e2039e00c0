/* The part of native.desk that is about windows (lib_desk.c). */
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

static void push_window(lua_State *L, const void *list, size_t index)
{
    const desk_window *w = &((const desk_window_list *) list)->items[index];
    lua_createtable(L, 0, 15);
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
    lua_pushinteger(L, w->layer);
    lua_setfield(L, -2, "layer");
    if (w->workspace) {
        lua_pushinteger(L, w->workspace);
        lua_setfield(L, -2, "workspace");
    }
}

/* The windows, bottom to top. Titles come from whoever made the window: data, never to be trusted.
 * ---@return deskpilot.window[]? windows
 * ---@return deskpilot.error? err */
static int lib_desk_windows(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_window_list list;
    if (!desk_windows(d, &list, &err)) {
        return lib_fail(L, &err);
    }
    lib_push_list(L, list.count, push_window, &list);
    desk_window_list_free(&list);
    return 1;
}

/* The id of the window that gets what is typed; 0 while there is none.
 * ---@return integer */
static int lib_desk_active(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushinteger(L, (lua_Integer) desk_window_active(d));
    return 1;
}

/* Asks for the window to be raised and focused; look at `active` for when it is.
 * ---@param id integer
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_focus(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_window_focus(d, check_id(L, 2), &err), &err);
}

/* Asks the window to close, as its close button does; it may ask its user first.
 * ---@param id integer
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_close_window(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_window_close(d, check_id(L, 2), &err), &err);
}

/* Asks for a place and size of the window, which also ends its being minimized or maximized; look
 * at its rectangle for what came of it.
 * ---@param id integer
 * ---@param x integer
 * ---@param y integer
 * ---@param width integer
 * ---@param height integer
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_place_window(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    image_rect rect = {lib_check_int(L, 3), lib_check_int(L, 4), lib_check_int(L, 5),
                       lib_check_int(L, 6)};
    return lib_done(L, desk_window_place(d, check_id(L, 2), rect, &err), &err);
}

/* Asks for a state; look at `minimized` and `maximized` for when it is there.
 * ---@param id integer
 * ---@param state "normal"|"minimized"|"maximized"
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_window_state(lua_State *L)
{
    static const char *const names[] = {"normal", "minimized", "maximized", NULL};
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_window_state state = (desk_window_state) luaL_checkoption(L, 3, NULL, names);
    return lib_done(L, desk_window_set_state(d, check_id(L, 2), state, &err), &err);
}

/* Asks for the window to be above or below all others, without the focus; look at the order of
 * `windows` for when it is.
 * ---@param id integer
 * ---@param where "above"|"below"
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_stack_window(lua_State *L)
{
    static const char *const names[] = {"below", "above", NULL};
    desk *d = lib_check_desk(L);
    base_error err = {0};
    bool above = luaL_checkoption(L, 3, NULL, names) == 1;
    return lib_done(L, desk_window_stack(d, check_id(L, 2), above, &err), &err);
}

/* A number that grows when pump sees windows come, go or change; 0 where nothing tells of that.
 * ---@return integer */
static int lib_desk_window_changes(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_pushinteger(L, (lua_Integer) desk_window_changes(d));
    return 1;
}

/* --- workspaces --------------------------------------------------------------------------------
 */

/* The workspaces; `current` counts from 1 and is nil where it is not told.
 * ---@return { count: integer, current: integer?, names: string[] }? workspaces
 * ---@return deskpilot.error? err */
static int lib_desk_workspaces(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_workspace_list all;
    if (!desk_workspaces(d, &all, &err)) {
        return lib_fail(L, &err);
    }
    lua_createtable(L, 0, 3);
    lua_pushinteger(L, all.count);
    lua_setfield(L, -2, "count");
    if (all.current) {
        lua_pushinteger(L, all.current);
        lua_setfield(L, -2, "current");
    }
    lua_createtable(L, all.count, 0);
    for (int i = 0; i < all.count; i++) {
        lua_pushstring(L, all.names[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "names");
    return 1;
}

/* Asks for another workspace to be shown; look at `workspaces` for when it is.
 * ---@param number integer
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_go_to_workspace(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_workspace_go(d, lib_check_int(L, 2), &err), &err);
}

/* Asks for a window to be on that workspace; look at its `workspace` for when it is.
 * ---@param id integer
 * ---@param number integer
 * ---@return true? ok
 * ---@return deskpilot.error? err */
static int lib_desk_move_to_workspace(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    return lib_done(L, desk_window_workspace(d, check_id(L, 2), lib_check_int(L, 3), &err), &err);
}

const luaL_Reg lib_desk_window_methods[] = {
    {"windows", lib_desk_windows},
    {"active", lib_desk_active},
    {"focus", lib_desk_focus},
    {"close_window", lib_desk_close_window},
    {"place_window", lib_desk_place_window},
    {"window_state", lib_desk_window_state},
    {"stack_window", lib_desk_stack_window},
    {"window_changes", lib_desk_window_changes},
    {"workspaces", lib_desk_workspaces},
    {"go_to_workspace", lib_desk_go_to_workspace},
    {"move_to_workspace", lib_desk_move_to_workspace},
    {NULL, NULL},
};
