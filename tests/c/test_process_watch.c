#define _GNU_SOURCE /* posix_openpt, O_DIRECT */
/* What is known of processes: children of this one that do a known thing each. */
#include "check.h"
#include "system/process_watch.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

enum { MILLISECOND = 1000000 };
enum { DISK_BLOCK = 4096, DISK_PIECE = 1 << 20, DISK_LOOKS = 500 };

static void wait_for_ever(void)
{
    poll(NULL, 0, -1);
}

static void wait_by_poll(void)
{
    poll(NULL, 0, 20000);
}

static void wait_by_nanosleep(void)
{
    nanosleep(&(struct timespec){20, 0}, NULL);
}

static void wait_till(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += 20;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void compute(void)
{
    for (volatile unsigned long count = 0;; count++) {
    }
}

static void wait_for_child(void)
{
    if (fork() == 0) {
        wait_by_poll();
        _exit(0);
    }
    wait(NULL);
}

static void connect_and_wait(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int file = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(file, (struct sockaddr *) &address, sizeof address) == 0 && listen(file, 1) == 0) {
        wait_for_ever();
    }
}

static void local_socket(void)
{
    int files[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, files) == 0) {
        wait_for_ever();
    }
}

static long start(void (*what)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        what();
        _exit(0);
    }
    setpgid(pid, pid);
    return pid;
}

static void stop(long pid)
{
    kill((pid_t) -pid, SIGKILL);
    waitpid((pid_t) pid, NULL, 0);
}

/* Looks until a look is as wanted, for as long as a busy machine may need. */
static bool comes_to(system_process_watch *watch, long pid, bool asleep, size_t processes,
                     system_process_look *out)
{
    for (int i = 0; i < 2000; i++) {
        bool ok = system_process_watch_look(watch, &pid, 1, NULL, 0, false, out);
        if (ok && out->known && out->asleep == asleep && out->processes == processes) {
            return true;
        }
        uv_sleep(5);
    }
    return false;
}

static void test_sleepers(void)
{
    static const struct {
        void (*what)(void);
        size_t processes;
        bool ends;
    } cases[] = {{wait_for_ever, 1, false},    {local_socket, 1, false}, {wait_by_poll, 1, true},
                 {wait_by_nanosleep, 1, true}, {wait_till, 1, true},     {wait_for_child, 2, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        system_process_watch *watch = system_process_watch_new();
        system_process_look look, again;
        long pid = getpid();
        uint64_t before = uv_hrtime();
        CHECK(system_process_watch_look(watch, &pid, 0, NULL, 0, false, &look) && !look.known);
        pid = start(cases[i].what);
        CHECK(comes_to(watch, pid, true, cases[i].processes, &look));
        CHECK(comes_to(watch, pid, true, cases[i].processes, &again));
        CHECK(look.stamp == again.stamp && !system_process_watch_is_busy(watch));
        /* A wait that was there at the first look may have begun at any time, one that is known to
         * the clock lasts as long as it says. */
        bool known_end = cases[i].what == wait_till;
        CHECK(cases[i].ends == (again.due != UINT64_MAX));
        CHECK(!known_end || again.due - before > 15000ull * MILLISECOND);
        system_process_watch_mark(watch);
        CHECK(comes_to(watch, pid, true, cases[i].processes, &again));
        CHECK(again.due == UINT64_MAX && again.stamp == look.stamp);
        CHECK(!system_process_watch_connected(watch));
        stop(pid);
        CHECK(comes_to(watch, pid, true, 1, &again) && again.threads == 0);
        system_process_watch_free(watch);
    }
}

/* Reads a file again and again, from the disk where its file system lets it pass the cache. */
static void read_disk(void)
{
    char path[] = "read-disk-XXXXXX";
    int file = mkstemp(path);
    char *piece = aligned_alloc(DISK_BLOCK, DISK_PIECE);
    if (file < 0 || !piece || unlink(path) != 0 || !memset(piece, 1, DISK_PIECE) ||
        write(file, piece, DISK_PIECE) != DISK_PIECE || fsync(file) != 0) {
        abort();
    }
    fcntl(file, F_SETFL, O_DIRECT);
    while (lseek(file, 0, SEEK_SET) == 0 && read(file, piece, DISK_PIECE) == DISK_PIECE) {
    }
}

/* A disk answers by itself: who waits for it is at work. */
static void test_disk(void)
{
    system_process_watch *watch = system_process_watch_new();
    system_process_look look;
    long pid = start(read_disk);
    for (int i = 0; i < DISK_LOOKS; i++) {
        CHECK(system_process_watch_look(watch, &pid, 1, NULL, 0, false, &look) && look.known);
        CHECK(!look.asleep && look.processes == 1);
    }
    stop(pid);
    system_process_watch_free(watch);
}

static void test_busy(void)
{
    system_process_watch *watch = system_process_watch_new();
    system_process_look look;
    long pid = start(compute);
    CHECK(comes_to(watch, pid, false, 1, &look));
    CHECK_EQ(look.busy, pid);
    CHECK(system_process_watch_is_busy(watch));
    stop(pid);
    CHECK(!system_process_watch_is_busy(watch));
    system_process_watch_free(watch);
}

static void wait_and_compute(void)
{
    char byte;
    if (read(STDIN_FILENO, &byte, 1) == 1) {
        compute();
    }
}

/* One that had run when the latest look was taken is asked too, though it slept then. */
static void test_wakes(void)
{
    int ends[2];
    system_process_look look;
    system_process_watch *watch = system_process_watch_new();
    if (!CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)) {
        return;
    }
    long pid = start(wait_and_compute);
    CHECK(comes_to(watch, pid, true, 1, &look));
    CHECK(!system_process_watch_is_busy(watch));
    CHECK(write(ends[1], "x", 1) == 1);
    bool busy = false;
    for (int i = 0; i < 4000 && !busy; i++) {
        uv_sleep(5);
        busy = system_process_watch_is_busy(watch);
    }
    CHECK(busy);
    stop(pid);
    close(ends[1]);
    system_process_watch_free(watch);
}

