#include "kept_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 1024, SHARE = 2 }; /* of the limit for open files: one half */

kept_files kept_files_none(void)
{
    struct rlimit limit;
    size_t most = 0;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        most = limit.rlim_cur < MOST * SHARE ? limit.rlim_cur / SHARE : MOST;
    }
    return (kept_files){.most = most};
}

void kept_file_close(kept_files *files, int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        files->count--;
        *fd = -1;
    }
}

bool kept_file_read(kept_files *files, int *fd, const char *path, char *out, size_t size)
{
    ssize_t length = *fd >= 0 ? pread(*fd, out, size - 1, 0) : -1;
    if (length < 0) {
        kept_file_close(files, fd);
        int opened = open(path, O_RDONLY | O_CLOEXEC);
        if (opened < 0) {
            return false;
        }
        length = pread(opened, out, size - 1, 0);
        if (length >= 0 && files->count < files->most) {
            files->count++;
            *fd = opened;
        } else {
            close(opened);
        }
    }
    out[length > 0 ? length : 0] = '\0';
    return length >= 0;
}
