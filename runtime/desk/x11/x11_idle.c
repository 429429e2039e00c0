/*
 * Whether an application that answers no pings (terminals, older toolkits) has taken its keys: one
 * that has nothing left to do sleeps, and goes on sleeping. It may also sleep while it waits for a
 * reply of the server with keys still unread; but the server answers in the order of asking, so if
 * it has answered us twice since, it has answered that too, and the sleeper has been woken: the
 * number of its context switches tells. By Linux's /proc, for processes of this machine with a
 * single thread.
 */
#include "x11_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

enum { MILLISECOND = 1000000, QUIET = 4 * MILLISECOND, PATIENCE = 1000 * MILLISECOND };

/* False where it is gone, or has several threads: who knows which one takes the keys. */
static bool look_at(long pid, bool *asleep, unsigned long long *switches)
{
    char path[40], line[128];
    unsigned long long number;
    unsigned threads = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    FILE *file = fopen(path, "re");
    *asleep = false;
    *switches = 0;
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "State:", 6) == 0) {
            *asleep = strstr(line, "S (") != NULL;
        } else if (sscanf(line, "Threads: %u", &threads) != 1 &&
                   (sscanf(line, "voluntary_ctxt_switches: %llu", &number) == 1 ||
                    sscanf(line, "nonvoluntary_ctxt_switches: %llu", &number) == 1)) {
            *switches += number;
        }
    }
    if (file) {
        fclose(file);
    }
    return threads == 1;
}

static uint32_t cardinal(x11_desk *x, xcb_get_property_cookie_t cookie)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, cookie, NULL);
    uint32_t value = 0;
    if (reply && reply->format == 32 && xcb_get_property_value_length(reply) >= 4) {
        memcpy(&value, xcb_get_property_value(reply), 4);
    }
    free(reply);
    return value;
}

/* The process of this machine that shows the window; 0 if it is unknown. */
static long process_of(x11_desk *x, xcb_window_t window)
{
    char here[256] = "";
    xcb_get_property_cookie_t pid = x11_ask_property(x, window, x->atoms[X11_NET_WM_PID]);
    xcb_get_property_cookie_t machine = x11_ask_property(x, window, XCB_ATOM_WM_CLIENT_MACHINE);
    uint32_t number = cardinal(x, pid);
    xcb_get_property_reply_t *reply = xcb_get_property_reply(x->c, machine, NULL);
    gethostname(here, sizeof here - 1);
    bool ours = reply && reply->format == 8 &&
                (size_t) xcb_get_property_value_length(reply) == strlen(here) &&
                memcmp(xcb_get_property_value(reply), here, strlen(here)) == 0;
    free(reply);
    return ours ? (long) number : 0;
}

bool x11_idle_start(x11_desk *x, xcb_window_t window)
{
    x11_idle *idle = &x->idle;
    long pid = process_of(x, window);
    *idle = (x11_idle){.pid = pid};
    if (pid == 0 || !look_at(pid, &idle->asleep, &idle->switches)) {
        idle->pid = 0;
        return false;
    }
    idle->asked = idle->since = uv_hrtime();
    return true;
}

bool x11_idle_seen(x11_desk *x)
{
    x11_idle *idle = &x->idle;
    bool asleep;
    unsigned long long switches;
    if (!idle->pid || !x11_sync(x, NULL) || !x11_sync(x, NULL)) {
        return false;
    }
    uint64_t now = uv_hrtime();
    bool there = look_at(idle->pid, &asleep, &switches);
    bool same = asleep && idle->asleep && switches == idle->switches;
    /* One that always has something to do will have taken its keys by then. */
    if (!there || (same && now - idle->since >= QUIET) || now - idle->asked > PATIENCE) {
        idle->pid = 0;
        return true;
    }
    if (!same) {
        idle->asleep = asleep;
        idle->switches = switches;
        idle->since = now;
    }
    return false;
}