/* What a thread waits for after the mark counts, and no sooner than it can end. */
static void wait_twice(void)
{
    char byte;
    if (read(STDIN_FILENO, &byte, 1) == 1) {
        wait_by_poll();
    }
}

static void test_after_the_mark(void)
{
    int ends[2];
    system_process_look look, before;
    system_process_watch *watch = system_process_watch_new();
    if (!CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)) {
        return;
    }
    long pid = start(wait_twice);
    CHECK(comes_to(watch, pid, true, 1, &before) && before.due == UINT64_MAX);
    system_process_watch_mark(watch);
    uint64_t marked = uv_hrtime();
    CHECK(write(ends[1], "x", 1) == 1);
    bool found = false;
    for (int i = 0; i < 2000 && !found; i++) {
        found = comes_to(watch, pid, true, 1, &look) && look.stamp != before.stamp;
    }
    CHECK(found && look.due != UINT64_MAX && look.next == pid);
    CHECK(look.due + 1000ull * MILLISECOND > marked + 20000ull * MILLISECOND);
    CHECK(look.due < uv_hrtime() + 20000ull * MILLISECOND);
    system_process_timers others[] = {{1, NULL, 0}, {pid, NULL, 0}};
    CHECK(system_process_watch_look(watch, &pid, 1, others, 2, false, &look) && look.known);
    CHECK(look.due == UINT64_MAX && look.named_due == UINT64_MAX);
    stop(pid);
    close(ends[1]);
    system_process_watch_free(watch);
}

/* Shared with the child that computes until it is told to wait. */
static atomic_bool *may_wait;

static void compute_and_wait(void)
{
    while (!atomic_load(may_wait)) {
    }
    wait_by_poll();
}

/* A thread that was awake at a look goes to sleep without being given a processor anew: its wait is
 * as new as any other. */
static void test_falls_asleep(void)
{
    may_wait =
        mmap(NULL, sizeof *may_wait, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(may_wait != MAP_FAILED)) {
        return;
    }
    for (int i = 0; i < 20; i++) {
        system_process_look look;
        system_process_watch *watch = system_process_watch_new();
        atomic_store(may_wait, false);
        long pid = start(compute_and_wait);
        CHECK(comes_to(watch, pid, false, 1, &look));
        system_process_watch_mark(watch);
        atomic_store(may_wait, true);
        CHECK(comes_to(watch, pid, true, 1, &look) && look.due != UINT64_MAX);
        stop(pid);
        system_process_watch_free(watch);
    }
    munmap(may_wait, sizeof *may_wait);
}

/* Shared with the child whose threads come and go: how many it has begun, and is to begin. */
static struct {
    atomic_int begun, wanted;
} *threads;

