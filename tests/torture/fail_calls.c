/* The lines of a table are not to be joined. */
/* clang-format off */
/*
 * fail_calls: makes calls of the C library fail, for tests of what a program does then. Linux, by
 * LD_PRELOAD:
 *
 *   LD_PRELOAD=libfail_calls.so FAIL_CALL=write FAIL_AT=17 FAIL_HOW=short deskpilot run mission.lua
 *
 *   FAIL_CALL=NAMES    which calls: read write send recv open rename mkdir unlink truncate fsync
 *                      connect malloc, several joined by commas. A name stands for its family: write
 *                      also for writev, pwrite and pwritev, open for openat and creat, fsync for
 *                      fdatasync, malloc for calloc and realloc, ...
 *   FAIL_AT=N          the first that fails, counted from 1 over all of NAMES and all threads of the
 *                      process; without it (and without FAIL_ROOM) none fails: they are only counted
 *   FAIL_TIMES=N       how many fail from there on (1); `all`: every one
 *   FAIL_HOW=ERROR     ENOSPC, EIO, EDQUOT, EACCES, EINTR, ENOMEM, EMFILE, ECONNREFUSED, ...; or
 *                      `short`: a read or a write takes half of the bytes, any other call fails by
 *                      EIO. Without it what is usual for the call: ENOMEM for malloc, ECONNREFUSED
 *                      for connect, EMFILE for open, ENOSPC for write and mkdir, EIO for the rest
 *   FAIL_ROOM=BYTES    a disk that is full: writes to files and folders (not to pipes, sockets and
 *                      terminals) take so many bytes in all, the one that reaches the end is short,
 *                      further ones fail by ENOSPC
 *   FAIL_PATH=TEXT     only calls on files whose path has TEXT in it (a descriptor's path is asked
 *                      of /proc); says nothing of connect, send, recv and malloc
 *   FAIL_PROGRAM=NAME  only in programs of that file name; others that inherit the variables are
 *                      left alone
 *   FAIL_REPORT=FILE   at its end each process appends a line with how many calls it made and how
 *                      many failed: "1234 deskpilot calls=57 failed=1 read=12 write=45"; one that is
 *                      killed does not. FILE must be an absolute path. What has failed is appended
 *                      at once: "1234 deskpilot fail write#17 PATH"
 *
 * Only calls between the program and its libraries can be seen: what the C library does within
 * itself (the open of fopen, the writes of printf to a terminal) is not, nor are system calls made
 * directly. In a program with the address sanitizer set ASAN_OPTIONS=verify_asan_link_order=0.
 */
/* clang-format on */
#define _GNU_SOURCE
/* The 64-bit calls have names of their own, which are defined here beside the others. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

typedef enum {
    CALL_READ,
    CALL_WRITE,
    CALL_SEND,
    CALL_RECV,
    CALL_OPEN,
    CALL_RENAME,
    CALL_MKDIR,
    CALL_UNLINK,
    CALL_TRUNCATE,
    CALL_FSYNC,
    CALL_CONNECT,
    CALL_MALLOC,
    CALLS
} call_kind;

static const struct {
    const char *name;
    int usual; /* error */
} calls[CALLS] = {
    {"read", EIO},     {"write", ENOSPC}, {"send", ECONNRESET},      {"recv", ECONNRESET},
    {"open", EMFILE},  {"rename", EIO},   {"mkdir", ENOSPC},         {"unlink", EIO},
    {"truncate", EIO}, {"fsync", EIO},    {"connect", ECONNREFUSED}, {"malloc", ENOMEM},
};

static const struct {
    const char *name;
    int number;
} errors[] = {
    {"EPERM", EPERM},           {"ENOENT", ENOENT},
    {"EINTR", EINTR},           {"EIO", EIO},
    {"EBADF", EBADF},           {"EAGAIN", EAGAIN},
    {"ENOMEM", ENOMEM},         {"EACCES", EACCES},
    {"EBUSY", EBUSY},           {"EEXIST", EEXIST},
    {"EXDEV", EXDEV},           {"EINVAL", EINVAL},
    {"ENFILE", ENFILE},         {"EMFILE", EMFILE},
    {"EFBIG", EFBIG},           {"ENOSPC", ENOSPC},
    {"EROFS", EROFS},           {"EPIPE", EPIPE},
    {"EDQUOT", EDQUOT},         {"ENOSYS", ENOSYS},
    {"ETIMEDOUT", ETIMEDOUT},   {"ECONNREFUSED", ECONNREFUSED},
    {"ECONNRESET", ECONNRESET}, {"ENETUNREACH", ENETUNREACH},
    {"ENOTSUP", ENOTSUP},
};

