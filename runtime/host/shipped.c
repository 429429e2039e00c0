#include "shipped.h"

#include <string.h>

const shipped_file *shipped_find(const char *name)
{
    size_t low = 0, high = shipped_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, shipped_files[middle].name);
        if (order == 0) {
            return &shipped_files[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
}
