/* Who may change a file, as its access control list has it. */
#include "check.h"

#include "system/platform.h"

#include <aclapi.h>
#include <windows.h>

static char path[MAX_PATH];
static wchar_t wide[MAX_PATH];

/* Lets this user do everything, and a group of everybody's kind so much. */
static void allow(WELL_KNOWN_SID_TYPE whom, DWORD rights, DWORD inheritance)
{
    BYTE sid[SECURITY_MAX_SID_SIZE];
    DWORD size = sizeof sid;
    CHECK(CreateWellKnownSid(whom, NULL, sid, &size));
    EXPLICIT_ACCESSW entries[2] = {
        {.grfAccessPermissions = GENERIC_ALL,
         .grfAccessMode = SET_ACCESS,
         .Trustee = {.TrusteeForm = TRUSTEE_IS_NAME, .ptstrName = L"CURRENT_USER"}},
        {.grfAccessPermissions = rights,
         .grfAccessMode = SET_ACCESS,
         .grfInheritance = inheritance,
         .Trustee = {.TrusteeForm = TRUSTEE_IS_SID, .ptstrName = (wchar_t *) sid}}};
    PACL list = NULL;
    CHECK(SetEntriesInAclW(2, entries, NULL, &list) == ERROR_SUCCESS);
    CHECK(SetNamedSecurityInfoW(wide, SE_FILE_OBJECT,
                                DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                                NULL, NULL, list, NULL) == ERROR_SUCCESS);
    LocalFree(list);
}

static system_access look(void)
{
    system_access access;
    base_error err = {0};
    bool ok = system_access_of(path, &access, &err);
    CHECK(ok);
    if (!ok) {
        printf("%s\n", err.message);
        memset(&access, 0, sizeof access);
    }
    return access;
}

static void name_new(const char *name)
{
    char folder[MAX_PATH];
    GetTempPathA(MAX_PATH, folder);
    snprintf(path, sizeof path, "%s%s-%lu", folder, name, (unsigned long) GetCurrentProcessId());
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, MAX_PATH);
}

static void a_file(void)
{
    name_new("access-file");
    HANDLE file = CreateFileW(wide, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
    CHECK(file != INVALID_HANDLE_VALUE);
    CloseHandle(file);
    system_access access = look();
    CHECK(access.ours);
    CHECK(!access.link);
    CHECK_STR(access.owner, "");
    CHECK(!access.writer[0]);
    allow(WinWorldSid, GENERIC_READ | GENERIC_EXECUTE, NO_INHERITANCE);
    CHECK_STR(look().writer, "");
    allow(WinWorldSid, GENERIC_READ | GENERIC_WRITE, NO_INHERITANCE);
    CHECK_STR(look().writer, "Everyone");
    DeleteFileW(wide);
    base_error err;
    CHECK(!system_access_of(path, &access, &err));
    CHECK(err.code == BASE_NOT_FOUND);
}

static void a_folder(void)
{
    name_new("access-folder");
    CHECK(CreateDirectoryW(wide, NULL));
    CHECK_STR(look().writer, "");
    allow(WinWorldSid, GENERIC_ALL, NO_INHERITANCE);
    CHECK_STR(look().writer, "Everyone");
    allow(WinWorldSid, GENERIC_READ, NO_INHERITANCE);
    CHECK_STR(look().writer, "");
    RemoveDirectoryW(wide);
}

int main(void)
{
    a_file();
    a_folder();
    return check_done();
}
