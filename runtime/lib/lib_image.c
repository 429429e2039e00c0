/* native.image: pictures for scripts. */
#include "lib_image.h"
#include "base/base64.h"
#include "image/codec/codec.h"
#include "image/coords.h"
#include "image/scale.h"
#include "lib.h"

#include <stdlib.h>
#include <string.h>

static int check_int(lua_State *L, int index)
{
    lua_Integer value = luaL_checkinteger(L, index);
    luaL_argcheck(L, value >= INT32_MIN && value <= INT32_MAX, index, "number out of range");
    return (int) value;
}

static int check_side(lua_State *L, int index)
{
    lua_Integer value = luaL_checkinteger(L, index);
    luaL_argcheck(L, value >= 1 && value <= IMAGE_MAX_SIDE, index,
                  "a side must be 1 to 32767 pixels");
    return (int) value;
}

static uint8_t check_channel(lua_State *L, int index)
{
    lua_Integer value = luaL_checkinteger(L, index);
    luaL_argcheck(L, value >= 0 && value <= 255, index, "a colour must be 0 to 255");
    return (uint8_t) value;
}

/* x, y, width and height in four arguments from `index` on, inside the image. */
static image_rect check_inside(lua_State *L, int index, const image_bitmap *image)
{
    image_rect r = {check_int(L, index), check_int(L, index + 1), check_int(L, index + 2),
                    check_int(L, index + 3)};
    luaL_argcheck(L, r.x >= 0 && r.x < image->width, index, "x lies outside the image");
    luaL_argcheck(L, r.y >= 0 && r.y < image->height, index + 1, "y lies outside the image");
    luaL_argcheck(L, r.width >= 1 && r.width <= image->width - r.x, index + 2,
                  "the width leaves the image");
    luaL_argcheck(L, r.height >= 1 && r.height <= image->height - r.y, index + 3,
                  "the height leaves the image");
    return r;
}

static const uint8_t *pixel_at(const image_bitmap *image, int x, int y)
{
    return image->pixels + (size_t) y * image->stride + (size_t) x * 4;
}

/* --- image methods ------------------------------------------------------------------------------
 */

/* Width and height in pixels.
 * ---@return integer width, integer height */
static int lib_image_size(lua_State *L)
{
    const image_bitmap *image = lib_check_image(L, 1);
    lua_pushinteger(L, image->width);
    lua_pushinteger(L, image->height);
    return 2;
}

/* The colour of one pixel, counted from 0, each channel 0..255.
 * ---@param x integer
 * ---@param y integer
 * ---@return integer red, integer green, integer blue */
static int lib_image_pixel(lua_State *L)
{
    const image_bitmap *image = lib_check_image(L, 1);
    lua_Integer x = luaL_checkinteger(L, 2), y = luaL_checkinteger(L, 3);
    luaL_argcheck(L, x >= 0 && x < image->width, 2, "x lies outside the image");
    luaL_argcheck(L, y >= 0 && y < image->height, 3, "y lies outside the image");
    const uint8_t *p = pixel_at(image, (int) x, (int) y);
    lua_pushinteger(L, p[2]);
    lua_pushinteger(L, p[1]);
    lua_pushinteger(L, p[0]);
    return 3;
}

/* The image on top of the stack, `into` of a method's arguments, or a new one there where that is
 * nil. It is filled from `image`. */
static image_bitmap *into_image(lua_State *L, int into, const image_bitmap *image)
{
    lua_settop(L, into);
    image_bitmap *to =
        lua_isnil(L, into) ? lib_push_image(L) : luaL_checkudata(L, into, IMAGE_TYPE);
    luaL_argcheck(L, to != image, into, "an image cannot be made of itself in its own memory");
    return to;
}

/* A copy of a part of the image. It is a new image, or in the memory of the one given as `into`
 * (even if that has been closed), so that a series of pictures can go on with a few.
 * ---@param x integer
 * ---@param y integer
 * ---@param width integer
 * ---@param height integer
 * ---@param into native.Image?
 * ---@return native.Image? part, deskpilot.error? err */
static int lib_image_crop(lua_State *L)
{
    const image_bitmap *image = lib_check_image(L, 1);
    image_rect rect = check_inside(L, 2, image);
    base_error err;
    if (!image_crop(into_image(L, 6, image), image, rect, &err)) {
        return lib_fail(L, &err);
    }
    return 1;
}

