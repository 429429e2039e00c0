/*
 * The watchdog: a process that restores the user's keyboard and mouse when ours has died with the
 * keyboard map changed or something held down. Nothing that runs in our own process can do that
 * after a SIGKILL.
 *
 * It is started at the first key, button or change of the map, and sleeps on a pipe whose other end
 * only we have open. When that closes it opens a connection of its own, waits until the server has
 * handled what we had sent, and undoes what the journal says is ours. The journal lies in memory
 * that both processes share, and each act is written there before it is sent: so whichever
 * instruction was our last, nothing that reached the server is missing from it. A keycode whose
 * keysyms are not the ones we wrote, because somebody has loaded another layout since, is left
 * alone.
 *
 * The process is our own program, started again under another argv[0]; a constructor catches it
 * before main, so every program that links this library has it. A fork would be simpler, but would
 * keep a copy of our memory, made page by page as we go on writing to it.
 */
#define _GNU_SOURCE /* memfd_create, pipe2, closefrom in posix_spawn */
#include "x11_watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xcb/xtest.h>

enum {
    CODES = X11_CODES,
    PIPE = 3, /* the watchdog's descriptors beside 0, 1 and 2 */
    JOURNAL,
    BEYOND,
    TIMEOUT = 5, /* seconds after which an alarm ends a watchdog that is still restoring */
    DRAIN = 300, /* milliseconds that the server is given to drop our connection */
};

static char NAME[] = "deskpilot-watch"; /* argv[0]; the kernel keeps 15 characters */

extern char **environ;

typedef enum { KEYS, BUTTONS, KINDS = X11_KINDS } kind;

struct x11_journal {
    char display[sizeof((x11_desk *) 0)->name], cookie[sizeof((x11_desk *) 0)->cookie];
    xcb_window_t marker;                /* exists as long as the server knows our connection */
    _Atomic bool down[KINDS][CODES];    /* may be held down by us */
    _Atomic xcb_keysym_t wrote[CODES];  /* what we made of an empty keycode, 0 for nothing */
    _Atomic xcb_keysym_t before[CODES]; /* the same before that, which the server may still have */
    _Atomic xcb_keycode_t lock;         /* caps lock, while we have turned it off */
};

/* --- in the watchdog process --------------------------------------------------------------------
 */

static void nap(long milliseconds)
{
    struct timespec t = {0, milliseconds * 1000000};
    nanosleep(&t, NULL);
}

/* What our process had sent may still wait in its socket, and would undo what is restored here. The
 * server destroys a client's windows when it has read all that the client sent. */
static void wait_until_disconnected(xcb_connection_t *c, xcb_window_t marker)
{
    for (int i = 0; i < DRAIN; i++) {
        xcb_generic_error_t *e = NULL;
        xcb_get_window_attributes_reply_t *reply =
            xcb_get_window_attributes_reply(c, xcb_get_window_attributes(c, marker), &e);
        free(e);
        free(reply);
        if (!reply) {
            return;
        }
        nap(1);
    }
}

static void fake(xcb_connection_t *c, uint8_t type, uint8_t detail)
{
    xcb_test_fake_input(c, type, detail, XCB_CURRENT_TIME, XCB_NONE, 0, 0, 0);
}

static void release_all(xcb_connection_t *c, const x11_journal *j, const uint8_t pressed[32])
{
    for (int code = 0; code < CODES; code++) {
        if (j->down[KEYS][code] && pressed[code / 8] & 1 << code % 8) {
            fake(c, XCB_KEY_RELEASE, (uint8_t) code);
        }
        if (j->down[BUTTONS][code]) {
            fake(c, XCB_BUTTON_RELEASE, (uint8_t) code);
        }
    }
}

/* We write a keysym to two levels: x11_keymap.c. */
static bool is_ours(const x11_journal *j, int keycode, const xcb_keysym_t *row)
{
    return row[0] && row[0] == row[1] &&
           (row[0] == j->wrote[keycode] || row[0] == j->before[keycode]);
}

static void empty_spares(xcb_connection_t *c, const x11_journal *j, xcb_keycode_t first,
                         const xcb_get_keyboard_mapping_reply_t *map)
{
    const xcb_keysym_t none[2] = {0, 0}, *keysyms = xcb_get_keyboard_mapping_keysyms(map);
    int columns = map->keysyms_per_keycode;
    int rows = columns >= 2 ? xcb_get_keyboard_mapping_keysyms_length(map) / columns : 0;
    for (int row = 0; row < rows && first + row < CODES; row++) {
        if (is_ours(j, first + row, keysyms + row * columns)) {
            xcb_change_keyboard_mapping(c, 1, (xcb_keycode_t) (first + row), 2, none);
        }
    }
}

