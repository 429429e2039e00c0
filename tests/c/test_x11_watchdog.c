/*
 * What is left on the user's display when a process that types is killed: nothing. The process is a
 * child of the test; its display is looked at by a connection of the test's own, by the bytes of
 * the keyboard map and the server's idea of which keys and buttons are down.
 */
#include "check.h"
#include "desk/keys.h"
#include "desk/x11/x11_watchdog.h"
#include "xserver.h"

#include <dirent.h>
#include <xcb/xtest.h>

enum { MAP_ROOM = 248 * 16, KILLS = 25, LAST_MOMENT = 12 /* ms after typing began */ };

static xcb_connection_t *watcher;
/* Seconds: what the watchdog is to keep, and what a machine is given that is busy with other
 * things.
 */
static const double PROMPT = 1, TIMEOUT = 10;

/* --- the display as it is ----------------------------------------------------------------------
 */

typedef struct {
    int columns, length;
    xcb_keysym_t keysyms[MAP_ROOM];
} keyboard_map;

static keyboard_map read_map(void)
{
    static keyboard_map map;
    xcb_get_keyboard_mapping_reply_t *reply =
        xcb_get_keyboard_mapping_reply(watcher, xcb_get_keyboard_mapping(watcher, 8, 248), NULL);
    map = (keyboard_map){reply->keysyms_per_keycode, (int) reply->length, {0}};
    if (CHECK(map.length <= MAP_ROOM)) {
        memcpy(map.keysyms, xcb_get_keyboard_mapping_keysyms(reply), (size_t) map.length * 4);
    }
    free(reply);
    return map;
}

static bool same_map(const keyboard_map *a)
{
    keyboard_map b = read_map();
    return memcmp(a, &b, sizeof b) == 0;
}

static uint16_t state(void)
{
    xcb_query_pointer_reply_t *reply = xcb_query_pointer_reply(
        watcher,
        xcb_query_pointer(watcher, xcb_setup_roots_iterator(xcb_get_setup(watcher)).data->root),
        NULL);
    uint16_t mask = reply->mask;
    free(reply);
    return mask;
}

static int keys_down(void)
{
    xcb_query_keymap_reply_t *reply =
        xcb_query_keymap_reply(watcher, xcb_query_keymap(watcher), NULL);
    int count = 0;
    for (int code = 0; code < 256; code++) {
        count += reply->keys[code / 8] >> code % 8 & 1;
    }
    free(reply);
    return count;
}

/* Waits until the display is as it should be, and gives the seconds it took. */
static double wait_until_mended(const keyboard_map *map, uint16_t mask)
{
    double began = now();
    while (!same_map(map) || state() != mask || keys_down() != 0) {
        if (now() - began > TIMEOUT) {
            CHECK(same_map(map));
            CHECK_EQ(state(), mask);
            CHECK_EQ(keys_down(), 0);
            break;
        }
        nap(0.001);
    }
    return now() - began;
}

/* --- the process that is killed ----------------------------------------------------------------
 */

typedef struct {
    pid_t pid;
    int said; /* a pipe: what the child has to tell */
} victim;

typedef void (*deed)(desk *d, int say);

static const char *cookie; /* of the display; NULL for none */

static victim start_victim(deed what)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        desk *d = NULL;
        desk_options options = {.display = display, .cookie = cookie};
        signal(SIGINT, SIG_DFL); /* a shell's background job is started with it ignored */
        signal(SIGHUP, SIG_DFL); /* and by nohup this one is */
        close(ends[0]);
        if (!desk_open(&d, "x11", &options, &err)) {
            printf("    %s\n", err.message);
            _exit(1);
        }
        what(d, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    return (victim){pid, ends[0]};
}

/* What the child says next; 0 if it has died. */
static int32_t listen_to(victim v)
{
    int32_t word = 0;
    return read(v.said, &word, sizeof word) == sizeof word ? word : 0;
}

static void say(int to, int32_t word)
{
    if (write(to, &word, sizeof word) != sizeof word) {
        _exit(1);
    }
}

static void end_victim(victim v, int signal_number)
{
    if (signal_number) {
        kill(v.pid, signal_number);
    }
    waitpid(v.pid, NULL, 0);
    close(v.said);
}

static void type_all(desk *d, const char *text)
{
    desk_text_step step;
    for (size_t at = 0, length = strlen(text); at < length; at += step.consumed) {
        if (!desk_type_text(d, text + at, length - at, &step, &err)) {
            printf("    %s\n", err.message);
            _exit(1);
        }
    }
}

static void press(desk *d, const char *name, bool down)
{
    desk_key key;
    if (!desk_key_parse(name, &key, &err) || !desk_keyboard_key(d, key, down, &err)) {
        printf("    %s\n", err.message);
        _exit(1);
    }
}

static void type_for_ever(desk *d, int to)
{
    say(to, 1);
    for (;;) {
        type_all(d,
                 "Füße, naïve café — 漢字かな交じり文、中文输入法测试 한국어 עברית Русский 😀🚀\n");
    }
}

