/* testapp.c: the test application's window; see testapp.h. */
#include "testapp.h"

#include <commctrl.h>
#include <stdio.h>
#include <wchar.h>

typedef struct {
    const wchar_t *name; /* in the log; NULL for a label, which leaves no line */
    const wchar_t *klass, *text;
    DWORD style;
    int x, y, width, height;
} control;

#define EDIT_STYLE (WS_BORDER | WS_TABSTOP)
#define RADIO_STYLE (BS_AUTORADIOBUTTON | WS_TABSTOP)

/* A label comes before what it names. */
static const control controls[] = {
    {L"canvas", L"TestCanvas", L"canvas", 0, 10, 10, CANVAS_WIDTH, CANVAS_HEIGHT},
    {NULL, L"STATIC", L"Notes:", 0, 280, 10, 330, 18},
    {L"notes", L"EDIT", L"", EDIT_STYLE | ES_MULTILINE | ES_AUTOVSCROLL | WS_VSCROLL, 280, 28, 330,
     110},
    {NULL, L"STATIC", L"Name:", 0, 10, 154, 50, 18},
    {L"name", L"EDIT", L"", EDIT_STYLE | ES_AUTOHSCROLL, 60, 150, 200, 24},
    {L"alpha", L"BUTTON", L"Alpha", BS_PUSHBUTTON | WS_TABSTOP, 280, 150, 90, 26},
    {L"beta", L"BUTTON", L"Beta", BS_PUSHBUTTON | WS_TABSTOP, 380, 150, 90, 26},
    {L"gamma", L"BUTTON", L"Gamma", BS_PUSHBUTTON | WS_TABSTOP, 480, 150, 90, 26},
    {L"fruits", L"LISTBOX", L"", WS_BORDER | LBS_NOTIFY | WS_TABSTOP, 10, 190, 150, 90},
    {L"agree", L"BUTTON", L"I agree", BS_AUTOCHECKBOX | WS_TABSTOP, 180, 190, 150, 20},
    {L"small", L"BUTTON", L"Small", RADIO_STYLE | WS_GROUP, 180, 215, 150, 20},
    {L"medium", L"BUTTON", L"Medium", RADIO_STYLE, 180, 237, 150, 20},
    {L"large", L"BUTTON", L"Large", RADIO_STYLE, 180, 259, 150, 20},
    {NULL, L"STATIC", L"Volume:", WS_GROUP, 350, 190, 250, 18},
    {L"volume", TRACKBAR_CLASSW, L"", WS_TABSTOP, 350, 208, 250, 30},
    {NULL, L"STATIC", L"Colour:", 0, 350, 245, 250, 18},
    {L"colour", L"COMBOBOX", L"", CBS_DROPDOWNLIST | WS_TABSTOP, 350, 263, 150, 120},
};
enum { CONTROL_COUNT = sizeof controls / sizeof *controls, FIRST_ID = 100 };

static const wchar_t *const fruits[] = {L"Apple", L"Banana", L"Cherry", L"Date"};
static const wchar_t *const colours[] = {L"Red", L"Green", L"Blue"};

enum { MENU_NEW = 1, MENU_QUIT, MENU_CLEAR, MENU_HANG };

static struct {
    const wchar_t *log, *title;
    int x, y, width, height;
    bool fullscreen, hang;
    unsigned long release; /* the process that is to go on */
} options = {.title = L"Test application", .x = 100, .y = 100, .width = 660, .height = 380};

static HWND last_focus; /* of the controls, while the window is not active */

static HWND control_window(HWND window, size_t i)
{
    return GetDlgItem(window, FIRST_ID + (int) i);
}

static HANDLE hang_event(unsigned long pid)
{
    wchar_t name[64];
    swprintf(name, 64, L"deskpilot-testapp-%lu", pid);
    return CreateEventW(NULL, TRUE, FALSE, name);
}

/* Answers nothing until it is released; the limit is for tests that die. */
static void hang(void)
{
    HANDLE released = hang_event(GetCurrentProcessId());
    log_begin("hung", NULL);
    log_end();
    WaitForSingleObject(released, 120000);
    CloseHandle(released);
    log_begin("released", NULL);
    log_end();
}

/* --- what controls tell ------------------------------------------------------------------------
 */

static void log_contents(const control *of, HWND window)
{
    int length = GetWindowTextLengthW(window);
    wchar_t *text = HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, sizeof *text * (length + 1ull));
    if (!text) {
        return;
    }
    GetWindowTextW(window, text, length + 1);
    log_begin("text", of->name);
    log_text("text", text);
    log_end();
    HeapFree(GetProcessHeap(), 0, text);
}

static void log_selection(const control *of, HWND window)
{
    bool list = !wcscmp(of->klass, L"LISTBOX");
    wchar_t text[64] = L"";
    LRESULT index = SendMessageW(window, list ? LB_GETCURSEL : CB_GETCURSEL, 0, 0);
    if (index >= 0) {
        SendMessageW(window, list ? LB_GETTEXT : CB_GETLBTEXT, (WPARAM) index, (LPARAM) text);
    }
    log_begin("selected", of->name);
    log_integer("index", index);
    log_text("text", text);
    log_end();
}

