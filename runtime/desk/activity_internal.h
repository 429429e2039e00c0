/*
 * activity_internal.h: the contract for those who watch the mouse and keyboard of another kind of
 * desktop, and what activity_watch.c does for them; whoever wants to be told uses activity.h. A
 * backend's struct begins with a `desk_activity`; the list of a platform names it.
 */
#ifndef DESK_ACTIVITY_INTERNAL_H
#define DESK_ACTIVITY_INTERNAL_H

#include "activity.h"
#include "backend.h"

#include <stdatomic.h>
#include <uv.h>

/* A set of key codes: the X server's keycodes, Windows's virtual keys. */
typedef struct {
    uint32_t bits[8];
} activity_codes;

typedef struct {
    int number; /* 0: free */
    desk_hotkey_kind kind;
    desk_combo combo;
    activity_codes keys[DESK_COMBO_MAX]; /* for each key of the combo, the codes that are it */
    unsigned modifiers;                  /* of a taken one; as the platform counts them */
    bool complete;                       /* told of, and not let go of since */
    desk_activity_notice notice;
    void *context;
} activity_hotkey;

typedef struct {
    desk_input_event *events; /* a ring; NULL while nothing is kept */
    size_t first, count, lost;
} activity_record;

typedef struct desk_activity_ops desk_activity_ops;

/* The first member of each platform's own struct. */
struct desk_activity {
    const desk_activity_ops *ops;
    uv_mutex_t lock; /* of what follows, but for the atomics */
    activity_hotkey hotkeys[DESK_HOTKEYS_MAX];
    int last_number;
    activity_codes down; /* keys that people hold */
    activity_record record;
    desk_activity_notice on_input;
    void *context;
    atomic_bool report_input;
    _Atomic uint64_t last_input, reported_input;
};

struct desk_activity_ops {
    /* Ends the thread and frees what `connect` made. */
    void (*close)(desk_activity *h);
    /* Fills keys and modifiers of a hotkey; called with the lock held. */
    bool (*find_keys)(desk_activity *h, activity_hotkey *hotkey, base_error *err);
    /* Makes a hotkey ours alone, or no longer; called without the lock. NULL where this kind of
     * desktop gives a program no keys of its own. */
    bool (*take)(desk_activity *h, activity_hotkey *hotkey, base_error *err);
    void (*give_back)(desk_activity *h, const activity_hotkey *hotkey);
    /* Whether its thread calls activity_keep where activity_keeps. */
    bool records;
};

typedef struct {
    const char *name;
    /* Makes the struct, with activity_prepare, and starts the thread. `where` is never NULL. Errors
     * as of desk_backend's. */
    bool (*connect)(desk_activity **out, const desk_options *where, base_error *err);
    bool only_by_name;
} desk_activity_backend;

/* This platform's, in the order in which they are tried; one without a name ends it. */
extern const desk_activity_backend desk_activity_backends[];

/* What desk_activity_open does, with another list. */
bool desk_activity_open_from(const desk_activity_backend *list, desk_activity **out,
                             const char *name, const desk_options *where,
                             desk_activity_notice on_input, void *context, base_error *err);

/* --- activity_watch.c, for the platforms ---------------------------------------------------------
 */

void activity_prepare(desk_activity *h, const desk_activity_ops *ops);
void activity_finish(desk_activity *h);
/* Keeps no events any more, and overwrites those that were kept: there may be passwords in them. */
void activity_forget_events(desk_activity *h);

void activity_codes_add(activity_codes *set, unsigned code);
bool activity_codes_have(const activity_codes *set, unsigned code);
/* Whether all keys of the hotkey are held down now. With the lock. */
bool activity_hotkey_down(const desk_activity *h, const activity_hotkey *hotkey);

/* On the watch's thread: somebody used mouse or keyboard. */
void activity_noticed(desk_activity *h);
/* On the watch's thread: somebody pressed or released a key; repeats do no harm. */
void activity_key(desk_activity *h, unsigned code, bool down);
/* On the watch's thread: the taken hotkey of that number was pressed. */
void activity_taken_pressed(desk_activity *h, int number);
/* On the watch's thread: whether somebody wants to know what people press, and one such event. */
bool activity_keeps(desk_activity *h);
void activity_keep(desk_activity *h, const desk_input_event *event);
/* Devices have come or gone: what was held may never be seen to be let go. */
void activity_forget_keys(desk_activity *h);

#endif
