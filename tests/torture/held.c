/* held: says which keys and buttons are down on the X display; nothing where none is. Status 2
 * where the display cannot be asked. */
#include <stdio.h>
#include <stdlib.h>
#include <xcb/xcb.h>

int main(void)
{
    xcb_connection_t *x = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(x)) {
        fputs("held: the display cannot be opened\n", stderr);
        return 2;
    }
    xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(x)).data->root;
    xcb_query_keymap_reply_t *keys = xcb_query_keymap_reply(x, xcb_query_keymap_unchecked(x), NULL);
    xcb_query_pointer_reply_t *pointer =
        xcb_query_pointer_reply(x, xcb_query_pointer_unchecked(x, root), NULL);
    if (!keys || !pointer) {
        fputs("held: the display does not answer\n", stderr);
        return 2;
    }
    for (int key = 0; key < 256; key++) {
        if (keys->keys[key / 8] >> (key % 8) & 1) {
            printf("key %d\n", key);
        }
    }
    for (int button = 1; button <= 5; button++) {
        if (pointer->mask >> (7 + button) & 1) {
            printf("button %d\n", button);
        }
    }
    free(keys);
    free(pointer);
    xcb_disconnect(x);
    return 0;
}
