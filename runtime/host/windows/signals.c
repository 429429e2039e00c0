/*
 * Console events as interruptions. Windows tells of them on a thread of its own; the main thread is
 * stopped for the instant in which the request is made, so that it is what a signal handler is on
 * the other systems: a moment between two instructions of the main thread.
 */
#include "signals.h"
#include "interrupt.h"

#include <stdbool.h>
#include <windows.h>

static HANDLE main_thread; /* NULL while nobody is to be asked */

static bool request(interrupt_kind kind)
{
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};
    HANDLE thread = main_thread;
    if (!thread)
        return false;
    SuspendThread(thread);
    GetThreadContext(thread, &context); /* SuspendThread only asks; this waits until it is so */
    interrupt_request(kind);
    ResumeThread(thread);
    return true;
}

static BOOL WINAPI on_event(DWORD event)
{
    if (event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT)
        return request(INTERRUPT_INT);
    if (!request(event == CTRL_CLOSE_EVENT ? INTERRUPT_HUP
                                           : INTERRUPT_TERM)) /* log-off, shutdown */
        return FALSE;
    /* The process is ended when this returns; the last words take a moment. Windows gives 5 s. */
    Sleep(INFINITE);
    return TRUE;
}

void signals_open(void)
{
    DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &main_thread, 0,
                    FALSE, DUPLICATE_SAME_ACCESS);
    SetConsoleCtrlHandler(NULL, FALSE); /* a parent may have turned Ctrl+C off for its children */
    SetConsoleCtrlHandler(on_event, TRUE);
}

/* The handler stays registered: to remove it would wait for one that is running, which waits for
 * the process to end. */
void signals_close(void)
{
    CloseHandle(InterlockedExchangePointer(&main_thread, NULL));
}
