/*
 * Creates a Windows desktop beside the user's, and a process on it. Windows starts a program on the
 * desktop of its parent unless told otherwise, so it is enough to start one process there: this
 * program again.
 */
#include "system/platform.h"

#include <windows.h>

#include <stdlib.h>
#include <wchar.h>

enum { NAME_MAX_UNITS = 64, LINE_MAX_UNITS = 32768 /* CreateProcess */ };

typedef struct {
    HDESK desktop; /* exists as long as it is open somewhere or has windows */
    HANDLE job;    /* of all its processes, which are killed when the handle is closed */
    PROCESS_INFORMATION child;
} private_desktop;

static bool fail(base_error *err, const char *what)
{
    return base_fail(err, BASE_UNAVAILABLE, "%s (Windows error %lu)", what,
                     (unsigned long) GetLastError());
}

/* Only letters, digits, - and _ are accepted: the name is put into a command line unquoted. */
static bool read_name(const char *name, wchar_t out[NAME_MAX_UNITS], base_error *err)
{
    size_t length = 0;
    for (; name[length] && length < NAME_MAX_UNITS - 1; length++) {
        char c = name[length];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '-' || c == '_')) {
            break;
        }
        out[length] = (wchar_t) c;
    }
    out[length] = L'\0';
    return (length && !name[length]) ||
           base_fail(err, BASE_INVALID, "a desktop's name is made of at most %d letters and digits",
                     NAME_MAX_UNITS - 1);
}

static bool open_job(HANDLE *job, base_error *err)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation.LimitFlags =
                                                       JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE};
    *job = CreateJobObjectW(NULL, NULL);
    return (*job && SetInformationJobObject(*job, JobObjectExtendedLimitInformation, &limits,
                                            sizeof limits)) ||
           fail(err, "Windows gave no job to hold a desktop's applications");
}

static HANDLE to_inherit(DWORD which)
{
    HANDLE handle = GetStdHandle(which);
    SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    return handle;
}

/* Starts this program with its own arguments followed by `name`, without a console, which would be
 * a window on the desktop. */
static bool create_child(private_desktop *d, wchar_t *name, wchar_t *program, wchar_t *line)
{
    STARTUPINFOW start = {.cb = sizeof start,
                          .lpDesktop = name,
                          .dwFlags = STARTF_USESTDHANDLES,
                          .hStdInput = to_inherit(STD_INPUT_HANDLE),
                          .hStdOutput = to_inherit(STD_OUTPUT_HANDLE),
                          .hStdError = to_inherit(STD_ERROR_HANDLE)};
    DWORD length = GetModuleFileNameW(NULL, program, LINE_MAX_UNITS);
    int written = swprintf(line, LINE_MAX_UNITS, L"%ls %ls", GetCommandLineW(), name);
    return length > 0 && length < LINE_MAX_UNITS && written > 0 &&
           CreateProcessW(program, line, NULL, NULL, TRUE, CREATE_SUSPENDED | DETACHED_PROCESS,
                          NULL, NULL, &start, &d->child);
}

static bool start_child(private_desktop *d, wchar_t *name, base_error *err)
{
    wchar_t *words = malloc(2 * LINE_MAX_UNITS * sizeof *words);
    if (!words) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory for a private desktop");
    }
    bool created = create_child(d, name, words, words + LINE_MAX_UNITS);
    if (!created && GetLastError() == ERROR_INTERNAL_ERROR) {
        /* Wine's word where the new process has ended before its first instruction, which happens
         * on a busy machine, rarely; Windows has none such. */
        created = create_child(d, name, words, words + LINE_MAX_UNITS);
    }
    free(words);
    if (!created) {
        return fail(err, "a process cannot be started on a private desktop");
    }
    /* It was created suspended, so that every process that it starts is in the job too. */
    if (AssignProcessToJobObject(d->job, d->child.hProcess) &&
        ResumeThread(d->child.hThread) != (DWORD) -1) {
        return true;
    }
    fail(err, "a private desktop's process cannot be held");
    TerminateProcess(d->child.hProcess, 1);
    return false;
}

static bool is_empty(HANDLE job)
{
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION counts;
    return !QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &counts,
                                      sizeof counts, NULL) ||
           counts.ActiveProcesses == 0;
}

/* Kills the job's processes and waits for their end, so that their files can be removed. */
static void end_all(HANDLE job)
{
    enum { TIMEOUT = 2000 /* milliseconds */ };
    ULONGLONG limit = GetTickCount64() + TIMEOUT;
    TerminateJobObject(job, 1);
    while (!is_empty(job) && GetTickCount64() < limit) {
        Sleep(1);
    }
}

static void close_all(private_desktop *d)
{
    if (d->job) {
        end_all(d->job);
    }
    HANDLE handles[] = {d->child.hThread, d->child.hProcess, d->job};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        if (handles[i]) {
            CloseHandle(handles[i]);
        }
    }
    if (d->desktop) {
        CloseDesktop(d->desktop);
    }
}

int system_run_on_desktop(const char *name, base_error *err)
{
    wchar_t wide[NAME_MAX_UNITS];
    private_desktop d = {0};
    DWORD status = 0;
    int result = -1;
    if (!read_name(name, wide, err)) {
        return -1;
    }
    d.desktop = CreateDesktopW(wide, NULL, NULL, 0, GENERIC_ALL, NULL);
    if (!d.desktop) {
        fail(err, "Windows made no private desktop; its memory for desktops may be used up");
    } else if (open_job(&d.job, err) && start_child(&d, wide, err)) {
        WaitForSingleObject(d.child.hProcess, INFINITE);
        result = GetExitCodeProcess(d.child.hProcess, &status) ? (int) (status & 0xff) : 1;
    }
    close_all(&d);
    return result;
}
