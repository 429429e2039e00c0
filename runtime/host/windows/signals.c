/*
 * Console events as interruptions. Windows tells of them on a thread of its own; the main thread is
 * stopped for the instant in which the request is made, so that it is what a signal handler is on
 * the other systems: a moment between two instructions of the main thread.
 */
#include "signals.h"
#include "interrupt.h"

#include <windows.h>

static HANDLE main_thread;

static void request(interrupt_kind kind)
{
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};
    SuspendThread(main_thread);
    GetThreadContext(main_thread,
                     &context); /* SuspendThread only asks; this waits until it is so */
    interrupt_request(kind);
    ResumeThread(main_thread);
}

static BOOL WINAPI on_event(DWORD event)
{
    switch (event) {
    case CTRL_C_EVENT:
    case CTRL_BREAK_EVENT:
        request(INTERRUPT_INT);
        return TRUE;
    case CTRL_CLOSE_EVENT:
        request(INTERRUPT_HUP);
        break;
    default: /* log-off, shutdown */
        request(INTERRUPT_TERM);
    }
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

void signals_close(void)
{
    SetConsoleCtrlHandler(on_event, FALSE);
    CloseHandle(main_thread);
}
