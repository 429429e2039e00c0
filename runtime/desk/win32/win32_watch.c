/*
 * Windows tells no program of changes of the screen, so they are found by looking: a frame is
 * fetched every now and then and compared with the one before. The mouse pointer is in neither.
 *
 * A look that fails is no change and no error: while the workstation is locked or a UAC prompt is
 * shown nothing can be seen, and a run should go on when that is over. `capture` says it clearly.
 */
#include "win32_internal.h"

#include <string.h>
#include <uv.h>

enum {
    MILLISECOND = 1000000, /* in nanoseconds */
    LOOK_EVERY = 20 * MILLISECOND,
    LOOK_SHARE = 3, /* at most one part in so many of the time is spent looking */
    COLOURS = 0xffffff,
};

/* A blinking text caret is no change worth waiting for; the same sizes as on X11. */
enum { CARET_WIDTH = 4, CARET_HEIGHT = 40 };

bool win32_worth_telling(image_rect change)
{
    return change.width > CARET_WIDTH || change.height > CARET_HEIGHT;
}

static bool differs(const uint8_t *a, const uint8_t *b, int x)
{
    uint32_t one, other;
    memcpy(&one, a + (size_t) x * 4, 4);
    memcpy(&other, b + (size_t) x * 4, 4);
    return ((one ^ other) & COLOURS) != 0;
}

/* Widens left..right, both included, to what differs in a row. False if nothing does. */
static bool widen(const uint8_t *a, const uint8_t *b, int width, int *left, int *right)
{
    int first = 0, last = width - 1;
    while (first < width && !differs(a, b, first)) {
        first++;
    }
    if (first == width) {
        return false;
    }
    while (!differs(a, b, last)) {
        last--;
    }
    *left = first < *left ? first : *left;
    *right = last > *right ? last : *right;
    return true;
}

bool win32_difference(const uint8_t *a, const uint8_t *b, int width, int height, size_t stride,
                      image_rect *out)
{
    int left = width, right = -1, top = height, bottom = -1;
    for (int y = 0; y < height; y++) {
        const uint8_t *row_a = a + (size_t) y * stride, *row_b = b + (size_t) y * stride;
        if (memcmp(row_a, row_b, (size_t) width * 4) != 0 &&
            widen(row_a, row_b, width, &left, &right)) {
            top = y < top ? y : top;
            bottom = y;
        }
    }
    *out = (image_rect){left, top, right - left + 1, bottom - top + 1};
    return bottom >= 0;
}

