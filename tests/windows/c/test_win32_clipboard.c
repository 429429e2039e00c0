/* The clipboard's text and pictures, judged by and made with the system's own calls; and the
 * conversions that it and the window list rely on. */
#include "test_win32_window.h"

#include "desk/desk.h"
#include "desk/win32/win32_internal.h"
#include "image/png/png.h"

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

/* What is pending is asked for again, as by everybody: another program may have the clipboard open
 * for a moment, and an owner that asked for no messages for 5 s (which are over soon on a busy
 * machine) counts as one that hangs. */
static void go_on(void)
{
    MSG message;
    PeekMessageW(&message, NULL, 0, 0, PM_NOREMOVE);
}

static bool try_to_get(desk_clipboard_kind kind, char **data, size_t *length, bool *pending,
                       base_error *err)
{
    go_on();
    return desk_clipboard_get(d, kind, data, length, pending, err);
}

static bool get(desk_clipboard_kind kind, char **data, size_t *length, base_error *err)
{
    bool ok = false, pending = false;
    WAIT_FOR(((ok = try_to_get(kind, data, length, &pending, err)), !pending));
    return ok;
}

static bool try_to_set(desk_clipboard_kind kind, const char *data, size_t length, bool *pending,
                       base_error *err)
{
    go_on();
    return desk_clipboard_set(d, kind, data, length, pending, err);
}

static bool put_there(desk_clipboard_kind kind, const char *data, size_t length, base_error *err)
{
    bool ok = false, pending = false;
    WAIT_FOR(((ok = try_to_set(kind, data, length, &pending, err)), !pending));
    return ok;
}

static void check_get(const char *wanted)
{
    base_error err = {0};
    char *text = NULL;
    size_t length = 0;
    if (CHECK(get(DESK_CLIPBOARD_TEXT, &text, &length, &err))) {
        CHECK_STR(text, wanted);
        CHECK_EQ(length, strlen(wanted));
    } else {
        printf("    %s\n", err.message);
    }
    free(text);
}

static void set(const char *text)
{
    base_error err = {0};
    if (!CHECK(put_there(DESK_CLIPBOARD_TEXT, text, strlen(text), &err))) {
        printf("    %s\n", err.message);
    }
}

static void test_set(void)
{
    set("h\xc3\xa9llo \xe6\x97\xa5 \xf0\x9f\x98\x80\nsecond\r\nthird\n\n\tend");
    WAIT_FOR(clipboard_is(L"h\u00e9llo \u65e5 \xd83d\xde00\r\nsecond\r\nthird\r\n\r\n\tend"));
    check_get("h\xc3\xa9llo \xe6\x97\xa5 \xf0\x9f\x98\x80\nsecond\nthird\n\n\tend");
    set("");
    WAIT_FOR(clipboard_is(L""));
    check_get("");
}

