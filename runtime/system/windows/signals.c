/*
 * Console events as interruptions. Windows tells of them on a thread of its own; the main thread is
 * stopped for the instant in which the request is made, so that it is what a signal handler is on
 * the other systems: a moment between two instructions of the main thread.
 */
#include "signals.h"

#include <stdbool.h>
#include <windows.h>

static HANDLE main_thread; /* NULL while there is no handler */
static system_interrupt_handler *interrupted;
/* Windows runs each event on a thread of its own: one at a time, and not while we close. */
static SRWLOCK one_at_a_time = SRWLOCK_INIT;

/* Between suspending and resuming nothing may be called that takes a lock (malloc does, and
 * printf): the main thread may have it. */
static void request_now(system_interrupt_kind kind)
{
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};
    if (SuspendThread(main_thread) == (DWORD) -1) {
        return;
    }
    /* SuspendThread only asks; this waits until it is so. */
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
    /* Of log-off and shutdown Windows tells nobody who has user32.dll loaded, as we have: the
     * program then ends at once, as by kill -9. */
    if (!request(event == CTRL_CLOSE_EVENT ? INTERRUPT_HUP : INTERRUPT_TERM)) {
        return FALSE;
    }
    /* The process is ended when this returns; the last words take a moment. Windows gives 5 s. */
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

/* The handler stays registered: to remove it would wait for one that is running, which waits for
 * the process to end. */
void signals_close(void)
{
    AcquireSRWLockExclusive(&one_at_a_time);
    CloseHandle(main_thread);
    main_thread = NULL;
    ReleaseSRWLockExclusive(&one_at_a_time);
}
