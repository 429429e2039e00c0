#include "process.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

bool process_adopt_orphans(desk_error *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0)
        return true;
    return desk_fail(err, DESK_UNSUPPORTED, "this kernel cannot adopt orphans: %s",
                     strerror(errno));
}

int process_reap(long pid)
{
    pid_t got = waitpid((pid_t) pid, NULL, WNOHANG);
    if (got < 0)
        return -1;
    return got > 0;
}
