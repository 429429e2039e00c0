/* The part of native.image that makes files of an image: the PNG encoder, and the image's own png
 * and jpeg. */
#include "image/jpeg/jpeg.h"
#include "image/png/png.h"
#include "lib.h"
#include "lib_image.h"

#include <stdlib.h>
#include <string.h>

/* An encoder of PNG files, which keeps the picture before. */
#define ENCODER_TYPE "native.PngEncoder"

/* The number `name` of the options at `index` (which may be nil), `default_value` where it is not
 * there. */
static int check_option(lua_State *L, int index, const char *name, int min, int max,
                        int default_value)
{
    if (lua_isnoneornil(L, index)) {
        return default_value;
    }
    luaL_checktype(L, index, LUA_TTABLE);
    if (lua_getfield(L, index, name) != LUA_TNIL) {
        int exact;
        lua_Integer value = lua_tointegerx(L, -1, &exact);
        if (!exact || value < min || value > max) {
            luaL_error(L, "%s must be %d to %d", name, min, max);
        }
        default_value = (int) value;
    }
    lua_pop(L, 1);
    return default_value;
}

/* { compressor = "screen"|"zlib", level = 1..9 } at `index`, or nothing there. */
static png_options check_options(lua_State *L, int index)
{
    png_options options = {.compressor = PNG_SCREEN};
    if (lua_isnoneornil(L, index)) {
        return options;
    }
    luaL_checktype(L, index, LUA_TTABLE);
    if (lua_getfield(L, index, "compressor") != LUA_TNIL) {
        const char *name = lua_tostring(L, -1);
        bool zlib = name && strcmp(name, "zlib") == 0;
        luaL_argcheck(L, zlib || (name && strcmp(name, "screen") == 0), index,
                      "compressor must be \"screen\" or \"zlib\"");
        options.compressor = zlib ? PNG_ZLIB : PNG_SCREEN;
    }
    lua_pop(L, 1);
    options.level = check_option(L, index, "level", 1, 9, 0);
    return options;
}

png_encoder **lib_image_push_encoder(lua_State *L)
{
    png_encoder **encoder = lua_newuserdatauv(L, sizeof *encoder, 0);
    *encoder = NULL;
    luaL_setmetatable(L, ENCODER_TYPE);
    *encoder = png_encoder_new();
    if (!*encoder) {
        luaL_error(L, "not enough memory");
    }
    return encoder;
}

static png_encoder *check_encoder(lua_State *L, int index)
{
    png_encoder **encoder = luaL_checkudata(L, index, ENCODER_TYPE);
    luaL_argcheck(L, *encoder, index, "the encoder has been closed");
    return *encoder;
}

static int push_png(lua_State *L, png_encoder *encoder, const image_bitmap *image,
                    png_options options)
{
    base_error err;
    const uint8_t *data;
    size_t size;
    if (!png_encode(encoder, image, options, &data, &size, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushlstring(L, (const char *) data, size);
    return 1;
}

/* A PNG file of the image. An encoder remembers the last image and compresses only what changed.
 * ---@param image native.Image
 * ---@param options { compressor: "screen"|"zlib"|nil, level: integer? }?
 * ---@return string? png, deskpilot.error? err */
static int encoder_encode(lua_State *L)
{
    png_encoder *encoder = check_encoder(L, 1);
    const image_bitmap *image = lib_check_image(L, 2);
    return push_png(L, encoder, image, check_options(L, 3));
}

/* What the last encode did: its strips, and how many of them were unchanged.
 * ---@return { strips: integer, reused: integer } */
static int encoder_stats(lua_State *L)
{
    png_stats stats = png_encoder_stats(check_encoder(L, 1));
    lua_createtable(L, 0, 2);
    lua_pushinteger(L, stats.strips);
    lua_setfield(L, -2, "strips");
    lua_pushinteger(L, stats.reused);
    lua_setfield(L, -2, "reused");
    return 1;
}

/* Gives the memory back at once; no use of it after that. */
static int encoder_gc(lua_State *L)
{
    png_encoder **encoder = luaL_checkudata(L, 1, ENCODER_TYPE);
    png_encoder_free(*encoder);
    *encoder = NULL;
    return 0;
}

/* A PNG file of the image. For a series of screenshots an encoder is faster.
 * ---@param options { compressor: "screen"|"zlib"|nil, level: integer? }?
 * ---@return string? png, deskpilot.error? err */
static int lib_image_png(lua_State *L)
{
    const image_bitmap *image = lib_check_image(L, 1);
    png_options options = check_options(L, 2);
    options.once = true;
    png_encoder **encoder = lib_image_push_encoder(L);
    int results = push_png(L, *encoder, image, options);
    /* Not left to the collector, which does not know how much memory it holds. */
    png_encoder_free(*encoder);
    *encoder = NULL;
    return results;
}

/* A JPEG file of the image, small and inexact: colours at half the resolution (4:2:0), opacity left
 * out.
 * ---@param options { quality: integer? }? 1..100, 80 if not given
 * ---@return string? jpeg, deskpilot.error? err */
static int lib_image_jpeg(lua_State *L)
{
    const image_bitmap *image = lib_check_image(L, 1);
    int quality = check_option(L, 2, "quality", 1, 100, 80);
    base_error err;
    uint8_t *data;
    size_t size;
    if (!jpeg_encode(image, quality, &data, &size, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushlstring(L, (const char *) data, size);
    free(data);
    return 1;
}

void lib_image_add_encode(lua_State *L)
{
    static const luaL_Reg encoder_methods[] = {
        {"encode", encoder_encode},
        {"stats", encoder_stats},
        {"close", encoder_gc},
        {NULL, NULL},
    };
    static const luaL_Reg methods[] = {
        {"png", lib_image_png},
        {"jpeg", lib_image_jpeg},
        {NULL, NULL},
    };
    lib_new_type(L, ENCODER_TYPE, encoder_methods, encoder_gc);
    lib_add_methods(L, IMAGE_TYPE, methods);
}
