/*
 * ocr_edges.h: finds the edges in a picture that may belong to letters; a step of ocr_detect.h.
 */
#ifndef OCR_OCR_EDGES_H
#define OCR_OCR_EDGES_H

#include "image/image.h"

enum {
    TEXT_EDGE_ACROSS =
        1,              /* the pixel differs from the one to its right: part of a vertical stroke */
    TEXT_EDGE_DOWN = 2, /* it differs from the one below */
    TEXT_EDGE = TEXT_EDGE_ACROSS | TEXT_EDGE_DOWN,
    TEXT_EDGE_ANY = 4, /* either, also where it is part of a long straight line */
};

/* One byte per pixel, a combination of these bits; ACROSS and DOWN are not set for long straight
 * lines. To be freed by the caller; NULL without memory. */
uint8_t *ocr_edges(const image_bitmap *image);

#endif
