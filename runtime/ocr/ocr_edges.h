/*
 * ocr_edges.h: the edges of a picture that may belong to letters; a step of ocr_detect.h.
 */
#ifndef OCR_OCR_EDGES_H
#define OCR_OCR_EDGES_H

#include "image/image.h"

enum {
    TEXT_EDGE_ACROSS =
        1,              /* the pixel differs from the one to its right: part of an upright stroke */
    TEXT_EDGE_DOWN = 2, /* it differs from the one below */
    TEXT_EDGE = TEXT_EDGE_ACROSS | TEXT_EDGE_DOWN,
    TEXT_EDGE_ANY = 4, /* either, also where it is part of a long straight line */
};

/* One byte per pixel, 0 or a sum of those; ACROSS and DOWN without the edges of long straight
 * lines. malloc'ed and the caller's; NULL without memory. */
uint8_t *ocr_edges(const image_bitmap *image);

#endif
