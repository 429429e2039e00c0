/*
 * Counts of the events that this process sends by XTEST, by which a watch of the user's activity
 * (x11_activity.c) recognizes them. The device alone does not tell: other programs send by it too,
 * and some of them pass on what a person does (remote desktops, keyboards on the screen). All
 * connections to a display share one record; every watch keeps an account of what it has seen of
 * it.
 */
#include "x11_own_input.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <xcb/xproto.h>

/* Nanoseconds after which an event that was sent and has not been seen is given up: the server
 * makes no event of some (a key that is down already). */
static const uint64_t TIMEOUT = 5000000000;

struct x11_own_input {
    char display[128];
    int uses;
    x11_own_input *next;
    struct {
        _Atomic uint32_t sent;
        _Atomic uint64_t at;
    } entries[X11_OWN_INPUT_KINDS][256];
};

static uv_once_t once = UV_ONCE_INIT;
static uv_mutex_t lock; /* of the list */
static x11_own_input *first;

static void make_lock(void)
{
    uv_mutex_init(&lock);
}

/* ":0.1" is a screen of ":0". */
static void read_name(const char *display, char out[128])
{
    strncpy(out, display ? display : "", 127);
    out[127] = '\0';
    char *colon = strrchr(out, ':'), *dot = colon ? strchr(colon, '.') : NULL;
    if (dot) {
        *dot = '\0';
    }
}

static x11_own_input *find(const char *name)
{
    for (x11_own_input *l = first; l; l = l->next) {
        if (strcmp(l->display, name) == 0) {
            return l;
        }
    }
    return NULL;
}

x11_own_input *x11_own_input_open(const char *display)
{
    char name[128];
    read_name(display, name);
    uv_once(&once, make_lock);
    uv_mutex_lock(&lock);
    x11_own_input *l = find(name);
    if (!l && (l = calloc(1, sizeof *l))) {
        memcpy(l->display, name, sizeof name);
        l->next = first;
        first = l;
    }
    if (l) {
        l->uses++;
    }
    uv_mutex_unlock(&lock);
    return l;
}

void x11_own_input_close(x11_own_input *record)
{
    if (!record) {
        return;
    }
    uv_mutex_lock(&lock);
    if (--record->uses == 0) {
        x11_own_input **at = &first;
        while (*at != record) {
            at = &(*at)->next;
        }
        *at = record->next;
        free(record);
    }
    uv_mutex_unlock(&lock);
}

/* KeyPress to MotionNotify are 2 to 6. */
static int row(uint8_t type)
{
    return type - XCB_KEY_PRESS;
}

void x11_own_input_sent(x11_own_input *record, uint8_t type, uint8_t detail)
{
    if (record) {
        atomic_store(&record->entries[row(type)][detail].at, uv_hrtime());
        atomic_fetch_add(&record->entries[row(type)][detail].sent, 1);
    }
}

void x11_account_open(x11_account *account, const x11_own_input *record)
{
    for (int kind = 0; kind < X11_OWN_INPUT_KINDS; kind++) {
        for (int detail = 0; detail < 256; detail++) {
            account->seen[kind][detail] = atomic_load(&record->entries[kind][detail].sent);
        }
    }
}

bool x11_account_is_ours(x11_account *account, const x11_own_input *record, uint8_t type,
                         uint8_t detail)
{
    uint32_t *seen = &account->seen[row(type)][detail];
    uint32_t sent = atomic_load(&record->entries[row(type)][detail].sent);
    if (*seen == sent) {
        return false;
    }
    if (uv_hrtime() - atomic_load(&record->entries[row(type)][detail].at) > TIMEOUT) {
        *seen = sent;
        return false;
    }
    (*seen)++;
    return true;
}
