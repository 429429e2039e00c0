/*
 * Whether an application that answers no pings (terminals, older toolkits) has taken its keys: a
 * process that has nothing left to do sleeps, and goes on sleeping. It may also sleep while it
 * waits for a reply of the server, with keys still unread. But the server answers requests in the
 * order in which they came: when it has answered two of ours since, it has answered that one too,
 * and has woken the process, which shows in its number of context switches. Read from Linux's
 * /proc, for processes of this machine that have a single thread.
 */
#include "x11_idle.h"

#include "x11_properties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

enum { MILLISECOND = 1000000, QUIET = 4 * MILLISECOND, TIMEOUT = 1000 * MILLISECOND };

/* False where it is gone, or has several threads: any of them may be the one that takes the keys.
 */
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

/* The process of this machine that shows the window; 0 if it is unknown. */
static long process_of(x11_desk *x, xcb_window_t window)
{
    char here[256] = "";
    xcb_get_property_cookie_t pid = x11_ask_property(x, window, x->atoms[X11_NET_WM_PID]);
    xcb_get_property_cookie_t machine = x11_ask_property(x, window, XCB_ATOM_WM_CLIENT_MACHINE);
    uint32_t number = x11_take_value(x, pid);
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
    x11_idle *idle = x->idle;
    long pid = process_of(x, window);
    *idle = (x11_idle){.pid = pid};
    if (pid == 0 || !look_at(pid, &idle->asleep, &idle->switches)) {
        idle->pid = 0;
        return false;
    }
    idle->asked = idle->since = uv_hrtime();
    return true;
}

void x11_idle_stop(x11_desk *x)
{
    x->idle->pid = 0;
}

bool x11_idle_watching(const x11_desk *x)
{
    return x->idle->pid != 0;
}

bool x11_idle_seen(x11_desk *x)
{
    x11_idle *idle = x->idle;
    bool asleep;
    unsigned long long switches;
    if (!idle->pid || !x11_sync(x, NULL) || !x11_sync(x, NULL)) {
        return false;
    }
    uint64_t now = uv_hrtime();
    bool there = look_at(idle->pid, &asleep, &switches);
    bool same = asleep && idle->asleep && switches == idle->switches;
    /* A process that is never idle has taken its keys by the time of the timeout. */
    if (!there || (same && now - idle->since >= QUIET) || now - idle->asked > TIMEOUT) {
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
