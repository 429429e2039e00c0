/* Input of the Windows backend, judged by the messages and the text that a window got. */
#include "test_win32_window.h"

#include "desk/desk.h"
#include "desk/win32/win32_internal.h"

#include <stdlib.h>

static desk *d;
static test_window raw = {.place = {0, 0, 0, 0}, .style = WS_POPUP};
static test_window edit = {
    .with_edit = true, .place = {200, 150, 900, 500}, .style = WS_OVERLAPPEDWINDOW};

/* --- keys ------------------------------------------------------------------------------------ */

static bool key(desk_key k, bool down)
{
    base_error err = {0};
    bool ok = desk_keyboard_key(d, k, down, &err);
    if (!ok) {
        printf("key: %s\n", err.message);
    }
    return ok;
}

static void combo(const char *text)
{
    desk_combo c;
    if (!CHECK(desk_combo_parse(text, &c, NULL))) {
        return;
    }
    for (size_t i = 0; i < c.count; i++) {
        CHECK(key(c.keys[i], true));
    }
    for (size_t i = c.count; i > 0; i--) {
        CHECK(key(c.keys[i - 1], false));
    }
}

/* The key message of that virtual key, down or up, alt held or not. */
static bool find_key(WPARAM vk, bool down, test_message *out)
{
    bool found = false;
    EnterCriticalSection(&raw.lock);
    for (size_t i = 0; i < raw.count && !found; i++) {
        UINT m = raw.log[i].message;
        bool fits =
            down ? m == WM_KEYDOWN || m == WM_SYSKEYDOWN : m == WM_KEYUP || m == WM_SYSKEYUP;
        found = fits && raw.log[i].w == vk;
        *out = found ? raw.log[i] : *out;
    }
    LeaveCriticalSection(&raw.lock);
    return found;
}

static void test_named_keys(void)
{
    static const struct {
        const char *name;
        WPARAM vk; /* as messages have it: both shift keys are VK_SHIFT */
        bool extended;
        unsigned scan;
    } keys[] = {
        {"enter", VK_RETURN, false, 0x1c},
        {"numpad_enter", VK_RETURN, true, 0x1c},
        {"left", VK_LEFT, true, 0x4b},
        {"right", VK_RIGHT, true, 0x4d},
        {"up", VK_UP, true, 0x48},
        {"down", VK_DOWN, true, 0x50},
        {"home", VK_HOME, true, 0x47},
        {"end", VK_END, true, 0x4f},
        {"page_up", VK_PRIOR, true, 0x49},
        {"page_down", VK_NEXT, true, 0x51},
        {"insert", VK_INSERT, true, 0x52},
        {"delete", VK_DELETE, true, 0x53},
        {"backspace", VK_BACK, false, 0x0e},
        {"tab", VK_TAB, false, 0x0f},
        {"escape", VK_ESCAPE, false, 0x01},
        {"space", VK_SPACE, false, 0x39},
        {"f1", VK_F1, false, 0x3b},
        {"f5", VK_F5, false, 0x3f},
        {"f12", VK_F12, false, 0x58},
        {"ctrl", VK_CONTROL, false, 0x1d},
        {"right_ctrl", VK_CONTROL, true, 0x1d},
        {"shift", VK_SHIFT, false, 0x2a},
        {"right_shift", VK_SHIFT, false, 0x36},
        {"alt", VK_MENU, false, 0x38},
        {"alt_gr", VK_MENU, true, 0x38},
        {"numpad_divide", VK_DIVIDE, true, 0x35},
        {"numpad_add", VK_ADD, false, 0x4e},
        {"a", 'A', false, 0x1e},
        {"7", '7', false, 0x08},
        {"menu", VK_APPS, true, 0x5d},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        test_message down = {0}, up = {0};
        test_window_clear(&raw);
        combo(keys[i].name);
        if (!WAIT_FOR(find_key(keys[i].vk, false, &up)) ||
            !CHECK(find_key(keys[i].vk, true, &down)) ||
            !CHECK_EQ(down.l >> 24 & 1, keys[i].extended) ||
            !CHECK_EQ(down.l >> 16 & 0xff, keys[i].scan) ||
            !CHECK_EQ(up.l >> 24 & 1, keys[i].extended)) {
            printf("    at the key %s\n", keys[i].name);
        }
    }
}

