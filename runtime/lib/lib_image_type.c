/* The userdata of an image, which every part of native.image and other modules give and take. */
#include "lib.h"
#include "lib_image.h"

/* What the collector is told that an image weighs, in kilobytes. It sees a few bytes where there
 * are megabytes, and would let thousands of dead screenshots pile up; the whole truth would make it
 * collect everything at every screenshot. */
enum { IMAGE_WEIGHT = 256 };

void lib_weigh_image(lua_State *L)
{
    lua_gc(L, LUA_GCSTEP, IMAGE_WEIGHT);
}

image_bitmap *lib_push_image(lua_State *L)
{
    lib_weigh_image(L);
    return lib_push_weightless_image(L);
}

image_bitmap *lib_push_weightless_image(lua_State *L)
{
    image_bitmap *image = lua_newuserdatauv(L, sizeof *image, 0);
    *image = (image_bitmap){0};
    luaL_setmetatable(L, IMAGE_TYPE);
    return image;
}

image_bitmap *lib_check_image(lua_State *L, int index)
{
    image_bitmap *image = luaL_checkudata(L, index, IMAGE_TYPE);
    luaL_argcheck(L, image->pixels, index, "the image has been closed");
    return image;
}

image_bitmap *lib_check_canvas(lua_State *L, int index)
{
    base_error err = {0};
    image_bitmap *image = lib_check_image(L, index);
    if (!image_own(image, &err)) {
        luaL_error(L, "%s", err.message);
    }
    luaL_argcheck(L, !image->borrowed, index,
                  "the image is lent by the desk: paint on a crop of it");
    return image;
}
