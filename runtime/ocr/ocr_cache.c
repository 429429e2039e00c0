#include "ocr_cache.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 1024,
    GENERATION = 3000,
    LANES = 4, /* checksums that are made beside one another, since each step waits for the last */
};

typedef struct entry {
    ocr_key key;
    ocr_text text;
    struct entry *next;
} entry;

typedef struct {
    entry *slots[SLOTS];
    int count;
} generation;

/* Two generations. When the young one is full it becomes the old one, and the old one is dropped.
 * An entry that is found in the old generation moves to the young one. */
struct ocr_cache {
    generation *young, *old;
};

static void entry_free(entry *e)
{
    ocr_text_free(&e->text);
    free(e);
}

static void generation_clear(generation *g)
{
    for (int i = 0; i < SLOTS; i++) {
        for (entry *e = g->slots[i], *next; e; e = next) {
            next = e->next;
            entry_free(e);
        }
    }
    *g = (generation){0};
}

ocr_cache *ocr_cache_new(void)
{
    ocr_cache *cache = calloc(1, sizeof *cache);
    if (!cache) {
        return NULL;
    }
    cache->young = calloc(1, sizeof *cache->young);
    cache->old = calloc(1, sizeof *cache->old);
    if (cache->young && cache->old) {
        return cache;
    }
    free(cache->young);
    free(cache->old);
    free(cache);
    return NULL;
}

void ocr_cache_free(ocr_cache *cache)
{
    if (!cache) {
        return;
    }
    generation_clear(cache->young);
    generation_clear(cache->old);
    free(cache->young);
    free(cache->old);
    free(cache);
}

static ocr_key mix(ocr_key key, uint64_t value)
{
    key.a = (key.a ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    key.a ^= key.a >> 29;
    key.b = (key.b + value) * UINT64_C(0xc2b2ae3d27d4eb4f);
    key.b ^= key.b >> 31;
    return key;
}

/* So many pixels, one or two, without their fourth bytes. */
static uint64_t colours(const uint8_t *p, size_t pixels)
{
    static const uint8_t used[8] = {255, 255, 255, 0, 255, 255, 255, 0};
    uint64_t value = 0, mask;
    memcpy(&value, p, 4 * pixels);
    memcpy(&mask, used, sizeof mask);
    return value & mask;
}

static void mix_row(ocr_key lanes[LANES], const uint8_t *p, int width)
{
    int x = 0;
    for (; x + 2 * LANES <= width; x += 2 * LANES, p += 8 * LANES) {
        for (int i = 0; i < LANES; i++) {
            lanes[i] = mix(lanes[i], colours(p + 8 * i, 2));
        }
    }
    for (; x < width; x++, p += 4) {
        lanes[x % LANES] = mix(lanes[x % LANES], colours(p, 1));
    }
}

static ocr_key key_of(const image_bitmap *image, image_rect r, uint64_t kind, const char *language)
{
    ocr_key key = mix((ocr_key){1, 2}, (uint64_t) r.width << 32 | (uint64_t) r.height);
    key = mix(key, kind);
    for (const char *p = language; *p; p++) {
        key = mix(key, (unsigned char) *p);
    }
    ocr_key lanes[LANES] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    for (int y = r.y; y < r.y + r.height; y++) {
        mix_row(lanes, image->pixels + (size_t) y * image->stride + (size_t) r.x * 4, r.width);
    }
    for (int i = 0; i < LANES; i++) {
        key = mix(mix(key, lanes[i].a), lanes[i].b);
    }
    return key;
}

ocr_key ocr_key_of(const image_bitmap *image, const ocr_area_box *area, const char *language)
{
    return key_of(image, area->rect, area->block ? 1 : 0, language);
}

ocr_key ocr_key_of_all(const image_bitmap *image, const char *language)
{
    return key_of(image, (image_rect){0, 0, image->width, image->height}, 2, language);
}

static entry **place(generation *g, ocr_key key)
{
    entry **at = &g->slots[key.a % SLOTS];
    while (*at && ((*at)->key.a != key.a || (*at)->key.b != key.b)) {
        at = &(*at)->next;
    }
    return at;
}

static entry *take(generation *g, ocr_key key)
{
    entry **at = place(g, key), *found = *at;
    if (found) {
        *at = found->next;
        found->next = NULL;
        g->count--;
    }
    return found;
}

static void put(ocr_cache *cache, entry *e)
{
    if (cache->young->count >= GENERATION) {
        generation *full = cache->young;
        generation_clear(cache->old);
        cache->young = cache->old;
        cache->old = full;
    }
    entry **slot = &cache->young->slots[e->key.a % SLOTS];
    e->next = *slot;
    *slot = e;
    cache->young->count++;
}

const ocr_text *ocr_cache_find(ocr_cache *cache, ocr_key key)
{
    entry *found = *place(cache->young, key);
    if (!found) {
        found = take(cache->old, key);
        if (found) {
            put(cache, found);
        }
    }
    return found ? &found->text : NULL;
}

void ocr_cache_keep(ocr_cache *cache, ocr_key key, ocr_text *text)
{
    entry *e = ocr_cache_find(cache, key) ? NULL : calloc(1, sizeof *e);
    if (e) {
        e->key = key;
        e->text = *text;
        *text = (ocr_text){0};
        put(cache, e);
    }
    ocr_text_free(text);
}
