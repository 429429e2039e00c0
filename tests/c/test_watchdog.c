/* The watchdog, in processes of its own: this program again, whose main thread does not answer. */
#include "base/error.h"
#include "check.h"
#include "system/deadline.h"
#include "system/watchdog.h"

#include <stdlib.h>
#include <uv.h>

enum { SECOND = 1000000000, BEFORE = SECOND / 5, INHERITED = 3, STATUS = 7, SECOND_STATUS = 130 };

static char folder[512];

static const char *path(const char *name)
{
    static char joined[600];
    snprintf(joined, sizeof joined, "%s/%s", folder, name);
    return joined;
}

static int open_file(const char *name)
{
    uv_fs_t request;
    return uv_fs_open(NULL, &request, path(name), UV_FS_O_CREAT | UV_FS_O_APPEND | UV_FS_O_WRONLY,
                      0600, NULL);
}

/* --- the child ---------------------------------------------------------------------------------
 */

static size_t left; /* of a line that did not fit */

static void append(int file, const char *line)
{
    system_watchdog_append(file, line, strlen(line), 0, false, &left);
}

static void release_for_ever(void)
{
    uv_sleep(60000);
}

static void note_release(void)
{
    uv_fs_t request;
    uv_buf_t words = uv_buf_init((char *) "released", 8);
    uv_fs_write(NULL, &request, open_file("released"), &words, 1, 0, NULL);
}

static system_bytes bytes(const char *text)
{
    return (system_bytes){text, strlen(text)};
}

static void leave_words(int journal, const char *result, int status)
{
    base_error err;
    system_last_words words = {
        bytes("{\"end\":\2,\"at\":\1}\n"),
        bytes("result \2"),
        bytes("output"),
        bytes("words"),
        status,
    };
    if (!system_watchdog_open(journal, path(result), uv_hrtime(), 0, &err) ||
        !system_watchdog_set(WATCHDOG_OVERDUE, &words, &err)) {
        exit(90);
    }
    words.line = bytes("{\"interrupted\":true}\n");
    words.status = SECOND_STATUS;
    system_watchdog_set(WATCHDOG_INTERRUPTED, &words, &err);
    system_watchdog_set_release(note_release);
}

/* What a C call does that does not return: it computes, or waits. Not endless: a broken watchdog
 * shall not leave it. */
static void hang(bool computes)
{
    volatile unsigned number = 0;
    for (uint64_t end = uv_hrtime() + 20 * (uint64_t) SECOND; uv_hrtime() < end;) {
        number++;
        if (!computes) {
            uv_sleep(20000);
        }
    }
}

/* Another thread goes on writing lines as fast as it can. */
static void keep_writing(void *file)
{
    for (;;) {
        append(*(int *) file, "{\"line\":true}\n");
    }
}

#ifdef __linux__
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SEAL = 1033 /* F_ADD_SEALS */, SHRINK = 2 /* F_SEAL_SHRINK */, ROOM = 100 };

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* A line that does not fit, and of which nothing can be taken back. */
static void append_half(int journal)
{
    char line[4096];
    memset(line, 'x', sizeof line);
    signal(SIGXFSZ, SIG_IGN);
    limit_files(ROOM);
    system_watchdog_append(journal, line, sizeof line, 0, false, &left);
    limit_files(RLIM_INFINITY);
}
#else
static void append_half(int journal)
{
    (void) journal;
}
#endif

static int child(const char *how)
{
    int journal = strcmp(how, "half") == 0 ? INHERITED : open_file("journal");
    uv_thread_t writer;
    bool good = strcmp(how, "good") == 0, lost = strcmp(how, "lost") == 0;
    leave_words(journal, lost ? "no/result" : "result", good || lost ? 0 : STATUS);
    append(journal, "{\"line\":true}\n");
    if (strcmp(how, "half") == 0) {
        append_half(journal);
    } else if (strcmp(how, "writing") == 0) {
        uv_thread_create(&writer, keep_writing, &journal);
    } else if (strcmp(how, "stuck") == 0) {
        system_watchdog_set_release(release_for_ever);
    } else if (strcmp(how, "last") == 0) {
        system_watchdog_append(journal, "{\"last\":true}\n", 14, 0, true, &left);
    } else if (strcmp(how, "closed") == 0) {
        system_watchdog_close();
    }
    if (strcmp(how, "interrupted") == 0 || strcmp(how, "closed") == 0) {
        bool called = system_watchdog_end(WATCHDOG_INTERRUPTED);
        if (!called) {
            return 91;
        }
        hang(false);
    }
    if (strcmp(how, "answers") == 0) {
        for (int i = 0; i < 15; i++) {
            system_deadline_answer_by(uv_hrtime() + BEFORE);
            uv_sleep(150);
        }
        system_deadline_answer_by(0);
        uv_sleep(1500);
        system_deadline_stop();
        system_watchdog_stop();
        return 0;
    }
    system_deadline_answer_by(uv_hrtime() + BEFORE);
    hang(strcmp(how, "hangs") == 0);
    return 92;
}

