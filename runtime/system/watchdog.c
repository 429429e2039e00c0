#include "watchdog.h"

#include "files.h"
#include "platform.h"
#include "unfinished.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TIMEOUT = 2, /* seconds that writing may take */
    NO_CAUSE = -1,
    FAILED = 1, /* the status in place of 0 */
    MARK_SECONDS = 1,
    MARK_LINES = 2,
    MARK_SIZE = 32 /* bytes, at most, that a mark becomes */
};

typedef struct {
    char *bytes;
    size_t size;
} text;

#define PART_ENDING ".0123456789abcdef.part"

typedef enum { LINE, RESULT, OUTPUT, WORDS, TEXTS } part;

static struct {
    bool started;
    uv_thread_t thread;
    uv_sem_t called;
    atomic_int cause; /* for which the process is to end */
    atomic_bool left[WATCHDOG_CAUSES], stopping;
    atomic_int status[WATCHDOG_CAUSES];
    void (*_Atomic release)(void);

    uv_mutex_t lock; /* of what follows; the thread never gives it back once it writes */
    int journal;
    uint64_t journal_size; /* where its next byte goes */
    char *result_path, *part_path;
    uint64_t epoch, ended; /* times of uv_hrtime; the end that all texts tell of */
    size_t lines;
    bool half; /* the journal ends with a part of a line */
    text texts[WATCHDOG_CAUSES][TEXTS];

    uv_mutex_t written_lock;
    uv_cond_t written_changed;
    bool written, failed;
} self;

/* Also where nothing was opened, append has the lock. */
static uv_once_t once = UV_ONCE_INIT;

static void prepare(void)
{
    uv_mutex_init(&self.lock);
    uv_mutex_init(&self.written_lock);
    uv_cond_init(&self.written_changed);
    self.journal = -1;
    atomic_store(&self.cause, NO_CAUSE);
}

/* --- writing: libuv's calls without a loop and a callback are done at once, on any thread --------
 */

enum { AT_ITS_END = -1 }; /* of a pipe or a terminal, too */

/* As many bytes as the disk takes: all of them, or the error in *error. */
static size_t write_all(int file, const char *bytes, size_t size, int64_t offset, int *error)
{
    size_t done = 0;
    *error = 0;
    while (done < size) {
        uv_fs_t request;
        uv_buf_t rest = uv_buf_init((char *) bytes + done, (unsigned) (size - done));
        int64_t at = offset < 0 ? offset : offset + (int64_t) done;
        int count = uv_fs_write(NULL, &request, file, &rest, 1, at, NULL);
        uv_fs_req_cleanup(&request);
        if (count == UV_EINTR) {
            continue;
        }
        if (count <= 0) {
            *error = count < 0 ? count : UV_ENOSPC;
            break;
        }
        done += (size_t) count;
    }
    return done;
}

static uint64_t size_of(int file)
{
    uv_fs_t request;
    uint64_t size = uv_fs_fstat(NULL, &request, file, NULL) == 0 ? request.statbuf.st_size : 0;
    uv_fs_req_cleanup(&request);
    return size;
}

static bool truncate_to(int file, uint64_t size)
{
    uv_fs_t request;
    int status = uv_fs_ftruncate(NULL, &request, file, (int64_t) size, NULL);
    uv_fs_req_cleanup(&request);
    return status == 0;
}

static void sync(int file)
{
    uv_fs_t request;
    uv_fs_fsync(NULL, &request, file, NULL);
    uv_fs_req_cleanup(&request);
}

/* Writes a text with its marks replaced, and returns how many bytes it was. It is written piece by
 * piece, because there may be no memory for the whole. */
static size_t write_text(int file, const text *from, int64_t offset, int *error)
{
    size_t done = 0, at = 0;
    *error = 0;
    while (at < from->size && !*error) {
        char mark[MARK_SIZE];
        const char *piece = from->bytes + at;
        size_t size = 0;
        while (at + size < from->size && piece[size] != MARK_SECONDS && piece[size] != MARK_LINES) {
            size++;
        }
        at += size > 0 ? size : 1;
        if (size == 0) {
            size = (size_t) (*piece == MARK_LINES
                                 ? snprintf(mark, MARK_SIZE, "%zu", self.lines + 1)
                                 : snprintf(mark, MARK_SIZE, "%.4f",
                                            (double) (self.ended - self.epoch) / 1e9));
            piece = mark;
        }
        done += write_all(file, piece, size, offset < 0 ? offset : offset + (int64_t) done, error);
    }
    return done;
}

static bool write_line(const text *line)
{
    int error = 0;
    if (!line->bytes || self.journal < 0) {
        return true;
    }
    if (self.half) {
        self.journal_size += write_all(self.journal, "\n", 1, (int64_t) self.journal_size, &error);
    }
    write_text(self.journal, line, (int64_t) self.journal_size, &error);
    return error == 0;
}