static void on_notification(size_t i, WORD code, HWND window)
{
    const control *of = &controls[i];
    if (!wcscmp(of->klass, L"BUTTON") && code == BN_CLICKED) {
        log_begin("clicked", of->name);
        log_integer("checked", SendMessageW(window, BM_GETCHECK, 0, 0));
        log_end();
    } else if (!wcscmp(of->klass, L"EDIT") && code == EN_CHANGE) {
        log_contents(of, window);
    } else if ((!wcscmp(of->klass, L"LISTBOX") && code == LBN_SELCHANGE) ||
               (!wcscmp(of->klass, L"COMBOBOX") && code == CBN_SELCHANGE)) {
        log_selection(of, window);
    }
}

static LRESULT CALLBACK control_procedure(HWND window, UINT message, WPARAM w, LPARAM l,
                                          UINT_PTR id, DWORD_PTR data)
{
    const control *of = (const control *) data;
    log_input(of->name, window, message, w, l);
    if (message == WM_NCDESTROY) {
        RemoveWindowSubclass(window, control_procedure, id);
    }
    return DefSubclassProc(window, message, w, l);
}

/* --- the window --------------------------------------------------------------------------------
 */

static void on_menu(HWND window, int id)
{
    wchar_t text[64] = L"";
    GetMenuStringW(GetMenu(window), (UINT) id, text, 64, MF_BYCOMMAND);
    log_begin("menu", L"window");
    log_text("text", text);
    log_end();
    if (id == MENU_QUIT) {
        PostMessageW(window, WM_CLOSE, 0, 0);
    } else if (id == MENU_HANG) {
        hang();
    }
}

static void on_scroll(HWND slider)
{
    size_t i = (size_t) (GetDlgCtrlID(slider) - FIRST_ID);
    log_begin("value", controls[i].name);
    log_integer("value", SendMessageW(slider, TBM_GETPOS, 0, 0));
    log_end();
}

static void on_placed(HWND window)
{
    RECT rect;
    GetWindowRect(window, &rect);
    log_begin("placed", L"window");
    log_rect("window", rect);
    log_integer("minimized", IsIconic(window) != 0);
    log_integer("maximized", IsZoomed(window) != 0);
    log_end();
}

static void on_activate(HWND window, bool active)
{
    HWND focus = GetFocus();
    if (!active && focus && IsChild(window, focus)) {
        last_focus = focus;
    }
    log_begin("active", L"window");
    log_string("what", active ? "got" : "lost");
    log_end();
}

static LRESULT CALLBACK procedure(HWND window, UINT message, WPARAM w, LPARAM l)
{
    log_input(L"window", window, message, w, l);
    switch (message) {
    case WM_COMMAND:
        if (l) {
            on_notification(LOWORD(w) - FIRST_ID, HIWORD(w), (HWND) l);
        } else {
            on_menu(window, LOWORD(w));
        }
        return 0;
    case WM_HSCROLL:
        on_scroll((HWND) l);
        return 0;
    case WM_ACTIVATE:
        on_activate(window, LOWORD(w) != WA_INACTIVE);
        break;
    case WM_SETFOCUS:
        SetFocus(last_focus);
        return 0;
    case WM_WINDOWPOSCHANGED:
        on_placed(window);
        break;
    case WM_DESTROY:
        PostQuitMessage(0);
        return 0;
    }
    return DefWindowProcW(window, message, w, l);
}

static HMENU make_menu(void)
{
    HMENU bar = CreateMenu(), file = CreatePopupMenu(), edit = CreatePopupMenu();
    AppendMenuW(file, MF_STRING, MENU_NEW, L"&New");
    AppendMenuW(file, MF_SEPARATOR, 0, NULL);
    AppendMenuW(file, MF_STRING, MENU_QUIT, L"&Quit");
    AppendMenuW(edit, MF_STRING, MENU_CLEAR, L"&Clear");
    AppendMenuW(edit, MF_STRING, MENU_HANG, L"&Hang");
    AppendMenuW(bar, MF_POPUP, (UINT_PTR) file, L"&File");
    AppendMenuW(bar, MF_POPUP, (UINT_PTR) edit, L"&Edit");
    return bar;
}

static void make_controls(HWND window, HINSTANCE instance)
{
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        const control *of = &controls[i];
        HWND child = CreateWindowExW(0, of->klass, of->text, WS_CHILD | WS_VISIBLE | of->style,
                                     of->x, of->y, of->width, of->height, window,
                                     (HMENU) (INT_PTR) (FIRST_ID + i), instance, NULL);
        SendMessageW(child, WM_SETFONT, (WPARAM) GetStockObject(DEFAULT_GUI_FONT), TRUE);
        if (wcscmp(of->klass, L"LISTBOX") == 0) {
            for (size_t k = 0; k < sizeof fruits / sizeof *fruits; k++) {
                SendMessageW(child, LB_ADDSTRING, 0, (LPARAM) fruits[k]);
            }
        }
        if (!wcscmp(of->klass, L"COMBOBOX")) {
            for (size_t k = 0; k < sizeof colours / sizeof *colours; k++) {
                SendMessageW(child, CB_ADDSTRING, 0, (LPARAM) colours[k]);
            }
        }
        if (of->name && wcscmp(of->klass, L"TestCanvas") != 0) { /* which logs by itself */
            SetWindowSubclass(child, control_procedure, 1, (DWORD_PTR) of);
        }
    }
}

