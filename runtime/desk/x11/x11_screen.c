#define _GNU_SOURCE /* memfd_create */
#include "x11_screen.h"

#include "x11_cursor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool x11_screen_rect(desk *d, image_rect *out, base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    /* Asked each time: screens get resized, and what XCB keeps is as old as the connection. */
    xcb_generic_error_t *e = NULL;
    xcb_get_geometry_reply_t *reply =
        xcb_get_geometry_reply(x->c, xcb_get_geometry(x->c, x->root), &e);
    if (!reply) {
        return x11_refused(x, "to tell the size of the screen", e, err);
    }
    *out = (image_rect){0, 0, reply->width, reply->height};
    free(reply);
    return true;
}

static bool same_rect(image_rect a, image_rect b)
{
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

static void unmap(image_share *share)
{
    x11_frame *frame = (x11_frame *) share;
    munmap(share->pixels, frame->size);
    free(share->bands);
    free(frame);
}

/* The frame's memory stays for as long as an image has it. */
static void release_frame(x11_desk *x, x11_frame **place)
{
    x11_frame *frame = *place;
    *place = NULL;
    if (frame) {
        xcb_shm_detach(x->c, frame->segment);
        image_share_drop(&frame->share);
    }
}

static void release_frames(x11_desk *x)
{
    for (int i = 0; i < X11_FRAMES; i++) {
        release_frame(x, &x->frames->list[i]);
    }
    x->frames->latest = NULL;
}

void x11_screen_close(x11_desk *x)
{
    release_frames(x);
    free(x->frames->reply);
    free(x->frames->bands);
    x->frames->reply = NULL;
    x->frames->bands = NULL;
}

/* The descriptor is the connection's from here on, which closes it. */
static bool attach(x11_desk *x, xcb_shm_seg_t segment, int memory)
{
    xcb_generic_error_t *e =
        xcb_request_check(x->c, xcb_shm_attach_fd_checked(x->c, segment, memory, 0));
    bool attached = !e && !xcb_connection_has_error(x->c);
    free(e);
    return attached;
}

/* Memory of that size that the server can write to as well; NULL if there is none. It has no name,
 * so nothing is left of it when both sides have ended, however they end; a segment of System V
 * would stay where we are killed before the server has attached it. */
static void *share(x11_desk *x, xcb_shm_seg_t segment, size_t size)
{
    int memory = memfd_create("deskpilot", MFD_CLOEXEC);
    if (memory < 0) {
        return NULL;
    }
    void *mapped = ftruncate(memory, (off_t) size) == 0
                       ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)
                       : MAP_FAILED;
    if (mapped == MAP_FAILED) {
        close(memory);
        return NULL;
    }
    if (attach(x, segment, memory)) {
        return mapped;
    }
    munmap(mapped, size);
    return NULL;
}

static x11_frame *new_frame(x11_desk *x, size_t size)
{
    x11_frame *frame = calloc(1, sizeof *frame);
    if (!frame) {
        return NULL;
    }
    *frame = (x11_frame){
        .share = {.users = 1, .unused = unmap}, .segment = xcb_generate_id(x->c), .size = size};
    frame->share.bands =
        calloc((size_t) image_band_count(x->frames->screen.height), sizeof *frame->share.bands);
    frame->share.pixels = frame->share.bands ? share(x, frame->segment, size) : NULL;
    if (frame->share.pixels) {
        return frame;
    }
    free(frame->share.bands);
    free(frame);
    return NULL;
}

static bool is_had(const x11_frame *frame)
{
    return frame && atomic_load(&frame->share.users) > 1;
}

/* Where the next picture goes: to the latest one that no image has, of which the least has to be
 * fetched. */
static int free_place(const x11_frames *s, bool whole)
{
    int found = X11_PART;
    for (int i = X11_WHOLE; whole && i < X11_FRAMES; i++) {
        const x11_frame *frame = s->list[i], *best = s->list[found];
        if (!is_had(frame) &&
            (found == X11_PART || (frame && (!best || frame->drawn > best->drawn)))) {
            found = i;
        }
    }
    return found;
}

/* A frame of at least `size` bytes that no image has and the server can write to. A remote server
 * refuses, and one whose MIT-SHM is older than 1.2; from then on pictures come over the wire. */
