#define _GNU_SOURCE /* posix_openpt, cfmakeraw */
/*
 * Linux tells of every thread how often it has run (schedstat), and which call it sleeps in with
 * the call's arguments (syscall), to those who might also trace it. So the time-outs of waits can
 * be read: a GTK application whose main loop polls without one has no timer running.
 */
#include "system/process_watch.h"

#include "wait_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <uv.h>

enum { MOST_PROCESSES = 512, MOST_THREADS = 4096, PATH_SIZE = 64, WORDS_SIZE = 4096 };
enum { MOST_READS = 3 }; /* of one thread in a look */

typedef struct {
    long pid, tid;
    uint64_t runs; /* how often it was given a processor */
    uint64_t due;  /* ns: when its wait may end by itself; UINT64_MAX for never */
    bool awake;
    bool unreadable;
    bool ran;      /* since the mark */
    bool met;      /* in this look */
    bool selected; /* its timers count only if it has one of some names */
} thread;

/* Those of sockets. */
typedef struct {
    unsigned long long *list;
    size_t count, capacity;
} inodes;

struct system_process_watch {
    thread *threads; /* sorted by tid */
    size_t count, capacity;
    uint64_t looked; /* ns: when the latest look began; 0 before the first */
    long pids[MOST_PROCESSES];
    bool selected[MOST_PROCESSES]; /* of the process of that place */
    size_t pid_count;
    inodes local;      /* that are known to be no network connections */
    int pty, terminal; /* the ends of a terminal of its own; -1 where there is none */
    size_t on_the_way; /* bytes that were written to the terminal and have not come out */
};

system_process_watch *system_process_watch_new(void)
{
    system_process_watch *watch = calloc(1, sizeof *watch);
    if (watch) {
        watch->pty = watch->terminal = -1;
    }
    return watch;
}

static void close_terminal(system_process_watch *watch)
{
    if (watch->terminal >= 0) {
        close(watch->terminal);
    }
    if (watch->pty >= 0) {
        close(watch->pty);
    }
    watch->pty = watch->terminal = -1;
}

void system_process_watch_free(system_process_watch *watch)
{
    if (watch) {
        close_terminal(watch);
        free(watch->threads);
        free(watch->local.list);
        free(watch);
    }
}

/* The beginning of a file, terminated; false where it cannot be read. */
static bool read_words(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    setvbuf(file, NULL, _IONBF, 0);
    size_t length = fread(out, 1, size - 1, file);
    bool ok = length > 0 || !ferror(file);
    fclose(file);
    out[length] = '\0';
    return ok;
}

static int by_tid(const void *a, const void *b)
{
    long first = ((const thread *) a)->tid, second = ((const thread *) b)->tid;
    return (first > second) - (first < second);
}

/* The place of a thread in the first `sorted` of the list, or NULL. */
static thread *find(system_process_watch *watch, size_t sorted, long tid)
{
    thread key = {.tid = tid};
    return sorted ? bsearch(&key, watch->threads, sorted, sizeof key, by_tid) : NULL;
}

static thread *add(system_process_watch *watch, long pid, long tid)
{
    if (watch->count == watch->capacity) {
        size_t capacity = watch->capacity ? 2 * watch->capacity : 64;
        thread *more = realloc(watch->threads, capacity * sizeof *more);
        if (!more) {
            return NULL;
        }
        watch->threads = more;
        watch->capacity = capacity;
    }
    thread *new = &watch->threads[watch->count++];
    *new = (thread){.pid = pid, .tid = tid, .due = UINT64_MAX};
    /* One that came after the mark has done so because of it, as far as anybody can know. */
    new->ran = true;
    return new;
}

/* How often it has run, from "TIME_ON_CPU TIME_WAITING RUNS". */
static bool read_runs(const thread *t, uint64_t *runs)
{
    char path[PATH_SIZE], words[128];
    unsigned long long number;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/schedstat", t->pid, t->tid);
    if (!read_words(path, words, sizeof words) || sscanf(words, "%*u %*u %llu", &number) != 1) {
        return false;
    }
    *runs = number;
    return true;
}

