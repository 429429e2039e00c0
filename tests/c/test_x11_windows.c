/*
 * What the X11 backend asks of windows, with a window manager (openbox) and without one. Judged by
 * the X server's word to a second connection, which owns the window.
 */
#include "desk/x11/x11_manager.h"
#include "xserver.h"

#include <limits.h>

typedef struct {
    xcb_connection_t *c;
    xcb_screen_t *screen;
    xcb_window_t window;
} client;

enum { BORDER = 5, ICONIC = 3 };

static const image_rect START = {200, 150, 320, 240}, OTHER = {333, 277, 411, 299};

static xcb_atom_t atom(client *w, const char *name)
{
    xcb_intern_atom_reply_t *reply =
        xcb_intern_atom_reply(w->c, xcb_intern_atom(w->c, 0, (uint16_t) strlen(name), name), NULL);
    xcb_atom_t value = reply->atom;
    free(reply);
    return value;
}

static void set_machine(client *w, const char *name)
{
    xcb_change_property(w->c, XCB_PROP_MODE_REPLACE, w->window, XCB_ATOM_WM_CLIENT_MACHINE,
                        XCB_ATOM_STRING, 8, (uint32_t) strlen(name), name);
    free(xcb_get_input_focus_reply(w->c, xcb_get_input_focus(w->c), NULL));
}

/* A window that says whose it is, as toolkits do. */
static client client_open(uint16_t border)
{
    client w = {.c = xcb_connect(display, NULL)};
    char host[256] = "";
    uint32_t pid = (uint32_t) getpid();
    w.screen = xcb_setup_roots_iterator(xcb_get_setup(w.c)).data;
    w.window = xcb_generate_id(w.c);
    xcb_create_window(w.c, XCB_COPY_FROM_PARENT, w.window, w.screen->root, 20, 30,
                      (uint16_t) START.width, (uint16_t) START.height, border,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, 0, NULL);
    xcb_change_property(w.c, XCB_PROP_MODE_REPLACE, w.window, XCB_ATOM_WM_CLASS, XCB_ATOM_STRING, 8,
                        12, "probe\0Probe");
    xcb_change_property(w.c, XCB_PROP_MODE_REPLACE, w.window, atom(&w, "_NET_WM_PID"),
                        XCB_ATOM_CARDINAL, 32, 1, &pid);
    gethostname(host, sizeof host - 1);
    xcb_map_window(w.c, w.window);
    set_machine(&w, host);
    return w;
}

/* Where the window's own pixels are. */
static image_rect real_place(client *w)
{
    xcb_get_geometry_reply_t *g =
        xcb_get_geometry_reply(w->c, xcb_get_geometry(w->c, w->window), NULL);
    xcb_translate_coordinates_reply_t *t = xcb_translate_coordinates_reply(
        w->c, xcb_translate_coordinates(w->c, w->window, w->screen->root, 0, 0), NULL);
    image_rect rect = {t->dst_x, t->dst_y, g->width, g->height};
    free(g);
    free(t);
    return rect;
}

static bool same(image_rect a, image_rect b)
{
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

static bool placed(client *w, image_rect wanted)
{
    return same(real_place(w), wanted);
}

static void print_place(client *w)
{
    image_rect r = real_place(w);
    printf("    the window is at %d,%d with %d x %d pixels\n", r.x, r.y, r.width, r.height);
}

/* The WM_STATE that the manager wrote. */
static uint32_t real_state(client *w)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        w->c,
        xcb_get_property(w->c, 0, w->window, atom(w, "WM_STATE"), XCB_GET_PROPERTY_TYPE_ANY, 0, 1),
        NULL);
    uint32_t value = UINT32_MAX;
    if (xcb_get_property_value_length(reply) == 4) {
        memcpy(&value, xcb_get_property_value(reply), 4);
    }
    free(reply);
    return value;
}

/* The window as the desk lists it, without its texts. */
static bool listed(desk *d, client *w, desk_window *out, char executable[PATH_MAX])
{
    desk_window_list list;
    bool found = false;
    if (!desk_windows(d, &list, &err)) {
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].id == w->window) {
            *out = list.items[i];
            snprintf(executable, PATH_MAX, "%s", out->executable);
            found = true;
        }
    }
    desk_window_list_free(&list);
    return found;
}

static bool is_active(desk *d, client *w)
{
    return x11_active_window((x11_desk *) d) == w->window;
}

static bool shown(desk *d, client *w)
{
    desk_window window;
    char executable[PATH_MAX];
    return listed(d, w, &window, executable) && window.visible;
}

static void check_executable(desk *d, client *w)
{
    char self[PATH_MAX] = "", executable[PATH_MAX] = "";
    desk_window window = {0};
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    CHECK(listed(d, w, &window, executable));
    CHECK_STR(executable, self);
    CHECK(!window.minimized && !window.maximized);
    set_machine(w, "elsewhere.invalid");
    CHECK(listed(d, w, &window, executable));
    CHECK_STR(executable, "");
}

