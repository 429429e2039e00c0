/*
 * ocr.h: reads text in pictures of a desktop (OCR) by Tesseract, if it is installed
 * (ocr_tesseract.h).
 *
 * A reader finds the areas where there may be text (ocr_detect.h) and lets engines of the language
 * read them, each in a thread of its own. The text of an area is cached by the checksum of its
 * pixels, wherever on the screen it was: an unchanged screen is read again in milliseconds, and of
 * a changed one only the changed areas are read.
 *
 * The text is untrusted: control characters are removed, and its length is limited.
 */
#ifndef OCR_OCR_H
#define OCR_OCR_H

#include "base/error.h"
#include "image/image.h"

#include <stdatomic.h>

typedef struct {
    image_rect rect;  /* pixels of the picture */
    float confidence; /* 0..1 */
    int line;         /* index of its line, in the order of reading */
    char *text;       /* UTF-8, not empty, without white space */
} ocr_word;

typedef struct {
    ocr_word *words; /* line by line, each from left to right */
    size_t count;
    int lines;
    int areas, known; /* areas found, and how many of them were in the cache */
} ocr_text;

enum { OCR_MAX_WORDS = 20000, OCR_MAX_WORD = 128 /* bytes */ };

typedef struct ocr_reader ocr_reader;

/* A new reader. Nothing is loaded until the first read. Error: BASE_NO_MEMORY. */
ocr_reader *ocr_new(base_error *err);

/* Whether the library and the data of `language` are installed. Loads the library. For the main
 * thread. */
bool ocr_check(const char *language, base_error *err);

/* Reads `image`, which may not change meanwhile. `language` is in Tesseract's notation, and
 * ocr_check must have been called for it. Ends with BASE_TIMED_OUT at `deadline` (uv_hrtime), and
 * with BASE_CANCELLED soon after `*cancel` has become true; areas that were read until then stay in
 * the cache. May be called from any thread, also from several at the same time. */
bool ocr_read(ocr_reader *reader, const image_bitmap *image, const char *language,
              uint64_t deadline, const atomic_bool *cancel, ocr_text *out, base_error *err);

void ocr_text_free(ocr_text *text);

/* Frees the engines and the cache. No read may be running. */
void ocr_free(ocr_reader *reader);

#endif
