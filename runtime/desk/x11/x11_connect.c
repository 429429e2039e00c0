/* Connecting to a display, for so long and no longer. XCB waits for ever for a server's first
 * answer, and one that can open no more files never takes the connection. So a thread waits there,
 * which is left behind where it takes too long. */
#include "x11_connection.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

bool x11_no_display(const char *name, base_error *err)
{
    if (!name && !getenv("DISPLAY")) {
        return base_fail(err, BASE_NOT_FOUND,
                         "There is no desktop to work on: DISPLAY is not set. Use --desktop "
                         "private, or set DISPLAY to a running X server.");
    }
    return base_fail(err, BASE_UNAVAILABLE,
                     "The X display \"%.100s\" cannot be opened. Use --desktop private, or set "
                     "DISPLAY to a running X server that lets you in.",
                     name ? name : getenv("DISPLAY"));
}

/* Writing to a server that has died raises SIGPIPE, which would end the program; XCB reports the
 * same as an error. A handler that somebody else has set is left alone. */
static void ignore_broken_pipe(void)
{
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
        signal(SIGPIPE, SIG_IGN);
    }
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    return (int) (strchr(digits, c) - digits);
}

static xcb_connection_t *connect_with(const char *display, const char *cookie, int *number)
{
    static char name[] = "MIT-MAGIC-COOKIE-1";
    char data[16];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (char) (hex_digit(cookie[2 * i]) << 4 | hex_digit(cookie[2 * i + 1]));
    }
    xcb_auth_info_t auth = {sizeof name - 1, name, sizeof data, data};
    return xcb_connect_to_display_with_auth_info(display, &auth, number);
}

typedef struct {
    uv_mutex_t lock;
    uv_cond_t answered;
    char *display; /* NULL: that of the environment */
    char cookie[sizeof((x11_desk *) 0)->cookie];
    xcb_connection_t *c; /* NULL until then */
    int number;
    bool abandoned; /* nobody waits for it any more */
} attempt;

static void attempt_free(attempt *a)
{
    uv_cond_destroy(&a->answered);
    uv_mutex_destroy(&a->lock);
    free(a->display);
    free(a);
}

static attempt *attempt_new(const desk_options *options)
{
    attempt *a = calloc(1, sizeof *a);
    if (!a || uv_mutex_init(&a->lock) != 0) {
        free(a);
        return NULL;
    }
    if (uv_cond_init(&a->answered) != 0) {
        uv_mutex_destroy(&a->lock);
        free(a);
        return NULL;
    }
    a->display = options->display ? strdup(options->display) : NULL;
    snprintf(a->cookie, sizeof a->cookie, "%s", options->cookie ? options->cookie : "");
    if (options->display && !a->display) {
        attempt_free(a);
        return NULL;
    }
    return a;
}

static void attempt_run(void *context)
{
    attempt *a = context;
    int number = 0;
    xcb_connection_t *c = a->cookie[0] ? connect_with(a->display, a->cookie, &number)
                                       : xcb_connect(a->display, &number);
    uv_mutex_lock(&a->lock);
    a->c = c;
    a->number = number;
    bool abandoned = a->abandoned;
    uv_cond_signal(&a->answered);
    uv_mutex_unlock(&a->lock);
    if (abandoned) {
        xcb_disconnect(c);
        attempt_free(a);
    }
}

/* NULL where there was no answer in time. */
static xcb_connection_t *attempt_wait(attempt *a, int *number)
{
    uint64_t until = uv_hrtime() + X11_CONNECT_SECONDS * UINT64_C(1000000000), now;
    uv_mutex_lock(&a->lock);
    while (!a->c && (now = uv_hrtime()) < until) {
        uv_cond_timedwait(&a->answered, &a->lock, until - now);
    }
    xcb_connection_t *c = a->c;
    *number = a->number;
    a->abandoned = !c;
    uv_mutex_unlock(&a->lock);
    return c;
}

/* A connection that has an error: XCB's own of a name that is none. */
static xcb_connection_t *no_connection(void)
{
    return xcb_connect("no display", NULL);
}

xcb_connection_t *x11_connect(const desk_options *options, int *number, base_error *err)
{
    ignore_broken_pipe();
    attempt *a = attempt_new(options);
    uv_thread_t thread;
    if (!a || uv_thread_create(&thread, attempt_run, a) != 0) {
        if (a) {
            attempt_free(a);
        }
        base_fail(err, BASE_NO_MEMORY, "There is not enough memory to connect to an X display.");
        return no_connection();
    }
    xcb_connection_t *c = attempt_wait(a, number);
    if (!c) {
        pthread_detach(thread);
        base_fail(err, BASE_UNAVAILABLE,
                  "The X display \"%.100s\" has not answered for %d s: it hangs, or cannot take "
                  "another program. End programs that use it, or use --desktop private.",
                  options->display ? options->display : getenv("DISPLAY"), X11_CONNECT_SECONDS);
        return no_connection();
    }
    uv_thread_join(&thread);
    attempt_free(a);
    if (xcb_connection_has_error(c)) {
        x11_no_display(options->display, err);
    }
    return c;
}
