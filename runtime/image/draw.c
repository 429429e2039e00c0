#include "draw.h"

#include "base/utf8.h"
#include "draw_font.h"

#include <assert.h>
#include <string.h>

static uint8_t mix(uint8_t below, uint8_t above, uint8_t alpha)
{
    return (uint8_t) ((above * alpha + below * (255 - alpha) + 127) / 255);
}

/* Paints from..end of a row, all of it inside the picture. */
static void paint_row(image_bitmap *image, int y, int from, int end, image_colour c)
{
    uint8_t *p = image->pixels + (size_t) y * image->stride + (size_t) from * 4;
    for (int x = from; x < end; x++, p += 4) {
        p[0] = mix(p[0], c.blue, c.alpha);
        p[1] = mix(p[1], c.green, c.alpha);
        p[2] = mix(p[2], c.red, c.alpha);
        p[3] = 255; /* where the picture has holes (image.h), there is something now */
    }
}

static int64_t between(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* From one corner to another, the last row and column not included; in 64 bits, for sums of numbers
 * that may be anything. */
static void paint_area(image_bitmap *image, int64_t x0, int64_t y0, int64_t x1, int64_t y1,
                       image_colour c)
{
    int left = (int) between(x0, 0, image->width), right = (int) between(x1, 0, image->width);
    int top = (int) between(y0, 0, image->height), bottom = (int) between(y1, 0, image->height);
    for (int y = top; y < bottom && left < right && c.alpha > 0; y++) {
        paint_row(image, y, left, right, c);
    }
}

void image_draw_fill(image_bitmap *image, image_rect r, image_colour colour)
{
    assert(image && image->pixels);
    paint_area(image, r.x, r.y, (int64_t) r.x + r.width, (int64_t) r.y + r.height, colour);
}

void image_draw_frame(image_bitmap *image, image_rect r, int width, image_colour colour)
{
    assert(image && image->pixels && width >= 1);
    if (r.width <= 2 * (int64_t) width || r.height <= 2 * (int64_t) width) {
        image_draw_fill(image, r, colour);
        return;
    }
    int64_t x0 = r.x, y0 = r.y, x1 = x0 + r.width, y1 = y0 + r.height, w = width;
    paint_area(image, x0, y0, x1, y0 + w, colour);
    paint_area(image, x0, y1 - w, x1, y1, colour);
    paint_area(image, x0, y0 + w, x0 + w, y1 - w, colour);
    paint_area(image, x1 - w, y0 + w, x1, y1 - w, colour);
}

/* Along the longer side, a stroke of `width` pixels across at each step. Steps outside the picture
 * are left out, and each is computed from the beginning: nothing depends on where the edge is. The
 * product fits: both factors are below 2^32. */
void image_draw_line(image_bitmap *image, int x0, int y0, int x1, int y1, int width,
                     image_colour colour)
{
    assert(image && image->pixels && width >= 1 && width <= 255);
    int64_t dx = (int64_t) x1 - x0, dy = (int64_t) y1 - y0;
    bool flat = (dx < 0 ? -dx : dx) >= (dy < 0 ? -dy : dy);
    int64_t begin = flat ? x0 : y0, along = flat ? dx : dy, across = flat ? dy : dx;
    int64_t origin = flat ? y0 : x0, limit = flat ? image->width : image->height;
    uint64_t length = (uint64_t) (along < 0 ? -along : along);
    uint64_t rise = (uint64_t) (across < 0 ? -across : across);
    int64_t first = along < 0 ? begin + along : begin, last = along < 0 ? begin : begin + along;
    last = last < limit ? last : limit - 1;
    for (int64_t at = first > 0 ? first : 0; at <= last; at++) {
        uint64_t step = (uint64_t) (at < begin ? begin - at : at - begin);
        int64_t shift = length ? (int64_t) ((step * rise + length / 2) / length) : 0;
        int64_t edge = origin + (across < 0 ? -shift : shift) - (width - 1) / 2;
        if (flat) {
            paint_area(image, at, edge, at + 1, edge + width, colour);
        } else {
            paint_area(image, edge, at, edge + width, at + 1, colour);
        }
    }
}

/* --- text ---------------------------------------------------------------------------------------
 */

/* The next character; 0, which the font has not, for a malformed byte. */
static size_t next_character(const char *text, size_t length, uint32_t *codepoint)
{
    size_t bytes = base_utf8_read(text, length, codepoint);
    if (bytes > 0) {
        return bytes;
    }
    *codepoint = 0;
    return 1;
}

size_t image_text_width(const char *text, size_t length)
{
    size_t characters = 0;
    uint32_t codepoint;
    for (size_t at = 0; at < length; at += next_character(text + at, length - at, &codepoint)) {
        characters++;
    }
    return characters * IMAGE_FONT_WIDTH;
}

static void paint_character(image_bitmap *image, int64_t x, int64_t y, uint32_t codepoint,
                            int scale, image_colour colour)
{
    for (int row = 0; row < FONT_ROWS; row++) {
        for (int column = 0; column < FONT_COLUMNS; column++) {
            if (font_dot(codepoint, column, row)) {
                paint_area(image, x + column * scale, y + row * scale, x + (column + 1) * scale,
                           y + (row + 1) * scale, colour);
            }
        }
    }
}

void image_draw_text(image_bitmap *image, int x, int y, const char *text, size_t length, int scale,
                     image_colour colour)
{
    assert(image && image->pixels && scale >= 1 && scale <= IMAGE_FONT_MAX_SCALE);
    int64_t at = x, advance = IMAGE_FONT_WIDTH * scale;
    for (size_t i = 0; i < length && at < image->width; at += advance) {
        uint32_t codepoint;
        i += next_character(text + i, length - i, &codepoint);
        if (at > -advance) {
            paint_character(image, at, y, codepoint, scale, colour);
        }
    }
}

void image_draw_image(image_bitmap *image, const image_bitmap *from, int x, int y)
{
    assert(image && image->pixels && from && from->pixels && from != image);
    int left = (int) between(x, 0, image->width), top = (int) between(y, 0, image->height);
    int right = (int) between((int64_t) x + from->width, 0, image->width);
    int bottom = (int) between((int64_t) y + from->height, 0, image->height);
    for (int row = top; row < bottom && left < right; row++) {
        size_t there =
            (size_t) ((int64_t) row - y) * from->stride + (size_t) ((int64_t) left - x) * 4;
        memcpy(image->pixels + (size_t) row * image->stride + (size_t) left * 4,
               from->pixels + there, (size_t) (right - left) * 4);
    }
    image->alpha = image->alpha || from->alpha;
}
