/*
 * find_scan.h: a probe looked for at every place of a picture.
 */
#ifndef IMAGE_FIND_FIND_SCAN_H
#define IMAGE_FIND_FIND_SCAN_H

#include "base/parallel.h"
#include "find_probe.h"

#include <stdatomic.h>

enum {
    /* Places that one thread keeps; beyond it goes on with the better half. */
    FIND_MAX_PLACES = 1 << 16,
};

typedef struct {
    int x, y; /* of the template, in the picture */
    float score;
} find_place;

typedef struct {
    find_place *places; /* the best first */
    size_t count;
    find_place best; /* of those passed over too; score -2 if there is none */
} find_places;

/* For qsort: the best first; among equals the order of reading, whichever thread found them. */
int find_compare_places(const void *a, const void *b);

/* Whether to give up; the work is left out then, and the caller asks again. */
typedef bool find_stop_fn(const void *context);

/* All places (of a template of t's size) where the probe correlates well enough. False when there
 * is no memory. `places` is to be freed by the caller. */
bool find_scan(find_places *places, const find_probe *probe, const find_template *t,
               const image_bitmap *picture, find_stop_fn *stop, const void *context);

#endif
