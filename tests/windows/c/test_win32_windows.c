/* Windows and the clipboard, judged by another thread's window and by the system. Started with an
 * argument this program is another process with a window, which ends when the window is closed. */
#include "test_win32_window.h"

#include "desk/desk.h"
#include "desk/win32/win32_internal.h"

#include <stdlib.h>

static desk *d;

/* --- the list -------------------------------------------------------------------------------- */

static desk_window_list list;

/* Of the list as it is now; NULL if it is not in it. */
static const desk_window *find(HWND window)
{
    base_error err = {0};
    desk_window_list_free(&list);
    if (!CHECK(desk_windows(d, &list, &err))) {
        printf("    %s\n", err.message);
    }
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].id == (uintptr_t) window) {
            return &list.items[i];
        }
    }
    return NULL;
}

static void check_rect(image_rect r, int x, int y, int width, int height)
{
    CHECK_EQ(r.x, x);
    CHECK_EQ(r.y, y);
    CHECK_EQ(r.width, width);
    CHECK_EQ(r.height, height);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), part = strlen(end);
    return length >= part && _stricmp(text + length - part, end) == 0;
}

static void test_list(test_window *t)
{
    char path[MAX_PATH] = "";
    GetModuleFileNameA(NULL, path, sizeof path);
    const desk_window *w = find(t->window);
    if (!CHECK(w != NULL)) {
        return;
    }
    CHECK_STR(w->title, TEST_TITLE_UTF8);
    CHECK_STR(w->klass, TEST_CLASS);
    CHECK_EQ(w->pid, GetCurrentProcessId());
    CHECK(ends_with(w->executable, path));
    CHECK(w->active && w->visible && !w->minimized && !w->maximized);
    RECT r = t->place;
    check_rect(w->rect, r.left, r.top, r.right - r.left, r.bottom - r.top);
    SetWindowTextW(t->window, L"a\tb\nc\xd800"
                              L"d");
    w = find(t->window);
    CHECK(w && strchr(w->title, '\n') == NULL &&
          ends_with(w->title, "\xef\xbf\xbd"
                              "d"));
    SetWindowTextW(t->window, L"");
    w = find(t->window);
    CHECK(w && w->title[0] == '\0');
    SetWindowTextW(t->window, TEST_TITLE);
}

static void test_unlisted(test_window *t)
{
    ShowWindow(t->window, SW_HIDE);
    CHECK(!find(t->window));
    SetWindowLongPtrW(t->window, GWL_EXSTYLE, WS_EX_TOOLWINDOW);
    ShowWindow(t->window, SW_SHOW);
    WAIT_FOR(GetForegroundWindow() == t->window);
    CHECK(find(t->window)); /* it gets the keys */
    SetForegroundWindow(GetDesktopWindow());
    WAIT_FOR(GetForegroundWindow() != t->window);
    CHECK(!find(t->window));
    SetForegroundWindow(t->window);
    SetWindowLongPtrW(t->window, GWL_EXSTYLE, 0);
    CHECK(find(t->window));
}

/* --- states ---------------------------------------------------------------------------------- */

/* As one list tells it: in front of the other one, and the only one of both that is active. */
static bool is_front(HWND window, HWND other)
{
    const desk_window *w = find(window), *o = NULL;
    for (size_t i = 0; w && i < list.count; i++) {
        if (list.items[i].id == (uintptr_t) other) {
            o = &list.items[i];
        }
    }
    return o && o < w && w->active && !o->active;
}

/* Asks again where the window does not stay in front: a program that has just started may come to
 * the front by itself once more. */
static void focus(HWND window, HWND other)
{
    base_error err = {0};
    if (!WAIT_FOR(desk_window_focus(d, (uintptr_t) window, &err) &&
                  GetForegroundWindow() == window && is_front(window, other))) {
        printf("    %s\n", err.message);
    }
}

static void test_focus(HWND one, HWND other)
{
    focus(one, other);
    focus(other, one);
}

static void set_state(HWND window, desk_window_state state)
{
    base_error err = {0};
    if (!CHECK(desk_window_set_state(d, (uintptr_t) window, state, &err))) {
        printf("    %s\n", err.message);
    }
}

static void test_states(HWND window)
{
    base_error err = {0};
    const desk_window *w;
    set_state(window, DESK_WINDOW_MINIMIZED);
    WAIT_FOR(IsIconic(window));
    CHECK((w = find(window)) && w->minimized && !w->visible && w->rect.width > 50);
    set_state(window, DESK_WINDOW_NORMAL);
    WAIT_FOR(!IsIconic(window));
    set_state(window, DESK_WINDOW_MAXIMIZED);
    WAIT_FOR(IsZoomed(window));
    CHECK((w = find(window)) && w->maximized && w->visible);
    set_state(window, DESK_WINDOW_MINIMIZED);
    WAIT_FOR(IsIconic(window));
    set_state(window, DESK_WINDOW_NORMAL);
    WAIT_FOR(!IsIconic(window) && !IsZoomed(window));
    set_state(window, DESK_WINDOW_MINIMIZED);
    WAIT_FOR(IsIconic(window));
    CHECK(desk_window_focus(d, (uintptr_t) window, &err));
    WAIT_FOR(!IsIconic(window) && GetForegroundWindow() == window);
}

static bool is_placed(HWND window, image_rect r)
{
    const desk_window *w = find(window);
    return w && w->rect.x == r.x && w->rect.y == r.y && w->rect.width == r.width &&
           w->rect.height == r.height;
}

