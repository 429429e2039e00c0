/* The clipboard's text, judged by and made with the system's own calls; and the conversions that it
 * and the window list rely on. */
#include "test_win32_window.h"

#include "native.h"
#include "win32/win32.h"

#include <stdlib.h>

static desk *d;

/* --- the other side -------------------------------------------------------------------------- */

/* The clipboard as another program sees it. */
static bool clipboard_is(const wchar_t *wanted)
{
    if (!OpenClipboard(NULL)) {
        return false;
    }
    HGLOBAL block = GetClipboardData(CF_UNICODETEXT);
    const wchar_t *text = block ? GlobalLock(block) : NULL;
    bool same = text && wcscmp(text, wanted) == 0 &&
                GlobalSize(block) >= (wcslen(wanted) + 1) * sizeof *wanted;
    if (text) {
        GlobalUnlock(block);
    }
    CloseClipboard();
    return same;
}

/* Puts exactly these units there, with or without a terminator among them. */
static void put(HWND owner, const wchar_t *units, size_t count, UINT format)
{
    HGLOBAL block = GlobalAlloc(GMEM_MOVEABLE | GMEM_ZEROINIT, count * sizeof *units);
    memcpy(GlobalLock(block), units, count * sizeof *units);
    GlobalUnlock(block);
    WAIT_FOR(OpenClipboard(owner));
    EmptyClipboard();
    CHECK(SetClipboardData(format, block) != NULL);
    CloseClipboard();
}

/* --- ours ------------------------------------------------------------------------------------ */

static void check_get(const char *wanted)
{
    desk_error err = {0};
    char *text = NULL;
    size_t length = 0;
    bool pending = false;
    if (CHECK(d->ops->clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err)) &&
        CHECK(!pending)) {
        CHECK_STR(text, wanted);
        CHECK_EQ(length, strlen(wanted));
    } else {
        printf("    %s\n", err.message);
    }
    free(text);
}

static void set(const char *text)
{
    desk_error err = {0};
    bool pending = false;
    if (!CHECK(d->ops->clipboard_set(d, DESK_CLIPBOARD_TEXT, text, strlen(text), &pending, &err)) ||
        !CHECK(!pending)) {
        printf("    %s\n", err.message);
    }
}

static void test_set(void)
{
    set("h\xc3\xa9llo \xe6\x97\xa5 \xf0\x9f\x98\x80\nsecond\r\nthird\n\n\tend");
    CHECK(clipboard_is(L"h\u00e9llo \u65e5 \xd83d\xde00\r\nsecond\r\nthird\r\n\r\n\tend"));
    check_get("h\xc3\xa9llo \xe6\x97\xa5 \xf0\x9f\x98\x80\nsecond\nthird\n\n\tend");
    set("");
    CHECK(clipboard_is(L""));
    check_get("");
}

static void test_set_refused(void)
{
    desk_error err = {0};
    bool pending = false;
    char *large = calloc(1, DESK_CLIPBOARD_MAX + 1);
    set("kept");
    CHECK(!d->ops->clipboard_set(d, DESK_CLIPBOARD_TEXT, "bad\xff", 4, &pending, &err));
    CHECK_EQ(err.code, DESK_INVALID);
    CHECK(!d->ops->clipboard_set(d, DESK_CLIPBOARD_TEXT, "a\0b", 3, &pending, &err));
    CHECK_EQ(err.code, DESK_INVALID);
    CHECK(!d->ops->clipboard_set(d, DESK_CLIPBOARD_TEXT, large, DESK_CLIPBOARD_MAX + 1, &pending,
                                 &err));
    CHECK_EQ(err.code, DESK_INVALID);
    CHECK(clipboard_is(L"kept"));
    free(large);
}

/* Windows hands out all of it; Wine makes the last unit a terminator. */
static void check_unterminated(void)
{
    desk_error err = {0};
    char *text = NULL;
    size_t length = 0;
    bool pending = false;
    if (CHECK(d->ops->clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err)) &&
        CHECK(text != NULL)) {
        CHECK(strcmp(text, "no end!") == 0 || strcmp(text, "no end!!") == 0);
        CHECK_EQ(length, strlen(text));
    }
    free(text);
}

