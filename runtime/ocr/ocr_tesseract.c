#include "ocr_tesseract.h"
#include "base/symbols.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SYMBOL(name)                                                                               \
    {                                                                                              \
        "Tess" #name, offsetof(ocr_tesseract, name)                                                \
    }

static const base_symbol symbols[] = {
    SYMBOL(BaseAPICreate),
    SYMBOL(BaseAPIDelete),
    SYMBOL(BaseAPIInit3),
    SYMBOL(BaseAPISetVariable),
    SYMBOL(BaseAPISetPageSegMode),
    SYMBOL(BaseAPISetImage),
    SYMBOL(BaseAPISetSourceResolution),
    SYMBOL(BaseAPIRecognize),
    SYMBOL(BaseAPIGetIterator),
    SYMBOL(BaseAPIClear),
    SYMBOL(ResultIteratorDelete),
    SYMBOL(ResultIteratorNext),
    SYMBOL(ResultIteratorGetUTF8Text),
    SYMBOL(ResultIteratorConfidence),
    SYMBOL(ResultIteratorGetPageIterator),
    SYMBOL(PageIteratorBoundingBox),
    SYMBOL(PageIteratorIsAtBeginningOf),
    SYMBOL(DeleteText),
    SYMBOL(MonitorCreate),
    SYMBOL(MonitorDelete),
    SYMBOL(MonitorSetCancelFunc),
    SYMBOL(MonitorSetCancelThis),
};

static bool fill(ocr_tesseract *api, void *library, base_error *err)
{
    const char *missing = base_symbols_fill(api, symbols, sizeof symbols / sizeof symbols[0],
                                            library, ocr_library_symbol);
    if (missing) {
        return base_fail(err, BASE_UNAVAILABLE,
                         "the installed Tesseract is too old or too new (it has no %s): %s",
                         missing, ocr_library_advice);
    }
    void *function = ocr_library_symbol(library, "omp_set_max_active_levels");
    memcpy(&api->omp_set_max_active_levels, &function, sizeof function);
    return true;
}

const ocr_tesseract *ocr_tesseract_open(base_error *err)
{
    static ocr_tesseract api;
    static bool ready;
    if (ready) {
        return &api;
    }
    void *library = ocr_library_open();
    if (!library) {
        base_fail(err, BASE_UNAVAILABLE,
                  "Tesseract, which reads text off the screen, is not installed: %s",
                  ocr_library_advice);
        return NULL;
    }
    if (!fill(&api, library, err)) {
        return NULL;
    }
    ready = true; /* never closed: its threads may still run */
    return &api;
}

static bool file_exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) {
        fclose(file);
    }
    return file != NULL;
}

/* The position in `language` of the first language whose data the folder lacks; the end of the
 * string if it has all. */
static size_t first_missing(const char *folder, const char *language)
{
    size_t at = 0;
    while (language[at]) {
        size_t length = strcspn(language + at, "+");
        char path[1024];
        snprintf(path, sizeof path, "%s%.*s.traineddata", folder, (int) length, language + at);
        if (!file_exists(path)) {
            return at;
        }
        at += length + (language[at + length] == '+');
    }
    return at;
}

/* The names become parts of paths, so only letters, digits and _ are accepted, joined by single +.
 */
static bool is_language(const char *language)
{
    size_t length = strlen(language), part = 0;
    for (size_t i = 0; i < length; i++) {
        bool joins = language[i] == '+';
        if (joins ? part == 0 : !isalnum((unsigned char) language[i]) && language[i] != '_') {
            return false;
        }
        part = joins ? 0 : part + 1;
        if (part > 30) {
            return false;
        }
    }
    return part > 0 && length < 200;
}

bool ocr_data_folder(const char *language, char *folder, size_t size, base_error *err)
{
    if (!is_language(language)) {
        return base_fail(err, BASE_INVALID,
                         "\"%.40s\" is not a language of Tesseract: write \"eng\", \"deu\" or "
                         "\"eng+deu\"",
                         language);
    }
    size_t furthest = 0;
    for (int i = 0; ocr_library_data(i, folder, size); i++) {
        size_t at = first_missing(folder, language);
        if (!language[at]) {
            return true;
        }
        furthest = at > furthest ? at : furthest;
    }
    char missing[32];
    snprintf(missing, sizeof missing, "%.*s", (int) strcspn(language + furthest, "+"),
             language + furthest);
    char advice[200];
    snprintf(advice, sizeof advice, ocr_data_advice, missing);
    return base_fail(err, BASE_UNAVAILABLE, "Tesseract has no data for the language \"%s\": %s",
                     missing, advice);
}
