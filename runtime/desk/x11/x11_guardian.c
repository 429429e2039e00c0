/*
 * The guardian: a process that mends the user's keyboard and mouse when ours has died with the
 * keyboard map changed or something held down. Nothing that runs in our own process can do that
 * after a SIGKILL.
 *
 * It is forked at the first key, button or change of the map, and sleeps on a pipe that has no
 * other end than ours. When that closes it opens a connection of its own, waits until the server is
 * done with what we had sent, and undoes what the journal says is ours. The journal lies in memory
 * that both share, and says what is about to be done before it is sent: so whichever instruction
 * was the last, nothing that reached the server is missing from it. A keycode that says something
 * else than what we wrote, because somebody loaded another layout since, is left as it is.
 */
#define _GNU_SOURCE /* close_range, pipe2 */
#include "x11.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xcb/xtest.h>

enum {
    CODES = X11_CODES,
    PIPE = 3,    /* the guardian's only descriptor but for 0, 1 and 2 */
    LIFE = 5,    /* seconds that mending may take before the system ends it */
    DRAIN = 300, /* milliseconds for the server to find that we are gone */
};

typedef enum { KEYS, BUTTONS, KINDS = X11_KINDS } kind;

struct x11_journal {
    xcb_window_t marker;                /* exists as long as the server knows our connection */
    _Atomic bool down[KINDS][CODES];    /* may be held down by us */
    _Atomic xcb_keysym_t wrote[CODES];  /* what we made of an empty keycode, 0 for nothing */
    _Atomic xcb_keysym_t before[CODES]; /* the same before that, which the server may still have */
    _Atomic xcb_keycode_t lock;         /* caps lock, while we have turned it off */
};

/* --- in the guardian ---------------------------------------------------------------------------
 */

static void nap(long milliseconds)
{
    struct timespec t = {0, milliseconds * 1000000};
    nanosleep(&t, NULL);
}

/* What our process had sent may still wait in its socket, and would undo what is mended: the server
 * drops a client's windows when it has read all of it. */
static void wait_until_forgotten(xcb_connection_t *c, xcb_window_t marker)
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

static void let_go(xcb_connection_t *c, const x11_journal *j, const uint8_t pressed[32])
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

/* Ours is written on two levels, as x11_keyboard.c does. */
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

/* With the server to ourselves, so that nobody changes the map between the look and the mending. */
static void mend_all(xcb_connection_t *c, const x11_journal *j)
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
        let_go(c, j, pressed->keys);
        empty_spares(c, j, setup->min_keycode, map);
        if (j->lock && !(pointer->mask & XCB_MOD_MASK_LOCK)) {
            fake(c, XCB_KEY_PRESS, j->lock);
            fake(c, XCB_KEY_RELEASE, j->lock);
        }
    }
    xcb_ungrab_server(c);
    free(xcb_get_input_focus_reply(c, xcb_get_input_focus(c), NULL)); /* it is done */
    free(pressed);
    free(pointer);
    free(map);
}

static void mend(const x11_desk *x, const x11_journal *j)
{
    desk_options there = {.display = x->name, .cookie = x->cookie[0] ? x->cookie : NULL};
    desk_error unseen = {0};
    int number = 0;
    xcb_connection_t *c = x11_connect(&there, &number, &unseen);
    const xcb_query_extension_reply_t *xtest =
        xcb_connection_has_error(c) ? NULL : xcb_get_extension_data(c, &xcb_test_id);
    if (xtest && xtest->present) {
        wait_until_forgotten(c, j->marker);
        mend_all(c, j);
    }
    xcb_disconnect(c);
}

/* Whatever our process has open would stay open with it: a pipe whose closing somebody waits for,
 * the other end of our own. */
