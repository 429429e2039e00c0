/* testapp_canvas.c: the window class "TestCanvas". */
#include "testapp.h"

static const COLORREF colours[2][4] = {
    {RGB(255, 0, 0), RGB(0, 255, 0), RGB(0, 0, 255), RGB(255, 255, 0)},
    {RGB(0, 255, 255), RGB(255, 0, 255), RGB(0x12, 0x34, 0x56), RGB(0xfe, 0xdc, 0xba)},
};

static void fill(HDC dc, int x, int y, int width, int height, COLORREF colour)
{
    RECT rect = {x, y, x + width, y + height};
    HBRUSH brush = CreateSolidBrush(colour);
    FillRect(dc, &rect, brush);
    DeleteObject(brush);
}

static void paint_pattern(HDC dc)
{
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 4; column++) {
            fill(dc, column * CANVAS_BLOCK_WIDTH, row * CANVAS_BLOCK_HEIGHT, CANVAS_BLOCK_WIDTH,
                 CANVAS_BLOCK_HEIGHT, colours[row][column]);
        }
    }
    int left = 4 * CANVAS_BLOCK_WIDTH;
    fill(dc, left, 0, CANVAS_CHECKER_WIDTH, CANVAS_HEIGHT, RGB(0, 0, 0));
    for (int y = 0; y < CANVAS_HEIGHT; y++) {
        for (int x = y % 2; x < CANVAS_CHECKER_WIDTH; x += 2) {
            SetPixelV(dc, left + x, y, RGB(255, 255, 255));
        }
    }
}

static void paint(HWND window)
{
    PAINTSTRUCT paint;
    HDC dc = BeginPaint(window, &paint);
    if (GetWindowLongPtrW(window, GWL_STYLE) & WS_CHILD) {
        paint_pattern(dc);
    } else {
        FillRect(dc, &paint.rcPaint, GetStockObject(GRAY_BRUSH));
    }
    EndPaint(window, &paint);
}

static bool is_button_down(UINT message)
{
    return message == WM_LBUTTONDOWN || message == WM_RBUTTONDOWN || message == WM_MBUTTONDOWN ||
           message == WM_XBUTTONDOWN;
}

static LRESULT CALLBACK procedure(HWND window, UINT message, WPARAM w, LPARAM l)
{
    wchar_t name[64];
    GetWindowTextW(window, name, 64);
    log_input(name, window, message, w, l);
    if (is_button_down(message)) {
        SetFocus(window);
        SetCapture(window); /* a drag is followed beyond the edge */
    }
    switch (message) {
    case WM_LBUTTONUP:
    case WM_MBUTTONUP:
    case WM_RBUTTONUP:
    case WM_XBUTTONUP:
        ReleaseCapture();
        return 0;
    case WM_MOUSEWHEEL: /* or the parent would get it as well */
    case WM_MOUSEHWHEEL:
        return 0;
    case WM_ERASEBKGND:
        return 1;
    case WM_PAINT:
        paint(window);
        return 0;
    case WM_DESTROY:
        if (!GetParent(window)) {
            PostQuitMessage(0);
        }
        return 0;
    }
    return DefWindowProcW(window, message, w, l);
}

void canvas_register(HINSTANCE instance)
{
    WNDCLASSW klass = {.style = CS_DBLCLKS,
                       .lpfnWndProc = procedure,
                       .hInstance = instance,
                       .hCursor = LoadCursorW(NULL, (LPCWSTR) IDC_ARROW),
                       .lpszClassName = L"TestCanvas"};
    RegisterClassW(&klass);
}
