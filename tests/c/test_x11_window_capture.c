/*
 * Windows' own pixels: covered, over the screen's edge, with borders, frames, an alpha channel and
 * windows in them; applications that draw late, never, or die. The windows are painted by a second
 * connection, in colours that tell their place, and only where the server asks for it.
 */
#include "desk/x11/x11_connection.h"
#include "painter.h"
#include "xserver.h"

#include <xcb/composite.h>

/* --- the desk ------------------------------------------------------------------------------------
 */

/* Captures as a caller does, while the application works if it may; `*rounds` is how often there
 * was no picture yet. */
static bool capture(desk *d, painter *p, xcb_window_t window, desk_window_picture *out, int *rounds)
{
    double end = now() + 10;
    *rounds = 0;
    bool ok;
    while ((ok = desk_window_capture(d, window, false, out, &err)) && out->pending && now() < end) {
        ++*rounds;
        if (p) {
            work(p);
        }
        nap(0.001);
        desk_pump(d, &err);
    }
    if (!ok) {
        printf("    %s\n", err.message);
    }
    return ok && !out->pending;
}

static uint32_t pixel(const image_bitmap *image, int x, int y)
{
    uint32_t value;
    memcpy(&value, image->pixels + (size_t) y * image->stride + (size_t) x * 4, 4);
    return value & 0xffffff;
}

static void check_pixels(const desk_window_picture *p, xcb_window_t window, image_rect rect)
{
    unsigned long wrong = 0;
    CHECK_EQ(p->rect.x, rect.x);
    CHECK_EQ(p->rect.y, rect.y);
    CHECK_EQ(p->image.width, rect.width);
    CHECK_EQ(p->image.height, rect.height);
    for (int y = 0; y < p->image.height; y++) {
        for (int x = 0; x < p->image.width; x++) {
            uint32_t is = pixel(&p->image, x, y), wanted = colour(window, x, y);
            if (is != wanted && wrong++ == 0) {
                printf("    %d,%d is %06x, not %06x\n", x, y, is, wanted);
            }
        }
    }
    CHECK_EQ(wrong, 0);
}

/* Whether the window has a pixmap of its own: Composite refuses to name one otherwise. */
static bool is_redirected(painter *p, xcb_window_t window)
{
    xcb_pixmap_t pixmap = xcb_generate_id(p->c);
    xcb_generic_error_t *e =
        xcb_request_check(p->c, xcb_composite_name_window_pixmap_checked(p->c, window, pixmap));
    bool named = e == NULL;
    free(e);
    if (named) {
        xcb_free_pixmap(p->c, pixmap);
    }
    return named;
}

static uint32_t listeners(painter *p, xcb_window_t window)
{
    xcb_get_window_attributes_reply_t *a =
        xcb_get_window_attributes_reply(p->c, xcb_get_window_attributes(p->c, window), NULL);
    uint32_t mask = a ? a->all_event_masks & ~a->your_event_mask : 0;
    free(a);
    return mask;
}

static void destroy(painter *p, xcb_window_t window)
{
    xcb_destroy_window(p->c, window);
    flush(p);
}

/* --- the tests -----------------------------------------------------------------------------------
 */

/* The screen's picture lies where the window's goes: it is fetched again, unchanged as it is. */
static void test_uncovered(desk *d, painter *p, bool with_alpha)
{
    image_rect rect = {100, 120, 300, 200};
    desk_window_picture picture;
    image_bitmap screen = {0};
    int rounds;
    xcb_window_t window = show(p, (look){.rect = rect, .with_alpha = with_alpha});
    settle(p);
    CHECK(desk_capture(d, &(image_rect){90, 110, 300, 200}, false, &screen, &err));
    CHECK_EQ(pixel(&screen, 10, 10), colour(window, 0, 0));
    if (CHECK(capture(d, NULL, window, &picture, &rounds))) {
        check_pixels(&picture, window, rect);
        CHECK_EQ(rounds, 0);
        CHECK(!picture.incomplete);
    }
    CHECK(desk_capture(d, &(image_rect){90, 110, 300, 200}, false, &screen, &err));
    CHECK_EQ(pixel(&screen, 10, 10), colour(window, 0, 0));
    CHECK_EQ(pixel(&screen, 299, 199), colour(window, 289, 189));
    CHECK(with_alpha || UNTIL(!is_redirected(p, window)));
    destroy(p, window);
}

