/*
 * ocr_area.h: one area of a picture read by one engine, in the size that suits it; a part of ocr.h.
 */
#ifndef DESK_OCR_AREA_H
#define DESK_OCR_AREA_H

#include "ocr_engine.h"
#include "text_areas.h"

/* The words of the area in `out` (which was empty), places from its corner. `stop` as for
 * ocr_engine_read; what takes far too long is a picture, and has no words. */
bool ocr_area_read(ocr_engine *engine, const desk_image *image, const desk_text_area *area,
                   bool (*stop)(void *context), void *context, desk_ocr_text *out, desk_error *err);

#endif