static x11_frame *free_frame(x11_desk *x, size_t size, bool whole)
{
    x11_frame **place = &x->frames->list[free_place(x->frames, whole)];
    if (x->has_shm && (!*place || (*place)->size < size)) {
        release_frame(x, place);
        *place = new_frame(x, size);
        x->has_shm = *place;
    }
    if (!x->has_shm) {
        release_frames(x);
        return NULL;
    }
    return *place;
}

static uint8_t *fetch_shared(x11_desk *x, x11_frame *to, xcb_drawable_t from, image_rect r,
                             base_error *err)
{
    xcb_generic_error_t *e = NULL;
    xcb_shm_get_image_reply_t *reply = xcb_shm_get_image_reply(
        x->c,
        xcb_shm_get_image(x->c, from, (int16_t) r.x, (int16_t) r.y, (uint16_t) r.width,
                          (uint16_t) r.height, ~0u, XCB_IMAGE_FORMAT_Z_PIXMAP, to->segment, 0),
        &e);
    if (!reply) {
        x11_refused(x, "to give a picture of the screen", e, err);
        return NULL;
    }
    free(reply);
    return to->share.pixels;
}

static uint8_t *fetch_over_wire(x11_desk *x, xcb_drawable_t from, image_rect r, base_error *err)
{
    xcb_generic_error_t *e = NULL;
    xcb_get_image_reply_t *reply = xcb_get_image_reply(
        x->c,
        xcb_get_image(x->c, XCB_IMAGE_FORMAT_Z_PIXMAP, from, (int16_t) r.x, (int16_t) r.y,
                      (uint16_t) r.width, (uint16_t) r.height, ~0u),
        &e);
    if (!reply) {
        x11_refused(x, "to give a picture of the screen", e, err);
        return NULL;
    }
    free(x->frames->reply);
    x->frames->reply = reply;
    return xcb_get_image_data(reply);
}

uint8_t *x11_fetch_pixmap(x11_desk *x, xcb_pixmap_t pixmap, image_rect r, base_error *err)
{
    x11_frame *frame = free_frame(x, (size_t) r.width * (size_t) r.height * 4, false);
    if (!frame) {
        return fetch_over_wire(x, pixmap, r, err);
    }
    frame->drawn = 0; /* it holds the pixmap from here on */
    return fetch_shared(x, frame, pixmap, r, err);
}

/* --- not fetching what has not changed -----------------------------------------------------------
 *
 * A damage object of our own, at report level "bounding box", says where anything has been drawn
 * since its damage was last subtracted: whenever the box around all of that grows. Each report
 * gives the bands of rows that the box touches new numbers. A picture is fetched in this order: the
 * reports that have come are taken, the damage is subtracted, and the bands are fetched whose
 * numbers are not those that the frame's memory has from before; it has their numbers from then on.
 * What is drawn before the subtraction makes the box grow, or lies in a box that was reported, and
 * so in bands that are fetched after it; what is drawn later is reported. A report that comes after
 * the numbers were taken makes the bands other ones, whether the picture has them already or not.
 * All that is only as good as the server's knowledge of what is drawn: under a compositing manager
 * a graphics card may show frames of which the server knows nothing, so there everything is fetched
 * each time.
 */

static void renew_bands(x11_desk *x, int top, int bottom)
{
    x11_frames *s = x->frames;
    int first = top > 0 ? top / IMAGE_BAND_ROWS : 0;
    int count = image_band_count(bottom < s->screen.height ? bottom : s->screen.height);
    for (int i = first; i < count; i++) {
        s->bands[i] = image_new_band();
    }
    s->drawn++;
}

static void forget_damage(x11_desk *x)
{
    if (x->frames->damage) {
        xcb_damage_destroy(x->c, x->frames->damage);
    }
    x->frames->damage = 0;
    renew_bands(x, 0, x->frames->screen.height);
}

/* Its creation reports the whole screen, before the server answers the last of these requests. */
static void begin_damage(x11_desk *x)
{
    x->frames->damage = xcb_generate_id(x->c);
    xcb_damage_create(x->c, x->frames->damage, x->root, XCB_DAMAGE_REPORT_LEVEL_BOUNDING_BOX);
    xcb_damage_subtract(x->c, x->frames->damage, XCB_NONE, XCB_NONE);
    free(xcb_get_input_focus_reply(x->c, xcb_get_input_focus(x->c), NULL));
    renew_bands(x, 0, x->frames->screen.height);
}