/* --- the parent --------------------------------------------------------------------------------
 */

static char *program;

/* The children, which run at the same time; each has a folder of its own. */
typedef struct {
    uv_process_t process;
    const char *how;
    char folder[sizeof folder];
    uint64_t began;
    int64_t ended_with;
    double took;
} a_child;
static a_child children[10];
static size_t children_count;

/* Of the child that is looked at, as `folder` is. */
static int64_t ended_with;
static double took;

static void on_end(uv_process_t *process, int64_t status, int signal)
{
    a_child *self = (a_child *) process;
    self->ended_with = signal ? -signal : status;
    self->took = (double) (uv_hrtime() - self->began) / SECOND;
    uv_close((uv_handle_t *) process, NULL);
}

static void start(const char *how, int inherited)
{
    a_child *self = &children[children_count++];
    uv_fs_t request;
    char temporary[400], pattern[sizeof folder];
    size_t size = sizeof temporary;
    CHECK_EQ(uv_os_tmpdir(temporary, &size), 0);
    snprintf(pattern, sizeof pattern, "%s/deskpilot-test-XXXXXX", temporary);
    uv_fs_mkdtemp(NULL, &request, pattern, NULL);
    snprintf(self->folder, sizeof self->folder, "%s", request.path);
    uv_fs_req_cleanup(&request);
    char *arguments[] = {program, (char *) "child", (char *) how, self->folder, NULL};
    uv_stdio_container_t streams[] = {
        {.flags = UV_IGNORE},
        {.flags = UV_IGNORE},
        {.flags = UV_IGNORE},
        {.flags = inherited >= 0 ? UV_INHERIT_FD : UV_IGNORE, .data.fd = inherited},
    };
    uv_process_options_t options = {
        .exit_cb = on_end, .file = program, .args = arguments, .stdio_count = 4, .stdio = streams};
    self->how = how;
    self->ended_with = 99;
    self->began = uv_hrtime();
    CHECK_EQ(uv_spawn(uv_default_loop(), &self->process, &options), 0);
}

static void look_at(const char *how)
{
    for (size_t i = 0; i < children_count; i++) {
        if (strcmp(children[i].how, how) == 0) {
            snprintf(folder, sizeof folder, "%s", children[i].folder);
            ended_with = children[i].ended_with;
            took = children[i].took;
        }
    }
}

static char *contents_of(int file)
{
    static char text[8192];
    uv_fs_t request;
    uv_buf_t room = uv_buf_init(text, sizeof text - 1);
    int count = file < 0 ? 0 : uv_fs_read(NULL, &request, file, &room, 1, 0, NULL);
    text[count > 0 ? count : 0] = '\0';
    return text;
}

static const char *contents(const char *name)
{
    uv_fs_t request;
    int file = uv_fs_open(NULL, &request, path(name), UV_FS_O_RDONLY, 0, NULL);
    const char *text = contents_of(file);
    if (file >= 0) {
        uv_fs_close(NULL, &request, file, NULL);
    }
    return text;
}

static void tidy_up(void)
{
    static const char *const names[] = {"journal", "result", "released"};
    uv_fs_t request;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        uv_fs_unlink(NULL, &request, path(names[i]), NULL);
    }
    CHECK_EQ(uv_fs_rmdir(NULL, &request, folder, NULL), 0); /* no file is left beside these */
}

static void what_does_not_answer_is_ended(void)
{
    double seconds = 0;
    int number = 0;
    look_at("hangs");
    CHECK_EQ(ended_with, STATUS);
    CHECK(took > 1.0 && took < 5);
    CHECK(sscanf(contents("journal"), "{\"line\":true}\n{\"end\":%d,\"at\":%lf}", &number,
                 &seconds) == 2);
    CHECK_EQ(number, 2);
    CHECK(seconds > 1.0 && seconds < took);
    CHECK_STR(contents("result"), "result 2");
    CHECK_STR(contents("released"), "released");
    tidy_up();
}

