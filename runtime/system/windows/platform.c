#include "system/platform.h"

#include "signals.h"

#include <fcntl.h>
#include <io.h>
#include <objbase.h>
#include <shellapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

const char *const system_name = "windows";

static char *utf8(const wchar_t *wide)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *text = size > 0 ? malloc((size_t) size) : NULL;
    if (text) {
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, size, NULL, NULL);
    }
    return text;
}

/* The settings of the console outlive this process, so they are restored at the end; not after a
 * second Ctrl+C, which ends the process at once (system_end). */
static UINT code_page_before;
static struct {
    HANDLE console; /* NULL if the stream is not a console */
    DWORD before;
} modes[2];

static void restore_console(void)
{
    fflush(stdout); /* while the console still has our settings */
    fflush(stderr);
    for (int i = 1; i >= 0; i--) { /* in reverse: both may be the same console */
        if (modes[i].console) {
            SetConsoleMode(modes[i].console, modes[i].before);
        }
    }
    if (code_page_before) {
        SetConsoleOutputCP(code_page_before);
    }
}

/* Turns on escape sequences for colours, which consoles support since Windows 10 1511. */
static void draw_colours(void)
{
    static const DWORD outputs[] = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    for (int i = 0; i < 2; i++) {
        HANDLE console = GetStdHandle(outputs[i]);
        DWORD mode;
        if (GetConsoleMode(console, &mode) &&
            SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING)) {
            modes[i].console = console;
            modes[i].before = mode;
        }
    }
}

/* Unbuffered, the C library writes to a console byte by byte, which breaks characters of several
 * bytes. So the stream is buffered, and flushed before the loop waits (show) and at the end. */
static void write_whole_characters(FILE *stream)
{
    if (_isatty(_fileno(stream))) {
        setvbuf(stream, NULL, _IOFBF, 16384);
    }
}

static void show(uv_prepare_t *handle)
{
    (void) handle;
    fflush(stdout);
    fflush(stderr);
}

static void start_console(void)
{
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    code_page_before = GetConsoleOutputCP();
    if (code_page_before) {
        SetConsoleOutputCP(CP_UTF8);
    }
    draw_colours();
    atexit(restore_console);
    write_whole_characters(stdout);
    write_whole_characters(stderr);
}

char **system_start(int *argc, char **argv)
{
    (void) argv; /* not UTF-8 but in the current code page */
    /* Load libraries that are named without a folder from the system's folder only, never from the
     * working folder. */
    SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_SYSTEM32);
    /* Programs that are started inherit only the handles meant for them. With our own pipes too,
     * the pipes would stay open as long as those programs run. */
    uv_disable_stdio_inheritance();
    start_console();
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), argc);
    char **arguments = wide ? calloc((size_t) *argc + 1, sizeof *arguments) : NULL;
    for (int i = 0; arguments && i < *argc; i++) {
        arguments[i] = utf8(wide[i]);
        if (!arguments[i]) {
            free(arguments); /* the words in it go with the process, which does not start */
            arguments = NULL;
        }
    }
    LocalFree(wide);
    return arguments;
}

static uv_prepare_t before_waiting;

void system_open(uv_loop_t *loop, system_interrupt_handler *handler)
{
    uv_prepare_init(loop, &before_waiting);
    uv_prepare_start(&before_waiting, show);
    uv_unref((uv_handle_t *) &before_waiting);
    signals_open(handler);
}

void system_close(void)
{
    signals_close();
    uv_close((uv_handle_t *) &before_waiting, NULL); /* the caller runs the loop once more */
}

_Noreturn void system_end(int status)
{
    /* Not ExitProcess: it waits for locks that a suspended thread may hold. */
    TerminateProcess(GetCurrentProcess(), (UINT) status);
    abort();
}

bool system_hold_descendants(base_error *err)
{
    static HANDLE job; /* Windows closes it when this process ends, which kills the others */
    if (job) {
        return true;
    }
    job = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    if (job &&
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) &&
        AssignProcessToJobObject(job, GetCurrentProcess())) {
        return true;
    }
    DWORD error = GetLastError();
    if (job) {
        CloseHandle(job);
    }
    job = NULL;
    return base_fail(err, BASE_UNSUPPORTED,
                     "Windows does not let this program hold its applications in a job (error %lu)",
                     (unsigned long) error);
}

int system_reap(long pid)
{
    (void) pid; /* Windows has no zombies */
    return -1;
}

static bool cannot_open(const char *target, DWORD error, base_error *err)
{
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND) {
        return base_fail(err, BASE_NOT_FOUND, "there is no %.200s", target);
    }
    /* Wine tries to execute a file for which no application is registered. */
    if (error == ERROR_NO_ASSOCIATION || error == ERROR_BAD_EXE_FORMAT) {
        return base_fail(err, BASE_UNAVAILABLE, "no application here opens %.200s", target);
    }
    return base_fail(err, BASE_REFUSED, "Windows did not open %.200s (error %lu)", target,
                     (unsigned long) error);
}

bool system_open_target(const char *target, base_error *err)
{
    int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, target, -1, NULL, 0);
    wchar_t *wide = units > 0 ? malloc((size_t) units * sizeof *wide) : NULL;
    if (!wide) {
        return base_fail(err, BASE_INVALID, "the name of what to open is not valid UTF-8");
    }
    MultiByteToWideChar(CP_UTF8, 0, target, -1, wide, units);
    CoInitializeEx(NULL, COINIT_APARTMENTTHREADED | COINIT_DISABLE_OLE1DDE);
    /* Allow the application to activate its window. */
    AllowSetForegroundWindow(ASFW_ANY);
    SHELLEXECUTEINFOW what = {.cbSize = sizeof what,
                              .fMask = SEE_MASK_NOASYNC | SEE_MASK_FLAG_NO_UI,
                              .lpFile = wide,
                              .nShow = SW_SHOWNORMAL};
    bool ok = ShellExecuteExW(&what);
    DWORD error = GetLastError();
    CoUninitialize();
    free(wide);
    return ok || cannot_open(target, error, err);
}

void system_discard_input(void)
{
    FlushConsoleInputBuffer(GetStdHandle(STD_INPUT_HANDLE));
}

bool system_lock_file(int file, base_error *err)
{
    HANDLE handle = (HANDLE) _get_osfhandle(file);
    /* Other processes cannot read or write what is locked: a byte where no file has any. */
    OVERLAPPED at = {.Offset = 0xfffffffe, .OffsetHigh = 0x7fffffff};
    DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    if (handle != INVALID_HANDLE_VALUE && LockFileEx(handle, flags, 0, 1, 0, &at)) {
        return true;
    }
    DWORD error = GetLastError();
    base_code code =
        error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? BASE_REFUSED : BASE_IO;
    return base_fail(err, code, "cannot lock the file (error %lu)", (unsigned long) error);
}

void system_trim_memory(void)
{
}

void system_give_back(const void *start, size_t size)
{
    (void) start;
    (void) size;
}
