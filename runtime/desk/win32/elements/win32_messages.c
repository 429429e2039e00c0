/* Messages to windows of other processes, none of which is waited for without end. */
#include "win32_elements_internal.h"

bool win32_ask(HWND window, unsigned timeout, UINT message, WPARAM wparam, LPARAM lparam,
               DWORD_PTR *answer)
{
    DWORD_PTR ignored;
    return SendMessageTimeoutW(window, message, wparam, lparam, SMTO_ABORTIFHUNG | SMTO_BLOCK,
                               timeout, answer ? answer : &ignored) != 0;
}

bool win32_tell(HWND window, uint64_t deadline, UINT message, WPARAM wparam, LPARAM lparam,
                DWORD_PTR *answer, base_error *err)
{
    SetLastError(0);
    if (win32_ask(window, win32_left_ms(deadline), message, wparam, lparam, answer)) {
        return true;
    }
    DWORD error = GetLastError();
    if (error == ERROR_INVALID_WINDOW_HANDLE || !IsWindow(window)) {
        return base_fail(err, BASE_NOT_FOUND, "the element is gone: its window has been closed");
    }
    if (error == 0 || error == ERROR_TIMEOUT) {
        return base_fail(err, BASE_TIMED_OUT, "the application did not answer in time");
    }
    return win32_fail(err, BASE_REFUSED, "the application cannot be asked", error);
}

bool win32_post(HWND window, UINT message, WPARAM wparam, LPARAM lparam, base_error *err)
{
    return PostMessageW(window, message, wparam, lparam) ||
           win32_fail(err, BASE_REFUSED, "the application cannot be told", GetLastError());
}

bool win32_notify(HWND window, WORD code, base_error *err)
{
    HWND parent = GetParent(window);
    WORD id = (WORD) GetDlgCtrlID(window);
    return !parent || win32_post(parent, WM_COMMAND, MAKEWPARAM(id, code), (LPARAM) window, err);
}
