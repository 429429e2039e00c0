/*
 * Monitors of X11: made, taken away and moved by xrandr while the desk is open, a work area by
 * openbox, the scale by xrdb's resources; and that pictures follow.
 */
#include "xserver.h"

#include <xcb/xcb.h>

static xcb_connection_t *c;
static xcb_window_t root;

static bool run(const char *command)
{
    char line[512];
    snprintf(line, sizeof line, "DISPLAY=%s %s >/dev/null 2>&1", display, command);
    bool ok = system(line) == 0;
    if (!ok) {
        printf("    failed: %s\n", line);
    }
    return ok;
}

static void check_rect(image_rect is, image_rect wanted)
{
    bool same = is.x == wanted.x && is.y == wanted.y && is.width == wanted.width &&
                is.height == wanted.height;
    if (!CHECK(same)) {
        printf("    %d,%d %dx%d is not %d,%d %dx%d\n", is.x, is.y, is.width, is.height, wanted.x,
               wanted.y, wanted.width, wanted.height);
    }
}

typedef struct {
    const char *name;
    image_rect rect;
    bool primary;
} wanted_monitor;

static void check_monitors(desk *d, const wanted_monitor *wanted, size_t count)
{
    desk_monitor_list list;
    if (!CHECK(desk_monitors(d, &list, &err)) || !CHECK_EQ(list.count, count)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        CHECK_STR(list.items[i].name, wanted[i].name);
        check_rect(list.items[i].rect, wanted[i].rect);
        CHECK_EQ(list.items[i].primary, wanted[i].primary);
        CHECK(list.items[i].scale == 1);
    }
    desk_monitor_list_free(&list);
}

static void test_one(desk *d)
{
    check_monitors(d, &(wanted_monitor){"screen", {0, 0, 1920, 1080}, true}, 1);
}

/* From left to right, whatever order they were made in. */
static void test_two(desk *d)
{
    static const wanted_monitor two[] = {{"left", {0, 100, 1120, 980}, false},
                                         {"right", {1120, 0, 800, 600}, true}};
    CHECK(run("xrandr --setmonitor '*right' 800/200x600/150+1120+0 screen"));
    CHECK(run("xrandr --setmonitor left 1120/300x980/250+0+100 none"));
    check_monitors(d, two, 2);
    CHECK(run("xrandr --delmonitor right"));
    CHECK(run("xrandr --setmonitor upper 800/200x100/150+1120+0 screen"));
    CHECK(run("xrandr --setmonitor lower 800/200x100/150+1120+100 none"));
    static const wanted_monitor three[] = {{"left", {0, 100, 1120, 980}, true},
                                           {"upper", {1120, 0, 800, 100}, false},
                                           {"lower", {1120, 100, 800, 100}, false}};
    check_monitors(d, three, 3);
    CHECK(run("xrandr --delmonitor upper") && run("xrandr --delmonitor lower"));
}

/* Half of it is outside: only what can be seen counts. */
static void test_outside(desk *d)
{
    CHECK(run("xrandr --delmonitor left"));
    CHECK(run("xrandr --setmonitor half 800/200x600/150+1520+900 screen"));
    CHECK(run("xrandr --setmonitor none 800/200x600/150+3000+900 none"));
    check_monitors(d, &(wanted_monitor){"half", {1520, 900, 400, 180}, true}, 1);
    CHECK(run("xrandr --delmonitor half") && run("xrandr --delmonitor none"));
}

static uint32_t pixel_at(desk *d, int x, int y)
{
    image_bitmap image = {0};
    uint32_t value = 0;
    if (CHECK(desk_capture(d, &(image_rect){x, y, 1, 1}, false, &image, &err))) {
        memcpy(&value, image.pixels, 4);
    } else {
        printf("    %s\n", err.message);
    }
    return value & 0xffffff;
}

static void paint_root(uint32_t colour)
{
    xcb_change_window_attributes(c, root, XCB_CW_BACK_PIXEL, &colour);
    xcb_clear_area(c, 0, root, 0, 0, 0, 0);
    free(xcb_get_input_focus_reply(c, xcb_get_input_focus(c), NULL));
}

