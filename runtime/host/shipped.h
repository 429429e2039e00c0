/*
 * shipped.h: the files inside the program (Lua modules, prompts, missions), made by embed.cmake.
 * Names are paths such as "deskpilot/agent/loop.lua" or "missions/calculator.lua", sorted bytewise.
 */
#ifndef HOST_SHIPPED_H
#define HOST_SHIPPED_H

#include <stddef.h>

typedef struct {
    const char *name;
    const char *data; /* `size` bytes and a NUL */
    size_t size;
} shipped_file;

extern const shipped_file shipped_files[];
extern const size_t shipped_count;

/* The file of that name, or NULL. */
const shipped_file *shipped_find(const char *name);

#endif