/* What is covered is only drawn when the server asks for it, and this application takes its time.
 */
static void test_covered(desk *d, painter *p, look l, image_rect cover)
{
    desk_window_picture picture;
    int rounds;
    xcb_window_t window = show(p, l);
    settle(p);
    xcb_window_t above = show(p, (look){.rect = cover, .unmanaged = true});
    settle(p);
    p->delay = 0.2;
    double began = now();
    if (CHECK(capture(d, p, window, &picture, &rounds))) {
        check_pixels(&picture, window, l.rect);
        CHECK(!picture.incomplete);
        CHECK(rounds > 0 || l.with_alpha);
        CHECK(now() - began >= 0.2 || l.with_alpha);
    }
    p->delay = 0;
    image_bitmap screen = {0};
    if (CHECK(desk_capture(d, &cover, false, &screen, &err))) {
        CHECK_EQ(pixel(&screen, 5, 5), colour(above, 5, 5)); /* still on top */
    }
    /* A window with an alpha channel has pixels of its own at all times. */
    CHECK(l.with_alpha || UNTIL(!is_redirected(p, window)));
    CHECK_EQ(listeners(p, window), 0);
    destroy(p, above);
    destroy(p, window);
}

static void test_all_covered(desk *d, painter *p)
{
    image_rect rect = {100, 120, 300, 200}, all = {50, 50, 500, 400}, part = {200, 200, 40, 30};
    test_covered(d, p, (look){.rect = rect}, part);
    test_covered(d, p, (look){.rect = rect}, all);
    test_covered(d, p, (look){.rect = rect, .unmanaged = true}, part);
    test_covered(d, p, (look){.rect = rect, .with_alpha = true}, part);
    test_covered(d, p, (look){.rect = {-100, -50, 300, 200}}, part);
    test_covered(d, p, (look){.rect = {1800, 1000, 300, 200}}, part);
    test_covered(d, p, (look){.rect = {-20, -30, 2000, 1200}}, part); /* larger than the screen */
}

/* The window's place, as everywhere, is that of what it draws itself. */
static void test_border(desk *d, painter *p)
{
    image_rect rect = {100, 120, 300, 200}, inside = {107, 127, 300, 200};
    desk_window_picture picture;
    int rounds;
    xcb_window_t window = show(p, (look){.rect = rect, .border = 7});
    settle(p);
    xcb_window_t above = show(p, (look){.rect = {150, 150, 100, 100}, .unmanaged = true});
    settle(p);
    if (CHECK(capture(d, p, window, &picture, &rounds))) {
        check_pixels(&picture, window, inside);
    }
    destroy(p, above);
    destroy(p, window);
}

/* A window in the window draws for itself. */
static void test_inner_windows(desk *d, painter *p)
{
    image_rect rect = {100, 120, 300, 200}, inner = {30, 40, 100, 80};
    desk_window_picture picture;
    int rounds;
    xcb_window_t window = show(p, (look){.rect = rect, .plain = true});
    xcb_window_t child = show(p, (look){.rect = inner, .border = 3, .parent = window});
    settle(p);
    xcb_window_t above = show(p, (look){.rect = {140, 170, 100, 100}, .unmanaged = true});
    settle(p);
    p->delay = 0.15;
    if (CHECK(capture(d, p, window, &picture, &rounds)) && CHECK(!picture.incomplete)) {
        CHECK_EQ(pixel(&picture.image, 250, 150), colour(window, 250, 150));
        CHECK_EQ(pixel(&picture.image, 33, 43), colour(child, 0, 0));
        CHECK_EQ(pixel(&picture.image, 132, 122), colour(child, 99, 79));
        CHECK_EQ(pixel(&picture.image, 32, 42), 0xff00ff);
    }
    p->delay = 0;
    CHECK_EQ(listeners(p, child), 0);
    destroy(p, above);
    destroy(p, window);
}