static HWND make_window(HINSTANCE instance)
{
    WNDCLASSW klass = {.lpfnWndProc = procedure,
                       .hInstance = instance,
                       .hCursor = LoadCursorW(NULL, (LPCWSTR) IDC_ARROW),
                       .hbrBackground = (HBRUSH) (COLOR_BTNFACE + 1),
                       .lpszClassName = L"DeskpilotTest"};
    RegisterClassW(&klass);
    HWND window = CreateWindowExW(0, klass.lpszClassName, options.title, WS_OVERLAPPEDWINDOW,
                                  options.x, options.y, options.width, options.height, NULL,
                                  make_menu(), instance, NULL);
    make_controls(window, instance);
    last_focus = control_window(window, 2); /* notes */
    return window;
}

static HWND make_fullscreen(HINSTANCE instance)
{
    return CreateWindowExW(WS_EX_TOPMOST, L"TestCanvas", L"screen", WS_POPUP,
                           GetSystemMetrics(SM_XVIRTUALSCREEN), GetSystemMetrics(SM_YVIRTUALSCREEN),
                           GetSystemMetrics(SM_CXVIRTUALSCREEN),
                           GetSystemMetrics(SM_CYVIRTUALSCREEN), NULL, NULL, instance, NULL);
}

static void log_control(HWND window, size_t i)
{
    HWND child = control_window(window, i);
    char key[32];
    RECT rect;
    if (!child || !controls[i].name) {
        return;
    }
    snprintf(key, sizeof key, "%ls", controls[i].name);
    GetWindowRect(child, &rect);
    log_object(key);
    log_integer("hwnd", (INT_PTR) child);
    log_rect("rect", rect);
    log_object_end();
}

static void log_ready(HWND window)
{
    RECT outer, client;
    GetWindowRect(window, &outer);
    GetClientRect(window, &client);
    MapWindowPoints(window, NULL, (POINT *) &client, 2);
    log_begin("ready", NULL);
    log_integer("pid", GetCurrentProcessId());
    log_integer("hwnd", (INT_PTR) window);
    log_rect("window", outer);
    log_rect("client", client);
    log_object("controls");
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        log_control(window, i);
    }
    log_object_end();
    log_end();
}

/* --- the program -------------------------------------------------------------------------------
 */

static bool read_numbers(const wchar_t *word, const wchar_t *value)
{
    if (!wcscmp(word, L"--release")) {
        return swscanf(value, L"%lu", &options.release) == 1;
    }
    if (!wcscmp(word, L"--at")) {
        return swscanf(value, L"%d,%d", &options.x, &options.y) == 2;
    }
    return !wcscmp(word, L"--size") &&
           swscanf(value, L"%dx%d", &options.width, &options.height) == 2;
}

static bool read_options(int argc, wchar_t **argv)
{
    for (int i = 1; i < argc; i++) {
        const wchar_t *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : L"";
        if (!wcscmp(word, L"--fullscreen")) {
            options.fullscreen = true;
        } else if (!wcscmp(word, L"--hang")) {
            options.hang = true;
        } else if (!wcscmp(word, L"--log") && ++i) {
            options.log = value;
        } else if (!wcscmp(word, L"--title") && ++i) {
            options.title = value;
        } else if (read_numbers(word, value)) {
            i++;
        } else {
            return false;
        }
    }
    return options.log || options.release;
}

static int release(void)
{
    HANDLE event = hang_event(options.release);
    bool done = event && SetEvent(event);
    if (event) {
        CloseHandle(event);
    }
    return done ? 0 : 1;
}

int wmain(int argc, wchar_t **argv)
{
    HINSTANCE instance = GetModuleHandleW(NULL);
    INITCOMMONCONTROLSEX wanted = {sizeof wanted, ICC_BAR_CLASSES | ICC_STANDARD_CLASSES};
    if (!read_options(argc, argv)) {
        return 2;
    }
    if (options.release) {
        return release();
    }
    if (!log_open(options.log)) {
        return 1;
    }
    SetProcessDPIAware();
    InitCommonControlsEx(&wanted);
    canvas_register(instance);
    HWND window = options.fullscreen ? make_fullscreen(instance) : make_window(instance);
    ShowWindow(window, SW_SHOWNORMAL);
    SetForegroundWindow(window);
    RedrawWindow(window, NULL, NULL, RDW_UPDATENOW | RDW_ALLCHILDREN);
    GdiFlush();
    log_ready(window);
    if (options.hang) {
        hang();
    }
    MSG message;
    while (GetMessageW(&message, NULL, 0, 0) > 0) {
        TranslateMessage(&message);
        DispatchMessageW(&message);
    }
    log_begin("closed", NULL);
    log_end();
    return 0;
}
