/*
 * Who works on the user's desktop: who owns a mutex of the session's namespace. Windows gives it up
 * when its owner ends, however that is. Who it is stands in named memory beside it, which its owner
 * keeps open.
 */
#include "win32_internal.h"

#include <string.h>

static const wchar_t MUTEX[] = L"Local\\deskpilot-desktop";
static const wchar_t NAME[] = L"Local\\deskpilot-desktop-holder";

static HANDLE share_name(const char *holder)
{
    HANDLE memory =
        CreateFileMappingW(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, DESK_HOLDER_SIZE, NAME);
    char *view = memory ? MapViewOfFile(memory, FILE_MAP_WRITE, 0, 0, DESK_HOLDER_SIZE) : NULL;
    if (view) {
        strncpy(view, holder, DESK_HOLDER_SIZE - 1); /* zeros behind it */
        view[DESK_HOLDER_SIZE - 1] = '\0';
        UnmapViewOfFile(view);
    }
    return memory;
}

static void read_name(char other[DESK_HOLDER_SIZE])
{
    HANDLE memory = OpenFileMappingW(FILE_MAP_READ, FALSE, NAME);
    const char *view = memory ? MapViewOfFile(memory, FILE_MAP_READ, 0, 0, DESK_HOLDER_SIZE) : NULL;
    if (view) {
        memcpy(other, view, DESK_HOLDER_SIZE - 1);
        other[DESK_HOLDER_SIZE - 1] = '\0';
        UnmapViewOfFile(view);
    }
    if (memory) {
        CloseHandle(memory);
    }
}

/* Whether the mutex is this thread's now. One that was abandoned is: its owner has been killed. */
static bool take(HANDLE mutex)
{
    DWORD answer = mutex ? WaitForSingleObject(mutex, 0) : WAIT_FAILED;
    return answer == WAIT_OBJECT_0 || answer == WAIT_ABANDONED;
}

/* The desk of this process that holds it: a thread may take its own mutex twice. */
static const win32_desk *here;

static bool hold(desk *d, const char *holder, char other[DESK_HOLDER_SIZE], base_error *err)
{
    win32_desk *w = (win32_desk *) d;
    if (w == here) {
        return true;
    }
    HANDLE mutex = CreateMutexW(NULL, FALSE, MUTEX);
    DWORD error = mutex ? 0 : GetLastError();
    if (!mutex && error != ERROR_ACCESS_DENIED) {
        return win32_fail(err, BASE_IO, "cannot make the mutex of this desktop", error);
    }
    if (!here && take(mutex)) {
        here = w;
        w->hold.mutex = mutex;
        w->hold.name = share_name(holder);
        return true;
    }
    read_name(other);
    if (mutex) {
        CloseHandle(mutex);
    }
    return base_fail(err, BASE_REFUSED, "held"); /* the front says by whom */
}

void win32_hold_close(win32_desk *w)
{
    if (w->hold.name) {
        CloseHandle(w->hold.name);
    }
    if (w->hold.mutex) {
        here = NULL;
        ReleaseMutex(w->hold.mutex);
        CloseHandle(w->hold.mutex);
    }
}

void win32_hold_ops(desk_ops *ops)
{
    ops->hold = hold;
}
