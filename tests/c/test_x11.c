/*
 * The X11 backend against a real server (its own Xvfb). What it did is looked at from outside: by a
 * second connection, by a window made here, or by a real application's file. The parts that need
 * openbox, xterm or mousepad say so and are left out where those are missing.
 */
#include "check.h"
#include "desk/keys.h"
#include "desk/x11/x11_connection.h"
#include "desk/x11/x11_keymap.h"
#include "desk/x11/x11_manager.h"
#include "desk/x11/x11_screen.h"
#include "xserver.h"

#include <sys/stat.h>

/* --- the witness: a second connection with a window of its own ---------------------------------
 */

typedef struct {
    xcb_connection_t *c;
    xcb_screen_t *screen;
    xcb_window_t window;
    xcb_gcontext_t gc;
} witness;

enum { WITNESS_X = 200, WITNESS_Y = 100, WITNESS_SIDE = 300, WITNESS_COLOR = 0x4080c0 };

static void witness_sync(witness *w)
{
    free(xcb_get_input_focus_reply(w->c, xcb_get_input_focus(w->c), NULL));
}

static witness witness_open(void)
{
    witness w = {.c = xcb_connect(display, NULL)};
    w.screen = xcb_setup_roots_iterator(xcb_get_setup(w.c)).data;
    w.window = xcb_generate_id(w.c);
    w.gc = xcb_generate_id(w.c);
    uint32_t values[] = {WITNESS_COLOR, 1,
                         XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_KEY_RELEASE |
                             XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_BUTTON_RELEASE};
    xcb_create_window(w.c, XCB_COPY_FROM_PARENT, w.window, w.screen->root, WITNESS_X, WITNESS_Y,
                      WITNESS_SIDE, WITNESS_SIDE, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      XCB_COPY_FROM_PARENT,
                      XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values);
    xcb_create_gc(w.c, w.gc, w.window, 0, NULL);
    xcb_map_window(w.c, w.window);
    witness_sync(&w);
    xcb_set_input_focus(w.c, XCB_INPUT_FOCUS_PARENT, w.window, XCB_CURRENT_TIME);
    witness_sync(&w);
    return w;
}

static void witness_close(witness *w)
{
    xcb_disconnect(w->c);
}

static void witness_draw(witness *w, int width, int height)
{
    static uint32_t color = 0;
    xcb_rectangle_t area = {50, 50, (uint16_t) width, (uint16_t) height};
    color += 0x101010;
    xcb_change_gc(w->c, w->gc, XCB_GC_FOREGROUND, &color);
    xcb_poly_fill_rectangle(w->c, w->window, w->gc, 1, &area);
    witness_sync(w);
}

/* The next event of one of two types; the caller frees it. */
static xcb_generic_event_t *witness_next(witness *w, uint8_t a, uint8_t b)
{
    for (xcb_generic_event_t *e; (e = xcb_poll_for_event(w->c)); free(e)) {
        uint8_t type = e->response_type & 0x7f;
        if (type == a || type == b) {
            return e;
        }
    }
    return NULL;
}

static xcb_get_keyboard_mapping_reply_t *keyboard_map(xcb_connection_t *c)
{
    return xcb_get_keyboard_mapping_reply(c, xcb_get_keyboard_mapping(c, 8, 248), NULL);
}

static bool same_map(const xcb_get_keyboard_mapping_reply_t *a,
                     const xcb_get_keyboard_mapping_reply_t *b)
{
    return a->keysyms_per_keycode == b->keysyms_per_keycode && a->length == b->length &&
           memcmp(a + 1, b + 1, (size_t) a->length * 4) == 0;
}

/* Like an application of the simplest kind: what characters do the key presses make? Reads the
 * map again at each notice of a change. Returns how many characters it has written. */
static size_t witness_read_text(witness *w, uint32_t *out, size_t capacity)
{
    size_t count = 0;
    witness_sync(w);
    xcb_get_keyboard_mapping_reply_t *map = keyboard_map(w->c);
    for (xcb_generic_event_t *e; (e = witness_next(w, XCB_KEY_PRESS, XCB_MAPPING_NOTIFY));
         free(e)) {
        if ((e->response_type & 0x7f) == XCB_MAPPING_NOTIFY) {
            free(map);
            map = keyboard_map(w->c);
            continue;
        }
        xcb_key_press_event_t *press = (xcb_key_press_event_t *) e;
        int column = (press->state & XCB_MOD_MASK_5 ? 4 : 0) +
                     (press->state & (XCB_MOD_MASK_SHIFT | XCB_MOD_MASK_LOCK) ? 1 : 0);
        uint32_t keysym = xcb_get_keyboard_mapping_keysyms(
            map)[(press->detail - 8) * map->keysyms_per_keycode + column];
        /* The AltGr key has no keysym of its own while Shift is down. */
        bool modifier = keysym == 0 || (keysym >= 0xffe1 && keysym <= 0xffee);
        if (!modifier && keysym != 0xfe03 && count < capacity) {
            out[count++] = keysym == 0xff0d     ? '\n'
                           : keysym == 0xff09   ? '\t'
                           : keysym > 0x1000000 ? keysym - 0x1000000
                                                : keysym;
        }
    }
    free(map);
    return count;
}

/* --- screen ------------------------------------------------------------------------------------
 */

static uint32_t pixel(const image_bitmap *image, int x, int y)
{
    uint32_t value;
    memcpy(&value, image->pixels + (size_t) y * image->stride + (size_t) x * 4, 4);
    return value & 0xffffff;
}

