#include "win32_internal.h"

#include "base/utf8.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

char *win32_utf8(const wchar_t *wide, int length)
{
    size_t units = length < 0 ? wcslen(wide) : (size_t) length;
    if (units > INT_MAX / 4) {
        return NULL;
    }
    /* Three bytes at most for a unit: a pair of surrogates takes four. */
    char *text = malloc(units * 3 + 1);
    int bytes = 0;
    if (text && units > 0) {
        bytes =
            WideCharToMultiByte(CP_UTF8, 0, wide, (int) units, text, (int) units * 3, NULL, NULL);
    }
    if (text) {
        text[bytes] = '\0';
    }
    return text;
}

char *win32_clean_utf8(const wchar_t *wide, int length, size_t max)
{
    char *text = win32_utf8(wide, length);
    if (!text) {
        return NULL;
    }
    size_t bytes = strlen(text), size = (bytes < max ? bytes : max) + 1;
    char *clean = malloc(size);
    if (clean) {
        base_utf8_clean(clean, size, text, bytes);
    }
    free(text);
    return clean;
}

wchar_t *win32_wide(const char *text, size_t bytes, size_t *length, base_error *err)
{
    size_t good = base_utf8_check(text, bytes);
    if (good < bytes) {
        base_fail(err, BASE_INVALID, "The text is not valid UTF-8 at byte %zu.", good + 1);
        return NULL;
    }
    /* Never more units than bytes. */
    wchar_t *wide = bytes < INT_MAX ? malloc((bytes + 1) * sizeof *wide) : NULL;
    if (!wide) {
        base_fail(err, BASE_NO_MEMORY, "There is no memory for a text of %zu bytes.", bytes);
        return NULL;
    }
    int units = bytes ? MultiByteToWideChar(CP_UTF8, 0, text, (int) bytes, wide, (int) bytes) : 0;
    wide[units] = L'\0';
    if (length) {
        *length = (size_t) units;
    }
    return wide;
}

bool win32_fail(base_error *err, base_code code, const char *what, DWORD error)
{
    wchar_t wide[256];
    DWORD units = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                 error, 0, wide, sizeof wide / sizeof wide[0], NULL);
    while (units > 0 && (wide[units - 1] <= L' ' || wide[units - 1] == L'.')) {
        units--;
    }
    char *words = win32_clean_utf8(wide, (int) units, 200);
    base_fail(err, code, "%s: %s (%lu).", what, words && *words ? words : "Windows says no more",
              error);
    free(words);
    return false;
}