#ifdef FAIL_CALLS_WITHOUT_MALLOC
static const bool knows_malloc = false;
#else
static const bool knows_malloc = true;
#endif

/* What was asked for; fixed once `ready`. Before that, and in other programs, nothing is counted.
 */
static struct {
    atomic_bool ready;
    bool chosen[CALLS];
    uint64_t first, last; /* the numbers of the calls that fail; 0: none */
    bool is_short;
    int error; /* 0: what is usual for the call */
    bool is_full;
    char path[256], report[256], program[256];
} asked;

static atomic_uint_fast64_t counts[CALLS], all_calls, failures;
static atomic_int_fast64_t room;

/* --- reporting, by system calls alone
 * -------------------------------------------------------------------------- */

static void report(const char *words, size_t size)
{
    if (!asked.report[0]) {
        return;
    }
    long fd = syscall(SYS_openat, AT_FDCWD, asked.report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                      0666);
    if (fd >= 0) {
        long written = syscall(SYS_write, fd, words, size);
        (void) written;
        syscall(SYS_close, fd);
    }
}

static void report_failure(call_kind kind, uint64_t number, const char *path)
{
    atomic_fetch_add(&failures, 1);
    char line[512];
    int size = snprintf(line, sizeof line, "%d %s fail %s#%llu %.250s\n", (int) getpid(),
                        asked.program, calls[kind].name, (unsigned long long) number, path);
    report(line, (size_t) size < sizeof line ? (size_t) size : sizeof line - 1);
}

__attribute__((destructor)) static void report_counts(void)
{
    if (!atomic_load(&asked.ready)) {
        return;
    }
    char line[1024];
    int size =
        snprintf(line, sizeof line, "%d %s calls=%llu failed=%llu", (int) getpid(), asked.program,
                 (unsigned long long) all_calls, (unsigned long long) failures);
    for (int kind = 0; kind < CALLS; kind++) {
        if (asked.chosen[kind]) {
            size += snprintf(line + size, sizeof line - (size_t) size, " %s=%llu", calls[kind].name,
                             (unsigned long long) counts[kind]);
        }
    }
    line[size++] = '\n';
    report(line, (size_t) size);
}

/* --- what is asked for
 * ------------------------------------------------------------------------------------------- */

static _Noreturn void refuse(const char *what, const char *value)
{
    dprintf(STDERR_FILENO, "fail_calls: %s=%s is not known\n", what, value);
    _exit(99);
}

static uint64_t number_of(const char *name)
{
    const char *value = getenv(name);
    char *end;
    if (!value || !*value) {
        return 0;
    }
    unsigned long long number = strtoull(value, &end, 10);
    if (*end) {
        refuse(name, value);
    }
    return number;
}

static void copy(char *to, size_t room_for, const char *from)
{
    snprintf(to, room_for, "%.255s", from ? from : "");
}

static void choose(const char *names)
{
    while (*names) {
        size_t size = strcspn(names, ",");
        int kind = 0;
        while (kind < CALLS &&
               (strlen(calls[kind].name) != size || strncmp(calls[kind].name, names, size) != 0)) {
            kind++;
        }
        if (kind == CALLS || (kind == CALL_MALLOC && !knows_malloc)) {
            refuse("FAIL_CALL", names);
        }
        asked.chosen[kind] = true;
        names += size + (names[size] == ',');
    }
}

static int error_of(const char *name)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (strcmp(errors[i].name, name) == 0) {
            return errors[i].number;
        }
    }
    refuse("FAIL_HOW", name);
}

static void take_numbers(void)
{
    const char *times = getenv("FAIL_TIMES"), *how = getenv("FAIL_HOW");
    asked.first = number_of("FAIL_AT");
    bool all = times && strcmp(times, "all") == 0;
    uint64_t count = all || !times ? 1 : number_of("FAIL_TIMES");
    asked.last = all ? UINT64_MAX : asked.first + count - 1;
    asked.is_short = how && strcmp(how, "short") == 0;
    asked.error = how && *how && !asked.is_short ? error_of(how) : 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *names = getenv("FAIL_CALL"), *space = getenv("FAIL_ROOM"),
               *wanted = getenv("FAIL_PROGRAM");
    char path[1024];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    const char *slash = strrchr(path, '/');
    copy(asked.program, sizeof asked.program, slash ? slash + 1 : path);
    if ((!names && !space) || (wanted && *wanted && strcmp(wanted, asked.program) != 0)) {
        return;
    }
    choose(names ? names : "");
    take_numbers();
    if (space && *space) {
        asked.is_full = true;
        asked.chosen[CALL_WRITE] = true;
        atomic_store(&room, (int_fast64_t) number_of("FAIL_ROOM"));
    }
    copy(asked.path, sizeof asked.path, getenv("FAIL_PATH"));
    copy(asked.report, sizeof asked.report, getenv("FAIL_REPORT"));
    atomic_store(&asked.ready, true);
}

