/* Who may change a file: its owner and its access control list. */
#include "system/platform.h"

#include <aclapi.h>
#include <sddl.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

/* What lets somebody change a file, or replace what is in a folder. Adding to a folder does not:
 * what is added belongs to who has added it. */
static const DWORD file_rights =
    FILE_WRITE_DATA | FILE_APPEND_DATA | DELETE | WRITE_DAC | WRITE_OWNER;
static const DWORD folder_rights = FILE_DELETE_CHILD | DELETE | WRITE_DAC | WRITE_OWNER;

/* TrustedInstaller, who owns the files of Windows. */
static const wchar_t *const installer =
    L"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";

static bool is_installer(PSID sid)
{
    wchar_t *words = NULL;
    bool same = ConvertSidToStringSidW(sid, &words) && wcscmp(words, installer) == 0;
    LocalFree(words);
    return same;
}

static bool is_this_user(PSID sid)
{
    HANDLE token;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) {
        return false;
    }
    union {
        TOKEN_USER user;
        BYTE bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    } found;
    DWORD size = sizeof found;
    bool same = GetTokenInformation(token, TokenUser, &found, sizeof found, &size) &&
                EqualSid(found.user.User.Sid, sid);
    CloseHandle(token);
    return same;
}

static bool is_ours(PSID sid)
{
    return IsWellKnownSid(sid, WinBuiltinAdministratorsSid) ||
           IsWellKnownSid(sid, WinLocalSystemSid) ||
           IsWellKnownSid(sid, WinCreatorOwnerRightsSid) || is_this_user(sid) || is_installer(sid);
}

static void put_utf8(const wchar_t *wide, char *out, size_t size)
{
    if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int) size, NULL, NULL)) {
        snprintf(out, size, "somebody");
    }
}

static void name_account(PSID sid, char *out, size_t size)
{
    wchar_t name[64], domain[64], *words = NULL;
    DWORD name_size = 64, domain_size = 64;
    SID_NAME_USE use;
    if (LookupAccountSidW(NULL, sid, name, &name_size, domain, &domain_size, &use)) {
        put_utf8(name, out, size);
    } else if (ConvertSidToStringSidW(sid, &words)) {
        put_utf8(words, out, size);
    } else {
        snprintf(out, size, "somebody");
    }
    LocalFree(words);
}

/* Denials are not counted: who is denied something here may be allowed it as a member of a group.
 */
static void find_writer(PACL list, DWORD rights, system_access *out)
{
    if (!list) {
        snprintf(out->writer, sizeof out->writer, "everybody");
        return;
    }
    GENERIC_MAPPING mapping = {FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_GENERIC_EXECUTE,
                               FILE_ALL_ACCESS};
    for (DWORD i = 0; i < list->AceCount && !out->writer[0]; i++) {
        ACCESS_ALLOWED_ACE *entry;
        if (!GetAce(list, i, (void **) &entry) || (entry->Header.AceFlags & INHERIT_ONLY_ACE) ||
            (entry->Header.AceType != ACCESS_ALLOWED_ACE_TYPE &&
             entry->Header.AceType != ACCESS_ALLOWED_CALLBACK_ACE_TYPE)) {
            continue;
        }
        DWORD allowed = entry->Mask;
        MapGenericMask(&allowed, &mapping);
        if ((allowed & rights) && !is_ours((PSID) &entry->SidStart)) {
            name_account((PSID) &entry->SidStart, out->writer, sizeof out->writer);
        }
    }
}

static bool cannot_look(const char *path, DWORD error, base_error *err)
{
    bool absent = error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
    return base_fail(err, absent ? BASE_NOT_FOUND : BASE_IO, "cannot look at %.200s (error %lu)",
                     path, (unsigned long) error);
}

static bool look_at(HANDLE file, const char *path, system_access *out, base_error *err)
{
    BY_HANDLE_FILE_INFORMATION info;
    PSECURITY_DESCRIPTOR descriptor = NULL;
    PSID owner = NULL;
    PACL list = NULL;
    if (!GetFileInformationByHandle(file, &info)) {
        return cannot_look(path, GetLastError(), err);
    }
    DWORD error = GetSecurityInfo(file, SE_FILE_OBJECT,
                                  OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner,
                                  NULL, &list, NULL, &descriptor);
    if (error != ERROR_SUCCESS) {
        return cannot_look(path, error, err);
    }
    bool folder = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    *out = (system_access){.link = info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT,
                           .ours = owner && is_ours(owner)};
    if (!owner) {
        snprintf(out->owner, sizeof out->owner, "nobody");
    } else if (!out->ours) { /* a domain's server may have to be asked for the name */
        name_account(owner, out->owner, sizeof out->owner);
    }
    find_writer(list, folder ? folder_rights : file_rights, out);
    LocalFree(descriptor);
    return true;
}

bool system_access_of(const char *path, system_access *out, base_error *err)
{
    int units = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *wide = units > 0 ? malloc((size_t) units * sizeof *wide) : NULL;
    if (!wide) {
        return base_fail(err, BASE_INVALID, "a path is not valid UTF-8");
    }
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, units);
    HANDLE file =
        CreateFileW(wide, READ_CONTROL | FILE_READ_ATTRIBUTES,
                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    free(wide);
    if (file == INVALID_HANDLE_VALUE) {
        return cannot_look(path, GetLastError(), err);
    }
    bool ok = look_at(file, path, out, err);
    CloseHandle(file);
    return ok;
}
