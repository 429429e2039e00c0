#include "system/platform.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

const char *const system_name = "linux";

static void die_with(long parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
        fprintf(stderr, "deskpilot: cannot set PR_SET_PDEATHSIG: %s\n", strerror(errno));
    } else if (getppid() != parent) {
        fprintf(stderr, "deskpilot: process %ld is not the parent (any more)\n", parent);
    } else {
        return;
    }
    _exit(127);
}

static bool is_this_program(const char *path)
{
    struct stat its, ours;
    return stat(path, &its) == 0 && stat("/proc/self/exe", &ours) == 0 &&
           its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

/* deskpilot --die-with-parent PARENT PROGRAM [ARGUMENTS]: executes the program, which gets SIGTERM
 * when its parent ends, even by SIGKILL (prctl(2), PR_SET_PDEATHSIG). PARENT must be the id of our
 * parent. In C and not in Lua, because every start of a private desktop waits for it. Where the
 * program is this one, it has been executed already. */
char **system_start(int *argc, char **argv)
{
    if (*argc <= 3 || strcmp(argv[1], "--die-with-parent") != 0) {
        return argv;
    }
    die_with(strtol(argv[2], NULL, 10));
    argv += 3;
    *argc -= 3;
    if (is_this_program(argv[0])) {
        const char *name = strrchr(argv[0], '/');
        prctl(PR_SET_NAME, name ? name + 1 : argv[0]); /* it was executed as /proc/self/exe */
        return argv;
    }
    execv(argv[0], argv);
    fprintf(stderr, "deskpilot: cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

static system_interrupt_handler *interrupted; /* set before the first signal handler */

/* Interruptions that other threads have requested: one bit per kind. They notify the main thread by
 * SIGURG, whose default action is to do nothing. */
static atomic_uint asked_by_threads;
static pthread_t main_thread;

void system_interrupt(system_interrupt_kind kind)
{
    atomic_fetch_or(&asked_by_threads, 1u << kind);
    pthread_kill(main_thread, SIGURG);
}

/* A signal for the process may reach any of its threads, and what is to be interrupted runs on the
 * main one. A handler must leave errno as the interrupted code has it. */
static void on_signal(int number)
{
    int before = errno;
    system_interrupt_kind kind = number == SIGINT    ? INTERRUPT_INT
                                 : number == SIGTERM ? INTERRUPT_TERM
                                                     : INTERRUPT_HUP;
    if (pthread_equal(pthread_self(), main_thread)) {
        interrupted(kind);
    } else {
        system_interrupt(kind);
    }
    errno = before;
}

static void on_request(int number)
{
    (void) number;
    int before = errno;
    unsigned asked = atomic_exchange(&asked_by_threads, 0);
    for (int kind = 0; kind < INTERRUPT_KINDS; kind++) {
        if (asked >> kind & 1) {
            interrupted((system_interrupt_kind) kind);
        }
    }
    errno = before;
}

void system_open(uv_loop_t *loop, system_interrupt_handler *handler)
{
    (void) loop; /* standard output to a terminal is line buffered: no flush is needed */
    interrupted = handler;
    struct sigaction action = {.sa_handler = on_signal}, request = {.sa_handler = on_request};
    sigemptyset(&action.sa_mask);
    sigemptyset(&request.sa_mask);
    main_thread = pthread_self();
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    sigaction(SIGURG, &request, NULL);
    /* What a closed pipe and a limit on the size of files (ulimit -f) forbid is an error of the
     * write then. libuv gives children the defaults again. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void system_close(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGURG, SIG_DFL);
}

_Noreturn void system_end(int status)
{
    _exit(status);
}

bool system_hold_descendants(base_error *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) == 0) {
        return true;
    }
    return base_fail(err, BASE_UNSUPPORTED, "this kernel cannot adopt orphans: %s",
                     strerror(errno));
}

int system_run_on_desktop(const char *name, base_error *err)
{
    (void) name;
    base_fail(err, BASE_UNSUPPORTED, "only Windows has desktops of this kind");
    return -1;
}

int system_reap(long pid)
{
    pid_t got = waitpid((pid_t) pid, NULL, WNOHANG);
    if (got < 0) {
        return -1;
    }
    return got > 0;
}

long system_parent(long pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) {
        return 0;
    }
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    /* The name in brackets may contain any characters, brackets too (proc(5)). */
    const char *after = strrchr(line, ')');
    long parent = 0;
    return after && sscanf(after, ") %*c %ld", &parent) == 1 ? parent : 0;
}

size_t system_descendants(long pid, long *out, size_t capacity)
{
    (void) pid;
    (void) out;
    (void) capacity;
    return 0;
}

char *system_command_line(long pid, size_t *size)
{
    (void) pid;
    *size = 0;
    return NULL;
}

bool system_open_target(const char *target, base_error *err)
{
    (void) target;
    return base_fail(err, BASE_UNSUPPORTED, "only Windows opens files by a call of its own");
}

void system_discard_input(void)
{
    tcflush(STDIN_FILENO, TCIFLUSH);
}

bool system_lock_file(int file, base_error *err)
{
    if (flock(file, LOCK_EX | LOCK_NB) == 0) {
        return true;
    }
    base_code code = errno == EWOULDBLOCK ? BASE_REFUSED : BASE_IO;
    return base_fail(err, code, "cannot lock the file: %s", strerror(errno));
}

void system_trim_memory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* Of the first and the last page only a part may be meant. */
void system_give_back(const void *start, size_t size)
{
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), at = (uintptr_t) start;
    uintptr_t first = (at + page - 1) / page * page, end = (at + size) / page * page;
    if (end > first) {
        madvise((void *) first, end - first, MADV_DONTNEED);
    }
}