static void declare_ping(painter *p, desk *d, xcb_window_t window)
{
    x11_desk *x = (x11_desk *) d;
    xcb_change_property(p->c, XCB_PROP_MODE_REPLACE, window, x->atoms[X11_WM_PROTOCOLS],
                        XCB_ATOM_ATOM, 32, 1, &x->atoms[X11_NET_WM_PING]);
    flush(p);
}

/* A plain window is drawn by the server alone; nobody else ever draws in it. */
static void test_silent(desk *d, painter *p)
{
    desk_window_picture picture;
    int rounds;
    xcb_window_t window = show(p, (look){.rect = {100, 120, 300, 200}, .plain = true});
    xcb_window_t above = show(p, (look){.rect = {150, 150, 100, 100}, .unmanaged = true});
    nap(0.05);
    double began = now();
    if (CHECK(capture(d, NULL, window, &picture, &rounds))) {
        CHECK(!picture.incomplete);
        CHECK_EQ(pixel(&picture.image, 60, 60), 0x123456);
        CHECK(now() - began >= 0.3);
    }
    settle(p);
    destroy(p, above);
    destroy(p, window);
}

/* One that could answer and does not: what there is, in time, and said so. */
static void test_hung(desk *d, painter *p)
{
    desk_window_picture picture;
    int rounds;
    xcb_window_t window = show(p, (look){.rect = {100, 120, 300, 200}});
    declare_ping(p, d, window);
    settle(p);
    xcb_window_t above = show(p, (look){.rect = {150, 150, 100, 100}, .unmanaged = true});
    settle(p);
    double began = now();
    if (CHECK(capture(d, NULL, window, &picture, &rounds))) {
        CHECK(picture.incomplete);
        CHECK(now() - began >= 1 && now() - began < 9);
        CHECK_EQ(pixel(&picture.image, 10, 10), colour(window, 10, 10));
    }
    CHECK(UNTIL(!is_redirected(p, window)));
    destroy(p, above);
    destroy(p, window);
}

static void test_let_go(desk *d, painter *p)
{
    desk_window_picture picture;
    xcb_window_t window = show(p, (look){.rect = {100, 120, 300, 200}});
    declare_ping(p, d, window);
    settle(p);
    xcb_window_t above = show(p, (look){.rect = {150, 150, 100, 100}, .unmanaged = true});
    settle(p);
    CHECK(desk_window_capture(d, window, false, &picture, &err) && picture.pending);
    CHECK(is_redirected(p, window));
    desk_window_capture_end(d);
    CHECK(UNTIL(!is_redirected(p, window)));
    /* Another window instead, and then one that closes in the middle of it. */
    CHECK(desk_window_capture(d, window, false, &picture, &err) && picture.pending);
    CHECK(desk_window_capture(d, above, false, &picture, &err) && !picture.pending);
    CHECK(UNTIL(!is_redirected(p, window)));
    CHECK(desk_window_capture(d, window, false, &picture, &err) && picture.pending);
    destroy(p, window);
    bool ok = true;
    CHECK(UNTIL(!(ok = desk_window_capture(d, window, false, &picture, &err))));
    CHECK(!ok && (err.code == BASE_NOT_FOUND || err.code == BASE_UNAVAILABLE));
    destroy(p, above);
    /* The whole desk goes. */
    window = show(p, (look){.rect = {-100, 120, 300, 200}});
    settle(p);
    desk *other = open_desk();
    CHECK(desk_window_capture(other, window, false, &picture, &err) && picture.pending);
    desk_close(other);
    CHECK(UNTIL(!is_redirected(p, window)));
    settle(p);
    destroy(p, window);
}

static void check_refused(desk *d, uint64_t id, base_code code)
{
    desk_window_picture picture;
    CHECK(!desk_window_capture(d, id, false, &picture, &err));
    CHECK_EQ(err.code, code);
}

static void test_refused(desk *d, painter *p)
{
    xcb_window_t window = show(p, (look){.rect = {100, 120, 300, 200}});
    settle(p);
    xcb_unmap_window(p->c, window);
    flush(p);
    check_refused(d, window, BASE_UNAVAILABLE);
    CHECK(strstr(err.message, "restore"));
    destroy(p, window);
    check_refused(d, window, BASE_NOT_FOUND);
    check_refused(d, p->screen->root, BASE_NOT_FOUND);
    check_refused(d, 0xffffffffffffull, BASE_NOT_FOUND);
}

