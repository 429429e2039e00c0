#define _GNU_SOURCE /* posix_openpt, cfmakeraw */
/*
 * Linux tells of every thread how often it has run (schedstat), and which call it sleeps in with
 * the call's arguments (syscall), to those who might also trace it. So the time-outs of waits can
 * be read: a GTK application whose main loop polls without one has no timer running.
 */
#include "system/process_watch.h"

#include "kept_file.h"
#include "process_sockets.h"
#include "wait_calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include <uv.h>

enum {
    MOST_PROCESSES = SYSTEM_PROCESS_MOST_ROOTS,
    MOST_THREADS = 4096,
    PATH_SIZE = 64,
    WORDS_SIZE = 4096
};
enum { MOST_READS = 3 }; /* of one thread in a look */

typedef struct {
    long pid, tid;
    uint64_t runs; /* how often it was given a processor */
    uint64_t due;  /* ns: when its wait may end by itself; UINT64_MAX for never */
    bool awake;
    bool unreadable;
    bool ran;               /* since the mark */
    bool ran_now;           /* since the look before */
    bool met;               /* in this look */
    uint8_t timers;         /* which of system_process_timers it comes under, from 1; 0 for none */
    bool parent;            /* it had children when it was asked last */
    int schedstat, syscall; /* its files, -1 where they are not open */
    /* Of the first thread of a process: the folder of its threads and the list of its children. */
    DIR *folder; /* NULL where it is not open */
    int children;
} thread;

struct system_process_watch {
    thread *threads; /* sorted by tid */
    size_t count, capacity;
    uint64_t looked; /* ns: when the latest look began; 0 before the first */
    long pids[MOST_PROCESSES];
    uint8_t timers[MOST_PROCESSES]; /* as in the threads, of the process of that place */
    size_t pid_count;
    kept_files files;
    bool links_tell; /* the links of a folder of threads are as many as these, and two */
    local_sockets local;
    int pty, terminal; /* the ends of a terminal of its own; -1 where there is none */
    size_t on_the_way; /* bytes that were written to the terminal and have not come out */
};

