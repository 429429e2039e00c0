/*
 * ocr_engine.h: one Tesseract engine of one language: the part of ocr.h that speaks to the library.
 * An engine is used by one thread at a time.
 */
#ifndef OCR_OCR_ENGINE_H
#define OCR_OCR_ENGINE_H

#include "ocr.h"
#include "ocr_ink.h"

typedef struct ocr_engine ocr_engine;

/* Loads the language: tens of milliseconds, and megabytes. The library has been opened. */
ocr_engine *ocr_engine_open(const char *language, base_error *err);
void ocr_engine_close(ocr_engine *engine);

/* Adds the words of the picture to `out`, their places in pixels before the enlargement, from 0,0,
 * their lines from out->lines on. `stop(context)` is asked now and then; what was read is
 * incomplete once it was true. */
bool ocr_engine_read(ocr_engine *engine, const ocr_ink_image *ink, bool block,
                     bool (*stop)(void *context), void *context, ocr_text *out, base_error *err);

/* Adds a word; the text is cleaned and copied, an empty one is left out. */
bool ocr_text_add(ocr_text *text, ocr_word word, base_error *err);

#endif
