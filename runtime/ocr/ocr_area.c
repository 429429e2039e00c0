#include "ocr_area.h"

#include "ocr_sign.h"

#include <ctype.h>
#include <string.h>
#include <uv.h>

enum { ATTEMPTS = 3, TIMEOUT = 5 /* seconds for an area: a line takes hundredths of one */ };

static const float SURE_SIGN = 0.8f;
static const float CLEAR = 0.75f; /* a result of this confidence is accepted at once */

/* Tesseract scales a line to 36 pixels of height, with 8 of margin at any scale: so the larger it
 * gets a line, the wider it makes it, and the longer that takes. From 26 pixels on it reads no
 * better. */
static int scale_of(const ocr_area_box *area, int attempt)
{
    static const int others[ATTEMPTS] = {0, 6, 3};
    if (attempt > 0) {
        return others[attempt];
    }
    if (area->block) {
        return area->rect.width * area->rect.height < 400000 ? 3 : 1;
    }
    int scale = (26 + area->rect.height / 2) / area->rect.height;
    return area->rect.height >= 40 ? 1 : scale < 2 ? 2 : scale > 4 ? 4 : scale;
}

static float confidence_of(const ocr_text *text)
{
    float sum = 0;
    for (size_t i = 0; i < text->count; i++) {
        sum += text->words[i].confidence;
    }
    return text->count ? sum / (float) text->count : 0;
}

/* The best scale for a single letter cannot be told from its box as well as for a line. So a short
 * area with a doubtful result is read at other scales too, and the most confident result counts. */
static bool is_short(const ocr_area_box *area)
{
    return !area->block && area->rect.width < 3 * area->rect.height && area->rect.height < 40;
}

/* Tesseract likes to read a single letter as two, the capital and the small one ("Cc"). Where there
 * is place for one it is one. */
static void drop_double(const ocr_area_box *area, ocr_text *text)
{
    char *letters = text->count == 1 ? text->words[0].text : "";
    bool one = !area->block && area->rect.width <= area->rect.height + area->rect.height / 4;
    if (one && strlen(letters) == 2 && isalpha((unsigned char) letters[0]) &&
        (letters[0] ^ letters[1]) == ('a' ^ 'A')) {
        letters[1] = '\0';
    }
}

typedef struct {
    bool (*stop)(void *context);
    void *context;
    uint64_t limit;
} timeout;

static bool ended(void *context)
{
    timeout *p = context;
    return p->stop(p->context) || uv_hrtime() >= p->limit;
}

static bool read_sign(const image_bitmap *image, image_rect rect, ocr_text *out, base_error *err)
{
    image_rect at;
    const char *sign = ocr_sign(image, rect, &at);
    char text[2] = {sign ? *sign : '\0', '\0'};
    at.x -= rect.x;
    at.y -= rect.y;
    out->lines = sign != NULL;
    return !sign || ocr_text_add(out, (ocr_word){at, SURE_SIGN, 0, text}, err);
}

bool ocr_area_read(ocr_engine *engine, const image_bitmap *image, const ocr_area_box *area,
                   bool (*stop)(void *context), void *context, ocr_text *out, base_error *err)
{
    if (area->sign) {
        return read_sign(image, area->rect, out, err);
    }
    timeout p = {stop, context, uv_hrtime() + TIMEOUT * UINT64_C(1000000000)};
    int attempts = is_short(area) ? ATTEMPTS : 1;
    bool ok = true;
    for (int i = 0; ok && i < attempts && (i == 0 || confidence_of(out) < CLEAR); i++) {
        ocr_ink_image ink;
        ocr_text text = {0};
        if (!ocr_ink(&ink, image, area->rect, scale_of(area, i), err)) {
            return false;
        }
        ok = ocr_engine_read(engine, &ink, area->block, ended, &p, &text, err);
        ocr_ink_free(&ink);
        if (confidence_of(&text) > confidence_of(out)) {
            ocr_text worse = *out;
            *out = text;
            text = worse;
        }
        ocr_text_free(&text);
    }
    drop_double(area, out);
    return ok && out->count == 0 && is_short(area) ? read_sign(image, area->rect, out, err) : ok;
}
