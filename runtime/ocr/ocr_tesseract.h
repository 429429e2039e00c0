/*
 * ocr_tesseract.h: Tesseract's C library as a small table of function pointers. The program is not
 * linked with it, because few machines have it and most scripts use no OCR. The table is filled at
 * first use; the platform finds the library and its language data (linux/ocr_library.c,
 * windows/ocr_library.c). Only functions that are used are declared, by their names in Tesseract's
 * capi.h (4.1 and 5) without the prefix.
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
    /* Of OpenMP; NULL if the library was built without it. */
    void (*omp_set_max_active_levels)(int levels);
} ocr_tesseract;

/* The table, which is filled at the first successful call and kept until the process ends. NULL and
 * BASE_UNAVAILABLE if there is no usable library; the message says how to install it. For one
 * thread at a time. */
const ocr_tesseract *ocr_tesseract_open(base_error *err);

/* The folder with the data of all parts of `language` ("eng", "eng+deu"). BASE_INVALID for a
 * malformed name; BASE_UNAVAILABLE if data is missing, with a message that says how to install it.
 * */
bool ocr_data_folder(const char *language, char *folder, size_t size, base_error *err);

/* --- implemented by the platform ---------------------------------------------------------------
 */

/* The library, NULL if there is none; and a function of it or of a library that it uses, or NULL.
 * */
void *ocr_library_open(void);
void *ocr_library_symbol(void *library, const char *name);

/* The folder with that number, counted from 0, of those where language data may be, with a slash at
 * its end; false after the last. */
bool ocr_library_data(int number, char *folder, size_t size);

/* How to install the library; and how to install the data of a language, a format with one %s. */
extern const char *const ocr_library_advice;
extern const char *const ocr_data_advice;

#endif
