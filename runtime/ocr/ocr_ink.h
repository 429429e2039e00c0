/*
 * ocr_ink.h: prepares a part of a picture for recognition: large dark letters on white, whatever
 * the colours were. The background is the most common colour around each column, so selected words
 * and coloured tabs look like other text. A pixel's ink is its distance from that colour, stretched
 * so that the strongest ink is black.
 */
#ifndef OCR_OCR_INK_H
#define OCR_OCR_INK_H

#include "base/error.h"
#include "image/image.h"

typedef struct {
    int width, height; /* bytes, one per pixel; 255 is white */
    uint8_t *pixels;
    int scale,
        border; /* a source pixel is scale x scale of these; `border` white ones are around all */
} ocr_ink_image;

/* Creates `out` from `rect`, which is inside `image`: enlarged by `scale` (1..6, Catmull-Rom
 * interpolation), with a white border. Error: BASE_NO_MEMORY. For any thread. */
bool ocr_ink(ocr_ink_image *out, const image_bitmap *image, image_rect rect, int scale,
             base_error *err);

void ocr_ink_free(ocr_ink_image *ink);

#endif
