/* Who may change a file, by its mode and its access control list. */
#include "check.h"

#include "system/platform.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static char folder[] = "/tmp/access-XXXXXX";

static system_access look(const char *path)
{
    system_access access;
    base_error err = {0};
    if (!CHECK(system_access_of(path, &access, &err))) {
        printf("%s\n", err.message);
        memset(&access, 0, sizeof access);
    }
    return access;
}

static void modes(void)
{
    CHECK(look(folder).ours);
    CHECK_STR(look(folder).owner, "");
    chmod(folder, 0707);
    CHECK_STR(look(folder).writer, "everybody");
    chmod(folder, 01777);
    CHECK_STR(look(folder).writer, "");
    chmod(folder, 0700);
    CHECK_STR(look(folder).writer, "");
    base_error err;
    system_access access;
    CHECK(!system_access_of("/nothing/is/here", &access, &err));
    CHECK_EQ(err.code, BASE_NOT_FOUND);
}

static void links(void)
{
    char link[64];
    snprintf(link, sizeof link, "%s/link", folder);
    CHECK(symlink("/nothing/is/here", link) == 0);
    CHECK(look(link).link);
    CHECK(look(link).ours);
    CHECK_STR(look(link).writer, ""); /* though its mode is 0777 */
    unlink(link);
}

/* As the kernel keeps a list: a version, then entries of a tag, permissions and an id (acl(5)). */
static void lists(void)
{
    enum { USER_OBJECT = 1, USER = 2, GROUP_OBJECT = 4, MASK = 16, OTHER = 32, NO_ID = -1 };
    struct {
        uint32_t version;
        struct {
            uint16_t tag, permissions;
            uint32_t id;
        } entries[5];
    } list = {2,
              {{USER_OBJECT, 7, (uint32_t) NO_ID},
               {USER, 7, 4001},
               {GROUP_OBJECT, 0, (uint32_t) NO_ID},
               {MASK, 7, (uint32_t) NO_ID},
               {OTHER, 0, (uint32_t) NO_ID}}};
    if (setxattr(folder, "system.posix_acl_access", &list, sizeof list, 0) != 0) {
        printf("SKIPPED: access control lists: %s\n", strerror(errno));
        return;
    }
    CHECK_STR(look(folder).writer, "whoever its access control list names");
    list.entries[3].permissions = 5; /* the mask, which no entry goes beyond */
    CHECK(setxattr(folder, "system.posix_acl_access", &list, sizeof list, 0) == 0);
    CHECK_STR(look(folder).writer, "");
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    modes();
    links();
    lists();
    rmdir(folder);
    return check_done();
}
