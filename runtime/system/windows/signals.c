/*
 * Turns console events into interruptions. Windows reports them on a new thread. That thread
 * suspends the main thread while it makes the request, so that the request happens between two
 * instructions of the main thread, like a signal handler on other systems.
 */
#include "signals.h"

#include <stdbool.h>
#include <windows.h>

static HANDLE main_thread; /* NULL while there is no handler */
static system_interrupt_handler *interrupted;
/* Each event has its own thread. The lock serialises them with each other and with closing. */
static SRWLOCK one_at_a_time = SRWLOCK_INIT;

/* While the main thread is suspended, no function may be called that takes a lock (such as malloc
 * and printf): the main thread may hold it. */
static void request_now(system_interrupt_kind kind)
{
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};
    if (SuspendThread(main_thread) == (DWORD) -1) {
        return;
    }
    /* SuspendThread is asynchronous; this waits until the thread is suspended. */
    GetThreadContext(main_thread, &context);
    interrupted(kind);
    ResumeThread(main_thread);
}

static bool request(system_interrupt_kind kind)
{
    AcquireSRWLockExclusive(&one_at_a_time);
    bool asked = main_thread != NULL;
    if (asked) {
        request_now(kind);
    }
    ReleaseSRWLockExclusive(&one_at_a_time);
    return asked;
}

void system_interrupt(system_interrupt_kind kind)
{
    request(kind);
}

static BOOL WINAPI on_event(DWORD event)
{
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT) {
        return request(INTERRUPT_INT);
    }
    /* Windows does not send log-off and shutdown events to a process that has loaded user32.dll, as
     * this one has: it is then killed without notice. */
    if (!request(event == CTRL_CLOSE_EVENT ? INTERRUPT_HUP : INTERRUPT_TERM)) {
        return FALSE;
    }
    /* Windows ends the process when this returns, at the latest after 5 s. The main thread needs a
     * moment to finish, and exits by itself. */
    Sleep(INFINITE);
    return TRUE;
}

void signals_open(system_interrupt_handler *handler)
{
    interrupted = handler;
    DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &main_thread, 0,
                    FALSE, DUPLICATE_SAME_ACCESS);
    SetConsoleCtrlHandler(NULL, FALSE); /* a parent may have turned Ctrl+C off for its children */
    SetConsoleCtrlHandler(on_event, TRUE);
}

/* The handler stays registered: removing it would wait for a running one, which in turn waits for
 * the end of the process. */
void signals_close(void)
{
    AcquireSRWLockExclusive(&one_at_a_time);
    CloseHandle(main_thread);
    main_thread = NULL;
    ReleaseSRWLockExclusive(&one_at_a_time);
}
