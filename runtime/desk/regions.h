/*
 * regions.h: parts of the screen whose changes are told apart from all the others. Each desk has a
 * few places for them; its backend notes what changed, as it sees it, while it watches the screen.
 */
#ifndef DESK_REGIONS_H
#define DESK_REGIONS_H

#include "image/image.h"

enum { DESK_REGIONS = 16 };

typedef struct {
    bool used;
    image_rect rect;
    uint64_t changed; /* ns of uv_hrtime, 0 for not since it was added */
} desk_region;

typedef struct {
    desk_region items[DESK_REGIONS];
} desk_regions;

/* The place of a new region, or -1 where all are taken. */
int desk_regions_add(desk_regions *regions, image_rect rect);
/* Frees a place; others than those in use are left alone. */
void desk_regions_remove(desk_regions *regions, int place);
/* When the region changed last; 0 for not yet, and for a place that is not in use. */
uint64_t desk_regions_changed(const desk_regions *regions, int place);
/* Something was drawn in `area` at `when`. */
void desk_regions_note(desk_regions *regions, image_rect area, uint64_t when);
/* What two rectangles have in common; without width and height where that is nothing. */
image_rect image_rect_common(image_rect a, image_rect b);

#endif
