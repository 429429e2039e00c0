#define _GNU_SOURCE /* renameat2 */
#include "system/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

static int result(int value)
{
    return value < 0 ? uv_translate_sys_error(errno) : value;
}

int system_file_open(const char *path, system_file_use use, bool private)
{
    /* Not even a pipe or a terminal in the file's place may hold us up: O_NONBLOCK, O_NOCTTY. */
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    int file = open(path, use == SYSTEM_FILE_NEW ? flags | O_EXCL : flags, private ? 0600 : 0666);
    struct stat info;
    if (file < 0 || use == SYSTEM_FILE_NEW) {
        return result(file);
    }
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(file);
        return UV_EINVAL;
    }
    /* One that was there may have been made when it was not private yet. */
    if (private && (info.st_mode & 077) && fchmod(file, 0600) != 0) {
        int error = result(-1);
        close(file);
        return error;
    }
    return file;
}

int system_folder_make(const char *path, bool private)
{
    return result(mkdir(path, private ? 0700 : 0777));
}

/* For file systems that cannot rename without replacing. */
static int rename_by_link(const char *from, const char *to)
{
    if (link(from, to) != 0) {
        return result(-1);
    }
    return result(unlink(from));
}

int system_file_rename(const char *from, const char *to, bool keep)
{
    if (!keep) {
        return result(rename(from, to));
    }
    int done = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (done != 0 && (errno == EINVAL || errno == ENOSYS)) {
        return rename_by_link(from, to);
    }
    return result(done);
}

int system_folder_sync(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        return errno == EACCES ? 0 : result(folder);
    }
    int done = result(fsync(folder));
    close(folder);
    return done;
}
