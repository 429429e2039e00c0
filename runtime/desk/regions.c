#include "regions.h"

int desk_regions_add(desk_regions *regions, image_rect rect)
{
    for (int i = 0; i < DESK_REGIONS; i++) {
        if (!regions->items[i].used) {
            regions->items[i] = (desk_region){.used = true, .rect = rect};
            return i;
        }
    }
    return -1;
}

static bool in_use(const desk_regions *regions, int place)
{
    return place >= 0 && place < DESK_REGIONS && regions->items[place].used;
}

void desk_regions_remove(desk_regions *regions, int place)
{
    if (in_use(regions, place)) {
        regions->items[place] = (desk_region){0};
    }
}

uint64_t desk_regions_changed(const desk_regions *regions, int place)
{
    return in_use(regions, place) ? regions->items[place].changed : 0;
}

/* The end of a side, which may lie beyond what an int holds. */
static long long end_of(int start, int length)
{
    return (long long) start + length;
}

image_rect image_rect_common(image_rect a, image_rect b)
{
    int x = a.x > b.x ? a.x : b.x, y = a.y > b.y ? a.y : b.y;
    long long right = end_of(a.x, a.width), bottom = end_of(a.y, a.height);
    right = right < end_of(b.x, b.width) ? right : end_of(b.x, b.width);
    bottom = bottom < end_of(b.y, b.height) ? bottom : end_of(b.y, b.height);
    if (right <= x || bottom <= y) {
        return (image_rect){x, y, 0, 0};
    }
    return (image_rect){x, y, (int) (right - x), (int) (bottom - y)};
}

void desk_regions_note(desk_regions *regions, image_rect area, uint64_t when)
{
    for (desk_region *r = regions->items; r < regions->items + DESK_REGIONS; r++) {
        if (r->used && image_rect_common(r->rect, area).width > 0) {
            r->changed = when;
        }
    }
}
