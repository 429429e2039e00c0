#include "ocr.h"

#include "ocr_area.h"
#include "ocr_cache.h"
#include "ocr_engine.h"
#include "ocr_tesseract.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
    MOST_THREADS = 4,
    MOST_ENGINES = 8,   /* of all languages together; each has some tens of megabytes */
    AREAS_A_THREAD = 3, /* so many areas are worth another thread */
};

typedef struct {
    ocr_engine *engine; /* NULL: not opened yet */
    char language[200]; /* "": the slot is free */
    bool busy;
} slot;

struct ocr_reader {
    uv_mutex_t lock; /* protects everything below */
    uv_cond_t idle;  /* an engine has become idle */
    uv_mutex_t opening;
    slot slots[MOST_ENGINES];
    ocr_cache *cache;
    /* The picture that was read last: one only, since a screen that keeps changing has no end of
     * them, and the text of each is large. */
    ocr_key last_key;
    ocr_text last;
    int threads;
};

ocr_reader *ocr_new(base_error *err)
{
    ocr_reader *reader = calloc(1, sizeof *reader);
    ocr_cache *cache = ocr_cache_new();
    if (!reader || !cache) {
        free(reader);
        ocr_cache_free(cache);
        base_fail(err, BASE_NO_MEMORY, "not enough memory to read text");
        return NULL;
    }
    reader->cache = cache;
    unsigned cores = uv_available_parallelism();
    reader->threads = cores > MOST_THREADS ? MOST_THREADS : (int) cores;
    uv_mutex_init(&reader->lock);
    uv_mutex_init(&reader->opening);
    uv_cond_init(&reader->idle);
    return reader;
}

void ocr_free(ocr_reader *reader)
{
    if (!reader) {
        return;
    }
    for (int i = 0; i < MOST_ENGINES; i++) {
        ocr_engine_close(reader->slots[i].engine);
    }
    ocr_cache_free(reader->cache);
    ocr_text_free(&reader->last);
    uv_cond_destroy(&reader->idle);
    uv_mutex_destroy(&reader->opening);
    uv_mutex_destroy(&reader->lock);
    free(reader);
}

bool ocr_check(const char *language, base_error *err)
{
    char folder[1024];
    return ocr_tesseract_open(err) && ocr_data_folder(language, folder, sizeof folder, err);
}

/* --- one read -----------------------------------------------------------------------------------
 */

typedef struct {
    ocr_reader *reader;
    const image_bitmap *image;
    const char *language;
    uint64_t deadline;
    const atomic_bool *cancel;
    ocr_areas areas;
    ocr_key *keys;
    ocr_text *parts; /* the text of each area */
    size_t *unread;  /* the areas that are not in the cache, single lines first */
    size_t unread_count;
    atomic_size_t next, read;
    atomic_bool failed;
    base_error err; /* of the first failure; protected by the reader's lock */
} job;

static bool stopped(void *context)
{
    job *j = context;
    return atomic_load(j->cancel) || atomic_load(&j->failed) || uv_hrtime() >= j->deadline;
}

static void fail(job *j, const base_error *err)
{
    uv_mutex_lock(&j->reader->lock);
    if (!atomic_exchange(&j->failed, true)) {
        j->err = *err;
    }
    uv_mutex_unlock(&j->reader->lock);
}

/* --- engines ------------------------------------------------------------------------------------
 */

/* A slot with an idle engine of the language; else a free slot for a new engine, if the limit
 * permits one; else NULL. The lock must be held. */
static slot *find_slot(ocr_reader *reader, const char *language)
{
    slot *empty = NULL, *other = NULL;
    int same = 0;
    for (slot *s = reader->slots; s < reader->slots + MOST_ENGINES; s++) {
        if (strcmp(s->language, language) == 0) {
            if (!s->busy) {
                return s;
            }
            same++;
        } else if (!*s->language) {
            empty = s;
        } else if (!s->busy) {
            other = s;
        }
    }
    return same >= reader->threads ? NULL : empty ? empty : other;
}

