/*
 * ocr_cache.h: a cache of the text of areas, by a checksum of their pixels; a part of ocr.h. It
 * keeps the few thousand areas that were used last. It has no lock; the caller must have one.
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

/* The checksum of an area and a language. The fourth byte of each pixel is ignored. */
ocr_key ocr_key_of(const image_bitmap *image, const ocr_area_box *area, const char *language);

/* The same of a whole picture, by which its reader knows the last one again. */
ocr_key ocr_key_of_all(const image_bitmap *image, const char *language);

/* The text for a key, with places relative to the area's upper left corner; NULL if it is not in
 * the cache. Valid until the next call. */
const ocr_text *ocr_cache_find(ocr_cache *cache, ocr_key key);

/* Adds `text` and takes ownership of it. Without memory it is freed. */
void ocr_cache_keep(ocr_cache *cache, ocr_key key, ocr_text *text);

#endif