static void test_open_errors(void)
{
    desk *d = NULL;
    desk_options options = {.display = ":9876"};
    CHECK(!desk_open(&d, "x11", &options, &err));
    CHECK_EQ(err.code, BASE_UNAVAILABLE);
    CHECK(strstr(err.message, ":9876") && strstr(err.message, "private"));
    unsetenv("DISPLAY");
    static const char *const asked[] = {"x11", NULL}; /* for it, or for whatever there is */
    for (size_t i = 0; i < 2; i++) {
        CHECK(!desk_open(&d, asked[i], NULL, &err));
        CHECK_EQ(err.code, BASE_UNAVAILABLE);
        CHECK(strstr(err.message, "DISPLAY is not set") != NULL);
    }
}

static void check_pictures(desk *d, witness *w)
{
    image_bitmap image = {0};
    image_rect screen;
    (void) w;
    CHECK(desk_screen_rect(d, &screen, &err));
    CHECK_EQ(screen.width, 1920);
    CHECK_EQ(screen.height, 1080);
    CHECK(desk_capture(d, &screen, false, &image, &err));
    CHECK_EQ(pixel(&image, WITNESS_X, WITNESS_Y), WITNESS_COLOR);
    CHECK(pixel(&image, WITNESS_X - 1, WITNESS_Y) != WITNESS_COLOR);
    image_free(&image);
    image_rect part = {WITNESS_X + WITNESS_SIDE - 10, WITNESS_Y, 20, 7};
    CHECK(desk_capture(d, &part, false, &image, &err));
    CHECK_EQ(image.width, 20);
    CHECK_EQ(image.height, 7);
    CHECK_EQ(pixel(&image, 9, 6), WITNESS_COLOR);
    CHECK(pixel(&image, 10, 6) != WITNESS_COLOR);
    CHECK(desk_capture(d, &(image_rect){1919, 1079, 1, 1}, true, &image, &err));
    image_rect outside[] = {{1900, 0, 21, 1},
                            {-1, 0, 5, 5},
                            {0, 0, 0, 5},
                            {0, 1079, 1, 2},
                            {2147483647, 0, 2147483647, 1}};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        CHECK(!desk_capture(d, &outside[i], false, &image, &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
}

/* With the pointer drawn, only pixels about its place may differ, and some must. */
static void check_cursor(desk *d, int x, int y)
{
    image_rect screen = {0, 0, 1920, 1080};
    image_bitmap image = {0}, plain = {0};
    size_t near = 0, far = 0;
    CHECK(desk_pointer_move(d, x, y, &err));
    CHECK(desk_capture(d, &screen, false, &image, &err));
    CHECK(image_crop(&plain, &image, screen, &err));
    CHECK(desk_capture(d, &screen, true, &image, &err));
    for (int py = 0; py < 1080; py++) {
        for (int px = 0; px < 1920; px++) {
            if (pixel(&image, px, py) != pixel(&plain, px, py)) {
                *(abs(px - x) < 40 && abs(py - y) < 40 ? &near : &far) += 1;
            }
        }
    }
    CHECK(near > 0);
    CHECK_EQ(far, 0);
    image_free(&plain);
    image_free(&image);
}

static uint32_t captured_pixel(desk *d)
{
    image_bitmap image = {0};
    CHECK(desk_capture(d, &(image_rect){0, 0, 1920, 1080}, true, &image, &err));
    uint32_t colour = pixel(&image, WITNESS_X + 50, WITNESS_Y + 50);
    image_free(&image);
    return colour;
}

static void paint_witness(witness *w, uint32_t colour)
{
    xcb_rectangle_t area = {50, 50, 1, 1};
    xcb_change_gc(w->c, w->gc, XCB_GC_FOREGROUND, &colour);
    xcb_poly_fill_rectangle(w->c, w->window, w->gc, 1, &area);
    xcb_flush(w->c);
}

/* An unchanged screen is not fetched again; a changed one always is, whenever the change falls. */
static void check_fresh(desk *d, witness *w)
{
    image_bitmap image = {0}, again = {0};
    CHECK(desk_capture(d, &(image_rect){0, 0, 1920, 1080}, true, &image, &err));
    memset(image.pixels, 0x5a, 4); /* would be overwritten by a fetch */
    uint64_t number = desk_frame(d);
    CHECK(desk_capture(d, &(image_rect){0, 0, 1920, 1080}, true, &again, &err));
    CHECK(again.pixels == image.pixels);
    CHECK_EQ(again.pixels[0], 0x5a);
    image_free(&again);
    image_free(&image);
    CHECK(desk_frame(d) == number);
    for (uint32_t i = 1; i <= 300; i++) {
        uint32_t color = i * 0x010307 & 0xffffff;
        paint_witness(w, color);
        /* Not waited for: the change falls before, inside or after the captures that follow. */
        bool seen = false;
        for (double limit = now() + 10; !seen && now() < limit;) {
            seen = captured_pixel(d) == color;
        }
        CHECK(seen && desk_frame(d) != number);
        number = desk_frame(d);
    }
}

/* Only rows in which something was drawn, or the pointer was, are fetched again; they have other
 * numbers than before, the others have the same. */
static void check_bands(desk *d, witness *w)
{
    enum {
        BAND = (WITNESS_Y + 50) / IMAGE_BAND_ROWS,
        POINTER = 900,
        LOW = POINTER / IMAGE_BAND_ROWS
    };
    static const uint8_t mark[] = {0x11, 0x22, 0x33, 0x5a};
    image_bitmap image = {0}, before = {0};
    uint8_t *high, *low;
    CHECK(desk_pointer_move(d, 1500, POINTER, &err));
    captured_pixel(d);
    CHECK(desk_capture(d, NULL, true, &image, &err));
    CHECK(image_crop(&before, &image, (image_rect){0, 0, 1920, 1080}, &err));
    CHECK(captured_pixel(d) != 0x123456);
    paint_witness(w, 0x123456);
    CHECK(UNTIL(captured_pixel(d) == 0x123456));
    image_free(&image);
    CHECK(desk_capture(d, NULL, true, &image, &err));
    CHECK(image.pixels != before.pixels && image_bands(&image) && image_bands(&before));
    for (int i = 0; i < image_band_count(1080); i++) {
        if (i < LOW - 4 || i > LOW + 4) { /* away from the pointer */
            CHECK_EQ(image_bands(&image)[i] == image_bands(&before)[i], i != BAND);
        }
    }
    CHECK(image_bands(&(image_bitmap){.share = image.share, .pixels = image.pixels + 4}) == NULL);
    high = image.pixels; /* the first row, and one that the pointer is in */
    low = image.pixels + POINTER * image.stride;
    memcpy(high, mark, sizeof mark);
    memcpy(low, mark, sizeof mark);
    image_free(&image); /* and so the place of the next picture */
    CHECK(desk_pointer_move(d, 1500, POINTER - 200, &err));
    CHECK(desk_capture(d, NULL, true, &image, &err));
    CHECK(image.pixels == high);
    CHECK(memcmp(high, mark, sizeof mark) == 0);
    CHECK(memcmp(low, mark, sizeof mark) != 0);
    image_free(&before);
    image_free(&image);
}

/* A picture stays as it was for as long as somebody has it, however many there are, also after the
 * desk is closed; a part of the screen and a window's pixels are taken beside them. */
static void check_kept(witness *w)
{
    enum { MANY = X11_FRAMES + 2 };
    image_bitmap kept[MANY] = {0}, part = {0}, painted = {0};
    image_rect at = {WITNESS_X + 50, WITNESS_Y + 50, 1, 1};
    uint32_t colours[MANY];
    desk *d = open_desk();
    for (uint32_t i = 0; i < MANY; i++) {
        colours[i] = 0x112233 * (i + 1) & 0xffffff;
        paint_witness(w, colours[i]);
        image_bitmap image = {0};
        bool seen = false;
        for (double limit = now() + 10; !seen && now() < limit;) {
            image_free(&image);
            CHECK(desk_capture(d, NULL, false, &image, &err));
            seen = pixel(&image, at.x, at.y) == colours[i];
        }
        CHECK(seen);
        CHECK(image_crop(&kept[i], &image, (image_rect){0, 0, 1920, 1080}, &err));
        CHECK_EQ(kept[i].pixels == image.pixels, i < X11_FRAMES - 1);
        image_free(&image);
        CHECK(desk_capture(d, &at, false, &part, &err));
        CHECK_EQ(pixel(&part, 0, 0), colours[i]);
    }
    CHECK(image_crop(&painted, &kept[0], (image_rect){0, 0, 1920, 1080}, &err));
    CHECK(painted.pixels == kept[0].pixels && image_own(&painted, &err));
    memset(painted.pixels, 0, painted.stride);
    CHECK(painted.pixels != kept[0].pixels && !painted.borrowed);
    CHECK_EQ(pixel(&painted, at.x, at.y), colours[0]);
    image_free(&kept[2]);
    CHECK(desk_capture(d, NULL, false, &kept[2], &err)); /* there is a place again */
    CHECK(kept[2].share != NULL);
    colours[2] = colours[MANY - 1];
    desk_close(d);
    for (uint32_t i = 0; i < MANY; i++) {
        CHECK_EQ(pixel(&kept[i], at.x, at.y), colours[i]);
        image_free(&kept[i]);
    }
    image_free(&painted);
}

static void measure_capture(desk *d, bool cursor)
{
    image_bitmap image = {0};
    double best = 1, total = 0;
    for (int i = 0; i < 100; i++) {
        double start_time = now();
        desk_capture(d, &(image_rect){0, 0, 1920, 1080}, cursor, &image, &err);
        double took = now() - start_time;
        total += took;
        best = took < best ? took : best;
    }
    image_free(&image);
    printf("capture 1920x1080%s: mean %.2f ms, best %.2f\n", cursor ? " with cursor" : "",
           total * 10, best * 1e3);
}

/* How many segments of System V's shared memory this process has made. */
static int segments_of_ours(void)
{
    char line[300];
    int creator, count = 0;
    FILE *list = fopen("/proc/sysvipc/shm", "re");
    CHECK(list != NULL);
    while (list && fgets(line, sizeof line, list)) {
        count += sscanf(line, "%*d %*d %*o %*u %d", &creator) == 1 && creator == getpid();
    }
    if (list) {
        fclose(list);
    }
    return count;
}

static void test_screen(void)
{
    witness w = witness_open();
    desk *d = open_desk();
    check_pictures(d, &w);
    CHECK(((x11_desk *) d)->frames->list[X11_WHOLE] != NULL);
    CHECK_EQ(segments_of_ours(), 0); /* they would outlive us where we are killed too soon */
    check_cursor(d, 300, 200);
    check_cursor(d, 0, 0);
    check_cursor(d, 1919, 1079);
    check_fresh(d, &w);
    check_bands(d, &w);
    measure_capture(d, false);
    measure_capture(d, true);
    desk_close(d);
    check_kept(&w);
    d = open_desk();
    ((x11_desk *) d)->has_shm = false; /* as on a remote display */
    check_pictures(d, &w);
    check_cursor(d, 300, 200);
    desk_close(d);
    witness_close(&w);
}

/* --- settling ----------------------------------------------------------------------------------
 */

static bool pumped_change(desk *d, uint64_t after)
{
    return desk_pump(d, &err) && desk_last_change(d) > after;
}

static void test_damage(void)
{
    witness w = witness_open();
    desk *d = open_desk();
    CHECK(desk_watch_start(d, &err));
    for (int i = 0; i < 3; i++) {
        desk_pump(d, &err);
    }
    CHECK_EQ(desk_last_change(d), 0); /* not the rectangle that creation reports */
    witness_draw(&w, 3, 18);
    nap(0.05); /* to give a wrong report the time to come */
    CHECK(desk_pump(d, &err));
    CHECK_EQ(desk_last_change(d), 0); /* a caret */
    uint64_t last = 0;
    double slowest = 0;
    for (int i = 0; i < 20; i++) {
        double start_time = now();
        witness_draw(&w, 60, 20);
        CHECK(UNTIL(pumped_change(d, last)));
        last = desk_last_change(d);
        slowest = now() - start_time > slowest ? now() - start_time : slowest;
        x11_sync((x11_desk *) d, &err); /* the server has heard that we saw it */
    }
    CHECK(uv_hrtime() - last < 5000000000u);
    printf("damage: slowest of 20 reports %.2f ms\n", slowest * 1e3);
    desk_watch_stop(d);
    CHECK_EQ(desk_last_change(d), 0);
    witness_draw(&w, 70, 30);
    CHECK(desk_pump(d, &err));
    CHECK_EQ(desk_last_change(d), 0);
    desk_close(d);
    witness_close(&w);
}

/* --- mouse -------------------------------------------------------------------------------------
 */

static void test_pointer(void)
{
    static const int points[][2] = {{0, 0}, {1919, 1079}, {0, 500}, {960, 0}, {333, 777}};
    witness w = witness_open();
    desk *d = open_desk();
    for (size_t i = 0; i < 5; i++) {
        CHECK(desk_pointer_move(d, points[i][0], points[i][1], &err));
        xcb_query_pointer_reply_t *p =
            xcb_query_pointer_reply(w.c, xcb_query_pointer(w.c, w.screen->root), NULL);
        CHECK_EQ(p->root_x, points[i][0]);
        CHECK_EQ(p->root_y, points[i][1]);
        free(p);
    }
    CHECK(!desk_pointer_move(d, 1920, 0, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_pointer_move(d, -1, 0, &err));
    desk_close(d);
    witness_close(&w);
}

/* A pointer that something confines cannot arrive, and that must be said. */
static void test_pointer_held(void)
{
    witness w = witness_open();
    desk *d = open_desk();
    CHECK(desk_pointer_move(d, WITNESS_X + 5, WITNESS_Y + 5, &err));
    free(xcb_grab_pointer_reply(w.c,
                                xcb_grab_pointer(w.c, 0, w.window, 0, XCB_GRAB_MODE_ASYNC,
                                                 XCB_GRAB_MODE_ASYNC, w.window, XCB_NONE,
                                                 XCB_CURRENT_TIME),
                                NULL));
    CHECK(!desk_pointer_move(d, 1000, 900, &err));
    CHECK_EQ(err.code, BASE_REFUSED);
    CHECK(strstr(err.message, "1000,900") != NULL);
    witness_close(&w);
    desk_close(d);
}

static void expect_button(witness *w, uint8_t type, int detail)
{
    xcb_button_press_event_t *e = NULL;
    UNTIL((e = (xcb_button_press_event_t *) witness_next(w, type, type)) != NULL);
    if (CHECK(e != NULL)) {
        CHECK_EQ(e->detail, detail);
        CHECK_EQ(e->root_x, WITNESS_X + 7);
        CHECK_EQ(e->root_y, WITNESS_Y + 9);
    }
    free(e);
}

static void test_buttons(void)
{
    static const struct {
        desk_button button;
        int detail;
    } buttons[] = {
        {DESK_LEFT, 1}, {DESK_MIDDLE, 2}, {DESK_RIGHT, 3}, {DESK_BACK, 8}, {DESK_FORWARD, 9}};
    witness w = witness_open();
    desk *d = open_desk();
    CHECK(desk_pointer_move(d, WITNESS_X + 7, WITNESS_Y + 9, &err));
    for (size_t i = 0; i < 5; i++) {
        CHECK(desk_pointer_button(d, buttons[i].button, true, &err));
        expect_button(&w, XCB_BUTTON_PRESS, buttons[i].detail);
        CHECK(desk_pointer_button(d, buttons[i].button, false, &err));
        expect_button(&w, XCB_BUTTON_RELEASE, buttons[i].detail);
    }
    CHECK(desk_pointer_wheel(d, -DESK_NOTCH, 2 * DESK_NOTCH + 40, &err));
    expect_button(&w, XCB_BUTTON_PRESS, 6);
    expect_button(&w, XCB_BUTTON_PRESS, 5);
    expect_button(&w, XCB_BUTTON_PRESS, 5);
    CHECK(desk_pointer_wheel(d, 1, -DESK_NOTCH, &err));
    expect_button(&w, XCB_BUTTON_PRESS, 7); /* less than a notch is one */
    expect_button(&w, XCB_BUTTON_PRESS, 4);
    CHECK(!desk_pointer_button(d, (desk_button) 6, true, &err));
    CHECK(!desk_pointer_wheel(d, 0, 100000 * DESK_NOTCH, &err));
    desk_close(d);
    witness_close(&w);
}

/* "Left" is what applications take for it, also where the user has swapped the buttons. */
static void test_swapped_buttons(void)
{
    static const uint8_t swapped[] = {3, 2, 1, 4, 5, 6, 7, 8, 9, 10};
    witness w = witness_open();
    desk *d = open_desk();
    xcb_get_pointer_mapping_reply_t *own =
        xcb_get_pointer_mapping_reply(w.c, xcb_get_pointer_mapping(w.c), NULL);
    CHECK_EQ(own->map_len, sizeof swapped);
    free(xcb_set_pointer_mapping_reply(w.c, xcb_set_pointer_mapping(w.c, own->map_len, swapped),
                                       NULL));
    CHECK(desk_pointer_move(d, WITNESS_X + 7, WITNESS_Y + 9, &err));
    CHECK(desk_pointer_button(d, DESK_LEFT, true, &err));
    expect_button(&w, XCB_BUTTON_PRESS, 1);
    CHECK(desk_pointer_button(d, DESK_LEFT, false, &err));
    expect_button(&w, XCB_BUTTON_RELEASE, 1);
    free(xcb_set_pointer_mapping_reply(
        w.c, xcb_set_pointer_mapping(w.c, own->map_len, xcb_get_pointer_mapping_map(own)), NULL));
    free(own);
    desk_close(d);
    witness_close(&w);
}

/* --- keyboard ----------------------------------------------------------------------------------
 */

static uint16_t server_state(witness *w)
{
    xcb_query_pointer_reply_t *p =
        xcb_query_pointer_reply(w->c, xcb_query_pointer(w->c, w->screen->root), NULL);
    uint16_t state = p->mask;
    free(p);
    return state;
}

static void press(desk *d, const char *name, bool down)
{
    desk_key key;
    if (!CHECK(desk_key_parse(name, &key, &err)) || !CHECK(desk_keyboard_key(d, key, down, &err))) {
        printf("    %s: %s\n", name, err.message);
    }
}

static void tap_key(desk *d, const char *name)
{
    press(d, name, true);
    press(d, name, false);
}

static void test_every_key(desk *d, witness *w)
{
    uint32_t seen[8];
    for (size_t i = 0; desk_key_known(i); i++) {
        tap_key(d, desk_key_known(i));
        xcb_generic_event_t *e = NULL;
        UNTIL((e = witness_next(w, XCB_KEY_PRESS, XCB_KEY_PRESS)) != NULL);
        if (!CHECK(e != NULL)) {
            printf("    %s\n", desk_key_known(i));
        }
        free(e);
    }
    for (const char **lock = (const char *[]){"caps_lock", "num_lock", NULL}; *lock; lock++) {
        tap_key(d, *lock); /* as they were */
    }
    CHECK(desk_type_end(d, &err));
    witness_read_text(w, seen, 8);
    CHECK_EQ(server_state(w), 0);
}

static void test_key_levels(desk *d, witness *w)
{
    uint32_t seen[8] = {0};
    witness_read_text(w, seen, 8);
    tap_key(d, "a");
    tap_key(d, "+"); /* on a shifted level of the map */
    tap_key(d, "é"); /* not in the map at all */
    tap_key(d, "numpad_7");
    press(d, "shift", true);
    tap_key(d, "b");
    press(d, "shift", false);
    size_t count = witness_read_text(w, seen, 8);
    CHECK_EQ(count, 5);
    CHECK_EQ(seen[0], 'a');
    CHECK_EQ(seen[1], '+');
    CHECK_EQ(seen[2], 0xe9);
    CHECK_EQ(seen[3], 0xffb7);
    CHECK_EQ(seen[4], 'B');
    CHECK_EQ(server_state(w), 0);
}

/* One call for all keys of a combination; each sees the modifiers that went down before it. */
static void test_taps(desk *d, witness *w)
{
    static const char *const combos[] = {"a",       "+",       "é",          "numpad_7",
                                         "shift+b", "shift++", "ctrl+alt+c", "right_shift+d"};
    uint32_t seen[16] = {0};
    witness_read_text(w, seen, 16);
    for (size_t i = 0; i < sizeof combos / sizeof combos[0]; i++) {
        desk_combo combo;
        CHECK(desk_combo_parse(combos[i], &combo, &err));
        CHECK(desk_keyboard_tap(d, combo.keys, combo.count, &err));
        CHECK_EQ(server_state(w), 0);
    }
    size_t count = witness_read_text(w, seen, 16);
    CHECK_EQ(count, 8);
    CHECK_EQ(seen[0], 'a');
    CHECK_EQ(seen[1], '+');
    CHECK_EQ(seen[2], 0xe9);
    CHECK_EQ(seen[3], 0xffb7);
    CHECK_EQ(seen[4], 'B');
    CHECK_EQ(seen[5], '+');
    CHECK_EQ(seen[6], 'c');
    CHECK_EQ(seen[7], 'D');
    press(d, "ctrl", true);
    CHECK(desk_keyboard_tap(d, (desk_key[]){DESK_KEY_CTRL, 'x'}, 2, &err));
    CHECK_EQ(server_state(w), 0); /* what was held before goes up with the rest */
    CHECK_EQ(witness_read_text(w, seen, 16), 1);
}

static void test_keys(void)
{
    witness w = witness_open();
    xcb_get_keyboard_mapping_reply_t *before = keyboard_map(w.c);
    desk *d = open_desk();
    test_every_key(d, &w);
    test_key_levels(d, &w);
    test_taps(d, &w);
    press(d, "ctrl", true);
    press(d, "left_shift", true);
    press(d, "漢", true);
    CHECK(desk_pointer_button(d, DESK_LEFT, true, &err));
    CHECK(server_state(&w) & XCB_MOD_MASK_CONTROL);
    desk_text_step step;
    CHECK(!desk_type_text(d, "x", 1, &step, &err)); /* it would be a shortcut */
    CHECK_EQ(err.code, BASE_REFUSED);
    desk_close(d);
    CHECK(UNTIL(server_state(&w) == 0)); /* nothing stays down */
    xcb_get_keyboard_mapping_reply_t *after = keyboard_map(w.c);
    CHECK(same_map(before, after));
    free(before);
    free(after);
    witness_close(&w);
}

/* --- text --------------------------------------------------------------------------------------
 */

static const char SAMPLE[] = "The quick brown Fox: ~!@#$%^&*()_+{}|\"<>? [42];\n"
                             "Füße, naïve café, œuvre, Ærøskøbing, złoty €19, ¿qué?\n"
                             "Ελληνικά, Русский текст, עברית, العربية\n"
                             "漢字かな交じり文、日本語の入力。中文输入法测试 한국어\tтаб\n"
                             "😀🚀🎉👍🏽 ✓ → ∞ “quotes” — … ½ § ©\n";

static size_t decode(const char *text, uint32_t *out)
{
    size_t count = 0;
    for (size_t at = 0; text[at]; count++) {
        unsigned char first = (unsigned char) text[at];
        int n = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        out[count] = n == 1 ? first : first & (0x7f >> n);
        for (int i = 1; i < n; i++) {
            out[count] = out[count] << 6 | ((unsigned char) text[at + (size_t) i] & 0x3f);
        }
        at += (size_t) n;
    }
    return count;
}

/* Waits for the application as the layer above does: an answered ping, or a pause. */
static bool catch_up(desk *d)
{
    uint64_t token;
    if (!desk_ping(d, &token, &err)) {
        return false;
    }
    if (!token) {
        nap(0.15);
        return true;
    }
    return UNTIL(desk_pump(d, &err) && desk_ping_answered(d, token));
}

static bool type_text(desk *d, const char *text, bool wait)
{
    desk_text_step step;
    for (size_t at = 0, length = strlen(text); at < length; at += step.consumed) {
        if (!CHECK(desk_type_text(d, text + at, length - at, &step, &err))) {
            printf("    %s\n", err.message);
            return false;
        }
        if (!CHECK(step.consumed > 0 || step.remapped) ||
            (wait && step.remapped && !CHECK(catch_up(d)))) {
            return false;
        }
    }
    return !wait || catch_up(d);
}

/* The witness reads after each step, as an application that keeps up. */
static void check_text(desk *d, witness *w, const char *text)
{
    static uint32_t wanted[4096], seen[4096];
    size_t expected = decode(text, wanted), count = 0, length = strlen(text);
    desk_text_step step = {0};
    for (size_t at = 0; at < length; at += step.consumed) {
        if (!CHECK(desk_type_text(d, text + at, length - at, &step, &err))) {
            printf("    %s\n", err.message);
            break;
        }
        count += witness_read_text(w, seen + count, 4096 - count);
    }
    if (CHECK_EQ(count, expected)) {
        for (size_t i = 0; i < count; i++) {
            seen[i] = seen[i] == 0x20ac ? 0x20ac : seen[i];
            CHECK_EQ(seen[i], wanted[i]);
        }
    }
}

static void check_text_refusals(desk *d, witness *w)
{
    static const char *const bad[] = {"ok\xff", "ok\x1b[2J", "ok\x7f", "\xed\xa0\x80"};
    desk_text_step step;
    uint32_t seen[8];
    for (size_t i = 0; i < 4; i++) {
        CHECK(!desk_type_text(d, bad[i], strlen(bad[i]), &step, &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    CHECK_EQ(witness_read_text(w, seen, 8), 0); /* not one key of them */
}

static void test_text(void)
{
    witness w = witness_open();
    xcb_get_keyboard_mapping_reply_t *before = keyboard_map(w.c);
    desk *d = open_desk();
    check_text_refusals(d, &w);
    check_text(d, &w, "plain ASCII, Shifted too\n");
    check_text(d, &w, SAMPLE);
    CHECK(desk_type_end(d, &err));
    xcb_get_keyboard_mapping_reply_t *after = keyboard_map(w.c);
    CHECK(same_map(before, after));
    free(after);
    tap_key(d, "caps_lock");
    CHECK(server_state(&w) & XCB_MOD_MASK_LOCK);
    static uint32_t junk[64];
    witness_read_text(&w, junk, 64);
    desk_text_step step;
    CHECK(desk_type_text(d, "aBéÉ", 6, &step, &err));
    CHECK_EQ(server_state(&w) & XCB_MOD_MASK_LOCK, 0);
    CHECK(desk_type_end(d, &err));
    CHECK(server_state(&w) & XCB_MOD_MASK_LOCK); /* on again for its user */
    tap_key(d, "caps_lock");
    witness_read_text(&w, junk, 64);
    check_text(d, &w, "漢字");
    desk_close(d); /* without text_end */
    after = keyboard_map(w.c);
    CHECK(same_map(before, after));
    free(before);
    free(after);
    witness_close(&w);
}

/* Someone loads another layout while keys are borrowed: that must stay as they want it. */
static void test_foreign_remap(void)
{
    witness w = witness_open();
    xcb_get_keyboard_mapping_reply_t *before = keyboard_map(w.c);
    desk *d = open_desk();
    check_text(d, &w, "漢字かな");
    x11_spare spare = ((x11_desk *) d)->keymap->spares[0];
    xcb_keysym_t theirs[2] = {0x1002603, 0x1002604}, none[2] = {0, 0};
    CHECK(spare.keysym != 0);
    xcb_change_keyboard_mapping(w.c, 1, spare.keycode, 2, theirs);
    witness_sync(&w);
    CHECK(desk_type_end(d, &err));
    xcb_get_keyboard_mapping_reply_t *after = keyboard_map(w.c);
    size_t at = (size_t) (spare.keycode - 8) * after->keysyms_per_keycode;
    CHECK_EQ(xcb_get_keyboard_mapping_keysyms(after)[at], theirs[0]);
    free(after);
    xcb_change_keyboard_mapping(w.c, 1, spare.keycode, 2, none);
    witness_sync(&w);
    after = keyboard_map(w.c);
    CHECK(same_map(before, after));
    free(before);
    free(after);
    desk_close(d);
    witness_close(&w);
}

static bool run(const char *command)
{
    char line[200];
    snprintf(line, sizeof line, "DISPLAY=%s %s >/dev/null 2>&1", display, command);
    return system(line) == 0;
}

/* AltGr levels, dead keys (which are not the character), a layout changed under an open desk. */
static void test_layouts(void)
{
    if (!installed("setxkbmap")) {
        return;
    }
    CHECK(run("setxkbmap de"));
    witness w = witness_open();
    desk *d = open_desk();
    xcb_get_keyboard_mapping_reply_t *before = keyboard_map(w.c);
    check_text(d, &w, "Größe: @ {[]}\\ ~| € ^ ` ´ zyZY\n");
    check_text(d, &w, SAMPLE);
    CHECK(desk_type_end(d, &err));
    xcb_get_keyboard_mapping_reply_t *after = keyboard_map(w.c);
    CHECK(same_map(before, after));
    free(before);
    free(after);
    CHECK(run("setxkbmap us")); /* under an open desk */
    check_text(d, &w, "zyZY @{} é\n");
    desk_close(d);
    witness_close(&w);
}

/* --- windows and real applications -------------------------------------------------------------
 */

static bool find_window(desk *d, const char *klass, desk_window *out, char title[512])
{
    desk_window_list list;
    bool found = false;
    if (!desk_windows(d, &list, &err)) {
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.items[i].klass, klass) == 0 && list.items[i].visible) {
            *out = list.items[i];
            snprintf(title, 512, "%s", out->title);
            found = true;
        }
    }
    desk_window_list_free(&list);
    return found;
}

static bool is_active(desk *d, uint64_t id)
{
    return x11_active_window((x11_desk *) d) == id;
}

static void slurp(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(out, 1, size - 1, file) : 0;
    out[n] = '\0';
    if (file) {
        fclose(file);
    }
}

static bool file_is(const char *path, const char *wanted)
{
    static char content[8192];
    slurp(path, content, sizeof content);
    return strcmp(content, wanted) == 0;
}

static void test_xterm(desk *d)
{
    char path[128], title[512], command[200];
    snprintf(path, sizeof path, "%s/xterm.txt", folder);
    snprintf(command, sizeof command, "stty -echo; printf '\\033]0;one\\ttwo\\007'; exec cat >%s",
             path);
    char *argv[] = {"xterm", "-u8", "-T", "hello", "-geometry", "80x24+50+60",
                    "-e",    "sh",  "-c", command, NULL};
    pid_t pid = start(argv);
    desk_window window = {0}, gone = {0};
    struct stat made;
    if (!CHECK(UNTIL(find_window(d, "XTerm", &window, title)))) {
        stop(pid);
        return;
    }
    CHECK_EQ(window.pid, pid);
    CHECK(window.rect.x >= 50 && window.rect.y >= 60 && window.rect.width > 100);
    CHECK(desk_window_focus(d, window.id, &err));
    CHECK(UNTIL(is_active(d, window.id)));
    CHECK(UNTIL(stat(path, &made) == 0));
    double start_time = now();
    CHECK(type_text(d, "Hello, World! ~{}\nzażółć 漢字\n", true));
    CHECK(desk_type_end(d, &err));
    CHECK(UNTIL(file_is(path, "Hello, World! ~{}\nzażółć 漢字\n")));
    printf("xterm: %.0f characters/s\n", 28 / (now() - start_time));
    CHECK(desk_window_close(d, window.id, &err));
    CHECK(UNTIL(!find_window(d, "XTerm", &gone, title)));
    CHECK(UNTIL(!desk_window_focus(d, window.id, &err)));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    CHECK(!desk_window_close(d, window.id, &err));
    stop(pid);
}

static size_t edit_distance(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
    static size_t row[4096];
    for (size_t j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (size_t i = 0; i < n; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < m; j++) {
            size_t change = diagonal + (a[i] != b[j]);
            size_t other = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = change < other ? change : other;
        }
    }
    return row[m];
}

static void test_mousepad(desk *d)
{
    char path[128], title[512];
    static char content[8192];
    static uint32_t wanted[4096], got[4096];
    snprintf(path, sizeof path, "%s/note.txt", folder);
    FILE *file = fopen(path, "w");
    fclose(file);
    char *argv[] = {"mousepad", "--disable-server", path, NULL};
    pid_t pid = start(argv);
    desk_window window = {0};
    if (!CHECK(UNTIL(find_window(d, "Mousepad", &window, title)))) {
        stop(pid);
        return;
    }
    CHECK(strstr(title, "note.txt") != NULL);
    CHECK(desk_window_focus(d, window.id, &err));
    CHECK(UNTIL(is_active(d, window.id)));
    CHECK(catch_up(d));
    double start_time = now();
    CHECK(type_text(d, SAMPLE, true));
    double took = now() - start_time;
    CHECK(desk_type_end(d, &err));
    press(d, "ctrl", true);
    tap_key(d, "s");
    press(d, "ctrl", false);
    struct stat saved;
    CHECK(UNTIL(stat(path, &saved) == 0 && saved.st_size > 0));
    CHECK(catch_up(d));
    slurp(path, content, sizeof content);
    size_t n = decode(SAMPLE, wanted), m = decode(content, got);
    size_t distance = edit_distance(wanted, n, got, m);
    printf("mousepad: edit distance %zu of %zu characters, %.0f characters/s\n", distance, n,
           (double) n / took);
    CHECK_EQ(distance, 0);
    stop(pid);
}

/* A title is what some program, or web page, chose. */
static void test_titles(desk *d)
{
    static const char evil[] = "a\x1b[31mb\nc\xff\xe2\x80\xae";
    witness w = witness_open();
    char title[512] = "";
    desk_window window = {0};
    xcb_window_t id = xcb_generate_id(w.c);
    xcb_create_window(w.c, XCB_COPY_FROM_PARENT, id, w.screen->root, 400, 400, 90, 80, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, 0, NULL);
    xcb_atom_t utf8 = ((x11_desk *) d)->atoms[X11_UTF8_STRING];
    xcb_atom_t name = ((x11_desk *) d)->atoms[X11_NET_WM_NAME];
    xcb_change_property(w.c, XCB_PROP_MODE_REPLACE, id, name, utf8, 8, sizeof evil - 1, evil);
    xcb_change_property(w.c, XCB_PROP_MODE_REPLACE, id, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8, 14,
                        "inst\0Ev\xefl\nOne");
    xcb_map_window(w.c, id);
    xcb_flush(w.c);
    CHECK(UNTIL(find_window(d, "EvïlOne", &window, title)));
    CHECK_EQ(window.id, id);
    CHECK_STR(title, "a[31mbc\xef\xbf\xbd");
    witness_close(&w);
}

/* --- with and without a window manager, and without a server -----------------------------------
 */

static void test_managed(void)
{
    if (!installed("openbox")) {
        return;
    }
    pid_t manager = start_manager();
    desk *d = open_desk();
    test_titles(d);
    if (installed("xterm")) {
        test_xterm(d);
    }
    if (installed("mousepad")) {
        test_mousepad(d);
    }
    desk_close(d);
    stop(manager);
}

static void test_unmanaged(void)
{
    if (!installed("xterm")) {
        return;
    }
    desk *d = open_desk();
    char title[512], ready[128], command[160];
    snprintf(ready, sizeof ready, "%s/alone", folder);
    snprintf(command, sizeof command, "touch %s; exec cat", ready);
    char *argv[] = {"xterm", "-T", "alone", "-e", "sh", "-c", command, NULL};
    desk_window window = {0};
    struct stat made;
    pid_t pid = start(argv);
    CHECK(UNTIL(stat(ready, &made) == 0)); /* before, xterm forgets a request to close */
    CHECK(UNTIL(find_window(d, "XTerm", &window, title) && strcmp(title, "alone") == 0));
    CHECK(desk_window_focus(d, window.id, &err));
    CHECK(UNTIL(is_active(d, window.id)));
    CHECK(desk_window_close(d, window.id, &err));
    CHECK(UNTIL(!find_window(d, "XTerm", &window, title)));
    stop(pid);
    desk_close(d);
}

static void test_server_dies(pid_t server)
{
    desk *d = open_desk();
    image_bitmap image = {0};
    desk_window_list list;
    desk_text_step step;
    uint64_t token;
    int x, y;
    CHECK(desk_watch_start(d, &err));
    CHECK(desk_capture(d, &(image_rect){0, 0, 10, 10}, false, &image, &err));
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
#define GONE(call)                                                                                 \
    err = (base_error){0};                                                                         \
    CHECK(!(call));                                                                                \
    CHECK_EQ(err.code, BASE_UNAVAILABLE)
    GONE(desk_capture(d, &(image_rect){0, 0, 10, 10}, true, &image, &err));
    GONE(desk_pump(d, &err));
    GONE(desk_pointer_get(d, &x, &y, &err));
    GONE(desk_pointer_move(d, 1, 1, &err));
    GONE(desk_pointer_button(d, DESK_LEFT, true, &err));
    GONE(desk_pointer_wheel(d, 1, 1, &err));
    GONE(desk_keyboard_key(d, 'a', true, &err));
    GONE(desk_keyboard_tap(d, (desk_key[]){'a'}, 1, &err));
    GONE(desk_type_text(d, "a", 1, &step, &err));
    GONE(desk_type_end(d, &err));
    GONE(desk_ping(d, &token, &err));
    GONE(desk_windows(d, &list, &err));
    GONE(desk_window_focus(d, 5, &err));
    GONE(desk_window_place(d, 5, (image_rect){0, 0, 9, 9}, &err));
    GONE(desk_window_set_state(d, 5, DESK_WINDOW_MAXIMIZED, &err));
    GONE(desk_watch_start(d, &err));
    CHECK(strstr(err.message, display) != NULL);
    desk_close(d);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!installed("Xvfb")) {
        return 0;
    }
    pid_t server = start_server();
    if (!CHECK(server > 0) || !CHECK(mkdtemp(folder) != NULL)) {
        return check_done();
    }
    test_open_errors();
    test_screen();
    test_damage();
    test_pointer();
    test_pointer_held();
    test_buttons();
    test_swapped_buttons();
    test_keys();
    test_text();
    test_foreign_remap();
    test_layouts();
    test_managed();
    test_unmanaged();
    test_server_dies(server);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
    return check_done();
}
