/*
 * ocr.h: reading text off pictures of a desktop, by Tesseract where it is installed
 * (ocr_tesseract.h).
 *
 * A reader finds the areas where there may be text (ocr_detect.h), and has each read by an engine
 * of the language: two engines at a time, each in a thread of its own. What an area said is kept by
 * the checksum of its pixels, wherever on the screen it was, so that an unchanged screen is read
 * again in milliseconds and a changed one costs what has changed.
 *
 * What is read is untrusted: it is cleaned of control characters and bounded.
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
    ocr_word *words; /* those of a line together, from left to right */
    size_t count;
    int lines;
    int areas, known; /* areas looked at, and how many of them did not have to be read again */
} ocr_text;

enum { OCR_MAX_WORDS = 20000, OCR_MAX_WORD = 128 /* bytes */ };

typedef struct ocr_reader ocr_reader;

/* A reader. Nothing is loaded until the first read. BASE_NO_MEMORY. */
ocr_reader *ocr_new(base_error *err);

/* Whether the library and the data of `language` are there; loads the library. Main thread. */
bool ocr_check(const char *language, base_error *err);

/* Reads `image`, which must stay as it is meanwhile. `language` as Tesseract names it. Ends with
 * BASE_TIMED_OUT at `deadline` (uv_hrtime), with BASE_CANCELLED soon after `*cancel`: what has been
 * read by then is kept for the next time. ocr_check for that language comes first. Any thread,
 * several at a time. */
bool ocr_read(ocr_reader *reader, const image_bitmap *image, const char *language,
              uint64_t deadline, const atomic_bool *cancel, ocr_text *out, base_error *err);

void ocr_text_free(ocr_text *text);

/* Frees the engines and what was kept. No read may be under way. */
void ocr_free(ocr_reader *reader);

#endif
