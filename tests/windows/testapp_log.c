/* testapp_log.c: lines of JSON, each written as one piece. */
#include "testapp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windowsx.h>

static HANDLE file = INVALID_HANDLE_VALUE;
static char *line;
static size_t length, capacity;
static bool first; /* no comma before the next field */

static void put(const char *bytes, size_t count)
{
    if (length + count > capacity) {
        capacity = (length + count) * 2;
        char *larger = realloc(line, capacity);
        if (!larger) {
            exit(3);
        }
        line = larger;
    }
    memcpy(line + length, bytes, count);
    length += count;
}

static void put_word(const char *word)
{
    put(word, strlen(word));
}

static void put_quoted(const char *utf8)
{
    put("\"", 1);
    for (const char *c = utf8; *c; c++) {
        char escape[8];
        if ((unsigned char) *c >= 0x20 && *c != '"' && *c != '\\') {
            put(c, 1);
        } else {
            put(escape, (size_t) snprintf(escape, sizeof escape, "\\u%04x", *c));
        }
    }
    put("\"", 1);
}

static void put_key(const char *key)
{
    if (!first) {
        put(",", 1);
    }
    first = false;
    put_quoted(key);
    put(":", 1);
}

bool log_open(const wchar_t *path)
{
    file = CreateFileW(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                       CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    return file != INVALID_HANDLE_VALUE;
}

void log_begin(const char *event, const wchar_t *target)
{
    length = 0;
    first = true;
    put("{", 1);
    log_string("event", event);
    if (target) {
        log_text("target", target);
    }
}

void log_integer(const char *key, long long value)
{
    char digits[24];
    put_key(key);
    put(digits, (size_t) snprintf(digits, sizeof digits, "%lld", value));
}

void log_string(const char *key, const char *value)
{
    put_key(key);
    put_quoted(value);
}

void log_text(const char *key, const wchar_t *value)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, value, -1, NULL, 0, NULL, NULL);
    char *utf8 = size > 0 ? malloc((size_t) size) : NULL;
    if (!utf8) {
        exit(3);
    }
    WideCharToMultiByte(CP_UTF8, 0, value, -1, utf8, size, NULL, NULL);
    log_string(key, utf8);
    free(utf8);
}

void log_rect(const char *key, RECT rect)
{
    char list[64];
    put_key(key);
    put(list, (size_t) snprintf(list, sizeof list, "[%ld,%ld,%ld,%ld]", rect.left, rect.top,
                                rect.right - rect.left, rect.bottom - rect.top));
}

void log_object(const char *key)
{
    put_key(key);
    put("{", 1);
    first = true;
}

void log_object_end(void)
{
    put("}", 1);
    first = false;
}

void log_end(void)
{
    DWORD written;
    put_word("}\n");
    if (!WriteFile(file, line, (DWORD) length, &written, NULL) || written != length) {
        exit(3);
    }
}

static const char *button_of(UINT message, WPARAM w)
{
    switch (message) {
    case WM_LBUTTONDOWN:
    case WM_LBUTTONUP:
    case WM_LBUTTONDBLCLK:
        return "left";
    case WM_MBUTTONDOWN:
    case WM_MBUTTONUP:
    case WM_MBUTTONDBLCLK:
        return "middle";
    case WM_RBUTTONDOWN:
    case WM_RBUTTONUP:
    case WM_RBUTTONDBLCLK:
        return "right";
    default:
        return GET_XBUTTON_WPARAM(w) == XBUTTON1 ? "back" : "forward";
    }
}

static void log_mouse(const wchar_t *target, const char *what, const char *button, POINT at,
                      WPARAM keys)
{
    log_begin("mouse", target);
    log_string("what", what);
    if (button) {
        log_string("button", button);
    }
    log_integer("x", at.x);
    log_integer("y", at.y);
    log_integer("keys", GET_KEYSTATE_WPARAM(keys));
}

static void log_wheel(const wchar_t *target, const char *what, WPARAM w, LPARAM l)
{
    POINT at = {GET_X_LPARAM(l), GET_Y_LPARAM(l)}; /* of the screen already */
    log_mouse(target, what, NULL, at, w);
    log_integer("delta", GET_WHEEL_DELTA_WPARAM(w));
    log_end();
}

static void log_button(const wchar_t *target, HWND window, UINT message, WPARAM w, LPARAM l,
                       const char *what)
{
    POINT at = {GET_X_LPARAM(l), GET_Y_LPARAM(l)};
    ClientToScreen(window, &at);
    log_mouse(target, what, message == WM_MOUSEMOVE ? NULL : button_of(message, w), at, w);
    log_end();
}

static void log_key(const wchar_t *target, UINT message, WPARAM w, LPARAM l)
{
    bool down = message == WM_KEYDOWN || message == WM_SYSKEYDOWN;
    log_begin("key", target);
    log_string("what", down ? "down" : "up");
    log_integer("vk", (long long) w);
    log_integer("scan", l >> 16 & 0xff);
    log_integer("extended", l >> 24 & 1);
    log_integer("system", message == WM_SYSKEYDOWN || message == WM_SYSKEYUP);
    log_integer("again", down && (l >> 30 & 1));
    log_end();
}

static void log_what(const char *event, const wchar_t *target, const char *what)
{
    log_begin(event, target);
    log_string("what", what);
    log_end();
}

static void log_char(const wchar_t *target, WPARAM w)
{
    log_begin("char", target);
    log_integer("unit", (long long) w);
    log_end();
}

void log_input(const wchar_t *target, HWND window, UINT message, WPARAM w, LPARAM l)
{
    switch (message) {
    case WM_MOUSEMOVE:
        log_button(target, window, message, w, l, "move");
        break;
    case WM_LBUTTONDOWN:
    case WM_MBUTTONDOWN:
    case WM_RBUTTONDOWN:
    case WM_XBUTTONDOWN:
        log_button(target, window, message, w, l, "down");
        break;
    case WM_LBUTTONUP:
    case WM_MBUTTONUP:
    case WM_RBUTTONUP:
    case WM_XBUTTONUP:
        log_button(target, window, message, w, l, "up");
        break;
    case WM_LBUTTONDBLCLK:
    case WM_MBUTTONDBLCLK:
    case WM_RBUTTONDBLCLK:
    case WM_XBUTTONDBLCLK:
        log_button(target, window, message, w, l, "double");
        break;
    case WM_MOUSEWHEEL:
        log_wheel(target, "wheel", w, l);
        break;
    case WM_MOUSEHWHEEL:
        log_wheel(target, "hwheel", w, l);
        break;
    case WM_KEYDOWN:
    case WM_KEYUP:
    case WM_SYSKEYDOWN:
    case WM_SYSKEYUP:
        log_key(target, message, w, l);
        break;
    case WM_CHAR:
        log_char(target, w);
        break;
    case WM_SETFOCUS:
        log_what("focus", target, "got");
        break;
    case WM_KILLFOCUS:
        log_what("focus", target, "lost");
        break;
    case WM_CAPTURECHANGED:
        log_what("capture", target, "lost");
        break;
    }
}