/* With the server grabbed, so that nobody changes the map between reading and writing it. */
static void restore_all(xcb_connection_t *c, const x11_journal *j)
{
    const xcb_setup_t *setup = xcb_get_setup(c);
    uint8_t count = (uint8_t) (setup->max_keycode - setup->min_keycode + 1);
    xcb_grab_server(c);
    xcb_query_keymap_cookie_t keys = xcb_query_keymap(c);
    xcb_query_pointer_cookie_t state =
        xcb_query_pointer(c, xcb_setup_roots_iterator(setup).data->root);
    xcb_get_keyboard_mapping_cookie_t mapping =
        xcb_get_keyboard_mapping(c, setup->min_keycode, count);
    xcb_query_keymap_reply_t *pressed = xcb_query_keymap_reply(c, keys, NULL);
    xcb_query_pointer_reply_t *pointer = xcb_query_pointer_reply(c, state, NULL);
    xcb_get_keyboard_mapping_reply_t *map = xcb_get_keyboard_mapping_reply(c, mapping, NULL);
    if (pressed && pointer && map) {
        release_all(c, j, pressed->keys);
        empty_spares(c, j, setup->min_keycode, map);
        if (j->lock && !(pointer->mask & XCB_MOD_MASK_LOCK)) {
            fake(c, XCB_KEY_PRESS, j->lock);
            fake(c, XCB_KEY_RELEASE, j->lock);
        }
    }
    xcb_ungrab_server(c);
    free(xcb_get_input_focus_reply(c, xcb_get_input_focus(c),
                                   NULL)); /* until the server has done it */
    free(pressed);
    free(pointer);
    free(map);
}

static void restore(const x11_journal *j)
{
    desk_options where = {.display = j->display, .cookie = j->cookie[0] ? j->cookie : NULL};
    base_error ignored = {0};
    int number = 0;
    xcb_connection_t *c = x11_connect(&where, &number, &ignored);
    const xcb_query_extension_reply_t *xtest =
        xcb_connection_has_error(c) ? NULL : xcb_get_extension_data(c, &xcb_test_id);
    if (xtest && xtest->present) {
        wait_until_disconnected(c, j->marker);
        restore_all(c, j);
    }
    xcb_disconnect(c);
}

static const x11_journal *open_journal(void)
{
    struct stat file;
    void *shared = MAP_FAILED;
    if (fstat(JOURNAL, &file) == 0 && file.st_size == sizeof(x11_journal)) {
        shared = mmap(NULL, sizeof(x11_journal), PROT_READ, MAP_SHARED, JOURNAL, 0);
    }
    close(JOURNAL);
    return shared == MAP_FAILED ? NULL : shared;
}

/* The watchdog's main function, which runs before ours. All signals are blocked since it was
 * started, so that a Ctrl+C or the end of the session does not end it before us; only the alarm is
 * let through, which ends it where the display does not answer. */
__attribute__((constructor)) static void watch(int argc, char **argv)
{
    sigset_t alarm_only;
    char byte;
    if (argc != 1 || strcmp(argv[0], NAME) != 0) {
        return;
    }
    const x11_journal *j = open_journal();
    prctl(PR_SET_NAME, NAME);
    if (!j || chdir("/") != 0) {
        _exit(1);
    }
    while (read(PIPE, &byte, 1) < 0 && errno == EINTR) {
    }
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
    alarm(TIMEOUT);
    restore(j);
    _exit(0);
}

/* --- in our own process ------------------------------------------------------------------------
 */

/* The last of our ids: libraries count upwards and do not come there, so a client that gets our
 * number after us has no window of that id. */
static xcb_window_t make_marker(x11_desk *x)
{
    const xcb_setup_t *setup = xcb_get_setup(x->c);
    xcb_window_t marker = setup->resource_id_base | setup->resource_id_mask;
    uint32_t override_redirect = 1;
    xcb_create_window(x->c, XCB_COPY_FROM_PARENT, marker, x->root, -1, -1, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_OVERRIDE_REDIRECT,
                      &override_redirect);
    return marker;
}

