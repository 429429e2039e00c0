#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024 };

struct base_arena_block {
    base_arena_block *next;
    size_t size;
    max_align_t data[];
};

static base_arena_block *add_block(base_arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(base_arena_block)) {
        return NULL;
    }
    base_arena_block *block = malloc(sizeof *block + size);
    if (!block) {
        return NULL;
    }
    block->next = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->used = 0;
    return block;
}

void *base_arena_alloc(base_arena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX - align) {
        return NULL;
    }
    size = (size + align - 1) / align * align;
    base_arena_block *block = arena->blocks;
    if (!block || block->size - arena->used < size) {
        block = add_block(arena, size > BLOCK_SIZE ? size : BLOCK_SIZE);
        if (!block) {
            return NULL;
        }
    }
    void *piece = (char *) block->data + arena->used;
    arena->used += size;
    return piece;
}

char *base_arena_copy(base_arena *arena, const char *text, size_t length)
{
    char *copy = base_arena_alloc(arena, length + 1);
    if (!copy) {
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

void base_arena_free(base_arena *arena)
{
    while (arena->blocks) {
        base_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->used = 0;
}
