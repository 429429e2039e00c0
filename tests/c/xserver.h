/*
 * xserver.h: an X server of the test's own (Xvfb), programs on it, and waiting for what they do.
 */
#ifndef XSERVER_H
#define XSERVER_H

#include "check.h"
#include "desk/desk.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

static base_error err;
static char display[32];
static char folder[] = "/tmp/deskpilot-x11-XXXXXX";

static inline double now(void)
{
    return (double) uv_hrtime() / 1e9;
}

static inline void nap(double seconds)
{
    struct timespec t = {(time_t) seconds, (long) ((seconds - (double) (time_t) seconds) * 1e9)};
    nanosleep(&t, NULL);
}

/* Waits until `condition` holds, for at most half a minute; its value is whether it did. */
#define UNTIL(condition)                                                                           \
    ({                                                                                             \
        double end_ = now() + 30;                                                                  \
        bool held_;                                                                                \
        while (!(held_ = (condition)) && now() < end_) {                                           \
            nap(0.002);                                                                            \
        }                                                                                          \
        held_;                                                                                     \
    })

static inline bool installed(const char *program)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    bool found = system(command) == 0;
    if (!found) {
        printf("skipped: %s is not installed\n", program);
    }
    return found;
}

static inline pid_t start(char *const argv[])
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 1);
        dup2(null, 2);
        setenv("DISPLAY", display, 1);
        setenv("HOME", folder, 1);
        setenv("XDG_CONFIG_HOME", folder, 1);
        setenv("XDG_RUNTIME_DIR", folder, 1);
        setenv("GSETTINGS_BACKEND", "memory", 1);
        setenv("NO_AT_BRIDGE", "1", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        execvp(argv[0], argv);
        _exit(127);
    }
    return pid;
}

static inline void stop(pid_t pid)
{
    kill(pid, SIGTERM);
    for (int i = 0; i < 500 && waitpid(pid, NULL, WNOHANG) == 0; i++) {
        if (i == 250) {
            kill(pid, SIGKILL);
        }
        nap(0.01);
    }
}

/* `auth` is an Xauthority file that says who gets in; NULL lets everybody in. */
static inline pid_t start_server_for(const char *auth)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) {
        char number[12];
        int null = open("/dev/null", O_RDWR);
        close(ends[0]);
        dup2(null, 1);
        dup2(null, 2);
        snprintf(number, sizeof number, "%d", ends[1]);
        execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", "1920x1080x24", "-nolisten",
               "tcp", "-noreset", auth ? "-auth" : (char *) NULL, auth, (char *) NULL);
        _exit(127);
    }
    close(ends[1]);
    char digits[16] = "";
    for (size_t used = 0; used + 1 < sizeof digits; used++) {
        if (read(ends[0], digits + used, 1) != 1 || digits[used] == '\n') {
            digits[used] = '\0';
            break;
        }
    }
    close(ends[0]);
    snprintf(display, sizeof display, ":%s", digits);
    return digits[0] ? pid : -1;
}

static inline pid_t start_server(void)
{
    return start_server_for(NULL);
}

static inline desk *open_desk(void)
{
    desk *d = NULL;
    desk_options options = {.display = display};
    if (!CHECK(desk_open(&d, "x11", &options, &err))) {
        printf("    %s\n", err.message);
        exit(check_done());
    }
    return d;
}

/* Openbox loses the windows that are mapped while it starts; its start-up command runs after. */
static inline pid_t start_manager(void)
{
    char ready[128], command[160];
    struct stat made;
    snprintf(ready, sizeof ready, "%s/ready", folder);
    snprintf(command, sizeof command, "touch %s", ready);
    char *argv[] = {"openbox", "--startup", command, NULL};
    pid_t pid = start(argv);
    CHECK(UNTIL(stat(ready, &made) == 0));
    return pid;
}

#endif
