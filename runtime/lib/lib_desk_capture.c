/* The part of native.desk that is about pictures of the screen and its changes (lib_desk.c). */
#include "lib_desk.h"

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
    *out = (image_rect){lib_option_int(L, 2, "x", 0), lib_option_int(L, 2, "y", 0),
                        lib_option_int(L, 2, "width", 0), lib_option_int(L, 2, "height", 0)};
    return out;
}

/* Puts the picture into the image on top of the stack: by reference if it is to be lent and the
 * backend has a buffer to lend, else as a copy or by handing its memory over. */
static bool give(lua_State *L, image_bitmap *to, image_bitmap *frame, bool lend, base_error *err)
{
    if (frame->borrowed && !lend) {
        bool copied = image_crop(to, frame, (image_rect){0, 0, frame->width, frame->height}, err);
        image_free(frame);
        return copied;
    }
    image_free(to);
    *to = *frame;
    if (frame->borrowed) {
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, 1, LENT_SLOT);
    } else if (lend) {
        lib_weigh_image(L);
    }
    return true;
}

/* The image to fill, on top of the stack: options.into, even if it has been closed, or a new one.
 */
static image_bitmap *target_image(lua_State *L, bool lend)
{
    if (lua_getfield(L, 2, "into") != LUA_TNIL) {
        return luaL_checkudata(L, -1, "native.Image");
    }
    lua_pop(L, 1);
    return lend ? lib_push_weightless_image(L) : lib_push_image(L);
}

/* A picture of the desktop, or of the part that x, y, width and height (all four) name. It is a
 * copy, in a new image or in the memory of the one given as `into`, so that a loop can go on with a
 * single one; nothing is copied where the desktop has memory for several pictures (X11's shared
 * memory has, for some of the whole screen) until somebody paints on it. With `lend`, the image
 * looks straight into the backend's own buffer: nothing is copied, and it is closed by the next
 * capture or by the desk's closing (crop it to keep something). `cursor` draws the pointer. The
 * number of the frame stays the same as long as the next captures' options and the screen do, where
 * the desktop tells what is drawn.
 * ---@param options { x: integer?, y: integer?, width: integer?, height: integer?,
 * cursor: boolean?, into: native.Image?, lend: boolean? }?
 * ---@return native.Image? image
 * ---@return integer|deskpilot.error frame its number */
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
    bool cursor = lib_option_bool(L, 2, "cursor"), lend = lib_option_bool(L, 2, "lend");
    const image_rect *part = read_rect(L, &rect);
    image_bitmap *image = target_image(L, lend);
    lib_recall_lent(L, 1);
    if (!desk_capture(d, part, cursor, &frame, &err)) {
        return lib_fail(L, &err);
    }
    if (!give(L, image, &frame, lend, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, (lua_Integer) desk_frame(d));
    return 2;
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

/* An act begins: what moves on the screen by itself by now is not its doing. See last_act_change.
 */
static int lib_desk_act_begins(lua_State *L)
{
    desk_act_begins(lib_check_desk(L));
    return 0;
}

/* When pump last saw the screen change in another way than what moved by itself at the latest
 * act_begins goes on doing (a video, a clock: a place that had changed again and again for a second
 * since the act before): nanoseconds of uv.hrtime, 0 for not since watch_start.
 * ---@return integer */
static int lib_desk_last_act_change(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer) desk_last_act_change(lib_check_desk(L)));
    return 1;
}

const luaL_Reg lib_desk_capture_methods[] = {
    {"screen", lib_desk_screen},
    {"capture", lib_desk_capture},
    {"watch_start", lib_desk_watch_start},
    {"watch_stop", lib_desk_watch_stop},
    {"last_change", lib_desk_last_change},
    {"act_begins", lib_desk_act_begins},
    {"last_act_change", lib_desk_last_act_change},
    {"watch_region", lib_desk_watch_region},
    {"unwatch_region", lib_desk_unwatch_region},
    {NULL, NULL},
};