static void type_and_wait(desk *d, int to)
{
    type_all(d, "漢字かな交じり");
    say(to, 1);
    pause();
}

static void hold_and_wait(desk *d, int to)
{
    static const desk_button buttons[] = {DESK_LEFT, DESK_RIGHT, DESK_BACK};
    for (const char **name = (const char *[]){"shift", "ctrl", "a", "漢", NULL}; *name; name++) {
        press(d, *name, true);
    }
    for (size_t i = 0; i < 3; i++) {
        desk_pointer_button(d, buttons[i], true, &err);
    }
    say(to, ((x11_desk *) d)->watchdog->pid);
    pause();
}

/* --- ends --------------------------------------------------------------------------------------
 */

static void test_killed_in_mid_typing(void)
{
    keyboard_map before = read_map();
    double slowest = 0;
    int prompt = 0;
    srand(7);
    for (int i = 0; i < KILLS; i++) {
        victim v = start_victim(type_for_ever);
        CHECK_EQ(listen_to(v), 1);
        CHECK(UNTIL(!same_map(&before)));
        nap(rand() % (LAST_MOMENT * 1000) / 1e6);
        end_victim(v, SIGKILL);
        double took = wait_until_mended(&before, 0);
        slowest = took > slowest ? took : slowest;
        prompt += took < PROMPT;
    }
    CHECK(prompt >= KILLS * 9 / 10);
    printf("killed %d times in mid-typing: mended in %.1f ms at most\n", KILLS, slowest * 1e3);
}

static void test_whatever_ends_it(void)
{
    static const int ends[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP};
    keyboard_map before = read_map();
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        victim v = start_victim(hold_and_wait);
        CHECK(listen_to(v) > 0);
        CHECK(!same_map(&before));
        CHECK_EQ(state(),
                 XCB_MOD_MASK_SHIFT | XCB_MOD_MASK_CONTROL | XCB_BUTTON_MASK_1 | XCB_BUTTON_MASK_3);
        CHECK_EQ(keys_down(), 4);
        end_victim(v, ends[i]);
        wait_until_mended(&before, 0);
    }
}

static void leave_without_closing(desk *d, int to)
{
    press(d, "shift", true);
    type_and_wait(d, to); /* refused, which ends it */
}

static void test_an_end_without_closing(void)
{
    keyboard_map before = read_map();
    victim v = start_victim(leave_without_closing);
    CHECK_EQ(listen_to(v), 0);
    end_victim(v, 0);
    wait_until_mended(&before, 0);
}

static void lock_and_wait(desk *d, int to)
{
    press(d, "caps_lock", true);
    press(d, "caps_lock", false);
    type_all(d, "off");
    say(to, 1);
    pause();
}

static void test_caps_lock_is_on_again(void)
{
    keyboard_map before = read_map();
    victim v = start_victim(lock_and_wait);
    CHECK_EQ(listen_to(v), 1);
    CHECK_EQ(state(), 0);
    end_victim(v, SIGKILL);
    wait_until_mended(&before, XCB_MOD_MASK_LOCK);
    xcb_test_fake_input(watcher, XCB_KEY_PRESS, 66, 0, 0, 0, 0, 0);
    xcb_test_fake_input(watcher, XCB_KEY_RELEASE, 66, 0, 0, 0, 0, 0);
    CHECK(UNTIL(state() == 0));
}

/* --- what others have changed stays ------------------------------------------------------------
 */

static bool run(const char *command)
{
    char line[200];
    snprintf(line, sizeof line, "DISPLAY=%s %s >/dev/null 2>&1", display, command);
    return system(line) == 0;
}

static void type_twice(desk *d, int to)
{
    sigset_t go_on;
    int number;
    sigemptyset(&go_on);
    sigaddset(&go_on, SIGUSR1);
    sigprocmask(SIG_BLOCK, &go_on, NULL);
    type_all(d, "漢字かな交じり");
    say(to, 1);
    sigwait(&go_on, &number);
    type_all(d, "中文输入法测试");
    say(to, 2);
    pause();
}

static void test_a_layout_loaded_meanwhile_is_kept(void)
{
    if (!installed("setxkbmap")) {
        return;
    }
    for (int again = 0; again < 2; again++) { /* typing goes on after the change, or not */
        CHECK(run("setxkbmap us"));
        victim v = start_victim(again ? type_twice : type_and_wait);
        CHECK_EQ(listen_to(v), 1);
        CHECK(run("setxkbmap de"));
        keyboard_map theirs = read_map();
        if (again) {
            kill(v.pid, SIGUSR1);
            CHECK_EQ(listen_to(v), 2);
            CHECK(!same_map(&theirs));
        }
        end_victim(v, SIGKILL);
        wait_until_mended(&theirs, 0);
        nap(0.05); /* to give a wrong mending the time to come */
        CHECK(same_map(&theirs));
    }
    CHECK(run("setxkbmap us"));
}