void x11_screen_damaged(x11_desk *x, const xcb_generic_event_t *event)
{
    const xcb_damage_notify_event_t *told = (const xcb_damage_notify_event_t *) event;
    if (x->frames->damage && told->damage == x->frames->damage) {
        int top = told->area.y - x->frames->screen.y;
        renew_bands(x, top, top + told->area.height);
    }
}

/* Makes the bands be those of this screen: plugging a monitor in changes the picture without any
 * drawing. */
static bool ready_bands(x11_desk *x, image_rect screen, bool trusted, base_error *err)
{
    if (!x->frames->bands || !same_rect(x->frames->screen, screen)) {
        release_frames(x);
        free(x->frames->bands);
        x->frames->bands =
            calloc((size_t) image_band_count(screen.height), sizeof *x->frames->bands);
        if (!x->frames->bands) {
            return base_fail(err, BASE_NO_MEMORY, "There is not enough memory.");
        }
        x->frames->screen = screen;
        renew_bands(x, 0, screen.height);
    }
    if (!trusted) {
        forget_damage(x);
    } else if (!x->frames->damage) {
        begin_damage(x);
    }
    return true;
}

static bool has_compositor(x11_desk *x, xcb_get_selection_owner_cookie_t cookie)
{
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(x->c, cookie, NULL);
    bool owned = !reply || reply->owner != XCB_NONE;
    free(reply);
    return owned;
}

static bool same_frame(const x11_frame *f, uint64_t drawn, image_rect r,
                       const xcb_xfixes_get_cursor_image_reply_t *cursor)
{
    if (f->drawn != drawn || !same_rect(f->rect, r) || f->with_cursor != (cursor != NULL)) {
        return false;
    }
    return !cursor || (f->cursor_serial == cursor->cursor_serial && f->cursor_x == cursor->x &&
                       f->cursor_y == cursor->y);
}

static void remember_frame(x11_frame *f, uint64_t drawn, image_rect r,
                           const xcb_xfixes_get_cursor_image_reply_t *cursor)
{
    f->drawn = drawn;
    f->rect = r;
    f->with_cursor = cursor != NULL;
    if (cursor) {
        f->cursor_serial = cursor->cursor_serial;
        f->cursor_x = cursor->x;
        f->cursor_y = cursor->y;
    }
}

static x11_frame *find_same(x11_desk *x, image_rect r,
                            const xcb_xfixes_get_cursor_image_reply_t *cursor)
{
    for (int i = 0; i < X11_FRAMES; i++) {
        x11_frame *frame = x->frames->list[i];
        if (frame && same_frame(frame, x->frames->drawn, r, cursor)) {
            return frame;
        }
    }
    return NULL;
}

/* The end of the bands from `i` on that are not those in the frame's memory. */
static int missing_end(const uint64_t *had, const uint64_t *now, int i, int count)
{
    while (i < count && had[i] != now[i]) {
        i++;
    }
    return i;
}

/* Takes the answers to these requests; false with `err` where one was refused. */
static bool take_answers(x11_desk *x, const xcb_shm_get_image_cookie_t *asked, int count,
                         base_error *err)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        xcb_generic_error_t *e = NULL;
        xcb_shm_get_image_reply_t *reply = xcb_shm_get_image_reply(x->c, asked[i], &e);
        if (reply) {
            free(reply);
        } else if (ok) {
            ok = x11_refused(x, "to give a picture of the screen", e, err);
        } else {
            free(e);
        }
    }
    return ok;
}

/* Fetches the bands that are not those in the frame's memory, by one request for all that are
 * beside one another. */
static bool fetch_bands(x11_desk *x, x11_frame *to, base_error *err)
{
    xcb_shm_get_image_cookie_t asked[IMAGE_MAX_SIDE / IMAGE_BAND_ROWS + 1];
    image_rect screen = x->frames->screen;
    int asked_count = 0, count = image_band_count(screen.height);
    for (int i = 0, end; i<count; i = end> i ? end : i + 1) {
        end = missing_end(to->share.bands, x->frames->bands, i, count);
        if (end > i) {
            int top = i * IMAGE_BAND_ROWS;
            int bottom = end < count ? end * IMAGE_BAND_ROWS : screen.height;
            asked[asked_count++] = xcb_shm_get_image(
                x->c, x->root, (int16_t) screen.x, (int16_t) (screen.y + top),
                (uint16_t) screen.width, (uint16_t) (bottom - top), ~0u, XCB_IMAGE_FORMAT_Z_PIXMAP,
                to->segment, (uint32_t) top * (uint32_t) screen.width * 4);
        }
    }
    return take_answers(x, asked, asked_count, err);
}