static void test_get(HWND owner)
{
    static const wchar_t unterminated[] = {L'n', L'o', L' ', L'e', L'n', L'd', L'!', L'!'};
    static const wchar_t two_texts[] = L"first\0second";
    put(owner, unterminated, 8, CF_UNICODETEXT);
    check_unterminated();
    put(owner, two_texts, 13, CF_UNICODETEXT);
    check_get("first");
    put(owner, L"a\r\nb\rc\nd\r", 10, CF_UNICODETEXT);
    check_get("a\nb\rc\nd\r");
    put(owner, L"lone \xd800.", 8, CF_UNICODETEXT);
    check_get("lone \xef\xbf\xbd.");
    put(owner, L"no text", 8, CF_PRIVATEFIRST);
    check_get("");
}

static void test_get_oversize(HWND owner)
{
    static const size_t sizes[] = {DESK_CLIPBOARD_MAX + 2, 2 * (size_t) DESK_CLIPBOARD_MAX + 2};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        wchar_t *large = malloc(sizes[i] * sizeof *large);
        desk_error err = {0};
        char *text = NULL;
        size_t length = 0;
        bool pending = false;
        for (size_t j = 0; j < sizes[i]; j++) {
            large[j] = L'x';
        }
        put(owner, large, sizes[i], CF_UNICODETEXT);
        CHECK(!d->ops->clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err));
        CHECK_EQ(err.code, DESK_REFUSED);
        CHECK(text == NULL);
        free(large);
    }
}

static DWORD WINAPI hold(void *events)
{
    HANDLE *e = events;
    WAIT_FOR(OpenClipboard(NULL));
    SetEvent(e[0]);
    WaitForSingleObject(e[1], TEST_PATIENCE);
    CloseClipboard();
    return 0;
}

/* Somebody else has it open: neither an error nor a wait. */
static void test_pending(void)
{
    HANDLE events[2] = {CreateEventW(NULL, TRUE, FALSE, NULL),
                        CreateEventW(NULL, TRUE, FALSE, NULL)};
    desk_error err = {0};
    char *text = NULL;
    size_t length = 0;
    bool pending = false;
    set("before");
    HANDLE thread = CreateThread(NULL, 0, hold, events, 0, NULL);
    WaitForSingleObject(events[0], TEST_PATIENCE);
    CHECK(d->ops->clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err));
    CHECK(pending && !text);
    pending = false;
    CHECK(d->ops->clipboard_set(d, DESK_CLIPBOARD_TEXT, "after", 5, &pending, &err));
    CHECK(pending);
    SetEvent(events[1]);
    WaitForSingleObject(thread, TEST_PATIENCE);
    check_get("before");
    set("after");
    check_get("after");
    CloseHandle(thread);
    CloseHandle(events[0]);
    CloseHandle(events[1]);
}

static void test_conversions(void)
{
    size_t length = 0;
    desk_error err = {0};
    char *clean = win32_clean_utf8(L"a\r\nb\u202e"
                                   L"c\u00e9\u00e9",
                                   -1, 6);
    CHECK_STR(clean, "abc\xc3\xa9");
    free(clean);
    char *text = win32_utf8(L"\xd83d\xde00 \xde00", 4);
    CHECK_STR(text, "\xf0\x9f\x98\x80 \xef\xbf\xbd");
    free(text);
    wchar_t *wide = win32_wide("\xf0\x9f\x98\x80", 4, &length, &err);
    CHECK(wide && length == 2 && wide[0] == 0xd83d && wide[1] == 0xde00 && wide[2] == 0);
    free(wide);
    CHECK(!win32_wide("\xc0\x80", 2, &length, &err));
    CHECK_EQ(err.code, DESK_INVALID);
    CHECK(!win32_fail(&err, DESK_IO, "The thing", ERROR_ACCESS_DENIED));
    CHECK_EQ(strncmp(err.message, "The thing: ", 11), 0);
    CHECK(strstr(err.message, "(5)") != NULL && strchr(err.message, '\n') == NULL);
}

int main(void)
{
    desk_error err = {0};
    HWND owner = CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, NULL, NULL);
    test_conversions();
    if (!CHECK(desk_native_ops->open(&d, NULL, &err))) {
        printf("    %s\n", err.message);
        return check_done();
    }
    test_set();
    test_set_refused();
    test_get(owner);
    test_get_oversize(owner);
    test_pending();
    set("stays");
    d->ops->close(d);
    CHECK(clipboard_is(L"stays")); /* also without its owner */
    DestroyWindow(owner);
    return check_done();
}
