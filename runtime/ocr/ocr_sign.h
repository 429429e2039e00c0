/*
 * ocr_sign.h: reads a lone sign (a button's "-", "=" or ".") by its shape. Tesseract, which looks
 * for lines of letters, takes such a thing for a speck.
 */
#ifndef OCR_OCR_SIGN_H
#define OCR_OCR_SIGN_H

#include "image/image.h"

enum { OCR_SIGN_WIDTH = 20, OCR_SIGN_HEIGHT = 12 /* the largest, in pixels, with its margin */ };

/* The sign that fills `rect`, which is inside `image` and has a pixel of background at each corner;
 * NULL if it is none of them. `at`: the place of its ink. */
const char *ocr_sign(const image_bitmap *image, image_rect rect, image_rect *at);

#endif
