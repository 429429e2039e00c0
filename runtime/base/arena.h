/*
 * arena.h: allocates small pieces of memory that are freed together. Pieces are aligned for any
 * type, are never moved, and are not initialised. Allocation returns NULL without memory.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct base_arena_block base_arena_block;

/* An arena whose bytes are all zero is empty. */
typedef struct {
    base_arena_block *blocks; /* newest first */
    size_t used;              /* bytes that are used of the newest */
} base_arena;

void *base_arena_alloc(base_arena *arena, size_t size);

/* A copy of `length` bytes with a terminating zero. */
char *base_arena_copy(base_arena *arena, const char *text, size_t length);

/* Frees everything; the arena is empty again. */
void base_arena_free(base_arena *arena);

#endif