static void test_place(HWND window)
{
    base_error err = {0};
    image_rect one = {150, 120, 500, 350}, other = {30, 40, 320, 240};
    CHECK(desk_window_place(d, (uintptr_t) window, one, &err));
    WAIT_FOR(is_placed(window, one));
    RECT r;
    GetWindowRect(window, &r);
    CHECK_EQ(r.right - r.left, one.width);
    set_state(window, DESK_WINDOW_MAXIMIZED);
    WAIT_FOR(IsZoomed(window));
    CHECK(desk_window_place(d, (uintptr_t) window, other, &err));
    WAIT_FOR(!IsZoomed(window) && is_placed(window, other));
    CHECK(!desk_window_place(d, (uintptr_t) window, (image_rect){0, 0, 0, 5}, &err));
    CHECK_EQ(err.code, BASE_INVALID);
}

static void test_gone(HWND window)
{
    base_error err = {0};
    uint64_t ids[] = {0, (uintptr_t) window, UINT64_MAX};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        CHECK(!desk_window_focus(d, ids[i], &err) && err.code == BASE_NOT_FOUND);
        CHECK(!desk_window_close(d, ids[i], &err) && err.code == BASE_NOT_FOUND);
        CHECK(!desk_window_place(d, ids[i], (image_rect){0, 0, 9, 9}, &err) &&
              err.code == BASE_NOT_FOUND);
        CHECK(!desk_window_set_state(d, ids[i], DESK_WINDOW_NORMAL, &err) &&
              err.code == BASE_NOT_FOUND);
    }
    CHECK(!find(window));
}

/* A window whose program has stopped listening holds nobody up; it does later what it was told. */
static void test_hung(test_window *t)
{
    base_error err = {0};
    image_rect r = {60, 70, 300, 220};
    t->hanging = CreateEventW(NULL, TRUE, FALSE, NULL);
    t->resume = CreateEventW(NULL, TRUE, FALSE, NULL);
    PostMessageW(t->window, WM_APP, 0, 0);
    CHECK_EQ(WaitForSingleObject(t->hanging, TEST_TIMEOUT), WAIT_OBJECT_0);
    ULONGLONG start = GetTickCount64();
    const desk_window *w = find(t->window);
    CHECK(w && strcmp(w->title, TEST_TITLE_UTF8) == 0);
    set_state(t->window, DESK_WINDOW_MAXIMIZED);
    set_state(t->window, DESK_WINDOW_NORMAL);
    CHECK(desk_window_place(d, (uintptr_t) t->window, r, &err));
    CHECK(GetTickCount64() - start < TEST_TIMEOUT / 2);
    SetEvent(t->resume);
    WAIT_FOR(is_placed(t->window, r));
    CloseHandle(t->hanging);
    CloseHandle(t->resume);
    t->resume = NULL;
}

/* --- another process ------------------------------------------------------------------------- */

static PROCESS_INFORMATION start_other(void)
{
    STARTUPINFOW startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process = {0};
    wchar_t path[MAX_PATH], line[MAX_PATH + 16];
    GetModuleFileNameW(NULL, path, MAX_PATH);
    swprintf(line, MAX_PATH + 16, L"\"%ls\" window", path);
    CHECK(CreateProcessW(path, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process));
    return process;
}

static int be_other(void)
{
    static test_window t = {.place = {400, 300, 700, 500}, .style = WS_OVERLAPPEDWINDOW};
    InitializeCriticalSection(&t.lock);
    t.ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    return (int) test_thread(&t);
}

static HWND window_of_process(DWORD pid)
{
    find(NULL);
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].pid == (long) pid) {
            return (HWND) (uintptr_t) list.items[i].id;
        }
    }
    return NULL;
}

static void test_other_process(HWND ours)
{
    PROCESS_INFORMATION process = start_other();
    base_error err = {0};
    HWND window = NULL;
    /* Which comes to the front by itself: that must be over. */
    if (WAIT_FOR((window = window_of_process(process.dwProcessId)) != NULL) &&
        WAIT_FOR(GetForegroundWindow() == window)) {
        const desk_window *w = find(window);
        CHECK(w && ends_with(w->executable, ".exe"));
        CHECK_STR(w->title, TEST_TITLE_UTF8);
        test_focus(ours, window);
        test_states(window);
        test_place(window);
        CHECK(desk_window_close(d, (uintptr_t) window, &err));
        WAIT_FOR(!IsWindow(window));
        test_gone(window);
    }
    CHECK_EQ(WaitForSingleObject(process.hProcess, TEST_TIMEOUT), WAIT_OBJECT_0);
    TerminateProcess(process.hProcess, 1);
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
}

int main(int argc, char **argv)
{
    static test_window t = {.place = {100, 60, 500, 360}, .style = WS_OVERLAPPEDWINDOW};
    base_error err = {0};
    (void) argv;
    if (argc > 1) {
        return be_other();
    }
    if (!CHECK(desk_open(&d, NULL, NULL, &err))) {
        printf("    %s\n", err.message);
        return check_done();
    }
    if (test_window_open(&t)) {
        test_list(&t);
        test_unlisted(&t);
        test_states(t.window);
        test_hung(&t);
        test_other_process(t.window);
    }
    test_window_close(&t);
    desk_window_list_free(&list);
    desk_close(d);
    return check_done();
}
