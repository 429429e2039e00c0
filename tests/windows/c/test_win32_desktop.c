/* A desk on another Windows desktop than the user's: it knows the windows there, as the system's
 * own list has them, refuses all that would reach the user's desktop, and leaves this thread where
 * it is. */
#include "check.h"

#include "desk/desk.h"
#include "desk/win32/win32_internal.h"

#define NAME L"d\u00e9sk test"
#define NAME_UTF8 "d\xc3\xa9sk test"

enum { LIMIT = 30000 /* milliseconds */ };

static HDESK made;
static desk *d;

static void check_desktop(const char *wanted)
{
    char name[64] = "";
    GetUserObjectInformationA(GetThreadDesktop(GetCurrentThreadId()), UOI_NAME, name, sizeof name,
                              NULL);
    CHECK_STR(name, wanted);
}

/* --- a window on that desktop ---------------------------------------------------------------- */

static struct {
    HWND window;
    HANDLE ready, thread;
} there;

static DWORD WINAPI window_thread(void *context)
{
    MSG message;
    HDESK own = GetThreadDesktop(GetCurrentThreadId());
    (void) context;
    SetThreadDesktop(made);
    there.window = CreateWindowExW(0, L"STATIC", L"there", WS_OVERLAPPEDWINDOW, 30, 40, 300, 200,
                                   NULL, NULL, GetModuleHandleW(NULL), NULL);
    ShowWindow(there.window, SW_SHOW);
    SetEvent(there.ready);
    while (IsWindow(there.window) && GetMessageW(&message, NULL, 0, 0) > 0) {
        DispatchMessageW(&message);
    }
    SetThreadDesktop(own);
    return 0;
}

static void open_window(void)
{
    there.ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    there.thread = CreateThread(NULL, 0, window_thread, NULL, 0, NULL);
    CHECK_EQ(WaitForSingleObject(there.ready, LIMIT), WAIT_OBJECT_0);
}

static BOOL CALLBACK look_for(HWND window, LPARAM found)
{
    *(bool *) found |= window == there.window;
    return TRUE;
}

static bool is_listed(HDESK desktop)
{
    bool found = false;
    EnumDesktopWindows(desktop, look_for, (LPARAM) &found);
    return found;
}

/* --- the desk -------------------------------------------------------------------------------- */

static void test_windows(void)
{
    desk_window_list list;
    base_error err = {0};
    CHECK(is_listed(made));
    CHECK(!is_listed(GetThreadDesktop(GetCurrentThreadId())));
    if (!CHECK(desk_windows(d, &list, &err))) {
        printf("    %s\n", err.message);
        return;
    }
    if (CHECK_EQ(list.count, 1)) {
        CHECK_EQ(list.items[0].id, (uintptr_t) there.window);
        CHECK_STR(list.items[0].title, "there");
        CHECK_EQ(list.items[0].rect.width, 300);
        CHECK(list.items[0].active);
    }
    desk_window_list_free(&list);
    CHECK(desk_window_focus(d, (uintptr_t) there.window, &err));
    CHECK(!desk_window_focus(d, 12345, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
}

static void check_unsupported(bool done, const base_error *err, const char *what)
{
    if (!CHECK(!done && err->code == BASE_UNSUPPORTED && strstr(err->message, "elements"))) {
        printf("    %s: %s\n", what, done ? "done" : err->message);
    }
}

static void test_refused(void)
{
    base_error err = {0};
    desk_text_step step;
    POINT before, after;
    char *text;
    size_t length;
    bool pending;
    int x, y;
    uint64_t number;
    DWORD sequence = GetClipboardSequenceNumber();
    GetCursorPos(&before);
    check_unsupported(desk_pointer_get(d, &x, &y, &err), &err, "pointer_get");
    check_unsupported(desk_pointer_move(d, 5, 5, &err), &err, "pointer_move");
    check_unsupported(desk_pointer_button(d, DESK_LEFT, true, &err), &err, "button");
    check_unsupported(desk_pointer_wheel(d, 0, 1, &err), &err, "wheel");
    check_unsupported(desk_keyboard_key(d, 'a', true, &err), &err, "key");
    check_unsupported(desk_type_text(d, "a", 1, &step, &err), &err, "text_step");
    check_unsupported(desk_clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err),
                      &err, "get");
    check_unsupported(desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "a", 1, &pending, &err), &err,
                      "set");
    check_unsupported(desk_clipboard_changes(d, &number, &err), &err, "changes");
    GetCursorPos(&after);
    CHECK(after.x == before.x && after.y == before.y);
    CHECK(!(GetAsyncKeyState(VK_LBUTTON) & 0x8000) && !(GetAsyncKeyState('A') & 0x8000));
    CHECK_EQ(GetClipboardSequenceNumber(), sequence);
}

int main(void)
{
    char before[64] = "";
    base_error err = {0};
    GetUserObjectInformationA(GetThreadDesktop(GetCurrentThreadId()), UOI_NAME, before,
                              sizeof before, NULL);
    made = CreateDesktopW(NAME, NULL, NULL, 0, GENERIC_ALL, NULL);
    CHECK(made != NULL);
    CHECK(!desk_open(&d, NULL, &(desk_options){.display = "no such desktop"}, &err));
    CHECK_EQ(err.code, BASE_UNAVAILABLE);
    CHECK(!desk_open(&d, NULL, &(desk_options){.display = "bad\xff"}, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    open_window();
    /* A window of this thread's ties it to its desktop, and must not stand in the way. */
    HWND tie = CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, NULL, NULL);
    if (CHECK(desk_open(&d, NULL, &(desk_options){.display = NAME_UTF8}, &err))) {
        test_windows();
        test_refused();
        check_desktop(before);
        CHECK(desk_window_close(d, (uintptr_t) there.window, &err));
        CHECK_EQ(WaitForSingleObject(there.thread, LIMIT), WAIT_OBJECT_0);
        desk_close(d);
    } else {
        printf("    %s\n", err.message);
    }
    check_desktop(before);
    DestroyWindow(tie);
    CloseHandle(there.thread);
    CloseHandle(there.ready);
    CloseDesktop(made);
    return check_done();
}
