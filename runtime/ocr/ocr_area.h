/*
 * ocr_area.h: one area of a picture read by one engine, in the size that suits it; a part of ocr.h.
 */
#ifndef OCR_OCR_AREA_H
#define OCR_OCR_AREA_H

#include "ocr_detect.h"
#include "ocr_engine.h"

/* The words of the area in `out` (which was empty), places from its corner. `stop` as for
 * ocr_engine_read; what takes far too long is a picture, and has no words. */
bool ocr_area_read(ocr_engine *engine, const image_bitmap *image, const ocr_area_box *area,
                   bool (*stop)(void *context), void *context, ocr_text *out, base_error *err);

#endif