/* It inherits nothing else of what we have open: somebody may wait for a pipe of ours to close, as
 * it does itself. `pipe` and `shared` lie above the numbers that they get there. */
static bool spawn(pid_t *pid, int pipe, int shared)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t all;
    char *argv[] = {NAME, NULL};
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    for (int fd = 0; fd < PIPE; fd++) {
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    }
    posix_spawn_file_actions_adddup2(&files, pipe, PIPE);
    posix_spawn_file_actions_adddup2(&files, shared, JOURNAL);
    posix_spawn_file_actions_addclosefrom_np(&files, BEYOND);
    posix_spawnattr_setsigmask(&how, &all);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setflags(&how,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    bool started = posix_spawn(pid, "/proc/self/exe", &files, &how, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return started;
}

/* The same descriptor with a number that spawn does not need; -1 after a failure. */
static int move_up(int fd)
{
    int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, BEYOND);
    if (fd >= 0) {
        close(fd);
    }
    return moved;
}

static x11_journal *new_journal(int shared)
{
    if (shared < 0 || ftruncate(shared, sizeof(x11_journal)) != 0) {
        return NULL;
    }
    void *j = mmap(NULL, sizeof(x11_journal), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
    return j == MAP_FAILED ? NULL : j;
}

static void close_all(int count, const int *fds)
{
    for (int i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

/* Where that fails (no memory, no processes left) we go on without a watchdog. */
static void start(x11_desk *x)
{
    x11_watchdog *w = x->watchdog;
    int ends[2] = {-1, -1};
    w->tried = true;
    bool piped = pipe2(ends, O_CLOEXEC) == 0;
    int fds[] = {move_up(ends[0]), move_up(memfd_create("deskpilot", MFD_CLOEXEC)), ends[1]};
    x11_journal *j = new_journal(fds[1]);
    if (piped && fds[0] >= 0 && j) {
        memcpy(j->display, x->name, sizeof j->display);
        memcpy(j->cookie, x->cookie, sizeof j->cookie);
        j->marker = make_marker(x);
        w->journal = spawn(&w->pid, fds[0], fds[1]) ? j : NULL;
    }
    w->pipe = ends[1];
    close_all(w->journal ? 2 : 3, fds);
    if (j && !w->journal) {
        munmap(j, sizeof *j);
    }
}

static x11_journal *journal(x11_desk *x)
{
    if (!x->watchdog->tried) {
        start(x);
    }
    return x->watchdog->journal;
}

void x11_watchdog_input(x11_desk *x, uint8_t type, uint8_t detail)
{
    kind k = type == XCB_KEY_PRESS || type == XCB_KEY_RELEASE ? KEYS : BUTTONS;
    bool down = type == XCB_KEY_PRESS || type == XCB_BUTTON_PRESS;
    x11_journal *j = down ? journal(x) : x->watchdog->journal;
    x->watchdog->down[k][detail] = down;
    if (j && down) {
        j->down[k][detail] = true;
    }
}

void x11_watchdog_keysym(x11_desk *x, xcb_keycode_t keycode, xcb_keysym_t keysym)
{
    x11_journal *j = journal(x);
    if (j) {
        j->wrote[keycode] = keysym;
    }
}

void x11_watchdog_caps_lock(x11_desk *x, xcb_keycode_t keycode)
{
    x11_journal *j = journal(x);
    if (j) {
        j->lock = keycode;
    }
}

void x11_watchdog_done(x11_desk *x)
{
    x11_journal *j = x->watchdog->journal;
    for (int code = 0; j && code < CODES; code++) {
        xcb_keysym_t wrote = j->wrote[code];
        if (j->before[code] != wrote) { /* a store costs more than a load */
            j->before[code] = wrote;
        }
        for (int k = 0; k < KINDS; k++) {
            if (j->down[k][code] && !x->watchdog->down[k][code]) {
                j->down[k][code] = false;
            }
        }
    }
}

void x11_watchdog_close(x11_desk *x, bool all_done)
{
    x11_watchdog *w = x->watchdog;
    if (!w->journal) {
        return;
    }
    if (all_done) {
        kill(w->pid, SIGKILL); /* it has nothing to restore, and is quickly gone */
    }
    close(w->pipe);
    if (all_done) {
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    munmap(w->journal, sizeof *w->journal);
    *w = (x11_watchdog){.tried = true};
}
