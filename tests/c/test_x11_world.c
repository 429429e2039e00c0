/*
 * What the X11 backend hears of the world, and windows' order and workspaces: without a window
 * manager and with openbox. A second connection makes and changes the windows and judges.
 */
#include "desk/x11/x11_connection.h"
#include "xserver.h"

typedef struct {
    xcb_connection_t *c;
    xcb_screen_t *screen;
} client;

static void client_sync(client *w)
{
    free(xcb_get_input_focus_reply(w->c, xcb_get_input_focus(w->c), NULL));
}

static xcb_atom_t atom(client *w, const char *name)
{
    xcb_intern_atom_reply_t *reply =
        xcb_intern_atom_reply(w->c, xcb_intern_atom(w->c, 0, (uint16_t) strlen(name), name), NULL);
    xcb_atom_t value = reply->atom;
    free(reply);
    return value;
}

static void set_title(client *w, xcb_window_t window, const char *title)
{
    xcb_change_property(w->c, XCB_PROP_MODE_REPLACE, window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
                        (uint32_t) strlen(title), title);
    client_sync(w);
}

static xcb_window_t new_window(client *w, const char *title, int16_t x)
{
    xcb_window_t window = xcb_generate_id(w->c);
    uint32_t white = w->screen->white_pixel;
    xcb_create_window(w->c, XCB_COPY_FROM_PARENT, window, w->screen->root, x, 40, 200, 150, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, XCB_CW_BACK_PIXEL,
                      &white);
    set_title(w, window, title);
    xcb_map_window(w->c, window);
    client_sync(w);
    return window;
}

/* Whether the backend has heard of something since the number that it gave. */
static bool heard(desk *d, uint64_t since)
{
    CHECK(desk_pump(d, &err));
    return desk_window_changes(d) > since;
}

static const desk_window *find(const desk_window_list *list, uint64_t id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].id == id) {
            return &list->items[i];
        }
    }
    return NULL;
}

/* Where a window is in the order, from the bottom; -1 for not at all. */
static int place_of(desk *d, uint64_t id)
{
    desk_window_list list;
    int place = -1;
    if (CHECK(desk_windows(d, &list, &err))) {
        const desk_window *w = find(&list, id);
        place = w ? (int) (w - list.items) : -1;
        desk_window_list_free(&list);
    }
    return place;
}

static int workspace_of(desk *d, uint64_t id)
{
    desk_window_list list;
    int workspace = -1;
    if (CHECK(desk_windows(d, &list, &err))) {
        const desk_window *w = find(&list, id);
        workspace = w ? w->workspace : -1;
        desk_window_list_free(&list);
    }
    return workspace;
}

static void test_heard(client *w, bool managed)
{
    desk *d = open_desk();
    uint64_t before = desk_window_changes(d);
    CHECK(before > 0);
    CHECK(!heard(d, before));
    xcb_window_t window = new_window(w, "one", 50);
    CHECK(UNTIL(heard(d, before)));
    CHECK(UNTIL(place_of(d, window) >= 0)); /* listens to it, too */
    nap(managed ? 0.3 : 0.05);              /* the manager may have something to add */
    desk_pump(d, &err);
    before = desk_window_changes(d);
    set_title(w, window, "another title");
    CHECK(UNTIL(heard(d, before)));
    before = desk_window_changes(d);
    xcb_destroy_window(w->c, window);
    client_sync(w);
    CHECK(UNTIL(heard(d, before)));
    CHECK(UNTIL(place_of(d, window) == -1));
    desk_close(d);
}

static void test_order(client *w)
{
    desk *d = open_desk();
    xcb_window_t a = new_window(w, "a", 50), b = new_window(w, "b", 100);
    CHECK(UNTIL(place_of(d, a) >= 0 && place_of(d, b) >= 0));
    for (int i = 0; i < 2; i++) {
        CHECK(desk_window_stack(d, a, true, &err));
        CHECK(UNTIL(place_of(d, a) > place_of(d, b)));
        CHECK(desk_window_stack(d, a, false, &err));
        CHECK(UNTIL(place_of(d, a) < place_of(d, b)));
    }
    CHECK(!desk_window_stack(d, 1, true, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
    xcb_destroy_window(w->c, a);
    xcb_destroy_window(w->c, b);
    client_sync(w);
    desk_close(d);
}

static void test_no_workspaces(client *w)
{
    desk *d = open_desk();
    desk_workspace_list all;
    xcb_window_t a = new_window(w, "a", 50);
    CHECK(!desk_workspaces(d, &all, &err));
    CHECK_EQ(err.code, BASE_UNSUPPORTED);
    CHECK(!desk_workspace_go(d, 1, &err));
    CHECK_EQ(err.code, BASE_UNSUPPORTED);
    CHECK(!desk_window_workspace(d, a, 1, &err));
    CHECK_EQ(err.code, BASE_UNSUPPORTED);
    CHECK_EQ(workspace_of(d, a), 0);
    xcb_destroy_window(w->c, a);
    client_sync(w);
    desk_close(d);
}

static bool current_is(desk *d, int number)
{
    desk_workspace_list all;
    return CHECK(desk_workspaces(d, &all, &err)) && all.current == number;
}

/* What the manager itself has written down. */
static uint32_t real_current(client *w)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        w->c,
        xcb_get_property(w->c, 0, w->screen->root, atom(w, "_NET_CURRENT_DESKTOP"),
                         XCB_ATOM_CARDINAL, 0, 1),
        NULL);
    uint32_t value = 99;
    if (reply && xcb_get_property_value_length(reply) == 4) {
        memcpy(&value, xcb_get_property_value(reply), 4);
    }
    free(reply);
    return value;
}