/* What it is at. A wait that began since the look before began after that look, so it ends no
 * sooner than its time-out after it. */
static void look_at_call(thread *t, bool ran, uint64_t before, uint64_t now)
{
    char path[PATH_SIZE], words[256];
    wait_call wait;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/syscall", t->pid, t->tid);
    t->unreadable = !read_words(path, words, sizeof words);
    if (t->unreadable) {
        return;
    }
    t->awake = !wait_call_read(words, t->pid, now, &wait);
    if (!t->awake && ran) {
        t->due = wait.relative && wait.until != UINT64_MAX ? before + wait.until : wait.until;
    }
}

/* Not one that has ended, and waits for its parent to hear of it. */
static bool is_there(const thread *t)
{
    char path[PATH_SIZE], words[512];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", t->pid, t->tid);
    if (!read_words(path, words, sizeof words)) {
        return false;
    }
    const char *state = strrchr(words, ')');
    return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

/* The number and the call are two files: of a thread that runs in between, which one on its way to
 * sleep does where it is put off, the call would not belong to the number. */
static void look_at_thread(thread *t, bool is_new, uint64_t before, uint64_t now)
{
    uint64_t runs = 0;
    t->met = read_runs(t, &runs);
    for (int i = 0; i < MOST_READS; i++) {
        /* One that was awake at the look before goes to sleep without being given a processor. */
        bool ran = is_new || runs != t->runs || t->awake || t->unreadable;
        t->runs = runs;
        t->ran = t->ran || ran;
        look_at_call(t, ran, before, now);
        if (!ran || t->awake || t->unreadable || !read_runs(t, &runs) || runs == t->runs) {
            break;
        }
        t->awake = true; /* unless the next reading says otherwise */
    }
    if ((t->awake || t->unreadable || !t->met) && !is_there(t)) {
        t->met = false; /* it has ended */
    }
}

static bool look_at_threads(system_process_watch *watch, size_t place, size_t sorted,
                            uint64_t before, uint64_t now)
{
    long pid = watch->pids[place];
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    DIR *folder = opendir(path);
    if (!folder) {
        return true; /* it has ended */
    }
    bool ok = true;
    for (struct dirent *entry; ok && (entry = readdir(folder));) {
        long tid = strtol(entry->d_name, NULL, 10);
        if (tid <= 0) {
            continue;
        }
        thread *t = find(watch, sorted, tid);
        bool is_new = !t;
        t = t ? t : add(watch, pid, tid);
        ok = t && watch->count <= MOST_THREADS;
        if (ok) {
            t->selected = watch->selected[place];
            look_at_thread(t, is_new, before, now);
        }
    }
    closedir(folder);
    return ok;
}

/* Adds the children of all threads of a process to the list; false where they cannot be known. */
static bool add_children(system_process_watch *watch, size_t place)
{
    long pid = watch->pids[place];
    char path[PATH_SIZE + 16], words[WORDS_SIZE];
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    DIR *folder = opendir(path);
    bool known = true;
    for (struct dirent *entry; folder && known && (entry = readdir(folder));) {
        long tid = strtol(entry->d_name, NULL, 10);
        if (tid <= 0) {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, tid);
        if (!read_words(path, words, sizeof words)) {
            char task[PATH_SIZE];
            snprintf(task, sizeof task, "/proc/%ld/task/%ld", pid, tid);
            known = access(task, F_OK) != 0; /* it has just ended, or the kernel does not tell */
            continue;
        }
        char *end = words;
        for (long child; known && (child = strtol(end, &end, 10)) > 0;) {
            known = watch->pid_count < MOST_PROCESSES && strlen(words) < sizeof words - 1;
            if (known) {
                watch->selected[watch->pid_count] = watch->selected[place];
                watch->pids[watch->pid_count++] = child;
            }
        }
    }
    if (folder) {
        closedir(folder);
    }
    return known;
}

/* The finalizer of MurmurHash3: the sum of these does not depend on the order of the threads. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 33) * 0xff51afd7ed558ccdu;
    value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53u;
    return value ^ value >> 33;
}

static bool is_named(const thread *t, const system_process_timers *timers)
{
    char path[PATH_SIZE], words[64] = "";
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/comm", t->pid, t->tid);
    bool found = !read_words(path, words, sizeof words);
    words[strcspn(words, "\n")] = '\0';
    for (size_t i = 0; i < timers->count && !found; i++) {
        found = strcmp(words, timers->names[i]) == 0;
    }
    return found;
}

static void note_due(const thread *t, const system_process_timers *timers, system_process_look *out)
{
    if (!t->ran || t->due == UINT64_MAX) {
        return;
    }
    if (!t->selected && t->due < out->due) {
        out->due = t->due;
        out->next = t->tid;
    } else if (t->selected && t->due < out->named_due && is_named(t, timers)) {
        out->named_due = t->due;
    }
}

static void sum_up(system_process_watch *watch, const system_process_timers *timers,
                   system_process_look *out)
{
    size_t kept = 0;
    out->asleep = true;
    out->due = out->named_due = UINT64_MAX;
    for (size_t i = 0; i < watch->count; i++) {
        thread t = watch->threads[i];
        if (!t.met) {
            continue;
        }
        out->stamp += mix((uint64_t) t.tid << 40 ^ t.runs);
        out->known = out->known && !t.unreadable;
        if (t.awake) {
            out->asleep = false;
            out->busy = t.tid;
        } else {
            note_due(&t, timers, out);
        }
        t.met = false;
        watch->threads[kept++] = t;
    }
    watch->count = kept;
    out->threads = kept;
    if (kept) {
        qsort(watch->threads, kept, sizeof *watch->threads, by_tid);
    }
}

bool system_process_watch_look(system_process_watch *watch, const long *roots, size_t count,
                               const system_process_timers *timers, system_process_look *out)
{
    uint64_t now = uv_hrtime(), before = watch->looked;
    size_t sorted = watch->count;
    *out = (system_process_look){.known = count > 0 && count <= MOST_PROCESSES};
    watch->pid_count = 0;
    for (size_t i = 0; i < count && out->known; i++) {
        watch->selected[watch->pid_count] = false;
        watch->pids[watch->pid_count++] = roots[i];
    }
    for (size_t i = 0; i < watch->pid_count && out->known; i++) {
        watch->selected[i] = watch->selected[i] || watch->pids[i] == timers->pid;
        if (!look_at_threads(watch, i, sorted, before, now)) {
            return false;
        }
        out->known = add_children(watch, i);
    }
    watch->looked = now;
    out->processes = watch->pid_count;
    sum_up(watch, timers, out);
    return true;
}

void system_process_watch_mark(system_process_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        watch->threads[i].ran = false;
    }
}

/* --- terminals ----------------------------------------------------------------------------------
 */

/* A terminal that nobody sits at: it hands on each byte as it is. False where it could not be had;
 * `none` tells whether that is because the system has no terminals, for anybody. */
static bool open_terminal(system_process_watch *watch, bool *none)
{
    struct termios raw;
    watch->pty = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    *none = watch->pty < 0 && errno == ENOENT;
    if (watch->pty >= 0 && grantpt(watch->pty) == 0 && unlockpt(watch->pty) == 0) {
        watch->terminal =
            ioctl(watch->pty, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    }
    if (watch->terminal >= 0 && tcgetattr(watch->terminal, &raw) == 0) {
        cfmakeraw(&raw);
        if (tcsetattr(watch->terminal, TCSANOW, &raw) == 0) {
            return true;
        }
    }
    close_terminal(watch);
    return false;
}

/* What is written to a terminal is put into a queue of the kernel's, and one of the kernel's own
 * threads hands it on (tty_flip_buffer_push of drivers/tty/tty_buffer.c, since Linux 3.12 by
 * system_unbound_wq): on a busy machine while everybody else sleeps. They take from the queue in
 * its order, so where a byte that was written later has come out, the others have been taken. */
bool system_process_watch_drain(system_process_watch *watch, int milliseconds)
{
    char out[16];
    bool none = false;
    if (watch->pty < 0 && !open_terminal(watch, &none)) {
        return none;
    }
    if (write(watch->terminal, "x", 1) != 1) {
        return false;
    }
    watch->on_the_way++; /* there may be others, of calls that did not see theirs come out */
    struct pollfd end = {.fd = watch->pty, .events = POLLIN};
    while (watch->on_the_way && poll(&end, 1, milliseconds) == 1) {
        ssize_t length = read(watch->pty, out, sizeof out);
        if (length <= 0 || (size_t) length > watch->on_the_way) {
            return false;
        }
        watch->on_the_way -= (size_t) length;
    }
    return watch->on_the_way == 0;
}

/* --- connections --------------------------------------------------------------------------------
 */

static bool has(const inodes *sockets, unsigned long long inode)
{
    for (size_t i = 0; i < sockets->count; i++) {
        if (sockets->list[i] == inode) {
            return true;
        }
    }
    return false;
}

static bool add_inode(inodes *out, unsigned long long inode)
{
    if (out->count == out->capacity) {
        size_t capacity = out->capacity ? 2 * out->capacity : 64;
        unsigned long long *more = realloc(out->list, capacity * sizeof *more);
        if (!more) {
            return false;
        }
        out->list = more;
        out->capacity = capacity;
    }
    out->list[out->count++] = inode;
    return true;
}

/* The sockets of a table such as /proc/net/tcp: the tenth word of each line. False without memory.
 */
static bool add_sockets(inodes *out, const char *table)
{
    char path[PATH_SIZE], line[512];
    unsigned long long inode;
    snprintf(path, sizeof path, "/proc/self/net/%s", table);
    FILE *file = fopen(path, "re");
    bool ok = true;
    while (file && ok && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &inode) == 1) {
            ok = add_inode(out, inode);
        }
    }
    if (file) {
        fclose(file);
    }
    return ok;
}

