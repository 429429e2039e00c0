#include "system/files.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>
#include <windows.h>

#include <sddl.h> /* needs windows.h */

static int last_error(void)
{
    return uv_translate_sys_error((int) GetLastError());
}

/* A path in the form that the system wants, to be freed. NULL with *error set. */
static wchar_t *wide(const char *path, int *error)
{
    int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *text = units > 0 ? malloc((size_t) units * sizeof *text) : NULL;
    if (!text) {
        *error = units > 0 ? UV_ENOMEM : UV_EINVAL;
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, 0, path, -1, text, units);
    return text;
}

/* The id of this process's user as text, to be freed by LocalFree; NULL if it cannot be had. */
static wchar_t *own_sid(void)
{
    union {
        TOKEN_USER user;
        char room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } of;
    HANDLE token;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
        return NULL;
    }
    DWORD size;
    wchar_t *text = NULL;
    if (GetTokenInformation(token, TokenUser, &of, sizeof of, &size)) {
        ConvertSidToStringSidW(of.user.User.Sid, &text);
    }
    CloseHandle(token);
    return text;
}

/* Who may use what is private: its user and SYSTEM, whatever the folder above says (P). What is
 * made in a folder inherits that (OI, CI). The user is the owner, also of an elevated process,
 * whose files would belong to all administrators. To be freed by LocalFree; NULL with *error. */
static PSECURITY_DESCRIPTOR private_access(bool folder, int *error)
{
    const wchar_t *inherit = folder ? L"OICI" : L"";
    wchar_t words[512];
    PSECURITY_DESCRIPTOR access = NULL;
    wchar_t *sid = own_sid();
    if (sid) {
        swprintf(words, sizeof words / sizeof *words, L"O:%lsD:P(A;%ls;FA;;;SY)(A;%ls;FA;;;%ls)",
                 sid, inherit, inherit, sid);
        ConvertStringSecurityDescriptorToSecurityDescriptorW(words, SDDL_REVISION_1, &access, NULL);
        LocalFree(sid);
    }
    if (!access) {
        *error = last_error();
    }
    return access;
}

/* Opens the file itself: of a link or another reparse point in its place it gets the link. One that
 * was there may have been made when it was not private yet. */
static HANDLE open_handle(const wchar_t *path, system_file_use use, PSECURITY_DESCRIPTOR access)
{
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes, .lpSecurityDescriptor = access};
    /* As libuv shares files: others may read, rename and remove it meanwhile. Not only the right to
     * append: the end of a file could then neither be cut off nor locked. */
    HANDLE handle = CreateFileW(path, GENERIC_READ | GENERIC_WRITE | (access ? WRITE_DAC : 0),
                                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &attributes,
                                use == SYSTEM_FILE_NEW ? CREATE_NEW : OPEN_ALWAYS,
                                FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    bool was_there = handle != INVALID_HANDLE_VALUE && GetLastError() == ERROR_ALREADY_EXISTS;
    SECURITY_INFORMATION what = DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION;
    if (was_there && access && !SetKernelObjectSecurity(handle, what, access)) {
        DWORD error = GetLastError();
        CloseHandle(handle);
        SetLastError(error);
        return INVALID_HANDLE_VALUE;
    }
    return handle;
}

/* 0 if it is a file, which is then at its end. */
static int go_to_end(HANDLE handle)
{
    BY_HANDLE_FILE_INFORMATION info;
    bool ok = GetFileInformationByHandle(handle, &info);
    if (ok && (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)) {
        return UV_ELOOP;
    }
    ok = ok && SetFilePointerEx(handle, (LARGE_INTEGER){0}, NULL, FILE_END);
    return ok ? 0 : last_error();
}

/* The descriptor of a handle, which is closed if that fails. */
static int descriptor_of(HANDLE handle)
{
    int error = go_to_end(handle);
    int file = error ? -1 : _open_osfhandle((intptr_t) handle, _O_NOINHERIT);
    if (file < 0) {
        CloseHandle(handle);
        return error ? error : UV_EMFILE;
    }
    return file;
}

int system_file_open(const char *path, system_file_use use, bool private)
{
    int error = 0;
    wchar_t *name = wide(path, &error);
    PSECURITY_DESCRIPTOR access = name && private ? private_access(false, &error) : NULL;
    if (name && !error) {
        HANDLE handle = open_handle(name, use, access);
        error = handle == INVALID_HANDLE_VALUE ? last_error() : descriptor_of(handle);
    }
    LocalFree(access);
    free(name);
    return error;
}

int system_folder_make(const char *path, bool private)
{
    int error = 0;
    wchar_t *name = wide(path, &error);
    PSECURITY_DESCRIPTOR access = name && private ? private_access(true, &error) : NULL;
    SECURITY_ATTRIBUTES attributes = {.nLength = sizeof attributes, .lpSecurityDescriptor = access};
    if (name && !error && !CreateDirectoryW(name, private ? &attributes : NULL)) {
        error = last_error();
    }
    LocalFree(access);
    free(name);
    return error;
}

int system_file_rename(const char *from, const char *to, bool keep)
{
    int error = 0;
    wchar_t *old = wide(from, &error), *new = old ? wide(to, &error) : NULL;
    DWORD how = MOVEFILE_WRITE_THROUGH | (keep ? 0 : MOVEFILE_REPLACE_EXISTING);
    if (new && !MoveFileExW(old, new, how)) {
        error = last_error();
    }
    free(old);
    free(new);
    return error;
}

int system_folder_sync(const char *path)
{
    (void) path;
    return 0;
}
