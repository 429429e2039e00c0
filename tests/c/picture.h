/*
 * picture.h: made-up pictures for the tests of images, the same in every run.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "image/image.h"

#include <stdlib.h>
#include <string.h>

typedef enum { SOLID, GRADIENT, NOISE, UI, TEXT, PHOTO, PICTURES } picture_kind;

static inline uint32_t picture_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

/* The unused byte is filled with rubbish on purpose: nobody may depend on it. */
static inline void picture_set(image_bitmap *image, int x, int y, uint32_t rgb)
{
    uint32_t value = rgb | (uint32_t) (x * 7 + y * 13 + 1) << 24;
    uint8_t *p = image->pixels + (size_t) y * image->stride + (size_t) x * 4;
    for (int i = 0; i < 4; i++) {
        p[i] = (uint8_t) (value >> 8 * i);
    }
}

static inline uint32_t picture_get(const image_bitmap *image, int x, int y)
{
    const uint8_t *p = image->pixels + (size_t) y * image->stride + (size_t) x * 4;
    return (uint32_t) p[2] << 16 | (uint32_t) p[1] << 8 | p[0];
}

static inline uint32_t picture_colour(picture_kind kind, int x, int y, uint32_t *state)
{
    uint32_t noise = picture_random(state);
    switch (kind) {
    case SOLID:
        return 0x336699;
    case GRADIENT:
        return (uint32_t) (x & 255) << 16 | (uint32_t) (y & 255) << 8 | ((x + y) & 255);
    case NOISE:
        return noise & 0xffffff;
    case UI: /* windows with borders and a title */
        return x % 300 == 0 || y % 200 == 0 ? 0x202020 : y % 200 < 24 ? 0x4477cc : 0xf0f0f0;
    case TEXT: { /* the same few grey shapes again and again */
        uint32_t letter = (uint32_t) (x / 9 * 7919 + y / 16 * 104729) % 26, bit = x % 9 + y % 16;
        uint32_t grey = (letter >> bit % 5 & 1) && x % 9 < 7 && y % 16 < 12 ? 17 * bit & 255 : 255;
        return grey * 0x010101;
    }
    default: { /* a smooth picture with a little noise */
        uint32_t base = (uint32_t) (x / 3 + y / 5);
        return ((base + (noise & 3)) & 255) << 16 | ((base / 2 + (noise >> 4 & 3)) & 255) << 8 |
               ((base / 3 + (noise >> 8 & 3)) & 255);
    }
    }
}

static inline void picture_make(image_bitmap *image, picture_kind kind, int width, int height)
{
    uint32_t state = 0x9e3779b9u ^ (uint32_t) kind;
    if (!image_alloc(image, width, height, NULL)) {
        abort();
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            picture_set(image, x, y, picture_colour(kind, x, y, &state));
        }
    }
}

static inline bool picture_equal(const image_bitmap *a, const image_bitmap *b)
{
    if (a->width != b->width || a->height != b->height) {
        return false;
    }
    for (int y = 0; y < a->height; y++) {
        for (int x = 0; x < a->width; x++) {
            if (picture_get(a, x, y) != picture_get(b, x, y)) {
                return false;
            }
        }
    }
    return true;
}

#endif
