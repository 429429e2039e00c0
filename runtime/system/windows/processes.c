#include "system/platform.h"

#include <shellapi.h>
#include <stdlib.h>
#include <tlhelp32.h>
#include <windows.h>
#include <winternl.h>

static bool started_at(DWORD pid, ULONGLONG *when)
{
    FILETIME created, ended, kernel, user;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (!process) {
        return false;
    }
    bool ok = GetProcessTimes(process, &created, &ended, &kernel, &user);
    CloseHandle(process);
    *when = (ULONGLONG) created.dwHighDateTime << 32 | created.dwLowDateTime;
    return ok;
}

/* Whether `parent` was created before `child`. Otherwise the id of the real parent, which has
 * ended, has been given to another process. */
static bool is_older(DWORD parent, DWORD child)
{
    ULONGLONG above, below;
    return started_at(parent, &above) && started_at(child, &below) && above <= below;
}

/* Calls each(context, entry) for every process until it returns false. */
static void visit(bool (*each)(void *context, const PROCESSENTRY32W *entry), void *context)
{
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    if (snapshot == INVALID_HANDLE_VALUE) {
        return;
    }
    PROCESSENTRY32W entry = {.dwSize = sizeof entry};
    for (BOOL more = Process32FirstW(snapshot, &entry); more && each(context, &entry);
         more = Process32NextW(snapshot, &entry)) {
    }
    CloseHandle(snapshot);
}

typedef struct {
    DWORD pid, parent;
} pair;

static bool find_parent(void *context, const PROCESSENTRY32W *entry)
{
    pair *wanted = context;
    if (entry->th32ProcessID != wanted->pid) {
        return true;
    }
    wanted->parent = entry->th32ParentProcessID;
    return false;
}

long system_parent(long pid)
{
    pair wanted = {(DWORD) pid, 0};
    visit(find_parent, &wanted);
    return wanted.parent && is_older(wanted.parent, wanted.pid) ? (long) wanted.parent : 0;
}

typedef struct {
    long root, *out;
    size_t count, capacity;
    bool grown;
} tree;

static bool is_in(const tree *t, long pid)
{
    bool found = pid == t->root;
    for (size_t i = 0; !found && i < t->count; i++) {
        found = t->out[i] == pid;
    }
    return found;
}

static bool add_child(void *context, const PROCESSENTRY32W *entry)
{
    tree *t = context;
    long pid = (long) entry->th32ProcessID, parent = (long) entry->th32ParentProcessID;
    if (pid && is_in(t, parent) && !is_in(t, pid) && is_older((DWORD) parent, (DWORD) pid)) {
        t->out[t->count++] = pid;
        t->grown = true;
    }
    return t->count < t->capacity;
}

/* The snapshot is not ordered, so it is searched repeatedly until no further descendant is found.
 * */
size_t system_descendants(long pid, long *out, size_t capacity)
{
    tree t = {.root = pid, .out = out, .capacity = capacity, .grown = true};
    while (t.grown && t.count < capacity) {
        t.grown = false;
        visit(add_child, &t);
    }
    return t.count;
}

static bool read_memory(HANDLE process, const void *from, void *to, size_t size)
{
    SIZE_T got;
    return from && ReadProcessMemory(process, from, to, size, &got) && got == size;
}

/* Reads a process's command line from its memory, at the address in its process environment block
 * (PEB). */
static wchar_t *read_command_line(HANDLE process)
{
    typedef NTSTATUS(NTAPI * query)(HANDLE, PROCESSINFOCLASS, void *, ULONG, ULONG *);
    query ask =
        (query) (void *) GetProcAddress(GetModuleHandleW(L"ntdll"), "NtQueryInformationProcess");
    PROCESS_BASIC_INFORMATION basic;
    PEB block;
    RTL_USER_PROCESS_PARAMETERS given;
    if (!ask || ask(process, ProcessBasicInformation, &basic, sizeof basic, NULL) < 0 ||
        !read_memory(process, basic.PebBaseAddress, &block, sizeof block) ||
        !read_memory(process, block.ProcessParameters, &given, sizeof given)) {
        return NULL;
    }
    size_t length = given.CommandLine.Length / sizeof(wchar_t);
    wchar_t *line = calloc(length + 1, sizeof *line);
    if (line && read_memory(process, given.CommandLine.Buffer, line, length * sizeof *line)) {
        return line;
    }
    free(line);
    return NULL;
}

static wchar_t *whole_command_line(DWORD pid)
{
    HANDLE process = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, FALSE, pid);
    wchar_t *line = process ? read_command_line(process) : NULL;
    if (process) {
        CloseHandle(process);
    }
    return line;
}

static char *utf8_words(wchar_t **words, int count, size_t *size)
{
    size_t needed = 0, at = 0;
    for (int i = 0; i < count; i++) {
        needed += (size_t) WideCharToMultiByte(CP_UTF8, 0, words[i], -1, NULL, 0, NULL, NULL);
    }
    char *out = malloc(needed + 1);
    for (int i = 0; out && i < count; i++) {
        at += (size_t) WideCharToMultiByte(CP_UTF8, 0, words[i], -1, out + at, (int) (needed - at),
                                           NULL, NULL);
    }
    *size = at;
    return out;
}

char *system_command_line(long pid, size_t *size)
{
    *size = 0;
    wchar_t *line = whole_command_line((DWORD) pid);
    int count = 0;
    wchar_t **words = line && *line ? CommandLineToArgvW(line, &count) : NULL;
    char *out = words ? utf8_words(words, count, size) : NULL;
    LocalFree(words);
    free(line);
    return out;
}
