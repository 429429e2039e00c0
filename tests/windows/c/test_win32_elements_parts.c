/*
 * The parts of the element reader that need no second process: handles, texts, places, and the menu
 * of a window of this program.
 */
#include "check.h"
#include "desk/win32/elements/win32_elements_internal.h"

#include <stdlib.h>
#include <uv.h>

static const char *const good_handles[] = {
    "app:1", "hwnd:1a2b:77", "item:ff:4294967295:0", "menu:1:2:3", "uia:1:2:42.-7.2147483647",
};
static const char *const bad_handles[] = {
    "",
    "hwnd",
    "hwnd:",
    "hwnd:0x12:1",
    "hwnd:12:",
    "hwnd:12:1:",
    "hwnd: 1:2",
    "item:1:2",
    "item:1:2:-3",
    "uia:1:2",
    "uia:1:2:",
    "uia:1:2:3.",
    "uia:1:2:a",
    "hwnd:-1:4",
    "hwnd:1:2:3",
    "app:x",
    ":1.2/a/b/c",
    "menu:1:2:3x",
    "hwnd:1:99999999999999999999",
    "hwnd:012:1",
    "uia:1:2:99999999999",
    "hwnd:11111111111111111:1",
    "UIA:1:2:3",
    "uia:1:2:3 ",
};

static void test_handles(void)
{
    win32_handle h;
    char again[WIN32_HANDLE_ROOM], longest[1024] = "uia:1:2:1";
    base_error err;
    for (size_t i = 0; i < sizeof good_handles / sizeof good_handles[0]; i++) {
        CHECK(win32_handle_read(&h, good_handles[i], &err));
        win32_handle_write(&h, again);
        CHECK_STR(again, good_handles[i]);
    }
    for (size_t i = 0; i < sizeof bad_handles / sizeof bad_handles[0]; i++) {
        bool ok = win32_handle_read(&h, bad_handles[i], &err);
        if (!CHECK(!ok && err.code == BASE_INVALID)) {
            printf("    of \"%s\"\n", bad_handles[i]);
        }
    }
    for (int i = 1; i < WIN32_MAX_ID; i++) {
        strcat(longest, ".-2147483648");
    }
    CHECK(win32_handle_read(&h, longest, &err));
    strcat(longest, ".1");
    CHECK(!win32_handle_read(&h, longest, &err));
}

static win32_reading reading;
static desk_element_list list;
static desk_elements_query query;

static void start_reading(void)
{
    query =
        (desk_elements_query){.deadline = uv_hrtime() + (uint64_t) 60000000000, .max_nodes = 100};
    list = (desk_element_list){0};
    CHECK(win32_reading_open(&reading, &query, &list));
    CHECK_EQ(win32_app_add(&reading, GetCurrentProcessId()), 0);
}

static void end_reading(void)
{
    win32_reading_close(&reading);
    desk_element_list_free(&list);
}

static const char *caption(const wchar_t *text)
{
    return win32_reading_caption(&reading, text, wcslen(text));
}

static const char *text_of(const wchar_t *text)
{
    return win32_reading_text(&reading, text, wcslen(text));
}

static void test_texts(void)
{
    start_reading();
    CHECK_STR(list.apps[0].name, "test_win32_elements_parts");
    CHECK_STR(caption(L"&Save && go"), "Save & go");
    CHECK_STR(caption(L"&Open...\tCtrl+O"), "Open...");
    CHECK_STR(caption(L"at the end &"), "at the end &");
    CHECK_STR(caption(L""), "");
    CHECK_STR(text_of(L"a\r\nb\tc\x202e\x0007"), "a\nb\tc");
    CHECK_STR(text_of(L"\n\n\t"), "\n\n\t");
    CHECK_STR(text_of(L"\xd83d\xde00\xd83d"), "\xf0\x9f\x98\x80\xef\xbf\xbd");
    static wchar_t huge[DESK_ELEMENTS_MAX_TEXT + 10];
    for (int i = 0; i < DESK_ELEMENTS_MAX_TEXT + 9; i++) {
        huge[i] = i % 2 ? 0xd83d : 0xde00; /* pairs, but for the first */
    }
    CHECK(strlen(text_of(huge)) <= DESK_ELEMENTS_MAX_TEXT * 3);
    CHECK(strlen(caption(huge)) < DESK_ELEMENTS_MAX_NAME);
    end_reading();
}