/* --- deciding
 * ----------------------------------------------------------------------------------------------------
 */

static const char *path_of(int fd, char *out, size_t room_for)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long size = syscall(SYS_readlinkat, AT_FDCWD, link, out, room_for - 1);
    out[size > 0 ? size : 0] = '\0';
    return out;
}

static bool concerns(call_kind kind, const char *path)
{
    if (!atomic_load(&asked.ready) || !asked.chosen[kind]) {
        return false;
    }
    bool has_path =
        kind != CALL_CONNECT && kind != CALL_SEND && kind != CALL_RECV && kind != CALL_MALLOC;
    return !asked.path[0] || !has_path || (path && strstr(path, asked.path));
}

/* Counts a call; whether it is to fail. */
static bool fails(call_kind kind, const char *path)
{
    if (!concerns(kind, path)) {
        return false;
    }
    atomic_fetch_add(&counts[kind], 1);
    uint64_t number = atomic_fetch_add(&all_calls, 1) + 1;
    if (!asked.first || number < asked.first || number > asked.last) {
        return false;
    }
    int before = errno;
    report_failure(kind, number, path ? path : "");
    errno = before;
    return true;
}

static bool fd_fails(call_kind kind, int fd)
{
    char path[1024];
    if (!atomic_load(&asked.ready) || !asked.chosen[kind]) {
        return false;
    }
    int before = errno;
    bool result = fails(kind, path_of(fd, path, sizeof path));
    errno = before;
    return result;
}

/* The failure itself. */
static int failed(call_kind kind)
{
    errno = asked.error ? asked.error : asked.is_short ? EIO : calls[kind].usual;
    return -1;
}

/* How many of `size` bytes the full disk takes; `size` where it is not concerned, -1 where it takes
 * none. */
static int64_t taken(int fd, uint64_t size)
{
    struct stat info;
    char path[1024];
    if (!asked.is_full || !atomic_load(&asked.ready) || size == 0 || fstat(fd, &info) != 0 ||
        !S_ISREG(info.st_mode) || !concerns(CALL_WRITE, path_of(fd, path, sizeof path))) {
        return (int64_t) size;
    }
    int64_t left = atomic_fetch_sub(&room, (int_fast64_t) size);
    if (left >= (int64_t) size) {
        return (int64_t) size;
    }
    report_failure(CALL_WRITE, atomic_load(&all_calls), path);
    if (left <= 0) {
        errno = ENOSPC;
        return -1;
    }
    return left;
}

/* --- the calls
 * ---------------------------------------------------------------------------------------------------
 */

/* The next function of that name: that of the C library, or of a sanitizer. */
#define REAL(result, name, ...)                                                                    \
    static result (*real)(__VA_ARGS__);                                                            \
    if (!real) {                                                                                   \
        real = (result(*)(__VA_ARGS__)) dlsym(RTLD_NEXT, name);                                    \
    }

/* The number of bytes that a call on `size` may move; -1 with errno if it fails. */
static int64_t moved(call_kind kind, int fd, uint64_t size)
{
    if (fd_fails(kind, fd)) {
        return asked.is_short && size > 1 ? (int64_t) (size / 2) : failed(kind);
    }
    return kind == CALL_WRITE ? taken(fd, size) : (int64_t) size;
}

