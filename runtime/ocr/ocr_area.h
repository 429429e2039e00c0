/*
 * ocr_area.h: reads one area of a picture with one engine, at a suitable scale; a part of ocr.h.
 */
#ifndef OCR_OCR_AREA_H
#define OCR_OCR_AREA_H

#include "ocr_detect.h"
#include "ocr_engine.h"

/* Stores the words of the area in `out`, which must be empty; places are relative to its upper left
 * corner. `stop` as for ocr_engine_read. An area that takes more than 5 s is taken for a picture
 * and has no words. */
bool ocr_area_read(ocr_engine *engine, const image_bitmap *image, const ocr_area_box *area,
                   bool (*stop)(void *context), void *context, ocr_text *out, base_error *err);

#endif
