/*
 * ocr_memory.h: what areas of a picture said when they were read, by a checksum of their pixels; a
 * part of ocr.h. It keeps the areas seen last, a few thousand of them. No locks: the caller's.
 */
#ifndef DESK_OCR_MEMORY_H
#define DESK_OCR_MEMORY_H

#include "ocr.h"
#include "text_areas.h"

typedef struct {
    uint64_t a, b;
} ocr_key;

typedef struct ocr_memory ocr_memory;

ocr_memory *ocr_memory_new(void); /* NULL without memory */
void ocr_memory_free(ocr_memory *memory);

/* The checksum of an area, read in that language. The fourth bytes of pixels do not count. */
ocr_key ocr_key_of(const desk_image *image, const desk_text_area *area, const char *language);

/* What the area of that key said, places from its corner; NULL if that is not known. It stays valid
 * until the next call. */
const desk_ocr_text *ocr_memory_find(ocr_memory *memory, ocr_key key);

/* Keeps `text`, which it takes over. Without memory it is forgotten. */
void ocr_memory_keep(ocr_memory *memory, ocr_key key, desk_ocr_text *text);

#endif
