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

static void release_segment(x11_desk *x)
{
    if (x->frame->shared) {
        xcb_shm_detach(x->c, x->frame->segment);
        munmap(x->frame->shared, x->frame->shared_size);
    }
    x->frame->shared = NULL;
    x->frame->shared_size = 0;
    x->frame->current = false;
}

void x11_screen_close(x11_desk *x)
{
    release_segment(x);
    free(x->frame->reply);
    x->frame->reply = NULL;
}

/* The descriptor is the connection's from here on, which closes it. */
static bool attach(x11_desk *x, int memory)
{
    x->frame->segment = xcb_generate_id(x->c);
    xcb_generic_error_t *e =
        xcb_request_check(x->c, xcb_shm_attach_fd_checked(x->c, x->frame->segment, memory, 0));
    bool attached = !e && !xcb_connection_has_error(x->c);
    free(e);
    return attached;
}

/* Memory of that size that the server can write to as well; NULL if there is none. It has no name,
 * so nothing is left of it when both sides have ended, however they end; a segment of System V
 * would stay where we are killed before the server has attached it. */
static void *share(x11_desk *x, size_t size)
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
    if (attach(x, memory)) {
        return mapped;
    }
    munmap(mapped, size);
    return NULL;
}

/* A segment of at least `size` bytes that the server can write to. A remote server refuses, and one
 * whose MIT-SHM is older than 1.2; from then on frames come over the wire. */
static bool ensure_segment(x11_desk *x, size_t size)
{
    if (!x->has_shm || x->frame->shared_size >= size) {
        return x->has_shm;
    }
    release_segment(x);
    x->frame->shared = share(x, size);
    x->has_shm = x->frame->shared;
    x->frame->shared_size = x->has_shm ? size : 0;
    return x->has_shm;
}

static uint8_t *fetch_shared(x11_desk *x, xcb_drawable_t from, image_rect r, base_error *err)
{
    xcb_generic_error_t *e = NULL;
    xcb_shm_get_image_reply_t *reply =
        xcb_shm_get_image_reply(x->c,
                                xcb_shm_get_image(x->c, from, (int16_t) r.x, (int16_t) r.y,
                                                  (uint16_t) r.width, (uint16_t) r.height, ~0u,
                                                  XCB_IMAGE_FORMAT_Z_PIXMAP, x->frame->segment, 0),
                                &e);
    if (!reply) {
        x11_refused(x, "to give a picture of the screen", e, err);
        return NULL;
    }
    free(reply);
    return x->frame->shared;
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
    free(x->frame->reply);
    x->frame->reply = reply;
    return xcb_get_image_data(reply);
}

uint8_t *x11_fetch_pixmap(x11_desk *x, xcb_pixmap_t pixmap, image_rect r, base_error *err)
{
    bool shared = ensure_segment(x, (size_t) r.width * (size_t) r.height * 4);
    x->frame->current = false; /* it holds the pixmap from here on */
    return shared ? fetch_shared(x, pixmap, r, err) : fetch_over_wire(x, pixmap, r, err);
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
    if (x->frame->damage) {
        xcb_damage_destroy(x->c, x->frame->damage);
    }
    x->frame->damage = 0;
    x->frame->current = false;
}

void x11_screen_damaged(x11_desk *x, const xcb_generic_event_t *event)
{
    xcb_damage_damage_t damage = ((const xcb_damage_notify_event_t *) event)->damage;
    /* What was reported before the subtraction is in the frame that was fetched after it. */
    if (x->frame->damage && damage == x->frame->damage &&
        (int) (event->full_sequence - x->frame->cleared) >= 0) {
        x->frame->current = false;
    }
}

static bool has_compositor(x11_desk *x, xcb_get_selection_owner_cookie_t cookie)
{
    xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(x->c, cookie, NULL);
    bool owned = !reply || reply->owner != XCB_NONE;
    free(reply);
    return owned;
}

static void begin_fetch(x11_desk *x, bool trusted)
{
    if (!trusted) {
        forget_damage(x);
        return;
    }
    if (!x->frame->damage) {
        x->frame->damage = xcb_generate_id(x->c);
        xcb_damage_create(x->c, x->frame->damage, x->root, XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY);
    }
    x->frame->cleared = xcb_damage_subtract(x->c, x->frame->damage, XCB_NONE, XCB_NONE).sequence;
    x->frame->current = true;
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

static uint8_t *fetch(x11_desk *x, image_rect r, bool shared, bool trusted, base_error *err)
{
    if (!shared) {
        return fetch_over_wire(x, x->root, r, err);
    }
    begin_fetch(x, trusted);
    uint8_t *pixels = fetch_shared(x, x->root, r, err);
    if (!pixels) {
        x->frame->current = false;
    }
    return pixels;
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
    bool shared = ensure_segment(x, (size_t) screen.width * (size_t) screen.height * 4);
    x11_take_events(x); /* the replies above came after whatever was drawn before them */
    bool same = shared && trusted && same_frame(x->frame, rect, screen, pointer);
    d->same_frame = same;
    uint8_t *pixels = same ? x->frame->shared : fetch(x, rect, shared, trusted, err);
    if (pixels) {
        image_free(out);
        *out = (image_bitmap){rect.width, rect.height, (size_t) rect.width * 4, pixels,
                              .borrowed = true};
        if (!same && pointer) {
            x11_cursor_draw(pointer, rect, out);
        }
        if (!same && shared) {
            remember_frame(x->frame, rect, screen, pointer);
        }
    }
    free(pointer);
    return pixels != NULL;
}

void x11_screen_ops(desk_ops *ops)
{
    ops->screen_rect = x11_screen_rect;
    ops->capture = x11_capture;
}