static bool same_rect(image_rect a, image_rect b)
{
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

/* Whether the frames differ in a part, counted from the screen's corner, and where. */
static bool differs_in(const win32_desk *w, image_rect part, image_rect *out)
{
    size_t stride = (size_t) w->watch.now.width * 4;
    size_t at = (size_t) part.y * stride + (size_t) part.x * 4;
    if (!win32_difference(w->watch.now.pixels + at, w->watch.before.pixels + at, part.width,
                          part.height, stride, out)) {
        return false;
    }
    out->x += part.x;
    out->y += part.y;
    return true;
}

/* Notes it for the regions in which the frames differ: the smallest rectangle around all that
 * changed may cover one that did not. */
static void note_regions(win32_desk *w, image_rect screen, uint64_t when)
{
    for (desk_region *r = w->base.regions.items; r < w->base.regions.items + DESK_REGIONS; r++) {
        image_rect part = image_rect_common(r->rect, screen), change;
        part.x -= screen.x;
        part.y -= screen.y;
        if (r->used && part.width > 0 && differs_in(w, part, &change) &&
            win32_worth_telling(change)) {
            r->changed = when;
        }
    }
}

static image_rect around(image_rect a, image_rect b)
{
    if (a.width == 0) {
        return b;
    }
    int x = a.x < b.x ? a.x : b.x, y = a.y < b.y ? a.y : b.y;
    int right = a.x + a.width > b.x + b.width ? a.x + a.width : b.x + b.width;
    int bottom = a.y + a.height > b.y + b.height ? a.y + a.height : b.y + b.height;
    return (image_rect){x, y, right - x, bottom - y};
}

/* Cell by cell within `change`, for the same reason. */
static void note_motion(win32_desk *w, image_rect change, uint64_t since, uint64_t when)
{
    image_rect other = {0};
    const int side = DESK_MOTION_CELL;
    for (int y = change.y / side * side; y < change.y + change.height; y += side) {
        for (int x = change.x / side * side; x < change.x + change.width; x += side) {
            image_rect cell = image_rect_common((image_rect){x, y, side, side}, change), part;
            if (differs_in(w, cell, &part) &&
                desk_motion_note(&w->base.motion, cell, since, when)) {
                other = around(other, part);
            }
        }
    }
    if (win32_worth_telling(other)) {
        w->base.motion.changed = when;
    }
}

/* Whether the new frame, of `now`, tells of a change. Without a frame before there is nothing to
 * compare. */
static bool has_changed(win32_desk *w, image_rect screen, uint64_t now)
{
    image_rect before = w->watch.rect, change;
    if (before.width == 0) {
        return false;
    }
    if (!same_rect(before, screen) || w->watch.now.width != w->watch.before.width) {
        desk_motion_clear(&w->base.motion);
        w->base.motion.changed = now;
        desk_regions_note(&w->base.regions, screen, now);
        return true; /* another resolution, or a monitor came or went */
    }
    if (!win32_difference(w->watch.now.pixels, w->watch.before.pixels, screen.width, screen.height,
                          (size_t) w->watch.now.width * 4, &change) ||
        !win32_worth_telling(change)) {
        return false;
    }
    note_regions(w, screen, now);
    note_motion(w, change, w->watch.taken, now);
    return true;
}

static void look(win32_desk *w)
{
    image_rect screen;
    if (!win32_screen_rect(&w->base, &screen, NULL) ||
        !win32_surface_fit(&w->watch.now, screen.width, screen.height, NULL) ||
        !win32_grab(w, &w->watch.now, screen, NULL)) {
        return;
    }
    uint64_t now = uv_hrtime();
    if (has_changed(w, screen, now)) {
        w->watch.last_change = now;
    }
    w->watch.taken = now;
    win32_surface looked_at = w->watch.now;
    w->watch.now = w->watch.before;
    w->watch.before = looked_at;
    w->watch.rect = screen;
}

static uint64_t next_look(const win32_desk *w)
{
    uint64_t pause = w->watch.cost * LOOK_SHARE;
    return w->watch.last_look + (pause > LOOK_EVERY ? pause : LOOK_EVERY);
}

void win32_watch_look(win32_desk *w)
{
    uint64_t now = uv_hrtime();
    if (!w->watch.on || now < next_look(w)) {
        return;
    }
    w->watch.last_look = now;
    look(w);
    w->watch.cost = uv_hrtime() - now;
}

static void watch_stop(desk *d)
{
    win32_desk *w = (win32_desk *) d;
    w->watch.on = false;
    w->watch.rect = (image_rect){0};
    w->watch.last_change = w->watch.last_look = w->watch.cost = 0;
}

static bool win32_watch_start(desk *d, base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    (void) err;
    watch_stop(d);
    w->watch.on = true;
    w->watch.last_look = uv_hrtime();
    look(w);
    w->watch.cost = uv_hrtime() - w->watch.last_look;
    return true;
}

static uint64_t win32_last_change(desk *d)
{
    return ((win32_desk *) d)->watch.last_change;
}

static int win32_poll_every(desk *d)
{
    const win32_desk *w = (const win32_desk *) d;
    if (!w->watch.on) {
        return 0;
    }
    uint64_t now = uv_hrtime(), due = next_look(w);
    return due <= now ? 1 : (int) ((due - now) / MILLISECOND) + 1;
}

void win32_watch_close(win32_desk *w)
{
    watch_stop(&w->base);
    win32_surface_close(&w->watch.now);
    win32_surface_close(&w->watch.before);
}

void win32_watch_ops(desk_ops *ops)
{
    ops->poll_every = win32_poll_every;
    ops->watch_start = win32_watch_start;
    ops->watch_stop = watch_stop;
    ops->last_change = win32_last_change;
}