/* As base/files.lua writes a file: beside the old one, under a name that nobody can foresee, and
 * then renamed. */
static int open_beside(void)
{
    uint64_t number = 0;
    uv_random(NULL, NULL, &number, sizeof number, 0, NULL);
    snprintf(self.part_path, strlen(self.result_path) + sizeof PART_ENDING, "%s.%016llx.part",
             self.result_path, (unsigned long long) number);
    return system_file_open(self.part_path, SYSTEM_FILE_NEW, true);
}

static void close_file(int file)
{
    uv_fs_t request;
    uv_fs_close(NULL, &request, file, NULL);
    uv_fs_req_cleanup(&request);
}

static bool replace_result(const text *contents)
{
    int error = 0;
    uv_fs_t request;
    int file = contents->bytes && self.result_path ? open_beside() : -1;
    if (file < 0) {
        return !contents->bytes;
    }
    write_text(file, contents, 0, &error);
    sync(file);
    close_file(file);
    if (!error && system_file_rename(self.part_path, self.result_path, false) >= 0) {
        return true;
    }
    uv_fs_unlink(NULL, &request, self.part_path, NULL);
    uv_fs_req_cleanup(&request);
    return false;
}

/* --- the end -----------------------------------------------------------------------------------
 */

/* With the lock, which is never given back: nothing may follow the last line. What matters most
 * comes first; a terminal may be stopped, so it comes last. */
static bool write_everything(system_watchdog_cause cause)
{
    enum { STANDARD_OUTPUT = 1, STANDARD_ERROR };
    const text *texts = self.texts[cause];
    self.ended = uv_hrtime();
    int ignored;
    bool ok = write_line(&texts[LINE]);
    void (*release)(void) = atomic_load(&self.release);
    if (release) {
        release();
    }
    ok = replace_result(&texts[RESULT]) && ok;
    if (self.journal >= 0 && texts[RESULT].bytes) { /* without a result it may be closed already */
        sync(self.journal);
    }
    write_text(STANDARD_ERROR, &texts[WORDS], AT_ITS_END, &ignored);
    write_text(STANDARD_OUTPUT, &texts[OUTPUT], AT_ITS_END, &ignored);
    return ok;
}

static void tell_written(bool ok)
{
    uv_mutex_lock(&self.written_lock);
    self.written = true;
    self.failed = !ok;
    uv_cond_signal(&self.written_changed);
    uv_mutex_unlock(&self.written_lock);
}

/* Where the lock was not to be had before it closed, a limit needs no end any more; whoever asked a
 * second time has not changed his mind. */
static void carry_out(void *nothing)
{
    (void) nothing;
    system_watchdog_cause cause = (system_watchdog_cause) atomic_load(&self.cause);
    bool ok = true;
    uv_mutex_lock(&self.lock);
    if (atomic_load(&self.left[cause])) {
        ok = write_everything(cause);
    } else if (cause == WATCHDOG_OVERDUE) {
        uv_mutex_unlock(&self.lock);
        atomic_store(&self.cause, NO_CAUSE);
    }
    tell_written(ok);
}

/* The writing has a thread of its own, because a write may hang: a file server that has gone, a
 * terminal that is stopped. */
static void end_process(void)
{
    int cause = atomic_load(&self.cause);
    int status = atomic_load(&self.status[cause]);
    uint64_t now = uv_hrtime(), limit = now + TIMEOUT * UINT64_C(1000000000);
    uv_thread_t writer;
    self.written = false;
    bool threaded = uv_thread_create(&writer, carry_out, NULL) == 0;
    if (!threaded) {
        carry_out(NULL);
    }
    uv_mutex_lock(&self.written_lock);
    for (; !self.written && now < limit; now = uv_hrtime()) {
        uv_cond_timedwait(&self.written_changed, &self.written_lock, limit - now);
    }
    bool written = self.written, whole = written && !self.failed;
    uv_mutex_unlock(&self.written_lock);
    if (threaded && written) {
        uv_thread_join(&writer);
    }
    if (atomic_load(&self.cause) != NO_CAUSE) {
        system_unfinished_remove_all();
        system_end(status == 0 && !whole ? FAILED : status);
    }
}

static void watch(void *nothing)
{
    (void) nothing;
    for (;;) {
        uv_sem_wait(&self.called);
        if (atomic_load(&self.stopping)) {
            return;
        }
        end_process();
    }
}