static void test_combo(void)
{
    test_message m = {0};
    test_window_clear(&raw);
    combo("ctrl+shift+s");
    WAIT_FOR(find_key(VK_CONTROL, false, &m));
    CHECK(find_key('S', true, &m));
    CHECK_EQ(GetAsyncKeyState(VK_CONTROL) & 0x8000, 0);
    CHECK_EQ(GetAsyncKeyState(VK_SHIFT) & 0x8000, 0);
    test_window_clear(&raw);
    combo("alt+f");
    WAIT_FOR(find_key(VK_MENU, false, &m));
    CHECK(find_key('F', true, &m));
    CHECK_EQ(m.message, WM_SYSKEYDOWN);
    CHECK_EQ(m.l >> 29 & 1, 1);
}

/* --- text ------------------------------------------------------------------------------------ */

static void text_of_edit(char *out, size_t size)
{
    static wchar_t wide[8192];
    SendMessageW(edit.edit, WM_GETTEXT, sizeof wide / sizeof wide[0], (LPARAM) wide);
    char *text = win32_utf8(wide, -1);
    snprintf(out, size, "%s", text ? text : "");
    free(text);
}

static bool edit_has(const char *wanted)
{
    static char text[20000];
    text_of_edit(text, sizeof text);
    return strcmp(text, wanted) == 0;
}

static void check_edit(const char *wanted)
{
    static char text[20000];
    if (!WAIT_FOR(edit_has(wanted))) {
        text_of_edit(text, sizeof text);
        CHECK_STR(text, wanted);
    }
}

static void clear_edit(void)
{
    SetWindowTextW(edit.edit, L"");
}

/* Types it all; returns how often the application was to be given time. */
static int type(const char *text)
{
    base_error err = {0};
    size_t length = strlen(text);
    int pauses = 0;
    for (size_t at = 0; at < length;) {
        desk_text_step step;
        if (!CHECK(desk_type_text(d, text + at, length - at, &step, &err)) ||
            !CHECK(step.consumed > 0)) {
            printf("    %s\n", err.message);
            return -1;
        }
        at += step.consumed;
        pauses += step.remapped;
    }
    CHECK(desk_type_end(d, &err));
    return pauses;
}

static bool is_on(int vk)
{
    MSG message;
    PeekMessageW(&message, NULL, 0, 0, PM_NOREMOVE); /* brings GetKeyState up to date */
    return (GetKeyState(vk) & 1) != 0;
}

/* Presses a lock key until it is as wanted: a busy Wine sometimes tells its state of before. */
static void toggle(desk_key k, int vk, bool on)
{
    for (int attempt = 0; attempt < 5 && is_on(vk) != on; attempt++) {
        CHECK(key(k, true) && key(k, false));
        for (int i = 0; i < 100 && is_on(vk) != on; i++) {
            Sleep(2);
        }
    }
    if (!WAIT_FOR(is_on(vk) == on)) {
        printf("    the key %d is not %s\n", vk, on ? "on" : "off");
    }
}

#define HELLO "h\xc3\xa9llo \xe2\x80\x94 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80 \xf0\x9d\x84\x9e"

static void test_text(void)
{
    clear_edit();
    CHECK_EQ(type(HELLO "\n\tend"), 0);
    check_edit(HELLO "\r\n\tend");
    clear_edit();
    type("a\r\nb\rc");
    check_edit("a\r\nb\r\nc");
    static char many[2001];
    for (int i = 0; i < 2000; i++) {
        many[i] = (char) ('!' + i % 90);
    }
    clear_edit();
    CHECK_EQ(type(many), 1);
    check_edit(many);
    clear_edit();
    toggle(DESK_KEY_CAPS_LOCK, VK_CAPITAL, true);
    type("Caps \xc3\xa4");
    check_edit("Caps \xc3\xa4");
    toggle(DESK_KEY_CAPS_LOCK, VK_CAPITAL, false);
}

static void refused(const char *text, size_t length, base_code code)
{
    desk_text_step step;
    base_error err = {0};
    CHECK(!desk_type_text(d, text, length, &step, &err));
    CHECK_EQ(err.code, code);
}

static void test_text_refused(void)
{
    clear_edit();
    refused("good\xff", 5, BASE_INVALID);
    refused("good\x1b", 5, BASE_INVALID);
    refused("go\0od", 5, BASE_INVALID);
    refused("good\x7f", 5, BASE_INVALID);
    CHECK(key(DESK_KEY_SHIFT, true));
    WAIT_FOR(GetAsyncKeyState(VK_SHIFT) & 0x8000);
    refused("good", 4, BASE_REFUSED);
    CHECK(key(DESK_KEY_SHIFT, false));
    WAIT_FOR(!(GetAsyncKeyState(VK_SHIFT) & 0x8000));
    type("after");
    check_edit("after");
}

