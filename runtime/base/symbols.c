#include "symbols.h"

#include <string.h>

const char *base_symbols_fill(void *table, const base_symbol *symbols, size_t count, void *library,
                              base_symbol_finder *find)
{
    for (size_t i = 0; i < count; i++) {
        void *function = find(library, symbols[i].name);
        if (!function) {
            return symbols[i].name;
        }
        /* ISO C cannot convert an object pointer to a function pointer, so the bytes are copied. */
        memcpy((char *) table + symbols[i].offset, &function, sizeof function);
    }
    return NULL;
}
