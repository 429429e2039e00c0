/*
 * test_win32_window.h: a window of our own on a thread of its own, which the tests of the Windows
 * backend act on and judge by: it is painted in known colours, or filled by an edit control, and it
 * keeps what messages it got.
 */
#ifndef TEST_WIN32_WINDOW_H
#define TEST_WIN32_WINDOW_H

#include "check.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <windowsx.h>

#define TEST_TITLE L"h\u00e9llo \u2014 \u65e5\u672c"
#define TEST_TITLE_UTF8 "h\xc3\xa9llo \xe2\x80\x94 \xe6\x97\xa5\xe6\x9c\xac"
#define TEST_CLASS "deskpilot test"
#define TEST_CLASS_WIDE L"deskpilot test"

enum { TEST_LOG_MAX = 4096, TEST_TIMEOUT = 30000 /* milliseconds */ };

typedef struct {
    UINT message;
    WPARAM w;
    LPARAM l;
    POINT at; /* of the pointer, for the mouse's messages, on the screen */
} test_message;

typedef struct {
    bool with_edit, striped;
    RECT place;
    DWORD style;
    HWND window, edit;
    HANDLE thread, ready;
    /* What the window waits for, deaf to all else, when it gets WM_APP, and tells that it does so;
     * or NULL. */
    HANDLE resume, hanging;
    CRITICAL_SECTION lock;
    test_message log[TEST_LOG_MAX];
    volatile size_t count;
} test_window;

/* Waits for a state; false (with a failed check at the caller's place) where it does not come. */
#define WAIT_FOR(condition)                                                                        \
    ({                                                                                             \
        ULONGLONG wait_end = GetTickCount64() + TEST_TIMEOUT;                                      \
        bool came = (condition);                                                                   \
        while (!came && GetTickCount64() < wait_end) {                                             \
            Sleep(2);                                                                              \
            came = (condition);                                                                    \
        }                                                                                          \
        check_report(came, __FILE__, __LINE__, #condition);                                        \
    })

static bool test_is_logged(UINT message)
{
    return (message >= WM_KEYFIRST && message <= WM_KEYLAST) ||
           (message >= WM_MOUSEFIRST && message <= WM_MOUSELAST);
}

static void test_log(test_window *t, UINT message, WPARAM w, LPARAM l)
{
    EnterCriticalSection(&t->lock);
    if (t->count < TEST_LOG_MAX) {
        test_message *m = &t->log[t->count];
        *m = (test_message){message, w, l, {GET_X_LPARAM(l), GET_Y_LPARAM(l)}};
        if (message != WM_MOUSEWHEEL && message != WM_MOUSEHWHEEL) {
            ClientToScreen(t->window, &m->at);
        }
        t->count++;
    }
    LeaveCriticalSection(&t->lock);
}

/* Stripes of 1 pixel in colours that tell their place: any shift or scaling shows. */
static COLORREF test_colour(int x, int y)
{
    return RGB(x * 3 & 255, y * 5 & 255, (x ^ y) * 7 & 255);
}

static void test_paint(HWND window)
{
    PAINTSTRUCT paint;
    RECT r;
    HDC dc = BeginPaint(window, &paint);
    GetClientRect(window, &r);
    for (int y = 0; y < r.bottom; y++) {
        for (int x = 0; x < r.right; x++) {
            SetPixel(dc, x, y, test_colour(x, y));
        }
    }
    EndPaint(window, &paint);
}

static LRESULT CALLBACK test_procedure(HWND window, UINT message, WPARAM w, LPARAM l)
{
    test_window *t = (test_window *) GetWindowLongPtrW(window, GWLP_USERDATA);
    if (t && test_is_logged(message)) {
        test_log(t, message, w, l);
    }
    switch (message) {
    case WM_PAINT:
        if (t && t->striped) {
            test_paint(window);
            return 0;
        }
        break;
    case WM_SETFOCUS:
        if (t && t->edit) {
            SetFocus(t->edit);
        }
        return 0;
    case WM_SYSCOMMAND:
        if (w == SC_KEYMENU) {
            return 0; /* alt by itself would open the window's menu and swallow what follows */
        }
        break;
    case WM_APP:
        if (t && t->resume) {
            SetEvent(t->hanging);
            WaitForSingleObject(t->resume, TEST_TIMEOUT);
        }
        return 0;
    case WM_DESTROY:
        PostQuitMessage(0);
        return 0;
    }
    return DefWindowProcW(window, message, w, l);
}

static inline DWORD WINAPI test_thread(void *context)
{
    test_window *t = context;
    WNDCLASSW class = {.lpfnWndProc = test_procedure,
                       .lpszClassName = TEST_CLASS_WIDE,
                       .hInstance = GetModuleHandleW(NULL),
                       .hbrBackground = (HBRUSH) (COLOR_WINDOW + 1),
                       .hCursor = LoadCursorW(NULL, (const wchar_t *) IDC_ARROW)};
    RegisterClassW(&class); /* once a process; later calls fail without harm */
    t->window = CreateWindowExW(0, TEST_CLASS_WIDE, TEST_TITLE, t->style, t->place.left,
                                t->place.top, t->place.right - t->place.left,
                                t->place.bottom - t->place.top, NULL, NULL, class.hInstance, NULL);
    SetWindowLongPtrW(t->window, GWLP_USERDATA, (LONG_PTR) t);
    if (t->with_edit) {
        RECT r;
        GetClientRect(t->window, &r);
        t->edit =
            CreateWindowExW(0, L"EDIT", L"", WS_CHILD | WS_VISIBLE | ES_MULTILINE | ES_AUTOVSCROLL,
                            0, 0, r.right, r.bottom, t->window, NULL, class.hInstance, NULL);
    }
    ShowWindow(t->window, SW_SHOW);
    SetForegroundWindow(t->window);
    UpdateWindow(t->window);
    SetEvent(t->ready);
    MSG message;
    while (GetMessageW(&message, NULL, 0, 0) > 0) {
        TranslateMessage(&message);
        DispatchMessageW(&message);
    }
    return 0;
}

static inline bool test_window_open(test_window *t)
{
    InitializeCriticalSection(&t->lock);
    t->ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    t->thread = CreateThread(NULL, 0, test_thread, t, 0, NULL);
    WaitForSingleObject(t->ready, TEST_TIMEOUT);
    return WAIT_FOR(GetForegroundWindow() == t->window);
}

static inline void test_window_close(test_window *t)
{
    PostMessageW(t->window, WM_CLOSE, 0, 0);
    CHECK_EQ(WaitForSingleObject(t->thread, TEST_TIMEOUT), WAIT_OBJECT_0);
    CloseHandle(t->thread);
    CloseHandle(t->ready);
    DeleteCriticalSection(&t->lock);
}

/* Forgets what came so far. */
static inline void test_window_clear(test_window *t)
{
    EnterCriticalSection(&t->lock);
    t->count = 0;
    LeaveCriticalSection(&t->lock);
}

/* The first of the kept messages of that kind; false if there is none yet. */
static inline bool test_window_find(test_window *t, UINT message, test_message *out)
{
    bool found = false;
    EnterCriticalSection(&t->lock);
    for (size_t i = 0; i < t->count && !found; i++) {
        found = t->log[i].message == message;
        *out = found ? t->log[i] : *out;
    }
    LeaveCriticalSection(&t->lock);
    return found;
}

#endif
