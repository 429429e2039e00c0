/*
 * ocr_cache.h: what areas of a picture said when they were read, by a checksum of their pixels; a
 * part of ocr.h. It keeps the areas seen last, a few thousand of them. No locks: the caller's.
 */
#ifndef OCR_OCR_CACHE_H
#define OCR_OCR_CACHE_H

#include "ocr.h"
#include "ocr_detect.h"

typedef struct {
    uint64_t a, b;
} ocr_key;

typedef struct ocr_cache ocr_cache;

ocr_cache *ocr_cache_new(void); /* NULL without memory */
void ocr_cache_free(ocr_cache *cache);

/* The checksum of an area, read in that language. The fourth bytes of pixels do not count. */
ocr_key ocr_key_of(const image_bitmap *image, const ocr_area_box *area, const char *language);

/* What the area of that key said, places from its corner; NULL if that is not known. It stays valid
 * until the next call. */
const ocr_text *ocr_cache_find(ocr_cache *cache, ocr_key key);

/* Keeps `text`, which it takes over. Without memory it is forgotten. */
void ocr_cache_keep(ocr_cache *cache, ocr_key key, ocr_text *text);

#endif
