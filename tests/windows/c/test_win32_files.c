/* Files and folders that are made for their user alone, judged by the access rights that the system
 * tells. Wine keeps of these only what fits into the mode of a Linux file: not that nothing is
 * inherited, and no right of SYSTEM's that differs from a group's. What it cannot show is left out
 * under Wine, and said. */
#include "check.h"
#include "system/files.h"

#include <io.h>
#include <uv.h>
#include <windows.h>

#include <aclapi.h>
#include <sddl.h>

static char base[MAX_PATH];
static bool on_wine;

static const char *in_base(const char *name)
{
    static char paths[4][MAX_PATH + 64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", base, name);
    return path;
}

/* Whether that well-known group is given any right. */
static bool is_open_to(PACL list, WELL_KNOWN_SID_TYPE group)
{
    char sid[SECURITY_MAX_SID_SIZE];
    DWORD size = sizeof sid;
    CHECK(CreateWellKnownSid(group, NULL, sid, &size));
    for (DWORD i = 0; list && i < list->AceCount; i++) {
        ACCESS_ALLOWED_ACE *entry;
        CHECK(GetAce(list, i, (void **) &entry));
        if (entry->Header.AceType == ACCESS_ALLOWED_ACE_TYPE && EqualSid(&entry->SidStart, sid) &&
            entry->Mask) {
            return true;
        }
    }
    return !list; /* no list at all: everybody may do everything */
}

typedef struct {
    bool everyone, users, administrators, is_protected, is_own;
    DWORD entries;
} rights;

static rights rights_of(const char *path)
{
    PACL list = NULL;
    PSID owner = NULL;
    PSECURITY_DESCRIPTOR all = NULL;
    rights found = {0};
    DWORD error = GetNamedSecurityInfoA(path, SE_FILE_OBJECT,
                                        DACL_SECURITY_INFORMATION | OWNER_SECURITY_INFORMATION,
                                        &owner, NULL, &list, NULL, &all);
    if (!CHECK_EQ(error, ERROR_SUCCESS)) {
        return (rights){.everyone = true};
    }
    SECURITY_DESCRIPTOR_CONTROL control = 0;
    DWORD revision;
    CHECK(GetSecurityDescriptorControl(all, &control, &revision));
    found.everyone = is_open_to(list, WinWorldSid);
    found.users = is_open_to(list, WinBuiltinUsersSid) || is_open_to(list, WinAuthenticatedUserSid);
    found.administrators = is_open_to(list, WinBuiltinAdministratorsSid);
    found.is_protected = control & SE_DACL_PROTECTED;
    found.entries = list ? list->AceCount : 0;
    char room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    HANDLE token;
    DWORD size;
    CHECK(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token));
    CHECK(GetTokenInformation(token, TokenUser, room, sizeof room, &size));
    found.is_own = EqualSid(owner, ((TOKEN_USER *) (void *) room)->User.Sid);
    CloseHandle(token);
    LocalFree(all);
    return found;
}

static void check_private(const char *path, bool itself)
{
    rights found = rights_of(path);
    CHECK(!found.everyone && !found.users && !found.administrators);
    CHECK(found.is_own);
    if (!on_wine) {
        CHECK(found.entries == 2); /* its user and SYSTEM */
        CHECK(!itself || found.is_protected);
    }
}

static void put(const char *path, system_file_use use, bool private, const char *words)
{
    int file = system_file_open(path, use, private);
    CHECK(file >= 0);
    CHECK(_write(file, words, (unsigned) strlen(words)) == (int) strlen(words));
    CHECK(_close(file) == 0);
}

static bool holds(const char *path, const char *words)
{
    char room[64] = "";
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t size = fread(room, 1, sizeof room - 1, file);
    fclose(file);
    return size == strlen(words) && memcmp(room, words, size) == 0;
}

static void what_is_private_is_for_its_user_alone(void)
{
    CHECK(system_folder_make(in_base("private"), true) == 0);
    CHECK(system_folder_make(in_base("private"), true) == UV_EEXIST);
    check_private(in_base("private"), true);
    put(in_base("file"), SYSTEM_FILE_NEW, true, "x");
    check_private(in_base("file"), true);
    put(in_base("private/within"), SYSTEM_FILE_NEW, false, "x");
    if (!on_wine) {
        check_private(in_base("private/within"), false);
    }
    put(in_base("plain"), SYSTEM_FILE_NEW, false, "x");
    rights plain = rights_of(in_base("plain"));
    CHECK(!on_wine || plain.everyone); /* so the checks above can fail */
    put(in_base("plain"), SYSTEM_FILE_APPEND, true, "x");
    check_private(in_base("plain"), true);
}

static void a_file_is_new_or_goes_on(void)
{
    put(in_base("new"), SYSTEM_FILE_NEW, true, "one");
    CHECK(system_file_open(in_base("new"), SYSTEM_FILE_NEW, true) == UV_EEXIST);
    put(in_base("new"), SYSTEM_FILE_APPEND, true, "two");
    CHECK(holds(in_base("new"), "onetwo"));
    CHECK(system_file_open(in_base("no/such"), SYSTEM_FILE_NEW, true) == UV_ENOENT);
    CHECK(system_file_open("\xff", SYSTEM_FILE_NEW, true) == UV_EINVAL);
}

static void a_name_replaces_only_where_it_is_meant_to(void)
{
    put(in_base("a"), SYSTEM_FILE_NEW, true, "a");
    put(in_base("b"), SYSTEM_FILE_NEW, true, "b");
    CHECK(system_file_rename(in_base("a"), in_base("b"), true) == UV_EEXIST);
    CHECK(holds(in_base("b"), "b"));
    CHECK(system_file_rename(in_base("a"), in_base("b"), false) == 0);
    CHECK(holds(in_base("b"), "a"));
    CHECK(system_file_rename(in_base("b"), in_base("c"), true) == 0);
    check_private(in_base("c"), true);
}

/* A link in the place of the file: neither a new file nor one that goes on is written through it.
 */
static void a_link_is_not_followed(void)
{
    put(in_base("victim"), SYSTEM_FILE_NEW, false, "precious");
    bool made =
        CreateSymbolicLinkA(in_base("link"), in_base("victim"), 2 /* ALLOW_UNPRIVILEGED_CREATE */);
    DWORD is = GetFileAttributesA(in_base("link"));
    if (!made || is == INVALID_FILE_ATTRIBUTES || !(is & FILE_ATTRIBUTE_REPARSE_POINT)) {
        printf("NOT CHECKED: a link in the place of a file, because %s\n",
               on_wine ? "Wine makes none" : "this user may make none");
        return;
    }
    CHECK(system_file_open(in_base("link"), SYSTEM_FILE_NEW, true) == UV_EEXIST);
    CHECK(system_file_open(in_base("link"), SYSTEM_FILE_APPEND, true) == UV_ELOOP);
    CHECK(holds(in_base("victim"), "precious"));
}

int main(void)
{
    on_wine = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != NULL;
    char temporary[MAX_PATH];
    CHECK(GetTempPathA(sizeof temporary, temporary) > 0);
    snprintf(base, sizeof base, "%sfiles-%lu", temporary, (unsigned long) GetCurrentProcessId());
    CHECK(CreateDirectoryA(base, NULL));
    if (on_wine) {
        printf("NOT CHECKED: that nothing is inherited, because Wine does not keep it\n");
    }
    what_is_private_is_for_its_user_alone();
    a_file_is_new_or_goes_on();
    a_name_replaces_only_where_it_is_meant_to();
    a_link_is_not_followed();
    return check_done();
}
