/*
 * ocr_ink.h: a part of a picture as a recogniser likes it: dark letters on white, whatever their
 * colours were, and large. The background is the commonest colour around each column, so that
 * selected words and coloured tabs come out like the rest; a pixel's ink is how far it is from that
 * colour, stretched so that the strongest is black.
 */
#ifndef OCR_OCR_INK_H
#define OCR_OCR_INK_H

#include "base/error.h"
#include "image/image.h"

typedef struct {
    int width, height; /* bytes, one per pixel; 255 is white */
    uint8_t *pixels;
    int scale,
        border; /* a pixel of the picture is scale x scale of these, `border` from the edge */
} ocr_ink_image;

/* Makes `out` of `rect` (inside `image`), `scale` times as large (1..6; between pixels by
 * Catmull-Rom) and with a white border. BASE_NO_MEMORY. Any thread. */
bool ocr_ink(ocr_ink_image *out, const image_bitmap *image, image_rect rect, int scale,
             base_error *err);

void ocr_ink_free(ocr_ink_image *ink);

#endif
