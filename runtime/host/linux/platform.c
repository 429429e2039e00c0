#include "platform.h"

#include "interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const platform_name = "linux";

char **platform_start(int *argc, char **argv)
{
    (void) argc;
    return argv;
}

static void on_signal(int number)
{
    interrupt_request(number == SIGINT    ? INTERRUPT_INT
                      : number == SIGTERM ? INTERRUPT_TERM
                                          : INTERRUPT_HUP);
}

void platform_open(uv_loop_t *loop)
{
    (void) loop; /* terminals show each line at once */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void platform_close(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

_Noreturn void platform_end(int status)
{
    _exit(status);
}

bool platform_hold_descendants(desk_error *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0)
        return true;
    return desk_fail(err, DESK_UNSUPPORTED, "this kernel cannot adopt orphans: %s",
                     strerror(errno));
}

int platform_run_on_desktop(const char *name, desk_error *err)
{
    (void) name;
    desk_fail(err, DESK_UNSUPPORTED, "only Windows has desktops of this kind");
    return -1;
}

int platform_reap(long pid)
{
    pid_t got = waitpid((pid_t) pid, NULL, WNOHANG);
    if (got < 0)
        return -1;
    return got > 0;
}

long platform_parent(long pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    /* The name in brackets may hold anything, brackets too (proc(5)). */
    const char *after = strrchr(line, ')');
    long parent = 0;
    return after && sscanf(after, ") %*c %ld", &parent) == 1 ? parent : 0;
}

size_t platform_descendants(long pid, long *out, size_t room)
{
    (void) pid;
    (void) out;
    (void) room;
    return 0;
}

bool platform_open_target(const char *target, desk_error *err)
{
    (void) target;
    return desk_fail(err, DESK_UNSUPPORTED, "only Windows opens files by a call of its own");
}
