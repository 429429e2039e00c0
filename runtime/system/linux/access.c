/* Who may change a file: its owner, its mode, its access control list. */
#include "system/platform.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static void name_user(uid_t user, char *out, size_t size)
{
    const struct passwd *entry = getpwuid(user);
    if (entry) {
        snprintf(out, size, "%s", entry->pw_name);
    } else {
        snprintf(out, size, "the user %lu", (unsigned long) user);
    }
}

static void name_group(gid_t group, char *out, size_t size)
{
    const struct group *entry = getgrgid(group);
    if (entry) {
        snprintf(out, size, "the group %s", entry->gr_name);
    } else {
        snprintf(out, size, "the group %lu", (unsigned long) group);
    }
}

/* Whether nobody but `user` is in the group: it is called as the user is (as adduser makes it), has
 * no other members, and is no other user's first group. The name is asked for because not every
 * directory service lists all users. */
static bool is_private_group(gid_t group, uid_t user)
{
    const struct passwd *own = getpwuid(user);
    char name[128];
    if (!own || own->pw_gid != group) {
        return false;
    }
    snprintf(name, sizeof name, "%s", own->pw_name); /* the next call reuses `own` */
    const struct group *entry = getgrgid(group);
    bool is_private = entry && strcmp(entry->gr_name, name) == 0;
    for (char **member = entry ? entry->gr_mem : NULL; is_private && *member; member++) {
        is_private = strcmp(*member, name) == 0;
    }
    setpwent();
    for (const struct passwd *other; is_private && (other = getpwent());) {
        is_private = other->pw_gid != group || other->pw_uid == user;
    }
    endpwent();
    return is_private;
}

static void find_writer(const char *path, const struct stat *file, system_access *out)
{
    if (S_ISLNK(file->st_mode)) {
        return; /* a link has no permissions; it is replaced by who may write its folder */
    }
    if (S_ISDIR(file->st_mode) && (file->st_mode & S_ISVTX)) {
        return; /* as /tmp: everybody may add to it, and nobody may remove what is another's */
    }
    if (file->st_mode & S_IWOTH) {
        snprintf(out->writer, sizeof out->writer, "everybody");
    } else if (file->st_mode & S_IWGRP) {
        /* Where there is an access control list, the mode's bits of the group are its mask. */
        if (getxattr(path, "system.posix_acl_access", NULL, 0) > 0) {
            snprintf(out->writer, sizeof out->writer, "whoever its access control list names");
        } else if (!is_private_group(file->st_gid, geteuid()) &&
                   !is_private_group(file->st_gid, 0)) {
            name_group(file->st_gid, out->writer, sizeof out->writer);
        }
    }
}

bool system_access_of(const char *path, system_access *out, base_error *err)
{
    struct stat file;
    if (lstat(path, &file) != 0) {
        return base_fail(err, errno == ENOENT ? BASE_NOT_FOUND : BASE_IO,
                         "cannot look at %.200s: %s", path, strerror(errno));
    }
    *out = (system_access){.link = S_ISLNK(file.st_mode),
                           .ours = file.st_uid == geteuid() || file.st_uid == 0};
    if (!out->ours) {
        name_user(file.st_uid, out->owner, sizeof out->owner);
    }
    find_writer(path, &file, out);
    return true;
}