static void test_set_refused(void)
{
    base_error err = {0};
    char *large = calloc(1, DESK_CLIPBOARD_MAX + 1);
    set("kept");
    CHECK(!put_there(DESK_CLIPBOARD_TEXT, "bad\xff", 4, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!put_there(DESK_CLIPBOARD_TEXT, "a\0b", 3, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!put_there(DESK_CLIPBOARD_TEXT, large, DESK_CLIPBOARD_MAX + 1, &err));
    CHECK_EQ(err.code, BASE_REFUSED);
    WAIT_FOR(clipboard_is(L"kept"));
    free(large);
}

/* Windows hands out all of it; Wine makes the last unit a terminator. */
static void check_unterminated(void)
{
    base_error err = {0};
    char *text = NULL;
    size_t length = 0;
    if (CHECK(get(DESK_CLIPBOARD_TEXT, &text, &length, &err)) && CHECK(text != NULL)) {
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
    put(owner, L"\r\r\ntwice\r\r\r\n\n\r", 15, CF_UNICODETEXT); /* converted more often than once */
    check_get("\ntwice\n\n\r");
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
        base_error err = {0};
        char *text = NULL;
        size_t length = 0;
        for (size_t j = 0; j < sizes[i]; j++) {
            large[j] = L'x';
        }
        put(owner, large, sizes[i], CF_UNICODETEXT);
        CHECK(!get(DESK_CLIPBOARD_TEXT, &text, &length, &err));
        CHECK_EQ(err.code, BASE_REFUSED);
        CHECK(text == NULL);
        free(large);
    }
}

/* --- pictures -------------------------------------------------------------------------------- */

enum { WIDE = 37, HIGH = 11 };

static image_bitmap sample(void)
{
    image_bitmap image = {0};
    base_error err;
    CHECK(image_alloc(&image, WIDE, HIGH, &err));
    for (int i = 0; i < WIDE * HIGH * 4; i++) {
        image.pixels[i] = (uint8_t) (i * 31 + i / 7);
    }
    return image;
}

static bool same_colours(const image_bitmap *a, const image_bitmap *b)
{
    bool same = a->width == b->width && a->height == b->height;
    for (int i = 0; same && i < a->width * a->height; i++) {
        same = memcmp(a->pixels + i * 4, b->pixels + i * 4, 3) == 0;
    }
    return same;
}

/* What the clipboard holds, as a picture; closed by the caller. False where that is none. */
static bool get_picture(image_bitmap *out)
{
    base_error err = {0};
    char *png = NULL;
    size_t length = 0;
    *out = (image_bitmap){0};
    bool ok = CHECK(get(DESK_CLIPBOARD_PNG, &png, &length, &err)) &&
              png_decode(out, (uint8_t *) png, length, &err);
    free(png);
    return ok;
}

static void put_bytes(HWND owner, UINT format, const void *bytes, size_t count)
{
    HGLOBAL block = GlobalAlloc(GMEM_MOVEABLE, count);
    memcpy(GlobalLock(block), bytes, count);
    GlobalUnlock(block);
    WAIT_FOR(OpenClipboard(owner));
    EmptyClipboard();
    CHECK(SetClipboardData(format, block) != NULL);
    CloseClipboard();
}

/* Another program pastes a bitmap: drawn by the system, its pixels are those of the picture. */
static void check_bitmap(const image_bitmap *wanted)
{
    WAIT_FOR(OpenClipboard(NULL));
    HBITMAP bitmap = GetClipboardData(CF_BITMAP);
    BITMAPINFO info = {.bmiHeader = {.biSize = sizeof info.bmiHeader,
                                     .biWidth = WIDE,
                                     .biHeight = -HIGH,
                                     .biPlanes = 1,
                                     .biBitCount = 32}};
    image_bitmap got = {WIDE, HIGH, WIDE * 4, .pixels = malloc(WIDE * HIGH * 4)};
    HDC dc = GetDC(NULL);
    CHECK(bitmap && GetDIBits(dc, bitmap, 0, HIGH, got.pixels, &info, DIB_RGB_COLORS) == HIGH);
    ReleaseDC(NULL, dc);
    CloseClipboard();
    CHECK(same_colours(&got, wanted));
    image_free(&got);
}

static void test_set_picture(void)
{
    base_error err = {0};
    image_bitmap image = sample(), got;
    png_encoder *encoder = png_encoder_new();
    const uint8_t *png;
    size_t length;
    uint64_t before, after;
    CHECK(png_encode(encoder, &image, (png_options){0}, &png, &length, &err));
    CHECK(desk_clipboard_changes(d, &before, &err));
    CHECK(put_there(DESK_CLIPBOARD_PNG, (const char *) png, length, &err));
    CHECK(desk_clipboard_changes(d, &after, &err) && after > before);
    check_bitmap(&image);
    WAIT_FOR(OpenClipboard(NULL));
    HGLOBAL block = GetClipboardData(RegisterClipboardFormatA("PNG"));
    CHECK(block && GlobalSize(block) >= length && memcmp(GlobalLock(block), png, length) == 0);
    GlobalUnlock(block);
    CloseClipboard();
    CHECK(get_picture(&got) && same_colours(&got, &image));
    image_free(&got);
    check_get("");                                                               /* no text */
    CHECK(!put_there(DESK_CLIPBOARD_PNG, (const char *) png, length / 2, &err)); /* cut off */
    CHECK(!put_there(DESK_CLIPBOARD_PNG, "text", 4, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(get_picture(&got) && same_colours(&got, &image)); /* as it was */
    image_free(&got);
    set("text");
    CHECK(!get_picture(&got));
    png_encoder_free(encoder);
    image_free(&image);
}

/* Bitmaps of other programs: of 24 bits from the bottom, of 32 from the top, of two colours. */
static void test_get_bitmaps(HWND owner)
{
    static struct {
        BITMAPINFOHEADER header;
        uint8_t pixels[HIGH][WIDE * 4];
    } dib = {.header = {.biSize = sizeof dib.header, .biWidth = WIDE, .biPlanes = 1}};
    static struct {
        BITMAPINFOHEADER header;
        RGBQUAD colours[2];
        uint8_t pixels[2][4];
    } two = {
        {.biSize = sizeof two.header, .biWidth = 9, .biHeight = 2, .biPlanes = 1, .biBitCount = 1},
        {{1, 2, 3, 0}, {250, 251, 252, 0}},
        {{0xff, 0x80}, {0x00, 0x80}}};
    image_bitmap image = sample(), got;
    dib.header.biHeight = -HIGH;
    dib.header.biBitCount = 32;
    memcpy(dib.pixels, image.pixels, sizeof dib.pixels);
    put_bytes(owner, CF_DIB, &dib, sizeof dib);
    CHECK(get_picture(&got) && same_colours(&got, &image));
    image_free(&got);
    size_t row = (WIDE * 3 + 3) / 4 * 4;
    dib.header.biHeight = HIGH;
    dib.header.biBitCount = 24;
    for (int y = 0; y < HIGH; y++) {
        for (int x = 0; x < WIDE; x++) {
            memcpy((uint8_t *) dib.pixels + (size_t) (HIGH - 1 - y) * row + x * 3,
                   image.pixels + (y * WIDE + x) * 4, 3);
        }
    }
    put_bytes(owner, CF_DIB, &dib, sizeof dib.header + row * HIGH);
    CHECK(get_picture(&got) && same_colours(&got, &image));
    image_free(&got);
    put_bytes(owner, CF_DIB, &two, sizeof two);
    if (CHECK(get_picture(&got)) && CHECK(got.width == 9 && got.height == 2)) {
        CHECK_EQ(got.pixels[0], 1);
        CHECK_EQ(got.pixels[8 * 4], 250);
        CHECK_EQ(got.pixels[9 * 4], 250);
    }
    image_free(&got);
    image_free(&image);
}

/* Headers that promise more than there is, or that nobody can mean. */
static void test_get_broken_bitmaps(HWND owner)
{
    struct {
        BITMAPINFOHEADER header;
        uint8_t pixels[64];
    } dib;
    static const struct {
        DWORD size;
        LONG width, height;
        WORD bits;
        DWORD compression, colours;
    } broken[] = {
        {40, 4, 5, 32, BI_RGB, 0},
        {40, 0x7fffffff, 1, 32, BI_RGB, 0},
        {40, 1, (LONG) 0x80000000, 1, 0, 0},
        {40, 0, 4, 32, BI_RGB, 0},
        {40, 4, 0, 32, BI_RGB, 0},
        {40, -4, 4, 32, BI_RGB, 0},
        {40, 4, 4, 7, BI_RGB, 0},
        {40, 4, 4, 8, BI_RLE8, 0},
        {40, 4, 4, 32, BI_RGB, 0xffffffff},
        {0xffffffff, 4, 4, 32, BI_RGB, 0},
        {12, 4, 4, 24, BI_RGB, 0},
        {40, 30000, 30000, 1, BI_RGB, 0},
        {40, 4, 1, 8, BI_RGB, 200},
        {124, 4, 4, 32, BI_RGB, 0},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        base_error err = {0};
        char *png = NULL;
        size_t length;
        memset(&dib, 0, sizeof dib);
        dib.header = (BITMAPINFOHEADER){.biSize = broken[i].size,
                                        .biWidth = broken[i].width,
                                        .biHeight = broken[i].height,
                                        .biPlanes = 1,
                                        .biBitCount = broken[i].bits,
                                        .biCompression = broken[i].compression,
                                        .biClrUsed = broken[i].colours};
        put_bytes(owner, CF_DIB, &dib, sizeof dib);
        if (!CHECK(!get(DESK_CLIPBOARD_PNG, &png, &length, &err))) {
            printf("    broken bitmap %zu\n", i);
        }
        free(png);
    }
    put_bytes(owner, CF_DIB, "short", 5);
    char *png = NULL;
    size_t length;
    CHECK(!get(DESK_CLIPBOARD_PNG, &png, &length, NULL));
}

static DWORD WINAPI hold(void *events)
{
    HANDLE *e = events;
    WAIT_FOR(OpenClipboard(NULL));
    SetEvent(e[0]);
    WaitForSingleObject(e[1], TEST_TIMEOUT);
    CloseClipboard();
    return 0;
}

/* Somebody else has it open: neither an error nor a wait. */
static void test_pending(void)
{
    HANDLE events[2] = {CreateEventW(NULL, TRUE, FALSE, NULL),
                        CreateEventW(NULL, TRUE, FALSE, NULL)};
    base_error err = {0};
    char *text = NULL;
    size_t length = 0;
    bool pending = false;
    set("before");
    HANDLE thread = CreateThread(NULL, 0, hold, events, 0, NULL);
    WaitForSingleObject(events[0], TEST_TIMEOUT);
    CHECK(desk_clipboard_get(d, DESK_CLIPBOARD_TEXT, &text, &length, &pending, &err));
    CHECK(pending && !text);
    pending = false;
    CHECK(desk_clipboard_set(d, DESK_CLIPBOARD_TEXT, "after", 5, &pending, &err));
    CHECK(pending);
    SetEvent(events[1]);
    WaitForSingleObject(thread, TEST_TIMEOUT);
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
    base_error err = {0};
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
    CHECK_EQ(err.code, BASE_INVALID);
    CHECK(!win32_fail(&err, BASE_IO, "The thing", ERROR_ACCESS_DENIED));
    CHECK_EQ(strncmp(err.message, "The thing: ", 11), 0);
    CHECK(strstr(err.message, "(5)") != NULL && strchr(err.message, '\n') == NULL);
}

int main(void)
{
    base_error err = {0};
    HWND owner = CreateWindowExW(0, L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, NULL, NULL, NULL);
    test_conversions();
    if (!CHECK(desk_open(&d, NULL, NULL, &err))) {
        printf("    %s\n", err.message);
        return check_done();
    }
    test_set();
    test_set_refused();
    test_get(owner);
    test_get_oversize(owner);
    test_set_picture();
    test_get_bitmaps(owner);
    test_get_broken_bitmaps(owner);
    test_pending();
    set("stays");
    desk_close(d);
    WAIT_FOR(clipboard_is(L"stays")); /* also without its owner */
    DestroyWindow(owner);
    return check_done();
}
