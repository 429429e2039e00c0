/* The part of native.desk that is about monitors and windows' own pictures (lib_desk.c). */
#include "lib_desk.h"

#include <stdlib.h>

static void push_monitor(lua_State *L, const void *list, size_t index)
{
    const desk_monitor *m = &((const desk_monitor_list *) list)->items[index];
    lua_createtable(L, 0, 9);
    lib_push_rect_fields(L, m->rect);
    lua_pushinteger(L, (lua_Integer) index + 1);
    lua_setfield(L, -2, "index");
    lua_pushstring(L, m->name);
    lua_setfield(L, -2, "name");
    lua_createtable(L, 0, 4);
    lib_push_rect_fields(L, m->work);
    lua_setfield(L, -2, "work");
    lua_pushnumber(L, m->scale);
    lua_setfield(L, -2, "scale");
    lua_pushboolean(L, m->primary);
    lua_setfield(L, -2, "primary");
}

/* The monitors as they are now, from left to right, those with the same left edge from top to
 * bottom; their places are pixels of the whole desktop.
 * ---@return deskpilot.monitor[]? monitors
 * ---@return deskpilot.error? err */
static int lib_desk_monitors(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    desk_monitor_list list;
    if (!desk_monitors(d, &list, &err)) {
        return lib_fail(L, &err);
    }
    lib_push_list(L, list.count, push_monitor, &list);
    desk_monitor_list_free(&list);
    return 1;
}

/* Has the one monitor of a screen that nobody sees say that it shows so many pictures a second;
 * applications that draw in step with it draw so often. It stays so when the desk is closed.
 * ---@param hertz integer 1 to 1000
 * ---@return true? ok
 * ---@return deskpilot.error? err code "unsupported" where the display has none that can be set */
static int lib_desk_set_refresh_rate(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_Integer hertz = luaL_checkinteger(L, 2);
    base_error err = {0};
    luaL_argcheck(L, hertz >= 1 && hertz <= DESK_MOST_HERTZ, 2, "a rate is 1 to 1000 Hz");
    return lib_done(L, desk_set_refresh_rate(d, (int) hertz, &err), &err);
}

/* A copy of the picture in the image on top of the stack; frees what the backend has handed over.
 */
static bool keep(image_bitmap *image, image_bitmap *picture, base_error *err)
{
    bool ok = image_crop(image, picture, (image_rect){0, 0, picture->width, picture->height}, err);
    image_free(picture);
    return ok;
}

/* The pixels that a window draws itself, whatever covers it. False while its application has still
 * to draw what was hidden: ask again after pump, until there is a picture (at most a second), or
 * call capture_window_end.
 * ---@param id integer
 * ---@param cursor boolean? draws the pointer
 * ---@return native.Image|false? image
 * ---@return { x: integer, y: integer, width: integer, height: integer }|deskpilot.error? rect
 * ---@return boolean? incomplete its application did not draw all of it in time */
static int lib_desk_capture_window(lua_State *L)
{
    desk *d = lib_check_desk(L);
    lua_Integer id = luaL_checkinteger(L, 2);
    luaL_argcheck(L, id > 0, 2, "a window's id is a positive number");
    bool cursor = lua_toboolean(L, 3);
    base_error err = {0};
    desk_window_picture picture;
    lua_settop(L, 3);
    image_bitmap *image = lib_push_image(L);
    lib_recall_lent(L, 1);
    if (!desk_window_capture(d, (uint64_t) id, cursor, &picture, &err)) {
        return lib_fail(L, &err);
    }
    if (picture.pending) {
        lua_pushboolean(L, 0);
        return 1;
    }
    if (!keep(image, &picture.image, &err)) {
        return lib_fail(L, &err);
    }
    lua_createtable(L, 0, 4);
    lib_push_rect_fields(L, picture.rect);
    lua_pushboolean(L, picture.incomplete);
    return 3;
}

/* Lets go of the window whose picture was being waited for, if there is one.
 * ---@return true ok */
static int lib_desk_capture_window_end(lua_State *L)
{
    desk *d = lib_check_desk(L);
    desk_window_capture_end(d);
    return lib_done(L, true, NULL);
}

/* Draws a frame of 3 pixels along the inside of a rectangle of the screen, for people to see, or
 * moves the one that is there; without a rectangle takes it away, as closing the desk does. It lies
 * above all windows and takes no input, and pictures of the screen show it.
 * ---@param frame { x: integer, y: integer, width: integer, height: integer }?
 * ---@return true? ok
 * ---@return deskpilot.error? err code "unsupported" where no frame can be drawn */
static int lib_desk_highlight(lua_State *L)
{
    desk *d = lib_check_desk(L);
    base_error err = {0};
    if (lua_isnoneornil(L, 2)) {
        return lib_done(L, desk_highlight(d, NULL, &err), &err);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    image_rect frame = {lib_option_int(L, 2, "x", 0), lib_option_int(L, 2, "y", 0),
                        lib_option_int(L, 2, "width", 0), lib_option_int(L, 2, "height", 0)};
    return lib_done(L, desk_highlight(d, &frame, &err), &err);
}

const luaL_Reg lib_desk_screen_methods[] = {
    {"monitors", lib_desk_monitors},
    {"set_refresh_rate", lib_desk_set_refresh_rate},
    {"capture_window", lib_desk_capture_window},
    {"capture_window_end", lib_desk_capture_window_end},
    {"highlight", lib_desk_highlight},
    {NULL, NULL},
};
