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

/* Notes it for the regions in which the frames differ: the smallest rectangle around all that
 * changed may cover one that did not. */
static void note_regions(win32_desk *w, image_rect screen, uint64_t when)
{
    size_t stride = (size_t) w->watch.now.width * 4;
    for (desk_region *r = w->base.regions.items; r < w->base.regions.items + DESK_REGIONS; r++) {
        image_rect part = image_rect_common(r->rect, screen), change;
        size_t at = (size_t) (part.y - screen.y) * stride + (size_t) (part.x - screen.x) * 4;
        if (r->used && part.width > 0 &&
            win32_difference(w->watch.now.pixels + at, w->watch.before.pixels + at, part.width,
                             part.height, stride, &change) &&
            win32_worth_telling(change)) {
            r->changed = when;
        }
    }
}

/* Whether the new frame tells of a change. Without a frame before there is nothing to compare. */
static bool has_changed(win32_desk *w, image_rect screen)
{
    image_rect before = w->watch.rect, change;
    if (before.width == 0) {
        return false;
    }
    if (!same_rect(before, screen) || w->watch.now.width != w->watch.before.width) {
        desk_regions_note(&w->base.regions, screen, uv_hrtime());
        return true; /* another resolution, or a monitor came or went */
    }
    if (!win32_difference(w->watch.now.pixels, w->watch.before.pixels, screen.width, screen.height,
                          (size_t) w->watch.now.width * 4, &change) ||
        !win32_worth_telling(change)) {
        return false;
    }
    note_regions(w, screen, uv_hrtime());
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
    if (has_changed(w, screen)) {
        w->watch.last_change = uv_hrtime();
    }
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