static void test_keys_in_edit(void)
{
    clear_edit();
    combo("a");
    combo("+"); /* shifted on this layout */
    combo("?");
    combo("\xe6\x97\xa5"); /* on no key */
    combo("\xf0\x9f\x98\x80");
    check_edit("a+?\xe6\x97\xa5\xf0\x9f\x98\x80");
    combo("ctrl+home");
    combo("ctrl+shift+end");
    combo("x");
    check_edit("x");
    base_error err = {0};
    CHECK(key(DESK_KEY_CTRL, true));
    CHECK(!desk_keyboard_key(d, 0x65e5, true, &err));
    CHECK_EQ(err.code, BASE_UNSUPPORTED);
    CHECK(key(DESK_KEY_CTRL, false));
}

static void test_numpad(void)
{
    desk *other = d;
    for (int on = 0; on < 2; on++) {
        toggle(DESK_KEY_NUM_LOCK, VK_NUMLOCK, on);
        clear_edit();
        CHECK(desk_open(&d, NULL, &(desk_options){0}, NULL));
        for (desk_key k = DESK_KEY_NUMPAD_0; k <= DESK_KEY_NUMPAD_9; k++) {
            CHECK(key(k, true) && key(k, false));
        }
        combo("numpad_add");
        combo("numpad_equal");
        check_edit("0123456789+=");
        desk_close(d);
        d = other;
        WAIT_FOR(is_on(VK_NUMLOCK) == on);
    }
}

/* --- the pointer ----------------------------------------------------------------------------- */

static bool is_at(int x, int y)
{
    POINT at = {-1, -1};
    return GetCursorPos(&at) && at.x == x && at.y == y;
}

static void check_at(int x, int y)
{
    base_error err = {0};
    int got_x = -1, got_y = -1;
    if (!CHECK(desk_pointer_move(d, x, y, &err)) ||
        !CHECK(desk_pointer_get(d, &got_x, &got_y, &err))) {
        printf("    %s\n", err.message);
    }
    CHECK_EQ(got_x, x);
    CHECK_EQ(got_y, y);
    WAIT_FOR(is_at(x, y));
}