/* The only window, as the desk lists it. */
static bool listed(desk *d, desk_window *out)
{
    desk_window_list list;
    bool one = desk_windows(d, &list, &err) && list.count == 1;
    if (one) {
        *out = list.items[0];
    }
    desk_window_list_free(&list);
    return one;
}

/* Frames of a window manager: what is listed is what is captured; an icon has no pixels. */
static void test_managed(desk *d, painter *p)
{
    desk_window_picture picture;
    desk_window seen;
    int rounds;
    xcb_window_t window = show(p, (look){.rect = {300, 300, 300, 200}});
    CHECK(UNTIL(work(p) && listed(d, &seen) && seen.visible));
    settle(p);
    xcb_window_t above = show(p, (look){.rect = {350, 350, 100, 100}, .unmanaged = true});
    settle(p);
    if (CHECK(listed(d, &seen)) && CHECK(capture(d, p, window, &picture, &rounds))) {
        check_pixels(&picture, window, seen.rect);
    }
    CHECK(desk_window_set_state(d, window, DESK_WINDOW_MINIMIZED, &err));
    CHECK(UNTIL(work(p) && listed(d, &seen) && !seen.visible));
    check_refused(d, window, BASE_UNAVAILABLE);
    destroy(p, above);
    destroy(p, window);
}

/* To be captured is no change of the screen; to be drawn in right afterwards is one. */
static void test_no_change(desk *d, painter *p)
{
    desk_window_picture picture;
    int rounds;
    xcb_window_t window = show(p, (look){.rect = {100, 120, 300, 200}}), above = 0;
    for (int covered = 0; covered < 2; covered++) {
        if (covered) {
            above = show(p, (look){.rect = {150, 150, 100, 100}, .unmanaged = true});
        }
        settle(p);
        CHECK(desk_watch_start(d, &err));
        CHECK(capture(d, p, window, &picture, &rounds));
        settle(p);
        CHECK(desk_pump(d, &err));
        CHECK_EQ(desk_last_change(d), 0);
        CHECK(desk_pointer_get(d, &rounds, &rounds, &err)); /* the server has heard of the pump */
        paint(p, window, (xcb_rectangle_t){0, 0, 20, 20});
        flush(p);
        CHECK(UNTIL(desk_pump(d, &err) && desk_last_change(d) != 0));
        desk_watch_stop(d);
    }
    destroy(p, above);
    destroy(p, window);
}

/* A compositing manager has every window keep its picture: there is nothing to wait for. */
static void test_composited(desk *d, painter *p)
{
    image_rect rect = {100, 120, 300, 200};
    desk_window_picture picture;
    int rounds;
    xcb_window_t window = show(p, (look){.rect = rect});
    CHECK(UNTIL(work(p) && is_redirected(p, window)));
    settle(p);
    xcb_window_t above = show(p, (look){.rect = {50, 50, 500, 400}, .unmanaged = true});
    settle(p);
    if (CHECK(capture(d, NULL, window, &picture, &rounds))) {
        check_pixels(&picture, window, rect);
        CHECK_EQ(rounds, 0);
    }
    CHECK(is_redirected(p, window));
    destroy(p, above);
    destroy(p, window);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    if (!installed("Xvfb")) {
        return 0;
    }
    pid_t server = start_server();
    desk *d = open_desk();
    painter p = painter_open();
    test_uncovered(d, &p, false);
    test_uncovered(d, &p, true);
    test_all_covered(d, &p);
    test_border(d, &p);
    test_inner_windows(d, &p);
    test_silent(d, &p);
    test_hung(d, &p);
    test_let_go(d, &p);
    test_refused(d, &p);
    test_no_change(d, &p);
    if (installed("openbox")) {
        pid_t manager = start_manager();
        test_managed(d, &p);
        stop(manager);
    }
    if (installed("xcompmgr")) {
        char *argv[] = {"xcompmgr", NULL};
        pid_t manager = start(argv);
        test_composited(d, &p);
        stop(manager);
    }
    desk_close(d);
    xcb_disconnect(p.c);
    stop(server);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
    return check_done();
}
