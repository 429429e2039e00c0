/*
 * The part of native.image that paints on an image, and tells where two images differ. Colours are
 * numbers: 0xrrggbbaa.
 */
#include "image/difference.h"
#include "image/draw.h"
#include "lib.h"
#include "lib_image.h"

enum { MOST_WIDTH = 255 };

static int check_int(lua_State *L, int index)
{
    lua_Integer value = luaL_checkinteger(L, index);
    luaL_argcheck(L, value >= INT32_MIN && value <= INT32_MAX, index, "number out of range");
    return (int) value;
}

static int check_between(lua_State *L, int index, int least, int most, const char *what)
{
    lua_Integer value = luaL_checkinteger(L, index);
    if (value < least || value > most) {
        luaL_argerror(L, index, lua_pushfstring(L, "%s must be %d to %d", what, least, most));
    }
    return (int) value;
}

static image_rect check_rect(lua_State *L, int index)
{
    return (image_rect){check_int(L, index), check_int(L, index + 1), check_int(L, index + 2),
                        check_int(L, index + 3)};
}

static image_colour check_colour(lua_State *L, int index)
{
    lua_Integer c = luaL_checkinteger(L, index);
    luaL_argcheck(L, c >= 0 && c <= 0xffffffff, index, "a colour must be 0 to 0xffffffff");
    return (image_colour){(uint8_t) (c >> 24), (uint8_t) (c >> 16), (uint8_t) (c >> 8),
                          (uint8_t) c};
}

/* Paints the edge of a rectangle, so many pixels inwards, or all of it; what lies outside the image
 * is left out.
 * ---@param x integer
 * ---@param y integer
 * ---@param width integer
 * ---@param height integer
 * ---@param edge integer 1 to 255, 0 for all of it
 * ---@param colour integer 0xrrggbbaa */
static int lib_image_rectangle(lua_State *L)
{
    image_bitmap *image = lib_check_canvas(L, 1);
    image_rect rect = check_rect(L, 2);
    int edge = check_between(L, 6, 0, MOST_WIDTH, "a width");
    image_colour colour = check_colour(L, 7);
    if (edge == 0) {
        image_draw_fill(image, rect, colour);
    } else {
        image_draw_frame(image, rect, edge, colour);
    }
    return 0;
}

/* Paints a line between two pixels.
 * ---@param x0 integer
 * ---@param y0 integer
 * ---@param x1 integer
 * ---@param y1 integer
 * ---@param width integer 1 to 255
 * ---@param colour integer 0xrrggbbaa */
static int lib_image_line(lua_State *L)
{
    image_bitmap *image = lib_check_canvas(L, 1);
    int x0 = check_int(L, 2), y0 = check_int(L, 3), x1 = check_int(L, 4), y1 = check_int(L, 5);
    int width = check_between(L, 6, 1, MOST_WIDTH, "a width");
    image_draw_line(image, x0, y0, x1, y1, width, check_colour(L, 7));
    return 0;
}

/* Paints a text in one line; what is not ASCII is a box.
 * ---@param x integer of its top left
 * ---@param y integer
 * ---@param text string
 * ---@param scale integer 1 to 16
 * ---@param colour integer 0xrrggbbaa */
static int lib_image_text(lua_State *L)
{
    image_bitmap *image = lib_check_canvas(L, 1);
    int x = check_int(L, 2), y = check_int(L, 3);
    size_t length;
    const char *text = luaL_checklstring(L, 4, &length);
    int scale = check_between(L, 5, 1, IMAGE_FONT_MAX_SCALE, "a scale");
    image_draw_text(image, x, y, text, length, scale, check_colour(L, 6));
    return 0;
}

/* Paints another image with its top left at x, y; what lies outside is left out.
 * ---@param other native.Image
 * ---@param x integer
 * ---@param y integer */
static int lib_image_paste(lua_State *L)
{
    image_bitmap *image = lib_check_canvas(L, 1);
    const image_bitmap *other = lib_check_image(L, 2);
    luaL_argcheck(L, other != image, 2, "an image is not pasted into itself");
    image_draw_image(image, other, check_int(L, 3), check_int(L, 4));
    return 0;
}

/* The size of a text in pixels.
 * ---@param text string
 * ---@param scale integer
 * ---@return integer width, integer height */
static int lib_image_text_size(lua_State *L)
{
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    int scale = check_between(L, 3, 1, IMAGE_FONT_MAX_SCALE, "a scale");
    lua_pushinteger(L, (lua_Integer) image_text_width(text, length) * scale);
    lua_pushinteger(L, IMAGE_FONT_HEIGHT * scale);
    return 2;
}

static bool lies_inside(const image_bitmap *image, image_rect r)
{
    return r.x >= 0 && r.y >= 0 && r.width >= 1 && r.height >= 1 && r.x < image->width &&
           r.y < image->height && r.width <= image->width - r.x && r.height <= image->height - r.y;
}

/* Where two images of one size differ inside an area: the smallest rectangle around all
 * differences, and how many pixels they are. Nothing where there are none.
 * ---@param other native.Image
 * ---@param tolerance integer 0 to 255: largest difference of a channel that counts as none
 * ---@param x integer the area, inside both
 * ---@param y integer
 * ---@param width integer
 * ---@param height integer
 * ---@return integer? x, integer? y, integer? width, integer? height, integer? pixels */
static int lib_image_difference(lua_State *L)
{
    const image_bitmap *a = lib_check_image(L, 1), *b = lib_check_image(L, 2);
    int tolerance = check_between(L, 3, 0, 255, "the tolerance");
    image_rect area = check_rect(L, 4);
    luaL_argcheck(L, a->width == b->width && a->height == b->height, 2,
                  "the images differ in size");
    luaL_argcheck(L, lies_inside(a, area), 4, "the area must lie inside the image");
    image_difference d = image_compare(a, b, area, tolerance);
    if (d.pixels == 0) {
        return 0;
    }
    lua_pushinteger(L, d.bounds.x);
    lua_pushinteger(L, d.bounds.y);
    lua_pushinteger(L, d.bounds.width);
    lua_pushinteger(L, d.bounds.height);
    lua_pushinteger(L, d.pixels);
    return 5;
}

/* The smallest rectangle around all pixels that are not exactly of the colour of the first one.
 * Nothing where there are none.
 * ---@return integer? x, integer? y, integer? width, integer? height */
static int lib_image_content(lua_State *L)
{
    image_rect content = image_content(lib_check_image(L, 1));
    if (content.width == 0) {
        return 0;
    }
    lua_pushinteger(L, content.x);
    lua_pushinteger(L, content.y);
    lua_pushinteger(L, content.width);
    lua_pushinteger(L, content.height);
    return 4;
}

void lib_image_add_draw(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"rectangle", lib_image_rectangle}, {"line", lib_image_line},
        {"text", lib_image_text},           {"paste", lib_image_paste},
        {"text_size", lib_image_text_size}, {"difference", lib_image_difference},
        {"content", lib_image_content},     {NULL, NULL},
    };
    lib_add_methods(L, IMAGE_TYPE, methods);
}
