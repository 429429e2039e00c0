/*
 * symbols.h: a table of function pointers filled from a library that was opened while the program
 * runs (Tesseract, libcurl): what few runs need costs no start anything, and a machine without it
 * still has the rest.
 */
#ifndef BASE_SYMBOLS_H
#define BASE_SYMBOLS_H

#include <stddef.h>

typedef struct {
    const char *name;
    size_t offset; /* of its pointer in the table */
} base_symbol;

/* The address of a function of the library, or NULL. */
typedef void *base_symbol_finder(void *library, const char *name);

/* Puts the address of each of the `count` symbols where it belongs in `table`. NULL, or the name of
 * the first that the library does not have: then the table is not to be used. */
const char *base_symbols_fill(void *table, const base_symbol *symbols, size_t count, void *library,
                              base_symbol_finder *find);

#endif
