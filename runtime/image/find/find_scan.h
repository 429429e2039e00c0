/*
 * find_scan.h: searches for a probe at every place of a picture.
 */
#ifndef IMAGE_FIND_FIND_SCAN_H
#define IMAGE_FIND_FIND_SCAN_H

#include "base/parallel.h"
#include "find_probe.h"

#include <stdatomic.h>

enum {
    /* Places that one thread keeps; when there are more, it drops the worse half. */
    FIND_MAX_PLACES = 1 << 16,
};

typedef struct {
    int x, y; /* of the template, in the picture */
    float score;
} find_place;

typedef struct {
    find_place *places; /* the best first */
    size_t count;
    find_place best; /* of all places, skipped ones too; score -2 if there is none */
} find_places;

/* For qsort: the best first; equal ones from top to bottom and left to right, so that the result
 * does not depend on the threads. */
int find_compare_places(const void *a, const void *b);

/* Whether to stop. If it returns true, work is skipped; the caller has to call it again to notice.
 */
typedef bool find_stop_fn(const void *context);

/* Finds all places of the template where the probe correlates well enough. False without memory.
 * The caller frees `places`. */
bool find_scan(find_places *places, const find_probe *probe, const find_template *t,
               const image_bitmap *picture, find_stop_fn *stop, const void *context);

#endif
