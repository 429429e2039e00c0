/*
 * symbols.h: fills a table of function pointers from a library that is opened at run time
 * (Tesseract, libcurl). So a library that few runs need does not slow down every start, and the
 * program works on a machine without it.
 */
#ifndef BASE_SYMBOLS_H
#define BASE_SYMBOLS_H

#include <stddef.h>

typedef struct {
    const char *name;
    size_t offset; /* of the pointer in the table */
} base_symbol;

/* The address of a function of the library, or NULL. */
typedef void *base_symbol_finder(void *library, const char *name);

/* Stores the addresses of the `count` symbols in `table`. Returns NULL; or the name of the first
 * symbol that the library does not have, and then the table may not be used. */
const char *base_symbols_fill(void *table, const base_symbol *symbols, size_t count, void *library,
                              base_symbol_finder *find);

#endif
