/*
 * draw_font.h: the dots of the font, made for marks of a few characters: 5 x 11 a character, of
 * which capitals and digits have the upper 9.
 */
#ifndef IMAGE_DRAW_FONT_H
#define IMAGE_DRAW_FONT_H

#include <stdbool.h>
#include <stdint.h>

enum { FONT_COLUMNS = 5, FONT_ROWS = 11 };

/* Whether the character has a dot there; a box for what is not printable ASCII. */
bool font_dot(uint32_t codepoint, int column, int row);

#endif