/* Reading the tables takes milliseconds, so a socket is looked up in them once. False where it goes
 * out, or that cannot be known. */
static bool stays_here(system_process_watch *watch, unsigned long long inode)
{
    static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6", "raw", "raw6"};
    if (has(&watch->local, inode)) {
        return true;
    }
    inodes sockets = {NULL, 0, 0};
    bool known = true;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && known; i++) {
        known = add_sockets(&sockets, tables[i]);
    }
    bool stays = known && !has(&sockets, inode);
    free(sockets.list);
    return stays && add_inode(&watch->local, inode);
}

static bool is_connected(system_process_watch *watch, long pid)
{
    char path[PATH_SIZE + 32], target[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", pid);
    DIR *folder = opendir(path);
    if (!folder) {
        snprintf(path, sizeof path, "/proc/%ld", pid);
        return access(path, F_OK) == 0; /* not ours to read; or it has ended */
    }
    bool connected = false;
    for (struct dirent *entry; !connected && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "/proc/%ld/fd/%.20s", pid, entry->d_name);
        ssize_t length = readlink(path, target, sizeof target - 1);
        unsigned long long inode;
        target[length > 0 ? length : 0] = '\0';
        connected = sscanf(target, "socket:[%llu]", &inode) == 1 && !stays_here(watch, inode);
    }
    closedir(folder);
    return connected;
}

/* Those that come from the process of system_process_timers are `selected`: not asked about. */
static bool has_run(const system_process_watch *watch, long pid)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->threads[i].pid == pid && watch->threads[i].ran && !watch->threads[i].selected) {
            return true;
        }
    }
    return false;
}

bool system_process_watch_connected(system_process_watch *watch)
{
    for (size_t i = 0; i < watch->pid_count; i++) {
        if (has_run(watch, watch->pids[i]) && is_connected(watch, watch->pids[i])) {
            return true;
        }
    }
    return false;
}