/* Openbox has four, unless it is told otherwise. */
static void test_workspaces(client *w)
{
    desk *d = open_desk();
    desk_workspace_list all = {0};
    xcb_window_t a = new_window(w, "a", 50);
    CHECK(desk_workspaces(d, &all, &err));
    CHECK_EQ(all.count, 4);
    CHECK_EQ(all.current, 1);
    CHECK(strlen(all.names[0]) > 0 && strcmp(all.names[0], all.names[1]) != 0);
    CHECK(UNTIL(workspace_of(d, a) == 1));
    CHECK(desk_window_workspace(d, a, 3, &err));
    CHECK(UNTIL(workspace_of(d, a) == 3));
    CHECK(desk_workspace_go(d, 3, &err));
    CHECK(UNTIL(current_is(d, 3)));
    CHECK_EQ(real_current(w), 2);
    static const int wrong[] = {0, -1, 5, 1000000};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!desk_workspace_go(d, wrong[i], &err));
        CHECK_EQ(err.code, BASE_NOT_FOUND);
        CHECK(!desk_window_workspace(d, a, wrong[i], &err));
        CHECK_EQ(err.code, BASE_NOT_FOUND);
    }
    /* A count that nobody can mean. */
    uint32_t many = 4000000000u;
    xcb_change_property(w->c, XCB_PROP_MODE_REPLACE, w->screen->root,
                        atom(w, "_NET_NUMBER_OF_DESKTOPS"), XCB_ATOM_CARDINAL, 32, 1, &many);
    client_sync(w);
    CHECK(desk_workspaces(d, &all, &err));
    CHECK_EQ(all.count, DESK_WORKSPACES_MAX);
    xcb_destroy_window(w->c, a);
    client_sync(w);
    desk_close(d);
}

static bool region_changed(desk *d, int place)
{
    CHECK(desk_pump(d, &err));
    return desk_regions_changed(&d->regions, place) > 0;
}

static void draw(client *w, xcb_window_t window, int16_t x, int16_t y, uint16_t side)
{
    xcb_gcontext_t gc = xcb_generate_id(w->c);
    xcb_rectangle_t r = {x, y, side, side};
    xcb_create_gc(w->c, gc, window, XCB_GC_FOREGROUND, &w->screen->black_pixel);
    xcb_poly_fill_rectangle(w->c, window, gc, 1, &r);
    xcb_free_gc(w->c, gc);
    client_sync(w);
}

/* Without a manager the window is where it was put: 50, 40. */
static void test_regions(client *w)
{
    desk *d = open_desk();
    xcb_window_t window = new_window(w, "painted", 50);
    CHECK(desk_watch_start(d, &err));
    int inside = desk_regions_add(&d->regions, (image_rect){60, 50, 30, 30});
    int outside = desk_regions_add(&d->regions, (image_rect){150, 50, 30, 30});
    draw(w, window, 30, 30, 40); /* 80..119, 70..109: touches the first by a corner */
    CHECK(UNTIL(region_changed(d, inside)));
    CHECK(!region_changed(d, outside));
    draw(w, window, 105, 15, 3); /* of a caret's size */
    nap(0.05);
    CHECK(!region_changed(d, outside));
    draw(w, window, 90, 0, 100);
    CHECK(UNTIL(region_changed(d, outside)));
    desk_watch_stop(d);
    xcb_destroy_window(w->c, window);
    client_sync(w);
    desk_close(d);
}

/* Told when somebody takes the selection, also the same one again. */
static void test_clipboard_changes(client *w)
{
    desk *d = open_desk();
    uint64_t before = 0, number = 0;
    xcb_window_t window = new_window(w, "owner", 50);
    CHECK(desk_clipboard_changes(d, &before, &err));
    for (int i = 0; i < 3; i++) {
        xcb_set_selection_owner(w->c, window, atom(w, i < 2 ? "CLIPBOARD" : "PRIMARY"),
                                XCB_CURRENT_TIME);
        client_sync(w);
        CHECK(desk_pump(d, &err));
        if (i < 2) {
            CHECK(UNTIL(desk_pump(d, &err) && desk_clipboard_changes(d, &number, &err) &&
                        number == before + 1 + (uint64_t) i));
        }
    }
    nap(0.05);
    CHECK(desk_pump(d, &err) && desk_clipboard_changes(d, &number, &err));
    CHECK_EQ(number, before + 2); /* PRIMARY is not the clipboard */
    xcb_destroy_window(w->c, window);
    client_sync(w);
    desk_close(d);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!installed("Xvfb") || !installed("openbox")) {
        return 0;
    }
    pid_t server = start_server();
    if (!CHECK(server > 0) || !CHECK(mkdtemp(folder) != NULL)) {
        return check_done();
    }
    client w = {.c = xcb_connect(display, NULL)};
    w.screen = xcb_setup_roots_iterator(xcb_get_setup(w.c)).data;
    test_heard(&w, false);
    test_order(&w);
    test_no_workspaces(&w);
    test_regions(&w);
    test_clipboard_changes(&w);
    pid_t manager = start_manager();
    test_heard(&w, true);
    test_order(&w);
    test_workspaces(&w);
    xcb_disconnect(w.c);
    stop(manager);
    stop(server);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
    return check_done();
}