static void test_places(void)
{
    static const struct {
        RECT rect;
        bool good;
    } places[] = {
        {{10, 20, 30, 40}, true},
        {{-500, -20, -400, 10}, true},
        {{10, 20, 10, 40}, false},
        {{30, 20, 10, 40}, false},
        {{LONG_MIN, LONG_MIN, LONG_MAX, LONG_MAX}, false},
        {{LONG_MAX - 1, 0, LONG_MAX, 1}, false},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        desk_element e = {0};
        win32_element_place(&e, places[i].rect);
        CHECK_EQ(e.has_rect, places[i].good);
    }
}

static HWND make_window(void)
{
    HMENU bar = CreateMenu(), file = CreatePopupMenu();
    AppendMenuW(file, MF_STRING, 7, L"&Open...\tCtrl+O");
    AppendMenuW(bar, MF_POPUP, (UINT_PTR) file, L"&File");
    AppendMenuW(bar, MF_STRING, 8, L"&Help");
    AppendMenuW(bar, MF_STRING | MF_GRAYED | MF_CHECKED, 9, L"Off");
    return CreateWindowExW(0, L"Static", L"", WS_OVERLAPPEDWINDOW | WS_VISIBLE, 40, 40, 300, 200,
                           NULL, bar, NULL, NULL);
}

static base_code act(HWND window, int index)
{
    base_error err = {0};
    win32_handle h = {
        .kind = WIN32_HANDLE_MENU, .window = window, .pid = GetCurrentProcessId(), .index = index};
    return win32_control_act(&h, NULL, 0, uv_hrtime() + 1000000000, &err) ? BASE_OK : err.code;
}

static void test_menu(void)
{
    HWND window = make_window();
    MSG message;
    RECT rect;
    start_reading();
    win32_menu_bar_read(&reading, window, GetCurrentProcessId(), 0);
    if (CHECK_EQ(list.count, 5)) {
        const desk_element *e = list.items;
        CHECK_STR(e[1].role, "menu bar");
        CHECK_STR(e[2].role, "menu");
        CHECK_STR(e[2].name, "File");
        CHECK_STR(e[3].role, "menu item");
        CHECK_STR(e[3].name, "Help");
        CHECK_EQ(e[3].actions, 1);
        CHECK_EQ(e[3].parent, 1);
        CHECK_STR(e[4].role, "check menu item");
        CHECK(!(e[4].states & WIN32_STATE(ENABLED)));
        CHECK(e[4].states & WIN32_STATE(CHECKED));
        CHECK(GetMenuItemRect(window, GetMenu(window), 1, &rect));
        CHECK_EQ(e[3].rect.x, rect.left);
        CHECK_EQ(e[3].rect.width, rect.right - rect.left);
    }
    end_reading();
    while (PeekMessageW(&message, window, 0, 0, PM_REMOVE)) {
        DispatchMessageW(&message);
    }
    CHECK_EQ(act(window, 0), BASE_REFUSED);
    CHECK_EQ(act(window, 2), BASE_REFUSED);
    CHECK_EQ(act(window, 5), BASE_NOT_FOUND);
    CHECK(!PeekMessageW(&message, window, WM_COMMAND, WM_COMMAND, PM_REMOVE));
    CHECK_EQ(act(window, 1), BASE_OK);
    CHECK(PeekMessageW(&message, window, WM_COMMAND, WM_COMMAND, PM_REMOVE));
    CHECK_EQ(LOWORD(message.wParam), 8);
    DestroyWindow(window);
}

int main(void)
{
    test_handles();
    test_texts();
    test_places();
    test_menu();
    return check_done();
}
