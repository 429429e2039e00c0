/*
 * Finds Tesseract where its Windows installers put it. The DLL is loaded by its full path, only
 * from folders that only their owner or an administrator can write to. DLLs that it needs are
 * searched beside it, never in the current folder or in PATH.
 */
#include "ocr/ocr_tesseract.h"

#include <stdio.h>
#include <windows.h>

const char *const ocr_library_advice =
    "install Tesseract 5 for Windows (64-bit); it is looked for in the folder that "
    "DESKPILOT_TESSERACT names, in tesseract beside deskpilot.exe, and in Tesseract-OCR in Program "
    "Files";
const char *const ocr_data_advice =
    "put %s.traineddata into the folder tessdata of Tesseract's folder";

enum { FOLDERS = 4, PATH_SIZE = 1024 };

/* The value of an environment variable followed by a path; false if the variable is not set. */
static bool below(const wchar_t *variable, const wchar_t *more, wchar_t folder[PATH_SIZE])
{
    DWORD length = GetEnvironmentVariableW(variable, folder, PATH_SIZE);
    if (length < 3 || length + wcslen(more) >= PATH_SIZE) {
        return false;
    }
    bool absolute = (folder[1] == L':' && (folder[2] == L'\\' || folder[2] == L'/')) ||
                    (folder[0] == L'\\' && folder[1] == L'\\');
    wcscat(folder, more);
    return absolute;
}

static bool beside_program(wchar_t folder[PATH_SIZE])
{
    DWORD length = GetModuleFileNameW(NULL, folder, PATH_SIZE);
    wchar_t *last = length && length < PATH_SIZE - 16 ? wcsrchr(folder, L'\\') : NULL;
    if (last) {
        wcscpy(last, L"\\tesseract");
    }
    return last != NULL;
}

/* The folder with that number of those where Tesseract may be; false if this machine does not have
 * it. */
static bool place(int number, wchar_t folder[PATH_SIZE])
{
    switch (number) {
    case 0:
        return below(L"DESKPILOT_TESSERACT", L"", folder);
    case 1:
        return beside_program(folder);
    case 2:
        return below(L"ProgramFiles", L"\\Tesseract-OCR", folder);
    default:
        return below(L"LOCALAPPDATA", L"\\Programs\\Tesseract-OCR", folder);
    }
}

/* Loads the DLL, which is called libtesseract-5.dll, libtesseract-5.5.dll or tesseract55.dll. */
static HMODULE load_from(const wchar_t *folder)
{
    wchar_t pattern[PATH_SIZE + 32];
    swprintf(pattern, PATH_SIZE + 32, L"%ls\\*tesseract*.dll", folder);
    WIN32_FIND_DATAW found;
    HANDLE search = FindFirstFileW(pattern, &found);
    HMODULE module = NULL;
    for (BOOL more = search != INVALID_HANDLE_VALUE; more && !module;
         more = FindNextFileW(search, &found)) {
        wchar_t path[PATH_SIZE + MAX_PATH + 2];
        swprintf(path, PATH_SIZE + MAX_PATH + 2, L"%ls\\%ls", folder, found.cFileName);
        module = LoadLibraryExW(path, NULL,
                                LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
    }
    if (search != INVALID_HANDLE_VALUE) {
        FindClose(search);
    }
    return module;
}

void *ocr_library_open(void)
{
    wchar_t folder[PATH_SIZE];
    for (int i = 0; i < FOLDERS; i++) {
        HMODULE module = place(i, folder) ? load_from(folder) : NULL;
        if (module) {
            return module;
        }
    }
    return NULL;
}

void *ocr_library_symbol(void *library, const char *name)
{
    FARPROC function = GetProcAddress(library, name);
    HMODULE openmp = function ? NULL : GetModuleHandleW(L"libgomp-1.dll");
    if (openmp) {
        function = GetProcAddress(openmp, name);
    }
    void *result;
    memcpy(&result, &function, sizeof result);
    return result;
}

bool ocr_library_data(int number, char *folder, size_t size)
{
    wchar_t wide[PATH_SIZE];
    if (number >= FOLDERS) {
        return false;
    }
    /* Tesseract opens files by names in the current code page, so a path that cannot be converted
     * to it is useless. */
    BOOL lost = TRUE;
    if (!place(number, wide) ||
        !WideCharToMultiByte(CP_ACP, 0, wide, -1, folder, (int) size - 10, NULL, &lost) || lost) {
        snprintf(folder, size, "?");
    }
    strcat(folder, "\\tessdata\\");
    return true;
}
