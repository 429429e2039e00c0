/*
 * ocr_detect.h: finds areas of a picture of a desktop where there may be text. Text has many edges
 * close together, in rows. So edges between neighbouring pixels are found, long straight ones
 * (frames, separators, the borders of windows) are left out, the others are joined across the space
 * between words, and blocks are cut between their lines. This takes a few milliseconds for a whole
 * screen; recognition, which takes seconds, is then done on the areas only.
 */
#ifndef OCR_OCR_DETECT_H
#define OCR_OCR_DETECT_H

#include "base/error.h"
#include "image/image.h"

typedef struct {
    image_rect rect; /* a few pixels wider than the text, inside the picture */
    bool block;      /* several lines that could not be separated */
    bool sign;       /* too small for letters, and alone: a sign of ocr_sign.h, or a speck */
} ocr_area_box;

typedef struct {
    ocr_area_box *items; /* from top to bottom, and from left to right within a row */
    size_t count;
} ocr_areas;

enum { OCR_AREAS_MAX = 20000 };

/* Finds the areas of `image`. Some are icons and pictures, which only recognition can tell. False
 * without memory (BASE_NO_MEMORY), or if there are more than OCR_AREAS_MAX (BASE_INVALID). For any
 * thread. */
bool ocr_detect(const image_bitmap *image, ocr_areas *out, base_error *err);

void ocr_areas_free(ocr_areas *areas);

#endif
