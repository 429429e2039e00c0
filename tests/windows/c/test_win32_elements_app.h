/*
 * test_win32_elements_app.h: the application that the test of the element reader reads and acts on:
 * a window with the standard controls, in a process of its own, which tells of itself in shared
 * memory.
 */
#ifndef TEST_WIN32_ELEMENTS_APP_H
#define TEST_WIN32_ELEMENTS_APP_H

#include "check.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <commctrl.h>
#include <uv.h>
#include <wchar.h>

enum {
    ID_NAME = 100,
    ID_SECRET,
    ID_NOTES,
    ID_FIXED,
    ID_OK,
    ID_OFF,
    ID_CHECK,
    ID_RADIO,
    ID_GROUP,
    ID_LIST,
    ID_COMBO,
    ID_TRACK,
    ID_PROGRESS,
    ID_HIDDEN,
    ID_OWN,
    ID_END,
    ID_MENU_OPEN,
    REPORT = WM_APP + 1, /* writes all states down */
    HANG,                /* blocks until the event */
    WAIT_MS = 15000,
};

/* What the other process tells of itself. */
typedef struct {
    LONG ready, hung;
    LONG clicks, changes, selections, choices, opened;
    LONG checked, radio, listed, chosen, dropped;
    HWND frame, windows[ID_END];
    RECT rects[ID_END], frame_rect;
    wchar_t name[64], notes[64];
} report;

static report *told;
static HANDLE wake;

/* --- the application ----------------------------------------------------------------------------
 */

static const struct {
    int id, x, y, width, height;
    const wchar_t *class, *text;
    DWORD style;
} controls[] = {
    {0, 10, 10, 80, 20, L"STATIC", L"&Name:", 0},
    {ID_NAME, 100, 10, 150, 22, L"EDIT", L"J\x00fcrgen \x65e5\x672c", WS_TABSTOP | WS_BORDER},
    {0, 10, 40, 80, 20, L"STATIC", L"Password", 0},
    {ID_SECRET, 100, 40, 150, 22, L"EDIT", L"hunter2", WS_TABSTOP | ES_PASSWORD},
    {ID_NOTES, 10, 70, 240, 60, L"EDIT", L"one\r\ntwo\tthree", WS_TABSTOP | ES_MULTILINE},
    {ID_FIXED, 10, 135, 240, 22, L"EDIT", L"cannot change", ES_READONLY},
    {ID_OK, 10, 165, 80, 26, L"BUTTON", L"&Save && go", WS_TABSTOP | BS_PUSHBUTTON},
    {ID_OFF, 100, 165, 80, 26, L"BUTTON", L"Off", WS_TABSTOP | WS_DISABLED},
    {ID_CHECK, 10, 200, 120, 20, L"BUTTON", L"Remember", WS_TABSTOP | BS_AUTOCHECKBOX},
    {ID_RADIO, 140, 200, 120, 20, L"BUTTON", L"Blue", WS_TABSTOP | BS_AUTORADIOBUTTON},
    {ID_GROUP, 5, 225, 260, 100, L"BUTTON", L"Choices", BS_GROUPBOX},
    {ID_LIST, 10, 240, 120, 60, L"LISTBOX", L"", WS_TABSTOP | LBS_NOTIFY | WS_VSCROLL},
    {ID_COMBO, 140, 240, 120, 200, L"COMBOBOX", L"", WS_TABSTOP | CBS_DROPDOWNLIST},
    {ID_TRACK, 10, 330, 200, 30, L"msctls_trackbar32", L"", WS_TABSTOP},
    {ID_PROGRESS, 10, 365, 200, 16, L"msctls_progress32", L"", 0},
    {ID_OWN, 100, 385, 80, 20, L"ElementsOwn", L"Own drawing", 0},
    {ID_HIDDEN, 10, 385, 80, 20, L"BUTTON", L"Hidden", 0},
};