static void what_answers_goes_on(void)
{
    look_at("answers");
    CHECK_EQ(ended_with, 0);
    CHECK_STR(contents("journal"), "{\"line\":true}\n");
    CHECK_STR(contents("result"), "");
    tidy_up();
}

static void a_second_signal_does_not_wait(void)
{
    look_at("interrupted");
    CHECK_EQ(ended_with, SECOND_STATUS);
    CHECK_STR(contents("journal"), "{\"line\":true}\n{\"interrupted\":true}\n");
    tidy_up();
    look_at("closed");
    CHECK_EQ(ended_with, 91); /* nothing was left for it: the caller ends the process */
    CHECK_STR(contents("journal"), "{\"line\":true}\n");
    tidy_up();
}

static void a_result_that_is_lost_is_no_success(void)
{
    look_at("good");
    CHECK_EQ(ended_with, 0);
    CHECK_STR(contents("result"), "result 2");
    tidy_up();
    look_at("lost");
    CHECK_EQ(ended_with, 1);
    CHECK_STR(contents("result"), "");
    tidy_up();
}

static void a_run_that_has_its_last_line_gets_no_second(void)
{
    look_at("last");
    CHECK_EQ(ended_with, STATUS);
    CHECK_STR(contents("journal"), "{\"line\":true}\n{\"last\":true}\n");
    CHECK_STR(contents("result"), "result 3");
    tidy_up();
}

static void writing_that_hangs_ends_too(void)
{
    look_at("stuck");
    CHECK_EQ(ended_with, STATUS);
    CHECK(took > 3 && took < 7);
    CHECK(strstr(contents("journal"), "{\"end\":2,"));
    tidy_up();
}

static void lines_do_not_mix(void)
{
    look_at("writing");
    CHECK_EQ(ended_with, STATUS);
    uv_fs_t request;
    CHECK_EQ(uv_fs_stat(NULL, &request, path("journal"), NULL), 0);
    uint64_t size = request.statbuf.st_size;
    int file = uv_fs_open(NULL, &request, path("journal"), UV_FS_O_RDONLY, 0, NULL);
    char *whole = calloc(1, size + 1);
    uv_buf_t room = uv_buf_init(whole, (unsigned) size);
    CHECK_EQ(uv_fs_read(NULL, &request, file, &room, 1, 0, NULL), size);
    uv_fs_close(NULL, &request, file, NULL);
    unsigned lines = 0, number = 0;
    char *at = whole;
    for (; strncmp(at, "{\"line\":true}\n", 14) == 0; at += 14) {
        lines++;
    }
    CHECK(sscanf(at, "{\"end\":%u,", &number) == 1);
    CHECK_EQ(number, lines + 1);
    CHECK(strchr(at, '\n') == whole + size - 1); /* nothing follows the last line */
    printf("%u lines before the last one\n", lines);
    free(whole);
    tidy_up();
}

#ifdef __linux__
static int half;

static void start_half(void)
{
    half = (int) syscall(SYS_memfd_create, "journal", MFD_ALLOW_SEALING);
    CHECK(half >= 0);
    CHECK_EQ(fcntl(half, F_SETFL, O_APPEND), 0);
    CHECK_EQ(fcntl(half, SEAL, SHRINK), 0);
    start("half", half);
}

static void half_a_line_is_ended_first(void)
{
    int number;
    look_at("half");
    CHECK_EQ(ended_with, STATUS);
    char words[ROOM], *text = contents_of(half);
    CHECK(sscanf(text, "{\"line\":true}\n%99[x]\n{\"end\":%d,", words, &number) == 2);
    CHECK_EQ(strlen(words), ROOM - 14);
    CHECK_EQ(text[strlen(text) - 1], '\n');
    tidy_up();
    close(half);
}
#else
static void start_half(void)
{
}

static void half_a_line_is_ended_first(void)
{
}
#endif

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc == 4 && strcmp(argv[1], "child") == 0) {
        snprintf(folder, sizeof folder, "%s", argv[3]);
        return child(argv[2]);
    }
    static const char *const ways[] = {"hangs", "answers", "interrupted", "closed", "good",
                                       "lost",  "last",    "stuck",       "writing"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        start(ways[i], -1);
    }
    start_half();
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
    what_does_not_answer_is_ended();
    what_answers_goes_on();
    a_second_signal_does_not_wait();
    a_result_that_is_lost_is_no_success();
    a_run_that_has_its_last_line_gets_no_second();
    writing_that_hangs_ends_too();
    lines_do_not_mix();
    half_a_line_is_ended_first();
    return check_done();
}
