/*
 * ocr_detect.h: where on a picture of a desktop there may be text. Text is what has many edges
 * close together, in rows: edges between neighbouring pixels are found, long straight ones (frames,
 * separators, the borders of windows) are left out, what is left is joined across the space between
 * words, and blocks of rows are cut between their lines. It costs a few milliseconds for a whole
 * screen; a recogniser, which costs seconds, then looks at the areas only.
 */
#ifndef OCR_OCR_DETECT_H
#define OCR_OCR_DETECT_H

#include "base/error.h"
#include "image/image.h"

typedef struct {
    image_rect rect; /* a few pixels wider than the text, inside the picture */
    bool block;      /* several lines, or none that could be told apart */
} ocr_area_box;

typedef struct {
    ocr_area_box *items; /* from top to bottom, and from left to right within a row */
    size_t count;
} ocr_areas;

enum { OCR_AREAS_MAX = 20000 };

/* Finds the areas of `image`. Icons and pictures are among them: only reading tells. False without
 * memory (BASE_NO_MEMORY) or where there are more than OCR_AREAS_MAX (BASE_INVALID). Any
 * thread. */
bool ocr_detect(const image_bitmap *image, ocr_areas *out, base_error *err);

void ocr_areas_free(ocr_areas *areas);

#endif
