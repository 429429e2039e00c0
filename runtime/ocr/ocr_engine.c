#include "ocr_engine.h"

#include "base/utf8.h"
#include "ocr_tesseract.h"

#include <stdlib.h>
#include <string.h>

struct ocr_engine {
    const ocr_tesseract *api;
    tess_engine *tess;
    tess_monitor *monitor;
};

/* A word of less confidence is taken for an icon or a pattern. Words without a letter or digit need
 * the higher one. */
static const float LEAST_CONFIDENCE = 0.30f, LEAST_SIGN_CONFIDENCE = 0.60f;

/* The resolution that Tesseract is told, in dpi. It affects only how it judges the size of letters.
 */
enum { RESOLUTION = 300 };

ocr_engine *ocr_engine_open(const char *language, base_error *err)
{
    char folder[1024];
    const ocr_tesseract *api = ocr_tesseract_open(err);
    if (!api || !ocr_data_folder(language, folder, sizeof folder, err)) {
        return NULL;
    }
    ocr_engine *engine = calloc(1, sizeof *engine);
    if (!engine) {
        base_fail(err, BASE_NO_MEMORY, "not enough memory to read text");
        return NULL;
    }
    engine->api = api;
    engine->tess = api->BaseAPICreate();
    engine->monitor = api->MonitorCreate();
    if (engine->tess) { /* no messages about pictures without text on standard error */
        api->BaseAPISetVariable(engine->tess, "debug_file", "/dev/null");
    }
    if (engine->tess && api->BaseAPIInit3(engine->tess, folder, language) == 0) {
        /* The picture is always dark on white, so Tesseract need not try its inverse. */
        api->BaseAPISetVariable(engine->tess, "tessedit_do_invert", "0");
        return engine;
    }
    ocr_engine_close(engine);
    base_fail(err, BASE_UNAVAILABLE,
              "Tesseract does not load its data for \"%.60s\" in %.160s: reinstall it", language,
              folder);
    return NULL;
}

void ocr_engine_close(ocr_engine *engine)
{
    if (!engine) {
        return;
    }
    if (engine->monitor) {
        engine->api->MonitorDelete(engine->monitor);
    }
    if (engine->tess) {
        engine->api->BaseAPIDelete(engine->tess);
    }
    free(engine);
}

/* --- words --------------------------------------------------------------------------------------
 */

static bool has_letter(const char *text)
{
    for (const unsigned char *p = (const unsigned char *) text; *p; p++) {
        if (*p >= 0x80 || (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z')) {
            return true;
        }
    }
    return false;
}

bool ocr_text_add(ocr_text *text, ocr_word word, base_error *err)
{
    char clean[OCR_MAX_WORD + 1];
    base_utf8_clean(clean, sizeof clean, word.text, strlen(word.text));
    if (!*clean) {
        return true;
    }
    if (text->count >= OCR_MAX_WORDS) {
        return base_fail(err, BASE_INVALID, "there are too many words: name a region");
    }
    if ((text->count & (text->count - 1)) == 0) { /* full: the capacity is a power of two */
        size_t capacity = text->count ? text->count * 2 : 1;
        ocr_word *words = realloc(text->words, capacity * sizeof *words);
        if (!words) {
            return base_fail(err, BASE_NO_MEMORY, "not enough memory to read text");
        }
        text->words = words;
    }
    size_t size = strlen(clean) + 1;
    word.text = malloc(size);
    if (!word.text) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory to read text");
    }
    memcpy(word.text, clean, size);
    text->words[text->count++] = word;
    return true;
}

void ocr_text_free(ocr_text *text)
{
    for (size_t i = 0; i < text->count; i++) {
        free(text->words[i].text);
    }
    free(text->words);
    *text = (ocr_text){0};
}

/* Converts to pixels of the picture: rounded outward, and limited to the picture. */
static int down(const ocr_ink_image *ink, int at)
{
    at -= ink->border;
    return at < 0 ? 0 : at / ink->scale;
}

static int up(const ocr_ink_image *ink, int at, int whole)
{
    int pixels = (whole - 2 * ink->border) / ink->scale;
    int end = (at - ink->border + ink->scale - 1) / ink->scale;
    return end > pixels ? pixels : end;
}

static bool add_word(ocr_engine *engine, tess_results *results, const ocr_ink_image *ink, int line,
                     ocr_text *out, base_error *err)
{
    const ocr_tesseract *api = engine->api;
    int left, top, right, bottom;
    if (!api->PageIteratorBoundingBox(api->ResultIteratorGetPageIterator(results), TESS_LEVEL_WORD,
                                      &left, &top, &right, &bottom)) {
        return true;
    }
    char *text = api->ResultIteratorGetUTF8Text(results, TESS_LEVEL_WORD);
    float confidence = api->ResultIteratorConfidence(results, TESS_LEVEL_WORD) / 100;
    int x = down(ink, left), y = down(ink, top);
    image_rect rect = {x, y, up(ink, right, ink->width) - x, up(ink, bottom, ink->height) - y};
    bool ok = true;
    if (text && rect.width > 0 && rect.height > 0 &&
        confidence >= (has_letter(text) ? LEAST_CONFIDENCE : LEAST_SIGN_CONFIDENCE)) {
        ok = ocr_text_add(out, (ocr_word){rect, confidence, line, text}, err);
    }
    if (text) {
        api->DeleteText(text);
    }
    return ok;
}

static bool add_words(ocr_engine *engine, tess_results *results, const ocr_ink_image *ink,
                      ocr_text *out, base_error *err)
{
    const ocr_tesseract *api = engine->api;
    size_t before = out->count;
    do {
        tess_page *page = api->ResultIteratorGetPageIterator(results);
        if (out->count > before && api->PageIteratorIsAtBeginningOf(page, TESS_LEVEL_LINE)) {
            out->lines++;
            before = out->count;
        }
        if (!add_word(engine, results, ink, out->lines, out, err)) {
            return false;
        }
    } while (api->ResultIteratorNext(results, TESS_LEVEL_WORD));
    if (out->count > before) {
        out->lines++;
    }
    return true;
}

/* --- reading ------------------------------------------------------------------------------------
 */

typedef struct {
    bool (*stop)(void *context);
    void *context;
} asking;

static bool ask(void *context, int words)
{
    asking *a = context;
    (void) words;
    return a->stop(a->context);
}

bool ocr_engine_read(ocr_engine *engine, const ocr_ink_image *ink, bool block,
                     bool (*stop)(void *context), void *context, ocr_text *out, base_error *err)
{
    const ocr_tesseract *api = engine->api;
    asking a = {stop, context};
    /* Tesseract's own (OpenMP) threads would compete with ours for the cores. The setting is per
     * thread. */
    if (api->omp_set_max_active_levels) {
        api->omp_set_max_active_levels(0);
    }
    api->BaseAPISetPageSegMode(engine->tess, block ? TESS_ONE_BLOCK : TESS_ONE_LINE);
    api->BaseAPISetImage(engine->tess, ink->pixels, ink->width, ink->height, 1, ink->width);
    api->BaseAPISetSourceResolution(engine->tess, RESOLUTION);
    api->MonitorSetCancelThis(engine->monitor, &a);
    api->MonitorSetCancelFunc(engine->monitor, ask);
    bool ok = true;
    if (api->BaseAPIRecognize(engine->tess, engine->monitor) == 0) {
        tess_results *results = api->BaseAPIGetIterator(engine->tess);
        ok = !results || add_words(engine, results, ink, out, err);
        if (results) {
            api->ResultIteratorDelete(results);
        }
    }
    api->BaseAPIClear(engine->tess);
    return ok;
}