static void write_report(void)
{
    told->checked = (LONG) SendMessageW(told->windows[ID_CHECK], BM_GETCHECK, 0, 0);
    told->radio = (LONG) SendMessageW(told->windows[ID_RADIO], BM_GETCHECK, 0, 0);
    told->listed = (LONG) SendMessageW(told->windows[ID_LIST], LB_GETCURSEL, 0, 0);
    told->dropped = (LONG) SendMessageW(told->windows[ID_COMBO], CB_GETDROPPEDSTATE, 0, 0);
    told->chosen = (LONG) SendMessageW(told->windows[ID_COMBO], CB_GETCURSEL, 0, 0);
    GetWindowTextW(told->windows[ID_NAME], told->name, 64);
    GetWindowTextW(told->windows[ID_NOTES], told->notes, 64);
    GetWindowRect(told->frame, &told->frame_rect);
    for (int id = ID_NAME; id < ID_END; id++) {
        GetWindowRect(told->windows[id], &told->rects[id]);
    }
}

static void on_command(WORD id, WORD code)
{
    told->clicks += id == ID_OK && code == BN_CLICKED;
    told->changes += id == ID_NOTES && code == EN_CHANGE;
    told->selections += id == ID_LIST && code == LBN_SELCHANGE;
    told->choices += id == ID_COMBO && code == CBN_SELCHANGE;
    told->opened += id == ID_MENU_OPEN;
}

static LRESULT CALLBACK on_message(HWND window, UINT message, WPARAM wparam, LPARAM lparam)
{
    switch (message) {
    case WM_COMMAND:
        on_command(LOWORD(wparam), HIWORD(wparam));
        return 0;
    case REPORT:
        write_report();
        return 1;
    case HANG:
        InterlockedExchange(&told->hung, 1);
        WaitForSingleObject(wake, WAIT_MS * 2);
        InterlockedExchange(&told->hung, 0);
        return 0;
    case WM_DESTROY:
        PostQuitMessage(0);
        return 0;
    default:
        return DefWindowProcW(window, message, wparam, lparam);
    }
}

static void make_controls(HWND frame)
{
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        int id = controls[i].id;
        DWORD style = controls[i].style | WS_CHILD | (id == ID_HIDDEN ? 0 : WS_VISIBLE);
        HWND made = CreateWindowExW(0, controls[i].class, controls[i].text, style, controls[i].x,
                                    controls[i].y, controls[i].width, controls[i].height, frame,
                                    (HMENU) (INT_PTR) id, NULL, NULL);
        if (id) {
            told->windows[id] = made;
        }
    }
    for (int i = 0; i < 30; i++) {
        wchar_t text[32];
        swprintf(text, 32, L"Item %d", i);
        SendMessageW(told->windows[ID_LIST], LB_ADDSTRING, 0, (LPARAM) text);
    }
    SendMessageW(told->windows[ID_LIST], LB_SETCURSEL, 1, 0);
    SendMessageW(told->windows[ID_COMBO], CB_ADDSTRING, 0, (LPARAM) L"Red");
    SendMessageW(told->windows[ID_COMBO], CB_ADDSTRING, 0, (LPARAM) L"Green");
    SendMessageW(told->windows[ID_COMBO], CB_SETCURSEL, 0, 0);
    SendMessageW(told->windows[ID_TRACK], TBM_SETPOS, TRUE, 37);
    SendMessageW(told->windows[ID_PROGRESS], PBM_SETPOS, 64, 0);
}

static HWND make_frame(const wchar_t *title)
{
    WNDCLASSW class = {.lpfnWndProc = on_message,
                       .lpszClassName = L"ElementsTest",
                       .hCursor = LoadCursorW(NULL, (LPCWSTR) IDC_ARROW),
                       .hbrBackground = (HBRUSH) (COLOR_BTNFACE + 1)};
    HMENU bar = CreateMenu(), file = CreatePopupMenu();
    RegisterClassW(&class);
    class.lpszClassName = L"ElementsOwn";
    class.lpfnWndProc = DefWindowProcW;
    RegisterClassW(&class);
    AppendMenuW(file, MF_STRING, ID_MENU_OPEN, L"&Open...\tCtrl+O");
    AppendMenuW(bar, MF_POPUP, (UINT_PTR) file, L"&File");
    AppendMenuW(bar, MF_STRING, ID_MENU_OPEN, L"&Help");
    return CreateWindowExW(0, L"ElementsTest", title, WS_OVERLAPPEDWINDOW, 40, 40, 300, 480, NULL,
                           bar, NULL, NULL);
}

