/*
 * ocr_engine.h: a Tesseract engine for one language: the part of ocr.h that calls the library. An
 * engine may be used by one thread at a time.
 */
#ifndef OCR_OCR_ENGINE_H
#define OCR_OCR_ENGINE_H

#include "ocr.h"
#include "ocr_ink.h"

typedef struct ocr_engine ocr_engine;

/* Opens an engine and loads the language, which takes tens of milliseconds and of megabytes. The
 * library must have been opened. */
ocr_engine *ocr_engine_open(const char *language, base_error *err);
void ocr_engine_close(ocr_engine *engine);

/* Adds the words of the picture to `out`. Their places are in pixels of the picture before it was
 * enlarged, from 0,0; their lines are numbered from out->lines on. `stop(context)` is called now
 * and then; if it returns true, reading stops and the words are incomplete. */
bool ocr_engine_read(ocr_engine *engine, const ocr_ink_image *ink, bool block,
                     bool (*stop)(void *context), void *context, ocr_text *out, base_error *err);

/* Adds a word; the text is cleaned and copied, an empty one is left out. */
bool ocr_text_add(ocr_text *text, ocr_word word, base_error *err);

#endif
