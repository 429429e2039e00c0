/* A desk on another Windows desktop than the user's: where its thread is, and where it is after. */
#include "check.h"

#include "native.h"
#include "win32/win32.h"

static void name_of_desktop(char *name, DWORD size)
{
    name[0] = '\0';
    GetUserObjectInformationA(GetThreadDesktop(GetCurrentThreadId()), UOI_NAME, name, size, NULL);
}

static void check_desktop(const char *wanted)
{
    char name[64];
    name_of_desktop(name, sizeof name);
    CHECK_STR(name, wanted);
}

int main(void)
{
    char before[64];
    desk *d = NULL;
    desk_error err = {0};
    name_of_desktop(before, sizeof before);
    HDESK made = CreateDesktopW(L"d\u00e9sk test", NULL, NULL, 0, GENERIC_ALL, NULL);
    CHECK(made != NULL);
    CHECK(!desk_native_ops->open(&d, &(desk_options){.display = "no such desktop"}, &err));
    CHECK_EQ(err.code, DESK_UNAVAILABLE);
    CHECK(!desk_native_ops->open(&d, &(desk_options){.display = "bad\xff"}, &err));
    CHECK_EQ(err.code, DESK_INVALID);
    check_desktop(before);
    if (CHECK(desk_native_ops->open(&d, &(desk_options){.display = "d\xc3\xa9sk test"}, &err))) {
        check_desktop("d\xe9sk test");
        desk_window_list windows;
        CHECK(d->ops->windows(d, &windows, &err));
        desk_window_list_free(&windows);
        d->ops->close(d);
    } else {
        printf("    %s\n", err.message);
    }
    check_desktop(before);
    CloseDesktop(made);
    return check_done();
}