static void test_a_key_made_meanwhile_is_kept(void)
{
    static const xcb_keysym_t theirs[2] = {0x1002603, 0x1002604}, none[2] = {0, 0};
    keyboard_map before = read_map(), wanted = before;
    victim v = start_victim(type_and_wait);
    CHECK_EQ(listen_to(v), 1);
    keyboard_map typed = read_map();
    int row = 0;
    while (typed.keysyms[row * typed.columns] == before.keysyms[row * before.columns]) {
        row++; /* to the first that is borrowed */
    }
    xcb_change_keyboard_mapping(watcher, 1, (xcb_keycode_t) (8 + row), 2, theirs);
    typed = read_map();
    size_t start = (size_t) row * (size_t) typed.columns, size = (size_t) typed.columns * 4;
    memcpy(wanted.keysyms + start, typed.keysyms + start, size);
    end_victim(v, SIGKILL);
    wait_until_mended(&wanted, 0);
    xcb_change_keyboard_mapping(watcher, 1, (xcb_keycode_t) (8 + row), 2, none);
    CHECK(same_map(&before));
}

/* --- the watchdog itself -----------------------------------------------------------------------
 */

static int descriptors_of(pid_t pid)
{
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int) pid);
    DIR *all = opendir(path);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        count += entry->d_name[0] != '.';
    }
    if (all) {
        closedir(all);
    }
    return count;
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) != 0;
}

static void test_it_keeps_nothing_open(void)
{
    keyboard_map before = read_map();
    victim v = start_victim(hold_and_wait);
    pid_t watchdog = listen_to(v);
    CHECK(UNTIL(descriptors_of(watchdog) == 4)); /* 0, 1, 2 and its pipe */
    CHECK_EQ(getsid(watchdog), watchdog);
    CHECK(kill(watchdog, SIGTERM) == 0 && kill(watchdog, SIGINT) == 0);
    nap(0.02);
    CHECK(!is_gone(watchdog));
    end_victim(v, SIGKILL);
    wait_until_mended(&before, 0);
    CHECK(UNTIL(is_gone(watchdog)));
}

static void open_and_close(desk *d, int to)
{
    pid_t watchdog;
    CHECK_EQ(((x11_desk *) d)->watchdog->pid, 0);
    desk_pointer_move(d, 5, 5, &err);
    CHECK_EQ(((x11_desk *) d)->watchdog->pid, 0); /* not before it is needed */
    double began = now();
    press(d, "shift", true);
    double first = now() - began;
    press(d, "shift", false);
    began = now();
    press(d, "shift", true);
    double second = now() - began;
    printf("the first key: %.2f ms, the next: %.2f ms\n", first * 1e3, second * 1e3);
    fflush(stdout);
    watchdog = ((x11_desk *) d)->watchdog->pid;
    desk_close(d);
    say(to, is_gone(watchdog) && waitpid(-1, NULL, WNOHANG) == -1 ? watchdog : -1);
}

static void test_it_goes_with_the_desk(void)
{
    keyboard_map before = read_map();
    victim v = start_victim(open_and_close);
    CHECK(listen_to(v) > 0);
    wait_until_mended(&before, 0);
    end_victim(v, 0);
}

/* The display of a private desktop lets in only who has its cookie. */
static void test_with_a_cookie(void)
{
    static const char entry[] = "\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x10"
                                "0123456789abcdef";
    char path[128], open_display[sizeof display];
    snprintf(path, sizeof path, "%s/xauthority", folder);
    FILE *file = fopen(path, "wb");
    fwrite(entry, 1, sizeof entry - 1, file);
    fclose(file);
    memcpy(open_display, display, sizeof display);
    xcb_connection_t *other = watcher;
    pid_t server = start_server_for(path);
    cookie = "30313233343536373839616263646566";
    unsetenv("XAUTHORITY");
    CHECK(xcb_connection_has_error(watcher = xcb_connect(display, NULL)));
    xcb_disconnect(watcher);
    desk_options there = {.display = display, .cookie = cookie};
    base_error err = {0};
    int number = 0;
    watcher = x11_connect(&there, &number, &err);
    if (CHECK(!xcb_connection_has_error(watcher))) {
        test_whatever_ends_it();
    }
    xcb_disconnect(watcher);
    stop(server);
    cookie = NULL;
    watcher = other;
    memcpy(display, open_display, sizeof display);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!installed("Xvfb")) {
        return 0;
    }
    if (!mkdtemp(folder)) {
        return 1;
    }
    pid_t server = start_server();
    if (CHECK(server > 0)) {
        watcher = xcb_connect(display, NULL);
        test_it_goes_with_the_desk();
        test_it_keeps_nothing_open();
        test_whatever_ends_it();
        test_an_end_without_closing();
        test_killed_in_mid_typing();
        test_caps_lock_is_on_again();
        test_a_key_made_meanwhile_is_kept();
        test_a_layout_loaded_meanwhile_is_kept();
        test_with_a_cookie();
        xcb_disconnect(watcher);
        stop(server);
    }
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
    return check_done();
}