system_process_watch *system_process_watch_new(void)
{
    system_process_watch *watch = calloc(1, sizeof *watch);
    if (watch) {
        watch->pty = watch->terminal = -1;
        watch->files = kept_files_none();
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

static void close_folder(system_process_watch *watch, thread *t)
{
    if (t->folder) {
        closedir(t->folder);
        watch->files.count--;
        t->folder = NULL;
    }
    kept_file_close(&watch->files, &t->children);
}

static void close_files(system_process_watch *watch, thread *t)
{
    kept_file_close(&watch->files, &t->schedstat);
    kept_file_close(&watch->files, &t->syscall);
    close_folder(watch, t);
}

void system_process_watch_free(system_process_watch *watch)
{
    if (watch) {
        for (size_t i = 0; i < watch->count; i++) {
            close_files(watch, &watch->threads[i]);
        }
        close_terminal(watch);
        free(watch->threads);
        local_sockets_free(&watch->local);
        free(watch);
    }
}

/* The beginning of a file that is read once, terminated; false where it cannot be read. */
static bool read_words(const char *path, char *out, size_t size)
{
    kept_files none = {0};
    int fd = -1;
    return kept_file_read(&none, &fd, path, out, size);
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
    new->schedstat = new->syscall = new->children = -1;
    /* One that came after the mark has done so because of it, as far as anybody can know. */
    new->ran = true;
    return new;
}

/* How often it has run, from "TIME_ON_CPU TIME_WAITING RUNS". */
static bool read_runs(system_process_watch *watch, thread *t, uint64_t *runs)
{
    char path[PATH_SIZE], words[128];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/schedstat", t->pid, t->tid);
    if (!kept_file_read(&watch->files, &t->schedstat, path, words, sizeof words)) {
        return false;
    }
    const char *last = strrchr(words, ' ');
    char *end = words;
    *runs = last ? strtoull(last + 1, &end, 10) : 0;
    return last && end > last + 1;
}

/* The call that a thread is in, or "running"; false where that cannot be read. */
static bool read_call(system_process_watch *watch, thread *t, char *out, size_t size)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/syscall", t->pid, t->tid);
    return kept_file_read(&watch->files, &t->syscall, path, out, size);
}

static bool is_running(const char *call)
{
    static const char running[] = "running";
    return strncmp(call, running, sizeof running - 1) == 0;
}

/* The letter of its state (proc_pid_stat(5)); 0 where it has ended. */
static char state_of(const thread *t)
{
    char path[PATH_SIZE], words[512];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", t->pid, t->tid);
    const char *state = read_words(path, words, sizeof words) ? strrchr(words, ')') : NULL;
    return state && state[1] == ' ' ? state[2] : '\0';
}

/* Not one that has ended, and waits for its parent to hear of it. */
static bool is_there(const thread *t)
{
    char state = state_of(t);
    return state && state != 'Z' && state != 'X';
}

/* Whether it waits for a disk, which nobody has to wake, or has just done so. */
static bool is_served_by_disk(const thread *t)
{
    char state = state_of(t);
    return state == 'D' || state == 'R';
}

/* What one that has run is at. A wait that began since the look before began after that look, so it
 * ends no sooner than its time-out after it. */
static void look_at_call(system_process_watch *watch, thread *t, uint64_t now)
{
    char words[256];
    wait_call wait;
    t->unreadable = !read_call(watch, t, words, sizeof words);
    if (t->unreadable) {
        return;
    }
    t->awake = !wait_call_read(words, t->pid, now, &wait) || (wait.reads && is_served_by_disk(t));
    if (!t->awake) {
        t->due =
            wait.relative && wait.until != UINT64_MAX ? watch->looked + wait.until : wait.until;
    }
}

/* The number and the call are two files: of a thread that runs in between, which one on its way to
 * sleep does where it is put off, the call would not belong to the number. */
static void look_at_thread(system_process_watch *watch, thread *t, bool is_new, bool first,
                           uint64_t now)
{
    char words[256];
    uint64_t runs = 0;
    /* One that was awake at the look before goes to sleep without being given a processor. */
    bool slept = !is_new && !t->awake && !t->unreadable;
    bool readable = slept && (first || read_call(watch, t, words, sizeof words));
    t->met = read_runs(watch, t, &runs);
    t->ran_now = !(t->met && readable && runs == t->runs);
    if (!t->ran_now) { /* it is where it was, unless it waits for a processor */
        t->awake = !first && is_running(words);
        return;
    }
    t->ran = true;
    for (int i = 0; i < MOST_READS; i++) {
        t->runs = runs;
        look_at_call(watch, t, now);
        if (t->awake || t->unreadable || !read_runs(watch, t, &runs) || runs == t->runs) {
            break;
        }
        t->awake = true; /* unless the next reading says otherwise */
    }
    if ((t->awake || t->unreadable || !t->met) && !is_there(t)) {
        t->met = false; /* it has ended */
    }
}

/* The threads of a process that are known, where it has no others: the links of the folder, which
 * are asked for first, are as many (proc_task_getattr of fs/proc/base.c), and all of them are still
 * there afterwards. */
static bool look_at_known(system_process_watch *watch, size_t place, const thread *leader,
                          size_t sorted, bool first, uint64_t now)
{
    struct stat told;
    size_t known = 0, met = 0;
    if (!watch->links_tell || !leader || !leader->folder ||
        fstat(dirfd(leader->folder), &told) != 0) {
        return false;
    }
    for (size_t i = 0; i < sorted; i++) {
        known += watch->threads[i].pid == leader->pid;
    }
    if (told.st_nlink != known + 2) {
        return false;
    }
    for (size_t i = 0; i < sorted; i++) {
        thread *t = &watch->threads[i];
        if (t->pid == leader->pid) {
            t->timers = watch->timers[place];
            look_at_thread(watch, t, false, first, now);
            met += t->met;
        }
    }
    return met == known;
}

/* The folder of a process's threads, from its beginning; NULL where it has ended. It belongs to the
 * first thread, where that is known and there is room, and else to the caller (`*kept`). */
static DIR *open_folder(system_process_watch *watch, long pid, thread *leader, bool *kept)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    if (leader) {
        close_folder(watch, leader); /* it may be that of one that had the same number */
    }
    DIR *folder = opendir(path);
    *kept = folder && leader && watch->files.count < watch->files.most;
    if (*kept) {
        leader->folder = folder;
        watch->files.count++;
    }
    return folder;
}

static void note_links(system_process_watch *watch, DIR *folder, size_t threads)
{
    struct stat told;
    if (threads > 1 && fstat(dirfd(folder), &told) == 0 && told.st_nlink == threads + 2) {
        watch->links_tell = true;
    }
}

static bool look_at_threads(system_process_watch *watch, size_t place, size_t sorted, bool first,
                            uint64_t now)
{
    long pid = watch->pids[place];
    thread *leader = find(watch, sorted, pid);
    if (look_at_known(watch, place, leader, sorted, first, now)) {
        return true;
    }
    bool kept, ok = true;
    DIR *folder = open_folder(watch, pid, leader, &kept);
    if (!folder) {
        return true; /* it has ended */
    }
    size_t threads = 0;
    for (struct dirent *entry; ok && (entry = readdir(folder));) {
        long tid = strtol(entry->d_name, NULL, 10);
        if (tid <= 0) {
            continue;
        }
        threads++;
        thread *t = find(watch, sorted, tid);
        bool is_new = !t;
        t = t ? t : add(watch, pid, tid);
        ok = t && watch->count <= MOST_THREADS;
        if (ok && !t->met) {
            t->timers = watch->timers[place];
            look_at_thread(watch, t, is_new, first, now);
        }
    }
    note_links(watch, folder, threads);
    if (!kept) {
        closedir(folder);
    }
    return ok;
}

