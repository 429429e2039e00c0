#include "ocr_memory.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1024, GENERATION = 3000 };

typedef struct entry {
    ocr_key key;
    desk_ocr_text text;
    struct entry *next;
} entry;

typedef struct {
    entry *slots[SLOTS];
    int count;
} generation;

/* When the young are too many they become the old, and the old are forgotten; who is asked for
 * becomes young again. */
struct ocr_memory {
    generation *young, *old;
};

static void entry_free(entry *e)
{
    desk_ocr_text_free(&e->text);
    free(e);
}

static void generation_clear(generation *g)
{
    for (int i = 0; i < SLOTS; i++)
        for (entry *e = g->slots[i], *next; e; e = next) {
            next = e->next;
            entry_free(e);
        }
    *g = (generation){0};
}

ocr_memory *ocr_memory_new(void)
{
    ocr_memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->young = calloc(1, sizeof *memory->young);
    memory->old = calloc(1, sizeof *memory->old);
    if (memory->young && memory->old)
        return memory;
    free(memory->young);
    free(memory->old);
    free(memory);
    return NULL;
}

void ocr_memory_free(ocr_memory *memory)
{
    if (!memory)
        return;
    generation_clear(memory->young);
    generation_clear(memory->old);
    free(memory->young);
    free(memory->old);
    free(memory);
}

static ocr_key mix(ocr_key key, uint64_t value)
{
    key.a = (key.a ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    key.a ^= key.a >> 29;
    key.b = (key.b + value) * UINT64_C(0xc2b2ae3d27d4eb4f);
    key.b ^= key.b >> 31;
    return key;
}

ocr_key ocr_key_of(const desk_image *image, const desk_text_area *area, const char *language)
{
    desk_rect r = area->rect;
    ocr_key key = mix((ocr_key){1, 2},
                      (uint64_t) r.width << 32 | (uint64_t) r.height << 1 | (area->block ? 1 : 0));
    for (const char *p = language; *p; p++)
        key = mix(key, (unsigned char) *p);
    for (int y = r.y; y < r.y + r.height; y++) {
        const uint8_t *p = image->pixels + (size_t) y * image->stride + (size_t) r.x * 4;
        for (int x = 0; x < r.width; x++, p += 4)
            key = mix(key, (uint64_t) p[0] << 16 | (uint64_t) p[1] << 8 | p[2]);
    }
    return key;
}

static entry **place(generation *g, ocr_key key)
{
    entry **at = &g->slots[key.a % SLOTS];
    while (*at && ((*at)->key.a != key.a || (*at)->key.b != key.b))
        at = &(*at)->next;
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

static void put(ocr_memory *memory, entry *e)
{
    if (memory->young->count >= GENERATION) {
        generation *full = memory->young;
        generation_clear(memory->old);
        memory->young = memory->old;
        memory->old = full;
    }
    entry **slot = &memory->young->slots[e->key.a % SLOTS];
    e->next = *slot;
    *slot = e;
    memory->young->count++;
}

const desk_ocr_text *ocr_memory_find(ocr_memory *memory, ocr_key key)
{
    entry *found = *place(memory->young, key);
    if (!found) {
        found = take(memory->old, key);
        if (found)
            put(memory, found);
    }
    return found ? &found->text : NULL;
}

void ocr_memory_keep(ocr_memory *memory, ocr_key key, desk_ocr_text *text)
{
    entry *e = ocr_memory_find(memory, key) ? NULL : calloc(1, sizeof *e);
    if (e) {
        e->key = key;
        e->text = *text;
        *text = (desk_ocr_text){0};
        put(memory, e);
    }
    desk_ocr_text_free(text);
}
