/*
 * Windows drops input for a program of higher rights than its sender's, and tells the sender of
 * success (User Interface Privilege Isolation; SendInput's documentation). So we look first.
 */
#include "win32_internal.h"

/* The integrity level of a process, which is what Windows compares. False where it is not told. */
static bool level_of(HANDLE process, DWORD *out)
{
    struct {
        TOKEN_MANDATORY_LABEL label;
        BYTE sid[SECURITY_MAX_SID_SIZE];
    } told;
    DWORD size = 0;
    HANDLE token;
    if (!OpenProcessToken(process, TOKEN_QUERY, &token)) {
        return false;
    }
    bool ok = GetTokenInformation(token, TokenIntegrityLevel, &told, sizeof told, &size);
    DWORD error = GetLastError();
    CloseHandle(token);
    SetLastError(error);
    if (ok) {
        PSID sid = told.label.Label.Sid;
        *out = *GetSidSubAuthority(sid, *GetSidSubAuthorityCount(sid) - 1u);
    }
    return ok;
}

/* A process that we may not ask is one above us. One that has ended meanwhile is not. */
static bool is_above(DWORD pid, DWORD ours)
{
    DWORD level = 0;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, pid);
    bool told = process && level_of(process, &level);
    bool denied = !told && GetLastError() == ERROR_ACCESS_DENIED;
    if (process) {
        CloseHandle(process);
    }
    return denied || level > ours;
}

bool win32_takes_input(HWND window, base_error *err)
{
    DWORD pid = 0, ours = 0;
    GetWindowThreadProcessId(window, &pid);
    /* An administrator's program reaches all that users see. */
    if (!pid || !level_of(GetCurrentProcess(), &ours) || ours >= SECURITY_MANDATORY_HIGH_RID ||
        !is_above(pid, ours)) {
        return true;
    }
    return base_fail(err, BASE_REFUSED,
                     "Windows takes no input for that window: it belongs to a program that runs as "
                     "administrator. Start deskpilot as administrator to work on it.");
}