static bool share(const char *name)
{
    char event[80];
    HANDLE mapping =
        CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, sizeof *told, name);
    told = mapping ? MapViewOfFile(mapping, FILE_MAP_ALL_ACCESS, 0, 0, sizeof *told) : NULL;
    snprintf(event, sizeof event, "%s-wake", name);
    wake = CreateEventA(NULL, TRUE, FALSE, event);
    return told && wake;
}

static int run_app(const char *name)
{
    MSG message;
    INITCOMMONCONTROLSEX classes = {sizeof classes, ICC_BAR_CLASSES | ICC_PROGRESS_CLASS};
    InitCommonControlsEx(&classes);
    if (!share(name)) {
        return 1;
    }
    told->frame = make_frame(L"Elements test");
    make_controls(told->frame);
    ShowWindow(told->frame, SW_SHOW);
    UpdateWindow(told->frame);
    write_report();
    InterlockedExchange(&told->ready, 1);
    while (GetMessageW(&message, NULL, 0, 0) > 0) {
        TranslateMessage(&message);
        DispatchMessageW(&message);
    }
    return 0;
}

/* --- from the outside ---------------------------------------------------------------------------
 */

typedef struct {
    PROCESS_INFORMATION process;
    report *told;
    HANDLE wake;
} app;

static uint64_t in_ms(unsigned ms)
{
    return uv_hrtime() + (uint64_t) ms * 1000000;
}

static void ask_report(app *a)
{
    DWORD_PTR done;
    CHECK(SendMessageTimeoutW(a->told->frame, REPORT, 0, 0, SMTO_NORMAL, WAIT_MS, &done));
}

/* Waits until the number is `wanted`, asking the application to write itself down each time. */
static bool becomes(app *a, const volatile LONG *number, LONG wanted)
{
    uint64_t limit = in_ms(WAIT_MS);
    for (ask_report(a); *number != wanted && uv_hrtime() < limit; ask_report(a)) {
        Sleep(5);
    }
    if (*number != wanted) {
        printf("    it is %ld and not %ld\n", *number, wanted);
    }
    return *number == wanted;
}

/* The system ends the applications with this process, however it ends. */
static void end_with_us(HANDLE process)
{
    static HANDLE job;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    if (!job) {
        job = CreateJobObjectW(NULL, NULL);
    }
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    CHECK(AssignProcessToJobObject(job, process));
}

static bool start_app(app *a, int number)
{
    char name[64], self[MAX_PATH], line[MAX_PATH + 128];
    STARTUPINFOA info = {.cb = sizeof info};
    *a = (app){0};
    snprintf(name, sizeof name, "deskpilot-elements-%lu-%d", GetCurrentProcessId(), number);
    if (!CHECK(share(name))) {
        return false;
    }
    a->told = told;
    a->wake = wake;
    GetModuleFileNameA(NULL, self, sizeof self);
    snprintf(line, sizeof line, "\"%s\" app %s", self, name);
    if (!CHECK(CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &info, &a->process))) {
        return false;
    }
    end_with_us(a->process.hProcess);
    uint64_t limit = in_ms(WAIT_MS);
    while (!a->told->ready && uv_hrtime() < limit) {
        Sleep(5);
    }
    return CHECK(a->told->ready);
}

static void stop_app(app *a)
{
    SetEvent(a->wake);
    PostMessageW(a->told->frame, WM_CLOSE, 0, 0);
    if (!CHECK_EQ(WaitForSingleObject(a->process.hProcess, WAIT_MS), WAIT_OBJECT_0)) {
        TerminateProcess(a->process.hProcess, 1);
    }
    CloseHandle(a->process.hProcess);
    CloseHandle(a->process.hThread);
}

#endif