/* Takes an engine for the calling thread; the slot has to be given back. NULL if the job has been
 * stopped or has failed. */
static slot *take_engine(job *j)
{
    ocr_reader *reader = j->reader;
    slot *s;
    uv_mutex_lock(&reader->lock);
    while (!(s = find_slot(reader, j->language)) && !stopped(j)) {
        uv_cond_timedwait(&reader->idle, &reader->lock, UINT64_C(50000000));
    }
    ocr_engine *old = NULL;
    if (s) {
        s->busy = true;
        if (strcmp(s->language, j->language) != 0) {
            old = s->engine;
            s->engine = NULL;
            strcpy(s->language, j->language);
        }
    }
    uv_mutex_unlock(&reader->lock);
    ocr_engine_close(old);
    if (s && !s->engine) {
        base_error err;
        uv_mutex_lock(&reader->opening); /* Tesseract's initialisation is not thread-safe */
        s->engine = ocr_engine_open(j->language, &err);
        uv_mutex_unlock(&reader->opening);
        if (!s->engine) {
            fail(j, &err);
        }
    }
    return s;
}

static void give_back(ocr_reader *reader, slot *s)
{
    uv_mutex_lock(&reader->lock);
    s->busy = false;
    if (!s->engine) {
        s->language[0] = '\0';
    }
    uv_cond_broadcast(&reader->idle);
    uv_mutex_unlock(&reader->lock);
}

/* --- areas --------------------------------------------------------------------------------------
 */

/* A copy of a text, in an empty one. */
static bool copy(const ocr_text *text, ocr_text *out, base_error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < text->count; i++) {
        ok = ocr_text_add(out, text->words[i], err);
    }
    out->lines = text->lines;
    out->areas = text->areas;
    return ok;
}

static bool read_area(job *j, ocr_engine *engine, size_t index, base_error *err)
{
    const ocr_area_box *area = &j->areas.items[index];
    ocr_text text = {0};
    bool ok = ocr_area_read(engine, j->image, area, stopped, j, &text, err);
    if (!ok || stopped(j)) {
        ocr_text_free(&text);
        return ok;
    }
    ok = copy(&text, &j->parts[index], err);
    atomic_fetch_add(&j->read, 1);
    uv_mutex_lock(&j->reader->lock);
    ocr_cache_keep(j->reader->cache, j->keys[index], &text);
    uv_mutex_unlock(&j->reader->lock);
    return ok;
}

static void work(void *context)
{
    job *j = context;
    slot *s = NULL;
    base_error err;
    while (!stopped(j)) {
        size_t number = atomic_fetch_add(&j->next, 1);
        if (number >= j->unread_count) {
            break;
        }
        if (!s) {
            s = take_engine(j);
        }
        if (!s || !s->engine) {
            break;
        }
        if (!read_area(j, s->engine, j->unread[number], &err)) {
            fail(j, &err);
        }
    }
    if (s) {
        give_back(j->reader, s);
    }
}

/* Takes the text of an area from the cache, if it is there. */
static bool recall(job *j, size_t index, bool *known, base_error *err)
{
    const ocr_text *text = ocr_cache_find(j->reader->cache, j->keys[index]);
    *known = text != NULL;
    return !text || copy(text, &j->parts[index], err);
}

static bool prepare(job *j, base_error *err)
{
    size_t count = j->areas.count;
    j->keys = malloc((count + 1) * sizeof *j->keys);
    j->parts = calloc(count + 1, sizeof *j->parts);
    j->unread = malloc((count + 1) * sizeof *j->unread);
    if (!j->keys || !j->parts || !j->unread) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory to read text");
    }
    for (size_t i = 0; i < count; i++) {
        j->keys[i] = ocr_key_of(j->image, &j->areas.items[i], j->language);
    }
    bool ok = true;
    uv_mutex_lock(&j->reader->lock);
    for (int blocks = 0; blocks < 2; blocks++) {
        for (size_t i = 0; ok && i < count; i++) {
            bool known;
            if (j->areas.items[i].block != (blocks == 1)) {
                continue;
            }
            ok = recall(j, i, &known, err);
            if (!known) {
                j->unread[j->unread_count++] = i;
            }
        }
    }
    uv_mutex_unlock(&j->reader->lock);
    return ok;
}

