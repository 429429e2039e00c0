/*
 * draw.h: rectangles, lines and short texts painted on a picture, for marks on screenshots.
 *
 * Places may be anywhere: what lies outside the picture is not painted, and what lies inside is
 * painted as if the picture had no edge. Every pixel is painted at most once a call, so that
 * colours one can see through come out even. The image must own its pixels or be lent for writing.
 */
#ifndef IMAGE_DRAW_H
#define IMAGE_DRAW_H

#include "image.h"

typedef struct {
    uint8_t red, green, blue;
    uint8_t alpha; /* 0 paints nothing, 255 covers what was there */
} image_colour;

/* Pixels of one character at scale 1, its distance to the next one and the next line included. */
enum { IMAGE_FONT_WIDTH = 6, IMAGE_FONT_HEIGHT = 12, IMAGE_FONT_MAX_SCALE = 16 };

/* The whole rectangle; nothing where a side is below 1. */
void image_draw_fill(image_bitmap *image, image_rect rect, image_colour colour);

/* The edge of the rectangle, `width` pixels (at least 1) inwards. */
void image_draw_frame(image_bitmap *image, image_rect rect, int width, image_colour colour);

/* A line from one pixel to another, both included (Bresenham's), `width` pixels (1..255) across:
 * down a column where the line is flat, along a row where it is steep. */
void image_draw_line(image_bitmap *image, int x0, int y0, int x1, int y1, int width,
                     image_colour colour);

/* UTF-8 in one line with its top left at x, y, each dot `scale` (1..IMAGE_FONT_MAX_SCALE) pixels a
 * side. What the font lacks (all but printable ASCII, and malformed bytes) is a box. */
void image_draw_text(image_bitmap *image, int x, int y, const char *text, size_t length, int scale,
                     image_colour colour);

/* Another picture with its top left at x, y, as it is: it covers what was there. `from` is another
 * image than `image`. */
void image_draw_image(image_bitmap *image, const image_bitmap *from, int x, int y);

/* How many pixels image_draw_text paints on at scale 1: IMAGE_FONT_WIDTH a character. */
size_t image_text_width(const char *text, size_t length);

#endif