#define MOVES(kind, result, name, constant, extra_declared, extra)                                 \
    result name(int fd, constant void *bytes, size_t size extra_declared)                          \
    {                                                                                              \
        REAL(result, #name, int, constant void *, size_t extra_declared)                           \
        int64_t some = moved(kind, fd, size);                                                      \
        return some < 0 ? -1 : real(fd, bytes, (size_t) some extra);                               \
    }
#define NOTHING
#define AND_OFFSET , off_t offset
#define AND_OFFSET64 , off64_t offset
#define AND_FLAGS , int flags
#define GIVEN_OFFSET , offset
#define GIVEN_FLAGS , flags

MOVES(CALL_READ, ssize_t, read, NOTHING, NOTHING, NOTHING)
MOVES(CALL_READ, ssize_t, pread, NOTHING, AND_OFFSET, GIVEN_OFFSET)
MOVES(CALL_READ, ssize_t, pread64, NOTHING, AND_OFFSET64, GIVEN_OFFSET)
MOVES(CALL_WRITE, ssize_t, write, const, NOTHING, NOTHING)
MOVES(CALL_WRITE, ssize_t, pwrite, const, AND_OFFSET, GIVEN_OFFSET)
MOVES(CALL_WRITE, ssize_t, pwrite64, const, AND_OFFSET64, GIVEN_OFFSET)
MOVES(CALL_SEND, ssize_t, send, const, AND_FLAGS, GIVEN_FLAGS)
MOVES(CALL_RECV, ssize_t, recv, NOTHING, AND_FLAGS, GIVEN_FLAGS)

static uint64_t bytes_of(const struct iovec *parts, int count)
{
    uint64_t size = 0;
    for (int i = 0; i < count; i++) {
        size += parts[i].iov_len;
    }
    return size;
}

/* At most so many bytes of some parts, in `out`; the number of parts. Of more than it has room for
 * the first. */
enum { PARTS = 64 };
static int some_of(const struct iovec *parts, int count, uint64_t size, struct iovec out[PARTS])
{
    int used = 0;
    for (; used < count && used < PARTS && size > 0; used++) {
        out[used] = parts[used];
        if (out[used].iov_len > size) {
            out[used].iov_len = (size_t) size;
        }
        size -= out[used].iov_len;
    }
    return used;
}

#define MOVES_PARTS(kind, name, extra_declared, extra)                                             \
    ssize_t name(int fd, const struct iovec *parts, int count extra_declared)                      \
    {                                                                                              \
        REAL(ssize_t, #name, int, const struct iovec *, int extra_declared)                        \
        uint64_t size = bytes_of(parts, count);                                                    \
        int64_t some = moved(kind, fd, size);                                                      \
        if (some < 0 || (uint64_t) some == size) {                                                 \
            return some < 0 ? -1 : real(fd, parts, count extra);                                   \
        }                                                                                          \
        struct iovec fewer[PARTS];                                                                 \
        return real(fd, fewer, some_of(parts, count, (uint64_t) some, fewer) extra);               \
    }
MOVES_PARTS(CALL_READ, readv, NOTHING, NOTHING)
MOVES_PARTS(CALL_READ, preadv, AND_OFFSET, GIVEN_OFFSET)
MOVES_PARTS(CALL_READ, preadv64, AND_OFFSET64, GIVEN_OFFSET)
MOVES_PARTS(CALL_WRITE, writev, NOTHING, NOTHING)
MOVES_PARTS(CALL_WRITE, pwritev, AND_OFFSET, GIVEN_OFFSET)
MOVES_PARTS(CALL_WRITE, pwritev64, AND_OFFSET64, GIVEN_OFFSET)

/* Messages are sent and received whole, or not at all. */
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    REAL(ssize_t, "sendmsg", int, const struct msghdr *, int)
    return fd_fails(CALL_SEND, fd) ? failed(CALL_SEND) : real(fd, message, flags);
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    REAL(ssize_t, "recvmsg", int, struct msghdr *, int)
    return fd_fails(CALL_RECV, fd) ? failed(CALL_RECV) : real(fd, message, flags);
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    REAL(int, "connect", int, const struct sockaddr *, socklen_t)
    return fails(CALL_CONNECT, NULL) ? failed(CALL_CONNECT) : real(fd, address, size);
}

/* The mode is there only where a file may be made. */
#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                       \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }
#define OPENS(name)                                                                                \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        REAL(int, #name, const char *, int, ...)                                                   \
        MODE_OF(flags)                                                                             \
        return fails(CALL_OPEN, path) ? failed(CALL_OPEN) : real(path, flags, mode);               \
    }