/* Another size while the desk is open: the whole screen, its edge, and pictures of it. */
static void test_plugging(desk *d)
{
    image_rect screen;
    image_bitmap image = {0};
    paint_root(0x224466);
    CHECK(desk_screen_rect(d, &screen, &err));
    check_rect(screen, (image_rect){0, 0, 1920, 1080});
    CHECK(desk_capture(d, &screen, false, &image, &err));
    CHECK(run("xrandr --newmode small 60 1024 1024 1024 1024 768 768 768 768"));
    CHECK(run("xrandr --addmode screen small"));
    CHECK(run("xrandr --output screen --mode small"));
    CHECK(desk_screen_rect(d, &screen, &err));
    check_rect(screen, (image_rect){0, 0, 1024, 768});
    check_monitors(d, &(wanted_monitor){"screen", {0, 0, 1024, 768}, true}, 1);
    paint_root(0x886644);
    CHECK(desk_capture(d, &screen, false, &image, &err));
    CHECK_EQ(pixel_at(d, 1023, 767), 0x886644);
    CHECK(!desk_capture(d, &(image_rect){1000, 0, 100, 100}, false, &image, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_pointer_move(d, 1024, 0, &err));
    CHECK(run("xrandr --output screen --mode 1920x1080"));
    CHECK(desk_screen_rect(d, &screen, &err));
    check_rect(screen, (image_rect){0, 0, 1920, 1080});
    paint_root(0x224466);
    CHECK(desk_capture(d, &screen, false, &image, &err));
    CHECK_EQ(image.width, 1920);
    CHECK_EQ(pixel_at(d, 1919, 1079), 0x224466);
    CHECK(desk_pointer_move(d, 1919, 1079, &err));
    image_free(&image);
}

/* Only the rate is another one: what xrandr says in use, and what the screen is. */
static void test_refresh_rate(desk *d)
{
    CHECK(desk_set_refresh_rate(d, 120, &err));
    CHECK(run("xrandr | grep -q '1920x1080@120 *120.00\\*'"));
    CHECK(desk_set_refresh_rate(d, 75, &err));
    CHECK(run("xrandr | grep -q '1920x1080@75 *75.00\\*'"));
    test_one(d);
    CHECK_EQ(pixel_at(d, 1919, 1079), 0x224466);
    for (int i = 0; i < 2; i++) {
        CHECK(!desk_set_refresh_rate(d, i ? DESK_MOST_HERTZ + 1 : 0, &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    CHECK(run("xrandr --output screen --mode 1920x1080"));
}

static void test_scale(desk *d)
{
    static const struct {
        const char *resources;
        double scale;
    } cases[] = {
        {"Xft.dpi:\t144\n", 1.5},  {"Xft.antialias:\t1\nNotXft.dpi:\t300\nXft.dpi: 192\n", 2},
        {"NotXft.dpi:\t300\n", 1}, {"Xft.dpi:\tlarge\n", 1},
        {"Xft.dpi:\t-5\n", 1},     {"", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        desk_monitor_list list;
        xcb_change_property(c, XCB_PROP_MODE_REPLACE, root, XCB_ATOM_RESOURCE_MANAGER,
                            XCB_ATOM_STRING, 8, (uint32_t) strlen(cases[i].resources),
                            cases[i].resources);
        free(xcb_get_input_focus_reply(c, xcb_get_input_focus(c), NULL));
        if (CHECK(desk_monitors(d, &list, &err))) {
            CHECK(list.items[0].scale == cases[i].scale);
        }
        desk_monitor_list_free(&list);
    }
}

static image_rect work_of_first(desk *d)
{
    desk_monitor_list list;
    image_rect work = {0};
    if (CHECK(desk_monitors(d, &list, &err))) {
        work = list.items[0].work;
    }
    desk_monitor_list_free(&list);
    return work;
}

/* A panel of 40 pixels at the bottom, as docks say it. */
static void reserve_bottom(void)
{
    static const char *const names[] = {"_NET_WM_STRUT_PARTIAL", "_NET_WM_WINDOW_TYPE",
                                        "_NET_WM_WINDOW_TYPE_DOCK"};
    xcb_atom_t atoms[3];
    uint32_t strut[12] = {0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 1919};
    for (int i = 0; i < 3; i++) {
        xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(
            c, xcb_intern_atom(c, 0, (uint16_t) strlen(names[i]), names[i]), NULL);
        atoms[i] = reply->atom;
        free(reply);
    }
    xcb_window_t window = xcb_generate_id(c);
    xcb_create_window(c, XCB_COPY_FROM_PARENT, window, root, 0, 1040, 1920, 40, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, 0, NULL);
    xcb_change_property(c, XCB_PROP_MODE_REPLACE, window, atoms[0], XCB_ATOM_CARDINAL, 32, 12,
                        strut);
    xcb_change_property(c, XCB_PROP_MODE_REPLACE, window, atoms[1], XCB_ATOM_ATOM, 32, 1,
                        &atoms[2]);
    xcb_map_window(c, window);
    xcb_flush(c);
}

static void test_work_area(desk *d)
{
    image_rect work = work_of_first(d);
    check_rect(work, (image_rect){0, 0, 1920, 1080});
    pid_t manager = start_manager();
    reserve_bottom();
    CHECK(UNTIL((work = work_of_first(d)).height == 1040));
    check_rect(work, (image_rect){0, 0, 1920, 1040});
    stop(manager);
    /* What a manager that is gone has written down counts no more. */
    CHECK(UNTIL((work = work_of_first(d)).height == 1080));
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    if (!installed("Xvfb") || !installed("xrandr")) {
        return 0;
    }
    pid_t server = start_server();
    desk *d = open_desk();
    c = xcb_connect(display, NULL);
    root = xcb_setup_roots_iterator(xcb_get_setup(c)).data->root;
    test_one(d);
    test_two(d);
    test_outside(d);
    test_plugging(d);
    test_refresh_rate(d);
    test_scale(d);
    if (installed("openbox")) {
        test_work_area(d);
    }
    xcb_disconnect(c);
    desk_close(d);
    stop(server);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
    return check_done();
}