/* A copy of another size, of the image or of a part of it (all four or none); made smaller, each
 * pixel is the average of the area it covers. It is a new image, or in the memory of the one given
 * as `into` (even if that has been closed), so that a loop can go on with a single one.
 * ---@param width integer
 * ---@param height integer
 * ---@param into native.Image?
 * ---@param part_x integer?
 * ---@param part_y integer?
 * ---@param part_width integer?
 * ---@param part_height integer?
 * ---@return native.Image? scaled, deskpilot.error? err */
static int lib_image_scale(lua_State *L)
{
    const image_bitmap *image = lib_check_image(L, 1);
    int width = check_side(L, 2), height = check_side(L, 3);
    lua_settop(L, 8);
    image_bitmap from = *image;
    if (!lua_isnil(L, 5)) {
        image_rect part = check_inside(L, 5, image);
        from.pixels += (size_t) part.y * from.stride + (size_t) part.x * 4;
        from.width = part.width;
        from.height = part.height;
    }
    base_error err;
    if (!image_scale(into_image(L, 4, image), &from, width, height, &err)) {
        return lib_fail(L, &err);
    }
    return 1;
}

/* Paints a rectangle.
 * ---@param x integer
 * ---@param y integer
 * ---@param width integer
 * ---@param height integer
 * ---@param red integer 0..255
 * ---@param green integer
 * ---@param blue integer */
static int lib_image_fill(lua_State *L)
{
    image_bitmap *image = lib_check_canvas(L, 1);
    image_rect rect = check_inside(L, 2, image);
    uint8_t red = check_channel(L, 6), green = check_channel(L, 7), blue = check_channel(L, 8);
    const uint8_t colour[4] = {blue, green, red, 255};
    for (int y = rect.y; y < rect.y + rect.height; y++) {
        uint8_t *p = image->pixels + (size_t) y * image->stride + (size_t) rect.x * 4;
        for (int x = 0; x < rect.width; x++, p += 4) {
            memcpy(p, colour, 4);
        }
    }
    return 0;
}

static bool same_row(const image_bitmap *a, const image_bitmap *b, int y)
{
    const uint8_t *p = pixel_at(a, 0, y), *q = pixel_at(b, 0, y);
    if (memcmp(p, q, (size_t) a->width * 4) == 0) {
        return true;
    }
    /* The fourth byte alone may differ. */
    for (int x = 0; x < a->width; x++, p += 4, q += 4) {
        if (memcmp(p, q, 3) != 0) {
            return false;
        }
    }
    return true;
}

/* Do both images have the same size and colours?
 * ---@param other native.Image
 * ---@return boolean */
static int lib_image_equal(lua_State *L)
{
    const image_bitmap *a = lib_check_image(L, 1), *b = lib_check_image(L, 2);
    bool equal = a->width == b->width && a->height == b->height;
    for (int y = 0; equal && y < a->height; y++) {
        equal = same_row(a, b, y);
    }
    lua_pushboolean(L, equal);
    return 1;
}

/* Gives the pixels back at once, not when the collector finds out; no use of it after that. */
static int lib_image_gc(lua_State *L)
{
    image_free(luaL_checkudata(L, 1, IMAGE_TYPE));
    return 0;
}

/* --- module functions ---------------------------------------------------------------------------
 */

/* A black image.
 * ---@param width integer
 * ---@param height integer
 * ---@return native.Image? image, deskpilot.error? err */
static int module_new(lua_State *L)
{
    int width = check_side(L, 1), height = check_side(L, 2);
    base_error err;
    if (!image_alloc(lib_push_image(L), width, height, &err)) {
        return lib_fail(L, &err);
    }
    return 1;
}

/* The image in the bytes of a PNG or JPEG file.
 * ---@param file string
 * ---@return native.Image? image, deskpilot.error? err */
static int module_load(lua_State *L)
{
    size_t size;
    const char *data = luaL_checklstring(L, 1, &size);
    base_error err;
    if (!codec_decode(lib_push_image(L), (const uint8_t *) data, size, &err)) {
        return lib_fail(L, &err);
    }
    return 1;
}

/* The largest size of the same shape inside a limit; never larger than the image.
 * ---@param width integer
 * ---@param height integer
 * ---@param max_width integer
 * ---@param max_height integer
 * ---@return integer width, integer height */
static int module_fit(lua_State *L)
{
    int width, height;
    image_fit(check_side(L, 1), check_side(L, 2), check_side(L, 3), check_side(L, 4), &width,
              &height);
    lua_pushinteger(L, width);
    lua_pushinteger(L, height);
    return 2;
}