static void *live_until_the_next(void *number)
{
    int mine = *(int *) number;
    while (atomic_load(&threads->wanted) <= mine) {
        usleep(500);
    }
    return NULL;
}

/* Two threads at any time, and a child: each of them is another one when `wanted` has grown. */
static void change_threads(void)
{
    for (int i = 1;; i++) {
        pthread_t more;
        pid_t child = fork();
        if (child == 0) {
            wait_for_ever();
        }
        if (pthread_create(&more, NULL, live_until_the_next, &i) != 0) {
            _exit(1);
        }
        atomic_store(&threads->begun, i);
        pthread_join(more, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

/* A thread or a process that has come in the place of another is met, where the number of them is
 * the same; so is what it does. */
static void test_come_and_go(void)
{
    threads =
        mmap(NULL, sizeof *threads, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(threads != MAP_FAILED)) {
        return;
    }
    system_process_look look;
    uint64_t stamp = 0;
    system_process_watch *watch = system_process_watch_new();
    atomic_store(&threads->wanted, 1);
    long pid = start(change_threads);
    for (int i = 1; i <= 50; i++) {
        while (atomic_load(&threads->begun) < i) {
            uv_sleep(1);
        }
        bool met = false; /* one that has been joined may be there for a moment yet */
        for (int j = 0; j < 4000 && !met; j++) {
            CHECK(system_process_watch_look(watch, &pid, 1, NULL, 0, j % 2, &look) && look.known);
            met = look.processes == 2 && look.threads == 3;
            uv_sleep(met ? 0 : 5);
        }
        CHECK(met);
        CHECK(look.stamp != stamp);
        stamp = look.stamp;
        atomic_store(&threads->wanted, i + 1);
    }
    stop(pid);
    system_process_watch_free(watch);
    munmap(threads, sizeof *threads);
}

static void compute_when_told(void)
{
    char byte;
    if (read(STDIN_FILENO, &byte, 1) == 1) {
        compute();
    }
}

/* The first of two looks does not ask those that have not run; one that has is no sleeper in it. */
static void test_first_of_two(void)
{
    int ends[2];
    system_process_look look, first;
    system_process_watch *watch = system_process_watch_new();
    if (!CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO)) {
        return;
    }
    long pid = start(compute_when_told);
    CHECK(comes_to(watch, pid, true, 1, &look));
    CHECK(system_process_watch_look(watch, &pid, 1, NULL, 0, true, &first) && first.known);
    CHECK(first.asleep && first.stamp == look.stamp);
    CHECK(write(ends[1], "x", 1) == 1);
    for (int i = 0; i < 4000 && first.asleep; i++) {
        uv_sleep(5);
        CHECK(system_process_watch_look(watch, &pid, 1, NULL, 0, true, &first) && first.known);
    }
    CHECK(!first.asleep && first.stamp != look.stamp);
    stop(pid);
    close(ends[1]);
    system_process_watch_free(watch);
}

/* What was written to terminals has come out of them after it: here one of the test's own, without
 * waiting at it. */
static void test_drain(void)
{
    system_process_watch *watch = system_process_watch_new();
    int pty = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (!CHECK(pty >= 0 && grantpt(pty) == 0 && unlockpt(pty) == 0)) {
        return;
    }
    int terminal = open(ptsname(pty), O_RDWR | O_NOCTTY);
    CHECK(terminal >= 0);
    for (int i = 0; i < 200; i++) {
        char byte;
        CHECK(write(terminal, "a", 1) == 1);
        CHECK(system_process_watch_drain(watch, 20000));
        CHECK(read(pty, &byte, 1) == 1);
    }
    close(terminal);
    close(pty);
    system_process_watch_free(watch);
}

static void test_connected(void)
{
    system_process_look look;
    system_process_watch *watch = system_process_watch_new();
    long pid = start(connect_and_wait);
    CHECK(comes_to(watch, pid, true, 1, &look));
    CHECK(system_process_watch_connected(watch));
    system_process_watch_mark(watch);
    CHECK(!system_process_watch_connected(watch)); /* it has not run since */
    stop(pid);
    system_process_watch_free(watch);
}

int main(void)
{
    test_sleepers();
    test_disk();
    test_busy();
    test_wakes();
    test_after_the_mark();
    test_falls_asleep();
    test_come_and_go();
    test_first_of_two();
    test_drain();
    test_connected();
    return check_done();
}
