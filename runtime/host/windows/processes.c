#include "platform.h"

#include <tlhelp32.h>
#include <windows.h>

static bool started_at(DWORD pid, ULONGLONG *when)
{
    FILETIME created, ended, kernel, user;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    if (!process)
        return false;
    bool ok = GetProcessTimes(process, &created, &ended, &kernel, &user);
    CloseHandle(process);
    *when = (ULONGLONG) created.dwHighDateTime << 32 | created.dwLowDateTime;
    return ok;
}

/* A number may be another process's by now: a parent is older than its child. */
static bool is_older(DWORD parent, DWORD child)
{
    ULONGLONG above, below;
    return started_at(parent, &above) && started_at(child, &below) && above <= below;
}

/* Calls each(context, entry) for every process until it gives false. */
static void visit(bool (*each)(void *context, const PROCESSENTRY32W *entry), void *context)
{
    HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    if (snapshot == INVALID_HANDLE_VALUE)
        return;
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
    if (entry->th32ProcessID != wanted->pid)
        return true;
    wanted->parent = entry->th32ParentProcessID;
    return false;
}

long platform_parent(long pid)
{
    pair wanted = {(DWORD) pid, 0};
    visit(find_parent, &wanted);
    return wanted.parent && is_older(wanted.parent, wanted.pid) ? (long) wanted.parent : 0;
}

typedef struct {
    long root, *out;
    size_t count, room;
    bool grown;
} tree;

static bool is_in(const tree *t, long pid)
{
    bool found = pid == t->root;
    for (size_t i = 0; !found && i < t->count; i++)
        found = t->out[i] == pid;
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
    return t->count < t->room;
}

/* A snapshot has no order: it is gone through until nothing more is found. */
size_t platform_descendants(long pid, long *out, size_t room)
{
    tree t = {.root = pid, .out = out, .room = room, .grown = true};
    while (t.grown && t.count < room) {
        t.grown = false;
        visit(add_child, &t);
    }
    return t.count;
}