/* The pointer's picture in the frame, whose bands are no longer the screen's there. */
static void draw_pointer(const xcb_xfixes_get_cursor_image_reply_t *pointer, image_rect r,
                         image_bitmap *image, uint64_t *bands)
{
    int top = pointer->y - pointer->yhot - r.y, bottom = top + pointer->height;
    x11_cursor_draw(pointer, r, image);
    for (int y = top > 0 ? top : 0; y < bottom && y < r.height; y++) {
        bands[y / IMAGE_BAND_ROWS] = image_new_band();
    }
}

/* Gets a new picture of the screen into the frame. */
static bool fetch(x11_desk *x, x11_frame *to, image_rect r, bool whole, base_error *err)
{
    size_t size = (size_t) image_band_count(x->frames->screen.height) * sizeof *to->share.bands;
    if (x->frames->damage) {
        xcb_damage_subtract(x->c, x->frames->damage, XCB_NONE, XCB_NONE);
    }
    to->drawn = 0; /* until it is there */
    bool ok = whole ? fetch_bands(x, to, err) : fetch_shared(x, to, x->root, r, err) != NULL;
    if (ok && whole) {
        memcpy(to->share.bands, x->frames->bands, size);
    } else {
        memset(to->share.bands, 0, size);
    }
    return ok;
}

/* An image of pixels in the frame, or of those that came over the wire. */
static void give(image_bitmap *out, image_rect r, uint8_t *pixels, x11_frame *frame)
{
    image_free(out);
    *out =
        (image_bitmap){r.width, r.height, (size_t) r.width * 4, .pixels = pixels, .borrowed = true};
    if (frame) {
        image_share_hold(&frame->share);
        out->share = &frame->share;
    }
}

static bool capture(x11_desk *x, image_rect rect, bool trusted,
                    const xcb_xfixes_get_cursor_image_reply_t *pointer, image_bitmap *out,
                    base_error *err)
{
    image_rect screen = x->frames->screen;
    x11_frame *same = trusted ? find_same(x, rect, pointer) : NULL, *frame = same;
    if (!frame) {
        frame = free_frame(x, (size_t) screen.width * (size_t) screen.height * 4,
                           same_rect(rect, screen));
    }
    bool whole = frame && frame != x->frames->list[X11_PART];
    if (frame && !same && !fetch(x, frame, rect, whole, err)) {
        return false;
    }
    uint8_t *pixels = frame ? frame->share.pixels : fetch_over_wire(x, x->root, rect, err);
    x->base.same_frame = same && same == x->frames->latest;
    x->frames->latest = frame;
    if (!pixels) {
        return false;
    }
    give(out, rect, pixels, whole ? frame : NULL);
    if (!same && pointer && whole) {
        draw_pointer(pointer, rect, out, frame->share.bands);
    } else if (!same && pointer) {
        x11_cursor_draw(pointer, rect, out);
    }
    if (!same && frame) {
        remember_frame(frame, x->frames->drawn, rect, pointer);
    }
    return true;
}

static bool x11_capture(desk *d, image_rect screen, image_rect rect, bool cursor, image_bitmap *out,
                        base_error *err)
{
    x11_desk *x = (x11_desk *) d;
    bool with_cursor = cursor && x->has_fixes;
    xcb_xfixes_get_cursor_image_cookie_t cursor_cookie = {0};
    if (with_cursor) {
        cursor_cookie = xcb_xfixes_get_cursor_image(x->c);
    }
    xcb_get_selection_owner_cookie_t owner = xcb_get_selection_owner(x->c, x->atoms[X11_NET_WM_CM]);
    bool trusted = !has_compositor(x, owner) && x->has_damage;
    xcb_xfixes_get_cursor_image_reply_t *pointer =
        with_cursor ? xcb_xfixes_get_cursor_image_reply(x->c, cursor_cookie, NULL) : NULL;
    bool ok = ready_bands(x, screen, trusted, err);
    x11_take_events(x); /* the replies above came after whatever was drawn before them */
    ok = ok && capture(x, rect, trusted, pointer, out, err);
    free(pointer);
    return ok;
}

void x11_screen_ops(desk_ops *ops)
{
    ops->screen_rect = x11_screen_rect;
    ops->capture = x11_capture;
}
