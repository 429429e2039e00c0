#define _GNU_SOURCE /* memfd_create */
#include "x11_screen.h"

#include "x11_cursor.h"

#include <stdlib.h>
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

static void unmap(image_share *share)
{
    x11_frame *frame = (x11_frame *) share;
    munmap(frame->pixels, frame->size);
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
    x->frames->reply = NULL;
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
    *frame = (x11_frame){.share = {1, unmap}, .segment = xcb_generate_id(x->c), .size = size};
    frame->pixels = share(x, frame->segment, size);
    if (frame->pixels) {
        return frame;
    }
    free(frame);
    return NULL;
}

static bool is_had(const x11_frame *frame)
{
    return frame && atomic_load(&frame->share.users) > 1;
}

/* Where the next picture goes: where nothing is yet, or what is there is out of date, or what was
 * taken the longest time ago. */
static int free_place(const x11_frames *s, bool whole)
{
    int found = X11_PART;
    for (int i = X11_WHOLE; whole && i < X11_FRAMES; i++) {
        const x11_frame *frame = s->list[i], *best = s->list[found];
        if (is_had(frame)) {
            continue;
        }
        if (found == X11_PART || (best && frame && best->current && !frame->current) ||
            (best && frame && best->current == frame->current &&
             (int) (frame->cleared - best->cleared) < 0)) {
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
    return to->pixels;
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
    frame->current = false; /* it holds the pixmap from here on */
    return fetch_shared(x, frame, pixmap, r, err);
}

/* --- not fetching what has not changed -----------------------------------------------------------
 *
 * A damage object of our own, at report level "non-empty", says exactly whether anything has been
 * drawn since its damage was last subtracted, which is done right before each fetch: whatever is
 * drawn after that makes the server report (once, which is enough), whether the fetched picture has
 * it already or not. That is only as good as the server's knowledge of what is drawn: under a
 * compositing manager a graphics card may show frames of which the server knows nothing, so there
 * every frame is fetched.
 */

static void forget_damage(x11_desk *x)
{
    if (x->frames->damage) {
        xcb_damage_destroy(x->c, x->frames->damage);
    }
    x->frames->damage = 0;
    for (int i = 0; i < X11_FRAMES; i++) {
        if (x->frames->list[i]) {
            x->frames->list[i]->current = false;
        }
    }
}

void x11_screen_damaged(x11_desk *x, const xcb_generic_event_t *event)
{
    xcb_damage_damage_t damage = ((const xcb_damage_notify_event_t *) event)->damage;
    for (int i = 0; i < X11_FRAMES && damage == x->frames->damage; i++) {
        x11_frame *frame = x->frames->list[i];
        /* What was reported before the subtraction is in the frame that was fetched after it. */
        if (frame && (int) (event->full_sequence - frame->cleared) >= 0) {
            frame->current = false;
        }
    }
}

static bool has_compositor(x11_desk *x, xcb_get_selection_owner_cookie_t cookie)
{
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(x->c, cookie, NULL);
    bool owned = !reply || reply->owner != XCB_NONE;
    free(reply);
    return owned;
}

static void begin_fetch(x11_desk *x, x11_frame *frame, bool trusted)
{
    if (!trusted) {
        forget_damage(x);
        return;
    }
    if (!x->frames->damage) {
        x->frames->damage = xcb_generate_id(x->c);
        xcb_damage_create(x->c, x->frames->damage, x->root, XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY);
    }
    frame->cleared = xcb_damage_subtract(x->c, x->frames->damage, XCB_NONE, XCB_NONE).sequence;
    frame->current = true;
}

static bool same_rect(image_rect a, image_rect b)
{
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

static bool same_frame(const x11_frame *f, image_rect r, image_rect screen,
                       const xcb_xfixes_get_cursor_image_reply_t *cursor)
{
    if (!f->current || !same_rect(f->rect, r) || !same_rect(f->screen, screen) ||
        f->with_cursor != (cursor != NULL)) {
        return false;
    }
    return !cursor || (f->cursor_serial == cursor->cursor_serial && f->cursor_x == cursor->x &&
                       f->cursor_y == cursor->y);
}

static void remember_frame(x11_frame *f, image_rect r, image_rect screen,
                           const xcb_xfixes_get_cursor_image_reply_t *cursor)
{
    f->rect = r;
    f->screen = screen; /* plugging a monitor in changes the picture without any drawing */
    f->with_cursor = cursor != NULL;
    if (cursor) {
        f->cursor_serial = cursor->cursor_serial;
        f->cursor_x = cursor->x;
        f->cursor_y = cursor->y;
    }
}

static x11_frame *find_same(x11_desk *x, image_rect r, image_rect screen,
                            const xcb_xfixes_get_cursor_image_reply_t *cursor)
{
    for (int i = 0; i < X11_FRAMES; i++) {
        x11_frame *frame = x->frames->list[i];
        if (frame && same_frame(frame, r, screen, cursor)) {
            return frame;
        }
    }
    return NULL;
}

/* The frame with a new picture of the screen; NULL with `err`. */
static x11_frame *fetch(x11_desk *x, x11_frame *to, image_rect r, image_rect screen, bool trusted,
                        const xcb_xfixes_get_cursor_image_reply_t *pointer, base_error *err)
{
    begin_fetch(x, to, trusted);
    if (!fetch_shared(x, to, x->root, r, err)) {
        to->current = false;
        return NULL;
    }
    remember_frame(to, r, screen, pointer);
    return to;
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

static bool capture(x11_desk *x, image_rect screen, image_rect rect, bool trusted,
                    const xcb_xfixes_get_cursor_image_reply_t *pointer, image_bitmap *out,
                    base_error *err)
{
    bool whole = same_rect(rect, screen);
    x11_frame *same = trusted ? find_same(x, rect, screen, pointer) : NULL, *frame = same;
    if (!frame) {
        frame = free_frame(x, (size_t) screen.width * (size_t) screen.height * 4, whole);
    }
    x11_frame *had = frame;
    if (frame && !same) {
        frame = fetch(x, frame, rect, screen, trusted, pointer, err);
    }
    uint8_t *pixels = frame ? frame->pixels : had ? NULL : fetch_over_wire(x, x->root, rect, err);
    x->base.same_frame = same && same == x->frames->latest;
    x->frames->latest = frame;
    if (!pixels) {
        return false;
    }
    give(out, rect, pixels, frame && frame != x->frames->list[X11_PART] ? frame : NULL);
    if (!same && pointer) {
        x11_cursor_draw(pointer, rect, out);
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
    x11_take_events(x); /* the replies above came after whatever was drawn before them */
    bool ok = capture(x, screen, rect, trusted, pointer, out, err);
    free(pointer);
    return ok;
}

void x11_screen_ops(desk_ops *ops)
{
    ops->screen_rect = x11_screen_rect;
    ops->capture = x11_capture;
}