#define OPENS_AT(name)                                                                             \
    int name(int folder, const char *path, int flags, ...)                                         \
    {                                                                                              \
        REAL(int, #name, int, const char *, int, ...)                                              \
        MODE_OF(flags)                                                                             \
        return fails(CALL_OPEN, path) ? failed(CALL_OPEN) : real(folder, path, flags, mode);       \
    }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

/* A call that fails or is made as it is; `when` says which. */
#define FAILS_WHEN(when, kind, name, declared, given)                                              \
    int name declared                                                                              \
    {                                                                                              \
        static int(*real) declared;                                                                \
        if (!real) {                                                                               \
            real = (int(*) declared) dlsym(RTLD_NEXT, #name);                                      \
        }                                                                                          \
        return (when) ? failed(kind) : real given;                                                 \
    }
#define ON_PATH(kind, name, declared, given)                                                       \
    FAILS_WHEN(fails(kind, path), kind, name, declared, given)
#define ON_FILE(kind, name, declared, given)                                                       \
    FAILS_WHEN(fd_fails(kind, fd), kind, name, declared, given)
ON_PATH(CALL_OPEN, creat, (const char *path, mode_t mode), (path, mode))
ON_PATH(CALL_OPEN, creat64, (const char *path, mode_t mode), (path, mode))
ON_PATH(CALL_RENAME, rename, (const char *from, const char *path), (from, path))
ON_PATH(CALL_RENAME, renameat, (int a, const char *from, int b, const char *path),
        (a, from, b, path))
ON_PATH(CALL_RENAME, renameat2, (int a, const char *from, int b, const char *path, unsigned flags),
        (a, from, b, path, flags))
ON_PATH(CALL_MKDIR, mkdir, (const char *path, mode_t mode), (path, mode))
ON_PATH(CALL_MKDIR, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
ON_PATH(CALL_UNLINK, unlink, (const char *path), (path))
ON_PATH(CALL_UNLINK, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
ON_PATH(CALL_UNLINK, rmdir, (const char *path), (path))
ON_PATH(CALL_TRUNCATE, truncate, (const char *path, off_t size), (path, size))
ON_PATH(CALL_TRUNCATE, truncate64, (const char *path, off64_t size), (path, size))
ON_FILE(CALL_TRUNCATE, ftruncate, (int fd, off_t size), (fd, size))
ON_FILE(CALL_TRUNCATE, ftruncate64, (int fd, off64_t size), (fd, size))
ON_FILE(CALL_FSYNC, fsync, (int fd), (fd))
ON_FILE(CALL_FSYNC, fdatasync, (int fd), (fd))

#ifndef FAIL_CALLS_WITHOUT_MALLOC
/* --- memory
 * ------------------------------------------------------------------------------------------------------
 */

/* dlsym may ask for memory itself, before the real functions are known: it gets some of this, which
 * is never freed. */
static _Alignas(16) char early[16384];
static atomic_size_t early_used;

static void *early_bytes(size_t size)
{
    size_t at = atomic_fetch_add(&early_used, (size + 15) & ~(size_t) 15);
    return at + size <= sizeof early ? early + at : NULL;
}

static bool is_early(const void *bytes)
{
    return (const char *) bytes >= early && (const char *) bytes < early + sizeof early;
}

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);

static bool allocator_known(void)
{
    static _Thread_local bool asking;
    if (real_free) {
        return true;
    }
    if (asking) {
        return false;
    }
    asking = true;
    real_malloc = (void *(*) (size_t)) dlsym(RTLD_NEXT, "malloc");
    real_calloc = (void *(*) (size_t, size_t)) dlsym(RTLD_NEXT, "calloc");
    real_realloc = (void *(*) (void *, size_t)) dlsym(RTLD_NEXT, "realloc");
    real_free = (void (*)(void *)) dlsym(RTLD_NEXT, "free");
    asking = false;
    return true;
}

static bool no_memory(void)
{
    if (!fails(CALL_MALLOC, NULL)) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    if (!allocator_known()) {
        return early_bytes(size);
    }
    return no_memory() ? NULL : real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!allocator_known()) {
        return early_bytes(count * size); /* static storage is zero */
    }
    return no_memory() ? NULL : real_calloc(count, size);
}

void *realloc(void *bytes, size_t size)
{
    if (!allocator_known() || is_early(bytes)) {
        void *more = allocator_known() ? real_malloc(size) : early_bytes(size);
        if (more && bytes) {
            size_t most = (size_t) (early + sizeof early - (char *) bytes);
            memcpy(more, bytes, size < most ? size : most);
        }
        return more;
    }
    return no_memory() ? NULL : real_realloc(bytes, size);
}

void free(void *bytes)
{
    if (!is_early(bytes) && allocator_known()) {
        real_free(bytes);
    }
}
#endif
