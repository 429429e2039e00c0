/*
 * ocr_tesseract.h: Tesseract's C library as a small table of function pointers. The program is not
 * linked with it: few machines have it, and most scripts read no pixels. The table is filled at
 * first use; which file that is and where its language data lies is each platform's affair
 * (linux/ocr_library.c, windows/ocr_library.c). Only what is used is declared, by the names of
 * Tesseract's capi.h (4.1 and 5) without their prefix.
 */
#ifndef OCR_OCR_TESSERACT_H
#define OCR_OCR_TESSERACT_H

#include "base/error.h"

#include <stddef.h>

typedef struct TessBaseAPI tess_engine;
typedef struct TessResultIterator tess_results;
typedef struct TessPageIterator tess_page;
typedef struct ETEXT_DESC tess_monitor;
typedef bool tess_cancel(void *context, int words);

enum { TESS_ONE_BLOCK = 6, TESS_ONE_LINE = 7 };    /* page segmentation modes */
enum { TESS_LEVEL_LINE = 2, TESS_LEVEL_WORD = 3 }; /* levels of a page's parts */

typedef struct {
    tess_engine *(*BaseAPICreate)(void);
    void (*BaseAPIDelete)(tess_engine *engine);
    int (*BaseAPIInit3)(tess_engine *engine, const char *folder, const char *language);
    int (*BaseAPISetVariable)(tess_engine *engine, const char *name, const char *value);
    void (*BaseAPISetPageSegMode)(tess_engine *engine, int mode);
    void (*BaseAPISetImage)(tess_engine *engine, const unsigned char *pixels, int width, int height,
                            int bytes_per_pixel, int bytes_per_line);
    void (*BaseAPISetSourceResolution)(tess_engine *engine, int ppi);
    int (*BaseAPIRecognize)(tess_engine *engine, tess_monitor *monitor);
    tess_results *(*BaseAPIGetIterator)(tess_engine *engine);
    void (*BaseAPIClear)(tess_engine *engine);
    void (*ResultIteratorDelete)(tess_results *results);
    int (*ResultIteratorNext)(tess_results *results, int level);
    char *(*ResultIteratorGetUTF8Text)(const tess_results *results, int level);
    float (*ResultIteratorConfidence)(const tess_results *results, int level);
    tess_page *(*ResultIteratorGetPageIterator)(tess_results *results);
    int (*PageIteratorBoundingBox)(const tess_page *page, int level, int *left, int *top,
                                   int *right, int *bottom);
    int (*PageIteratorIsAtBeginningOf)(const tess_page *page, int level);
    void (*DeleteText)(const char *text);
    tess_monitor *(*MonitorCreate)(void);
    void (*MonitorDelete)(tess_monitor *monitor);
    void (*MonitorSetCancelFunc)(tess_monitor *monitor, tess_cancel *cancel);
    void (*MonitorSetCancelThis)(tess_monitor *monitor, void *context);
    /* OpenMP's; NULL where the library was built without it. */
    void (*omp_set_max_active_levels)(int levels);
} ocr_tesseract;

/* The table, filled at the first call that succeeds and kept for the life of the process. NULL and
 * BASE_UNAVAILABLE, with how to install it, where there is no usable library. One thread at a
 * time. */
const ocr_tesseract *ocr_tesseract_open(base_error *err);

/* The folder that has the data of each part of `language` ("eng", "eng+deu"). BASE_INVALID for what
 * is no language's name, BASE_UNAVAILABLE with how to install it. */
bool ocr_data_folder(const char *language, char *folder, size_t size, base_error *err);

/* --- what a platform gives ---------------------------------------------------------------------
 */

/* The library, NULL where there is none; and a function of it or of what it stands on, or NULL. */
void *ocr_library_open(void);
void *ocr_library_symbol(void *library, const char *name);

/* The number-th folder where language data may lie (from 0), with a slash after it; false after the
 * last. */
bool ocr_library_data(int number, char *folder, size_t size);

/* How to get the library, and how to get the data of a language: a format with one %s. */
extern const char *const ocr_library_advice;
extern const char *const ocr_data_advice;

#endif