static void check_place(desk *d, client *w)
{
    CHECK(desk_window_place(d, w->window, START, &err));
    if (!CHECK(UNTIL(placed(w, START)))) {
        print_place(w);
    }
    /* As it is: must move nothing, however often. What follows shows that the manager saw it. */
    desk_window window = {0};
    char executable[PATH_MAX];
    for (int i = 0; i < 3; i++) {
        CHECK(listed(d, w, &window, executable));
        CHECK(desk_window_place(d, w->window, window.rect, &err));
    }
    CHECK(desk_window_focus(d, w->window, &err));
    CHECK(UNTIL(is_active(d, w)));
    if (!CHECK(placed(w, START))) {
        print_place(w);
    }
    CHECK(desk_window_place(d, w->window, OTHER, &err));
    if (!CHECK(UNTIL(placed(w, OTHER)))) {
        print_place(w);
    }
}

static bool minimized(desk *d, client *w)
{
    desk_window window;
    char executable[PATH_MAX];
    return listed(d, w, &window, executable) && window.minimized && !window.visible &&
           real_state(w) == ICONIC;
}

static bool maximized(desk *d, client *w)
{
    desk_window window;
    char executable[PATH_MAX];
    image_rect real = real_place(w);
    return listed(d, w, &window, executable) && window.maximized && window.visible &&
           real.width >= w->screen->width_in_pixels - 20 &&
           real.height >= w->screen->height_in_pixels - 100;
}

static bool normal(desk *d, client *w)
{
    desk_window window;
    char executable[PATH_MAX];
    return listed(d, w, &window, executable) && window.visible && !window.minimized &&
           !window.maximized && real_state(w) == 1;
}

static void check_states(desk *d, client *w)
{
    CHECK(desk_window_set_state(d, w->window, DESK_WINDOW_MINIMIZED, &err));
    CHECK(UNTIL(minimized(d, w)));
    CHECK(desk_window_set_state(d, w->window, DESK_WINDOW_NORMAL, &err));
    CHECK(UNTIL(normal(d, w) && placed(w, OTHER)));
    CHECK(UNTIL(is_active(d, w)));
    CHECK(desk_window_set_state(d, w->window, DESK_WINDOW_MAXIMIZED, &err));
    CHECK(UNTIL(maximized(d, w)));
    CHECK(desk_window_set_state(d, w->window, DESK_WINDOW_NORMAL, &err));
    CHECK(UNTIL(normal(d, w) && placed(w, OTHER)));
    CHECK(desk_window_set_state(d, w->window, DESK_WINDOW_MINIMIZED, &err));
    CHECK(UNTIL(minimized(d, w)));
    CHECK(desk_window_set_state(d, w->window, DESK_WINDOW_MAXIMIZED, &err));
    CHECK(UNTIL(maximized(d, w)));
    CHECK(desk_window_set_state(d, w->window, DESK_WINDOW_MINIMIZED, &err));
    CHECK(UNTIL(minimized(d, w)));
    CHECK(desk_window_place(d, w->window, START, &err));
    if (!CHECK(UNTIL(normal(d, w) && placed(w, START)))) {
        print_place(w);
    }
}

static void check_refusals(desk *d, client *w)
{
    static const image_rect wrong[] = {
        {0, 0, 0, 10}, {0, 0, 10, -1}, {0, 0, 40000, 10}, {INT_MAX, 0, 10, 10}, {0, -40000, 9, 9}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!desk_window_place(d, w->window, wrong[i], &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    CHECK(!desk_window_place(d, UINT64_MAX, START, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    CHECK(!desk_window_set_state(d, 0, DESK_WINDOW_MAXIMIZED, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
}

static void test_managed(void)
{
    if (!installed("openbox")) {
        return;
    }
    pid_t manager = start_manager();
    desk *d = open_desk();
    client bordered = client_open(BORDER), w = client_open(0);
    CHECK(UNTIL(shown(d, &bordered) && shown(d, &w)));
    check_executable(d, &w);
    check_place(d, &bordered);
    check_place(d, &w);
    check_states(d, &w);
    check_refusals(d, &w);
    /* For a manager that does not know the message: any atom that it does not list. */
    x11_desk *x = (x11_desk *) d;
    x->atoms[X11_NET_MOVERESIZE_WINDOW] = x->atoms[X11_CLIPBOARD];
    check_place(d, &w);
    desk_close(d);
    xcb_disconnect(w.c);
    xcb_disconnect(bordered.c);
    stop(manager);
}

static void test_unmanaged(void)
{
    desk *d = open_desk();
    client w = client_open(BORDER);
    CHECK(UNTIL(shown(d, &w)));
    check_executable(d, &w);
    check_place(d, &w);
    CHECK(!desk_window_set_state(d, w.window, DESK_WINDOW_MINIMIZED, &err));
    CHECK_EQ(err.code, BASE_UNSUPPORTED);
    CHECK(strstr(err.message, "window manager") != NULL);
    CHECK(desk_window_set_state(d, w.window, DESK_WINDOW_NORMAL, &err));
    CHECK(placed(&w, OTHER));
    check_refusals(d, &w);
    desk_close(d);
    xcb_disconnect(w.c);
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
    test_unmanaged();
    test_managed();
    stop(server);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
    return check_done();
}