/* A PNG encoder for a series of images that differ little.
 * ---@return native.PngEncoder */
static int module_encoder(lua_State *L)
{
    lib_image_push_encoder(L);
    return 1;
}

static int rect_field(lua_State *L, int index, const char *name)
{
    int exact;
    lua_getfield(L, index, name);
    lua_Integer value = lua_tointegerx(L, -1, &exact);
    if (!exact || value < INT32_MIN || value > INT32_MAX) {
        luaL_error(L, "bad rectangle: field '%s' must be an integer", name);
    }
    lua_pop(L, 1);
    return (int) value;
}

static image_rect check_rect(lua_State *L, int index)
{
    luaL_checktype(L, index, LUA_TTABLE);
    return (image_rect){rect_field(L, index, "x"), rect_field(L, index, "y"),
                        rect_field(L, index, "width"), rect_field(L, index, "height")};
}

/* The pixel that a position of 0..1000 in an area names. Outside that range is an error.
 * ---@param x number
 * ---@param y number
 * ---@param rect { x: integer, y: integer, width: integer, height: integer }
 * ---@return integer? x, integer|deskpilot.error y */
static int module_norm_to_pixel(lua_State *L)
{
    double xn = luaL_checknumber(L, 1), yn = luaL_checknumber(L, 2);
    base_error err;
    int x, y;
    if (!image_norm_to_pixel(xn, yn, check_rect(L, 3), &x, &y, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushinteger(L, x);
    lua_pushinteger(L, y);
    return 2;
}

/* The position of 0..1000 that leads back to this pixel of an area.
 * ---@param x integer
 * ---@param y integer
 * ---@param rect { x: integer, y: integer, width: integer, height: integer }
 * ---@return number? x, number|deskpilot.error y */
static int module_pixel_to_norm(lua_State *L)
{
    int x = check_int(L, 1), y = check_int(L, 2);
    base_error err;
    double xn, yn;
    if (!image_pixel_to_norm(x, y, check_rect(L, 3), &xn, &yn, &err)) {
        return lib_fail(L, &err);
    }
    lua_pushnumber(L, xn);
    lua_pushnumber(L, yn);
    return 2;
}

/* Bytes in base64, with padding and without line breaks.
 * ---@param bytes string
 * ---@return string */
static int module_base64(lua_State *L)
{
    size_t size;
    const char *data = luaL_checklstring(L, 1, &size);
    size_t length = base_base64_size(size);
    luaL_Buffer buffer;
    char *out = luaL_buffinitsize(L, &buffer, length);
    base_base64(out, (const uint8_t *) data, size);
    luaL_pushresultsize(&buffer, length);
    return 1;
}

/* The bytes of a text in base64, with padding and without line breaks.
 * ---@param text string
 * ---@return string? bytes, deskpilot.error? err code "invalid" */
static int module_from_base64(lua_State *L)
{
    size_t length, size;
    const char *text = luaL_checklstring(L, 1, &length);
    luaL_Buffer buffer;
    char *out = luaL_buffinitsize(L, &buffer, length / 4 * 3 + 1);
    if (!base_base64_decode((uint8_t *) out, &size, text, length)) {
        base_error err;
        base_fail(&err, BASE_INVALID, "that is no base64");
        return lib_fail(L, &err);
    }
    luaL_pushresultsize(&buffer, size);
    return 1;
}

int lib_open_image(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"size", lib_image_size}, {"pixel", lib_image_pixel},
        {"crop", lib_image_crop}, {"scale", lib_image_scale},
        {"fill", lib_image_fill}, {"equal", lib_image_equal},
        {"close", lib_image_gc},  {NULL, NULL},
    };
    static const luaL_Reg module[] = {
        {"new", module_new},
        {"load", module_load},
        {"fit", module_fit},
        {"encoder", module_encoder},
        {"norm_to_pixel", module_norm_to_pixel},
        {"pixel_to_norm", module_pixel_to_norm},
        {"base64", module_base64},
        {"from_base64", module_from_base64},
        {NULL, NULL},
    };
    lib_new_type(L, IMAGE_TYPE, methods, lib_image_gc);
    lib_image_add_draw(L);
    lib_image_add_find(L);
    lib_image_add_encode(L);
    luaL_newlib(L, module);
    return 1;
}