bool system_watchdog_end(system_watchdog_cause cause)
{
    int none = NO_CAUSE;
    if (!atomic_load(&self.left[cause])) {
        return false;
    }
    if (atomic_compare_exchange_strong(&self.cause, &none, (int) cause)) {
        uv_sem_post(&self.called); /* for a signal handler: libuv's is sem_post(3) */
    }
    return true;
}

/* --- for the main thread -----------------------------------------------------------------------
 */

static bool start(base_error *err)
{
    if (self.started) {
        return true;
    }
    atomic_store(&self.stopping, false);
    if (uv_sem_init(&self.called, 0) != 0) {
        return base_fail(err, BASE_IO, "cannot make a semaphore for the watchdog");
    }
    self.started = uv_thread_create(&self.thread, watch, NULL) == 0;
    if (!self.started) {
        uv_sem_destroy(&self.called);
        return base_fail(err, BASE_IO, "cannot start the watchdog's thread");
    }
    return true;
}

static void free_paths(void)
{
    free(self.result_path);
    free(self.part_path);
    self.result_path = self.part_path = NULL;
}

bool system_watchdog_open(int journal, const char *result_path, uint64_t epoch, size_t lines,
                          base_error *err)
{
    uv_once(&once, prepare);
    size_t size = strlen(result_path) + 1;
    char *path = malloc(size), *part = malloc(size + sizeof PART_ENDING);
    if (!path || !part) {
        free(path);
        free(part);
        return base_fail(err, BASE_NO_MEMORY, "there is no memory for the watchdog");
    }
    memcpy(path, result_path, size);
    uv_mutex_lock(&self.lock);
    free_paths();
    self.result_path = path;
    self.part_path = part;
    self.journal = journal;
    self.journal_size = size_of(journal);
    self.epoch = epoch;
    self.lines = lines;
    self.half = false;
    uv_mutex_unlock(&self.lock);
    return start(err);
}

static void free_texts(text *texts)
{
    for (int i = 0; i < TEXTS; i++) {
        free(texts[i].bytes);
        texts[i] = (text){0};
    }
}

static bool copy(text *to, const system_bytes *from)
{
    if (!from->bytes) {
        return true;
    }
    to->bytes = malloc(from->size + 1);
    to->size = from->size;
    return to->bytes && memcpy(to->bytes, from->bytes, from->size);
}

bool system_watchdog_set(system_watchdog_cause cause, const system_last_words *words,
                         base_error *err)
{
    const system_bytes *given[] = {&words->line, &words->result, &words->output, &words->words};
    text made[TEXTS] = {{0}}, before[TEXTS];
    bool ok = true;
    for (int i = 0; ok && i < TEXTS; i++) {
        ok = copy(&made[i], given[i]);
    }
    if (!ok) {
        free_texts(made);
        return base_fail(err, BASE_NO_MEMORY, "there is no memory for the watchdog's words");
    }
    uv_once(&once, prepare);
    uv_mutex_lock(&self.lock);
    memcpy(before, self.texts[cause], sizeof before);
    memcpy(self.texts[cause], made, sizeof made);
    atomic_store(&self.status[cause], words->status);
    atomic_store(&self.left[cause], self.started);
    uv_mutex_unlock(&self.lock);
    free_texts(before);
    return true;
}

int system_watchdog_append(int file, const char *bytes, size_t length, uint64_t size, bool last,
                           size_t *left)
{
    int error;
    uv_once(&once, prepare);
    uv_mutex_lock(&self.lock);
    size_t done = write_all(file, bytes, length, (int64_t) size, &error);
    *left = error && done > 0 && !truncate_to(file, size) ? done : 0;
    if (file == self.journal) {
        self.lines++;
        self.half = *left > 0;
        self.journal_size = size + (error ? *left : length);
        for (int cause = 0; last && !error && cause < WATCHDOG_CAUSES; cause++) {
            free(self.texts[cause][LINE].bytes);
            self.texts[cause][LINE] = (text){0};
        }
    }
    uv_mutex_unlock(&self.lock);
    return error;
}

void system_watchdog_close(void)
{
    uv_once(&once, prepare);
    uv_mutex_lock(&self.lock);
    for (int cause = 0; cause < WATCHDOG_CAUSES; cause++) {
        atomic_store(&self.left[cause], false);
        free_texts(self.texts[cause]);
    }
    free_paths();
    self.journal = -1;
    uv_mutex_unlock(&self.lock);
}

void system_watchdog_set_release(void (*release)(void))
{
    atomic_store(&self.release, release);
}

void system_watchdog_stop(void)
{
    system_watchdog_close();
    if (!self.started) {
        return;
    }
    atomic_store(&self.stopping, true);
    uv_sem_post(&self.called);
    uv_thread_join(&self.thread);
    uv_sem_destroy(&self.called);
    self.started = false;
}