static void keep_only(int pipe)
{
    int null = open("/dev/null", O_RDWR), kept = fcntl(pipe, F_DUPFD, PIPE + 1);
    for (int fd = 0; null >= 0 && fd < PIPE; fd++) {
        dup2(null, fd);
    }
    dup2(kept, PIPE);
    if (close_range(PIPE + 1, ~0u, 0) != 0) { /* before Linux 5.9 */
        for (int fd = PIPE + 1, end = (int) sysconf(_SC_OPEN_MAX); fd < end; fd++) {
            close(fd);
        }
    }
}

/* The life of the guardian. Signals stay blocked (fork_guardian), but for the one that ends it if
 * the display does not answer. */
static _Noreturn void guard(const x11_desk *x, const x11_journal *j, int pipe)
{
    sigset_t alarm_only;
    char byte;
    setsid();
    prctl(PR_SET_NAME, "deskpilot-guard");
    keep_only(pipe);
    if (chdir("/") != 0) {
        _exit(1);
    }
    while (read(PIPE, &byte, 1) < 0 && errno == EINTR) {
    }
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
    alarm(LIFE);
    mend(x, j);
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

/* Only what fork leaves whole is used in the child: memory, and XCB on a connection of its own. */
static pid_t fork_guardian(x11_desk *x, const x11_journal *j, const int ends[2])
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        guard(x, j, ends[0]);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

/* Where it cannot be had (no memory, no processes left) we go on without it. */
static void start(x11_desk *x)
{
    x11_guardian *g = &x->guardian;
    int ends[2];
    g->tried = true;
    x11_journal *j =
        mmap(NULL, sizeof *j, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (j == MAP_FAILED) {
        return;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        munmap(j, sizeof *j);
        return;
    }
    j->marker = make_marker(x);
    g->pid = fork_guardian(x, j, ends);
    close(ends[0]);
    if (g->pid < 0) {
        close(ends[1]);
        munmap(j, sizeof *j);
        return;
    }
    g->pipe = ends[1];
    g->journal = j;
}

static x11_journal *journal(x11_desk *x)
{
    if (!x->guardian.tried) {
        start(x);
    }
    return x->guardian.journal;
}

void x11_guard_input(x11_desk *x, uint8_t type, uint8_t detail)
{
    kind k = type == XCB_KEY_PRESS || type == XCB_KEY_RELEASE ? KEYS : BUTTONS;
    bool down = type == XCB_KEY_PRESS || type == XCB_BUTTON_PRESS;
    x11_journal *j = down ? journal(x) : x->guardian.journal;
    x->guardian.down[k][detail] = down;
    if (j && down) {
        j->down[k][detail] = true;
    }
}

void x11_guard_keysym(x11_desk *x, xcb_keycode_t keycode, xcb_keysym_t keysym)
{
    x11_journal *j = journal(x);
    if (j) {
        j->wrote[keycode] = keysym;
    }
}

void x11_guard_lock(x11_desk *x, xcb_keycode_t keycode)
{
    x11_journal *j = journal(x);
    if (j) {
        j->lock = keycode;
    }
}

void x11_guard_done(x11_desk *x)
{
    x11_journal *j = x->guardian.journal;
    for (int code = 0; j && code < CODES; code++) {
        xcb_keysym_t wrote = j->wrote[code];
        if (j->before[code] != wrote) { /* stores cost more than looks */
            j->before[code] = wrote;
        }
        for (int k = 0; k < KINDS; k++) {
            if (j->down[k][code] && !x->guardian.down[k][code]) {
                j->down[k][code] = false;
            }
        }
    }
}

void x11_guardian_close(x11_desk *x, bool all_done)
{
    x11_guardian *g = &x->guardian;
    if (!g->journal) {
        return;
    }
    if (all_done) {
        kill(g->pid, SIGKILL); /* there is nothing to mend, and nobody waits for it long */
    }
    close(g->pipe);
    if (all_done) {
        while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    munmap(g->journal, sizeof *g->journal);
    *g = (x11_guardian){.tried = true};
}