static void work_together(job *j)
{
    uv_thread_t others[MOST_THREADS];
    int count = 0;
    int wanted = (int) (j->unread_count / AREAS_A_THREAD);
    for (int i = 1; i < j->reader->threads && i <= wanted; i++) {
        if (uv_thread_create(&others[count], work, j) == 0) {
            count++;
        }
    }
    work(j);
    for (int i = 0; i < count; i++) {
        uv_thread_join(&others[i]);
    }
}

static bool gather(job *j, ocr_text *out, base_error *err)
{
    bool ok = true;
    for (size_t i = 0; i < j->areas.count; i++) {
        image_rect at = j->areas.items[i].rect;
        for (size_t k = 0; ok && k < j->parts[i].count; k++) {
            ocr_word word = j->parts[i].words[k];
            word.rect.x += at.x;
            word.rect.y += at.y;
            word.line += out->lines;
            ok = ocr_text_add(out, word, err);
        }
        out->lines += j->parts[i].lines;
    }
    out->areas = (int) j->areas.count;
    out->known = (int) (j->areas.count - j->unread_count);
    return ok;
}

static bool complete(job *j, base_error *err)
{
    if (atomic_load(j->cancel)) {
        return base_fail(err, BASE_CANCELLED, "cancelled");
    }
    if (atomic_load(&j->failed)) {
        *err = j->err;
        return false;
    }
    size_t left = j->unread_count - atomic_load(&j->read);
    return left == 0 ||
           base_fail(err, BASE_TIMED_OUT,
                     "the text was not read in the time given (%zu of %zu areas are left): name a "
                     "region or a window, or give it more time",
                     left, j->areas.count);
}

static bool read_all(job *j, ocr_text *out, base_error *err)
{
    bool ok = ocr_detect(j->image, &j->areas, err) && prepare(j, err);
    if (ok && j->unread_count > 0) {
        work_together(j);
        ok = complete(j, err);
    }
    ok = ok && gather(j, out, err);
    for (size_t i = 0; j->parts && i < j->areas.count; i++) {
        ocr_text_free(&j->parts[i]);
    }
    free(j->parts);
    free(j->keys);
    free(j->unread);
    ocr_areas_free(&j->areas);
    return ok;
}

/* Takes the text of a picture, if that is the last one. */
static bool recall_last(ocr_reader *reader, ocr_key key, ocr_text *out, bool *known,
                        base_error *err)
{
    uv_mutex_lock(&reader->lock);
    *known = reader->last_key.a == key.a && reader->last_key.b == key.b;
    bool ok = !*known || copy(&reader->last, out, err);
    uv_mutex_unlock(&reader->lock);
    out->known = out->areas;
    return ok;
}

/* It is no failure where there is no memory for that. */
static void keep_last(ocr_reader *reader, ocr_key key, const ocr_text *text)
{
    ocr_text kept = {0};
    base_error err;
    if (!copy(text, &kept, &err)) {
        ocr_text_free(&kept);
        return;
    }
    uv_mutex_lock(&reader->lock);
    ocr_text before = reader->last;
    reader->last_key = key;
    reader->last = kept;
    uv_mutex_unlock(&reader->lock);
    ocr_text_free(&before);
}

bool ocr_read(ocr_reader *reader, const image_bitmap *image, const char *language,
              uint64_t deadline, const atomic_bool *cancel, ocr_text *out, base_error *err)
{
    job j = {.reader = reader,
             .image = image,
             .language = language,
             .deadline = deadline,
             .cancel = cancel};
    *out = (ocr_text){0};
    ocr_key key = ocr_key_of_all(image, language);
    bool known;
    bool ok = recall_last(reader, key, out, &known, err);
    if (ok && !known) {
        ok = read_all(&j, out, err);
    }
    if (ok && !known) {
        keep_last(reader, key, out);
    }
    if (!ok) {
        ocr_text_free(out);
    }
    return ok;
}
