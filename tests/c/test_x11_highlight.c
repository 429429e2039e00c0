/*
 * The frame that shows people a place, against a real server (its own Xvfb), judged by a second
 * connection: what is on the screen, in which window the pointer is, and who gets a click.
 */
#include "xserver.h"

#include <xcb/xcb.h>

enum { X = 200, Y = 100, SIDE = 300, COLOUR = 0x4080c0, FRAME = 0xff2d95 };

static xcb_connection_t *c;
static xcb_screen_t *screen;
static xcb_window_t window;

static void sync_witness(void)
{
    free(xcb_get_input_focus_reply(c, xcb_get_input_focus(c), NULL));
}

static void open_witness(void)
{
    c = xcb_connect(display, NULL);
    screen = xcb_setup_roots_iterator(xcb_get_setup(c)).data;
    window = xcb_generate_id(c);
    uint32_t values[] = {COLOUR, XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_LEAVE_WINDOW};
    xcb_create_window(c, XCB_COPY_FROM_PARENT, window, screen->root, X, Y, SIDE, SIDE, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
                      XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values);
    xcb_map_window(c, window);
    sync_witness();
}

static uint32_t pixel(int x, int y)
{
    uint32_t value = 0;
    xcb_get_image_reply_t *reply =
        xcb_get_image_reply(c,
                            xcb_get_image(c, XCB_IMAGE_FORMAT_Z_PIXMAP, screen->root, (int16_t) x,
                                          (int16_t) y, 1, 1, ~0u),
                            NULL);
    if (CHECK(reply != NULL)) {
        memcpy(&value, xcb_get_image_data(reply), 4);
    }
    free(reply);
    return value & 0xffffff;
}

static xcb_window_t window_at_pointer(void)
{
    xcb_query_pointer_reply_t *reply =
        xcb_query_pointer_reply(c, xcb_query_pointer(c, screen->root), NULL);
    xcb_window_t child = reply ? reply->child : 0;
    free(reply);
    return child;
}

static int children_of_root(void)
{
    xcb_query_tree_reply_t *tree = xcb_query_tree_reply(c, xcb_query_tree(c, screen->root), NULL);
    int count = tree ? xcb_query_tree_children_length(tree) : -1;
    free(tree);
    return count;
}

/* How many events of that type have come to the window. */
static int events(uint8_t wanted)
{
    int count = 0;
    sync_witness();
    for (xcb_generic_event_t *e; (e = xcb_poll_for_event(c)); free(e)) {
        count += (e->response_type & 0x7f) == wanted;
    }
    return count;
}

static void check_sides(image_rect r)
{
    int right = r.x + r.width - 1, bottom = r.y + r.height - 1, middle = r.x + r.width / 2;
    int width = DESK_HIGHLIGHT_WIDTH;
    CHECK_EQ(pixel(r.x, r.y), FRAME);
    CHECK_EQ(pixel(right, bottom), FRAME);
    CHECK_EQ(pixel(middle, r.y + width - 1), FRAME);
    CHECK_EQ(pixel(middle, bottom - width + 1), FRAME);
    CHECK_EQ(pixel(r.x + width - 1, r.y + r.height / 2), FRAME);
    CHECK_EQ(pixel(right - width + 1, r.y + r.height / 2), FRAME);
    CHECK(pixel(r.x + width, r.y + width) != FRAME);
    CHECK(pixel(right - width, bottom - width) != FRAME);
}

static void test_frame(desk *d)
{
    image_rect inside = {X + 20, Y + 30, 100, 50}, corner = {0, 0, 1920, 1080};
    int before = children_of_root();
    CHECK(desk_highlight(d, NULL, &err)); /* where there is none */
    CHECK(desk_highlight(d, &inside, &err));
    check_sides(inside);
    CHECK_EQ(pixel(X + 70, Y + 55), COLOUR);
    CHECK(desk_highlight(d, &corner, &err)); /* moved */
    check_sides(corner);
    CHECK_EQ(pixel(inside.x, inside.y), COLOUR);
    CHECK_EQ(children_of_root(), before + 1);
    CHECK(desk_highlight(d, &(image_rect){X, Y, 4, 2}, &err)); /* all of it */
    CHECK_EQ(pixel(X + 3, Y + 1), FRAME);
    CHECK_EQ(pixel(X + 4, Y + 1), COLOUR);
    CHECK(desk_highlight(d, NULL, &err));
    CHECK_EQ(children_of_root(), before);
    CHECK_EQ(pixel(X + 3, Y + 1), COLOUR);
    CHECK(!desk_highlight(d, &(image_rect){1900, 0, 21, 9}, &err));
    CHECK_EQ(err.code, BASE_INVALID);
}

/* For whoever looks below the pointer, and for whoever gets the click, it is not there. */
static void test_not_in_the_way(desk *d)
{
    image_rect frame = {X + 20, Y + 30, 100, 50};
    desk_window_list list;
    CHECK(desk_highlight(d, &frame, &err));
    CHECK(desk_pointer_move(d, X + 40, Y + 31, &err));
    CHECK_EQ(pixel(X + 40, Y + 31), FRAME);
    CHECK_EQ(window_at_pointer(), window);
    events(0);
    CHECK(desk_pointer_button(d, DESK_LEFT, true, &err));
    CHECK(desk_pointer_button(d, DESK_LEFT, false, &err));
    CHECK_EQ(events(XCB_BUTTON_PRESS), 1);
    CHECK(desk_windows(d, &list, &err));
    CHECK_EQ(list.count, 1);
    CHECK_EQ(list.items[0].id, window);
    desk_window_list_free(&list);
    CHECK(desk_highlight(d, &(image_rect){X, Y, SIDE, SIDE}, &err)); /* moved to elsewhere */
    CHECK(desk_highlight(d, NULL, &err));
    CHECK_EQ(events(XCB_LEAVE_NOTIFY), 0);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!installed("Xvfb")) {
        return 0;
    }
    pid_t server = start_server();
    if (!CHECK(server > 0)) {
        return check_done();
    }
    open_witness();
    desk *d = open_desk();
    test_frame(d);
    test_not_in_the_way(d);
    CHECK(desk_highlight(d, &(image_rect){5, 5, 50, 50}, &err));
    CHECK_EQ(pixel(5, 5), FRAME);
    desk_close(d);
    CHECK(UNTIL(pixel(5, 5) != FRAME)); /* it goes with the connection */
    stop(server);
    return check_done();
}