static void test_moves(image_rect s)
{
    base_error err = {0};
    test_message m = {0};
    check_at(s.x + 500, s.y + 400);
    test_window_clear(&raw);
    check_at(s.x + 510, s.y + 410); /* hovering: the window hears of it */
    WAIT_FOR(test_window_find(&raw, WM_MOUSEMOVE, &m));
    check_at(s.x, s.y);
    check_at(s.x + s.width - 1, s.y + s.height - 1);
    CHECK(!desk_pointer_move(d, s.x + s.width, s.y, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_pointer_move(d, s.x - 1, s.y, &err));
    CHECK_EQ(err.code, BASE_INVALID);
}

/* The position that the click's message carries, not the one we asked for. */
static void test_clicks(image_rect s)
{
    int wrong = 0;
    srand(7);
    for (int i = 0; i < 200; i++) {
        int x = s.x + rand() % s.width, y = s.y + rand() % s.height;
        test_message down = {0}, up = {0};
        test_window_clear(&raw);
        if (!CHECK(desk_pointer_move(d, x, y, NULL)) ||
            !CHECK(desk_pointer_button(d, DESK_LEFT, true, NULL)) ||
            !CHECK(desk_pointer_button(d, DESK_LEFT, false, NULL)) ||
            !WAIT_FOR(test_window_find(&raw, WM_LBUTTONUP, &up))) {
            return;
        }
        test_window_find(&raw, WM_LBUTTONDOWN, &down);
        if (down.at.x != x || down.at.y != y || up.at.x != x || up.at.y != y) {
            printf("    %d,%d was clicked at %ld,%ld\n", x, y, down.at.x, down.at.y);
            wrong++;
        }
    }
    CHECK_EQ(wrong, 0);
}

static void check_button(desk_button button, UINT down, UINT up, WORD data)
{
    test_message m = {0};
    test_window_clear(&raw);
    CHECK(desk_pointer_button(d, button, true, NULL));
    WAIT_FOR(test_window_find(&raw, down, &m));
    CHECK_EQ(HIWORD(m.w), data);
    CHECK(desk_pointer_button(d, button, false, NULL));
    WAIT_FOR(test_window_find(&raw, up, &m));
    CHECK_EQ(HIWORD(m.w), data);
}

static void test_buttons(void)
{
    base_error err = {0};
    check_button(DESK_LEFT, WM_LBUTTONDOWN, WM_LBUTTONUP, 0);
    check_button(DESK_MIDDLE, WM_MBUTTONDOWN, WM_MBUTTONUP, 0);
    check_button(DESK_RIGHT, WM_RBUTTONDOWN, WM_RBUTTONUP, 0);
    check_button(DESK_BACK, WM_XBUTTONDOWN, WM_XBUTTONUP, XBUTTON1);
    check_button(DESK_FORWARD, WM_XBUTTONDOWN, WM_XBUTTONUP, XBUTTON2);
    CHECK(!desk_pointer_button(d, 0, true, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!desk_pointer_button(d, 6, true, &err));
    CHECK_EQ(err.code, BASE_INVALID);
}

static int turned(UINT message)
{
    int sum = 0;
    EnterCriticalSection(&raw.lock);
    for (size_t i = 0; i < raw.count; i++) {
        sum += raw.log[i].message == message ? GET_WHEEL_DELTA_WPARAM(raw.log[i].w) : 0;
    }
    LeaveCriticalSection(&raw.lock);
    return sum;
}

static void test_wheels(void)
{
    base_error err = {0};
    test_window_clear(&raw);
    CHECK(desk_pointer_wheel(d, 0, 3 * DESK_NOTCH, NULL));
    WAIT_FOR(turned(WM_MOUSEWHEEL) == -3 * WHEEL_DELTA);
    CHECK(desk_pointer_wheel(d, 0, -5 * DESK_NOTCH, NULL));
    WAIT_FOR(turned(WM_MOUSEWHEEL) == 2 * WHEEL_DELTA);
    CHECK(desk_pointer_wheel(d, 2 * DESK_NOTCH, 0, NULL));
    WAIT_FOR(turned(WM_MOUSEHWHEEL) == 2 * WHEEL_DELTA);
    CHECK(desk_pointer_wheel(d, -3 * DESK_NOTCH, 0, NULL));
    WAIT_FOR(turned(WM_MOUSEHWHEEL) == -WHEEL_DELTA);
    CHECK(desk_pointer_wheel(d, 0, -DESK_NOTCH - 30, NULL)); /* parts of a notch too */
    WAIT_FOR(turned(WM_MOUSEWHEEL) == 3 * WHEEL_DELTA + 30);
    CHECK(!desk_pointer_wheel(d, 0, 100000 * DESK_NOTCH, &err));
    CHECK_EQ(err.code, BASE_INVALID);
}

/* Whatever is held when a desk closes is let go. */
static void test_close(void)
{
    test_message m = {0};
    test_window_clear(&raw);
    CHECK(key(DESK_KEY_CTRL, true) && key('k', true));
    CHECK(desk_pointer_button(d, DESK_RIGHT, true, NULL));
    WAIT_FOR(test_window_find(&raw, WM_RBUTTONDOWN, &m));
    desk_close(d);
    WAIT_FOR(test_window_find(&raw, WM_RBUTTONUP, &m));
    WAIT_FOR(find_key('K', false, &m));
    WAIT_FOR(find_key(VK_CONTROL, false, &m));
    WAIT_FOR(!(GetAsyncKeyState(VK_CONTROL) & 0x8000));
}

static void with_edit(void)
{
    if (test_window_open(&edit)) {
        test_text();
        test_text_refused();
        test_keys_in_edit();
        test_numpad();
    }
    test_window_close(&edit);
}

static void with_messages(void)
{
    image_rect s;
    CHECK(desk_screen_rect(d, &s, NULL));
    raw.place = (RECT){s.x, s.y, s.x + s.width, s.y + s.height};
    if (test_window_open(&raw)) {
        test_named_keys();
        test_combo();
        test_moves(s);
        test_clicks(s);
        test_buttons();
        test_wheels();
        test_close();
    }
    test_window_close(&raw);
}

int main(void)
{
    base_error err = {0};
    if (!CHECK(desk_open(&d, NULL, NULL, &err))) {
        printf("    %s\n", err.message);
        return check_done();
    }
    with_edit();
    with_messages();
    return check_done();
}