/* Adds the children of a thread to the list; false where they cannot be known. */
static bool add_children_of(system_process_watch *watch, size_t place, thread *t)
{
    char path[PATH_SIZE + 16], words[WORDS_SIZE];
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", t->pid, t->tid);
    /* What stays open belongs to the process whose folder does. */
    if (t->folder ? !kept_file_read(&watch->files, &t->children, path, words, sizeof words)
                  : !read_words(path, words, sizeof words)) {
        snprintf(path, sizeof path, "/proc/%ld/task/%ld", t->pid, t->tid);
        return access(path, F_OK) != 0; /* it has just ended, or the kernel does not tell */
    }
    char *end = words;
    t->parent = false;
    for (long child; (child = strtol(end, &end, 10)) > 0;) {
        if (watch->pid_count >= MOST_PROCESSES || strlen(words) == sizeof words - 1) {
            return false;
        }
        t->parent = true;
        watch->timers[watch->pid_count] = watch->timers[place];
        watch->pids[watch->pid_count++] = child;
    }
    return true;
}

/* Adds the children of all threads of a process to the list; false where they cannot be known. A
 * thread that has not run has begun none, but orphans may come to the first one of a process. */
static bool add_children(system_process_watch *watch, size_t place)
{
    bool known = true;
    for (size_t i = 0; i < watch->count && known; i++) {
        thread *t = &watch->threads[i];
        if (t->pid == watch->pids[place] && t->met &&
            (t->tid == t->pid || t->parent || t->ran_now)) {
            known = add_children_of(watch, place, t);
        }
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
    if (timers->count == 0) {
        return false;
    }
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
    if (!t->timers && t->due < out->due) {
        out->due = t->due;
        out->next = t->tid;
    } else if (t->timers && t->due < out->named_due && is_named(t, &timers[t->timers - 1])) {
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
            close_files(watch, &t);
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
        watch->threads[kept++] = t;
    }
    watch->count = kept;
    out->threads = kept;
    if (kept) {
        qsort(watch->threads, kept, sizeof *watch->threads, by_tid);
    }
}

bool system_process_watch_look(system_process_watch *watch, const long *roots, size_t count,
                               const system_process_timers *timers, size_t timer_count, bool first,
                               system_process_look *out)
{
    uint64_t now = uv_hrtime();
    size_t sorted = watch->count;
    *out = (system_process_look){.known = count > 0 && count <= MOST_PROCESSES &&
                                          timer_count <= SYSTEM_PROCESS_MOST_TIMERS};
    watch->pid_count = 0;
    for (size_t i = 0; i < watch->count; i++) {
        watch->threads[i].met = false;
    }
    for (size_t i = 0; i < count && out->known; i++) {
        watch->timers[watch->pid_count] = 0;
        watch->pids[watch->pid_count++] = roots[i];
    }
    for (size_t i = 0; i < watch->pid_count && out->known; i++) {
        for (size_t j = 0; j < timer_count; j++) {
            if (watch->pids[i] == timers[j].pid) {
                watch->timers[i] = (uint8_t) (j + 1);
            }
        }
        if (!look_at_threads(watch, i, sorted, first, now)) {
            return false;
        }
        out->known = add_children(watch, i);
    }
    watch->looked = now;
    out->processes = watch->pid_count;
    sum_up(watch, timers, out);
    return true;
}

bool system_process_watch_is_busy(system_process_watch *watch)
{
    char words[256];
    for (size_t i = 0; i < watch->count; i++) {
        thread *t = &watch->threads[i];
        if ((t->ran_now || t->awake) && read_call(watch, t, words, sizeof words) &&
            is_running(words)) {
            return true;
        }
    }
    return false;
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

/* Those that come from the process of system_process_timers are not asked about. */
static bool has_run(const system_process_watch *watch, long pid)
{
    for (size_t i = 0; i < watch->count; i++) {
        if (watch->threads[i].pid == pid && watch->threads[i].ran && !watch->threads[i].timers) {
            return true;
        }
    }
    return false;
}

bool system_process_watch_connected(system_process_watch *watch)
{
    long pids[MOST_PROCESSES];
    size_t count = 0;
    for (size_t i = 0; i < watch->pid_count; i++) {
        if (has_run(watch, watch->pids[i])) {
            pids[count++] = watch->pids[i];
        }
    }
    return processes_are_connected(&watch->local, pids, count);
}
