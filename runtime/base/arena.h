/*
 * arena.h: many small pieces of memory that are freed together. Pieces are aligned for any type
 * and stay where they are. Allocation returns NULL when there is no memory; nothing is initialised.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct base_arena_block base_arena_block;

/* All zero is an empty arena. */
typedef struct {
    base_arena_block *blocks; /* newest first */
    size_t used;              /* bytes of the newest */
} base_arena;

void *base_arena_alloc(base_arena *arena, size_t size);

/* A copy of `length` bytes with a terminator. */
char *base_arena_copy(base_arena *arena, const char *text, size_t length);

/* Frees everything; the arena is empty again. */
void base_arena_free(base_arena *arena);

#endif
