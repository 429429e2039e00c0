/*
 * human_internal.h: the contract for those who watch the mouse and keyboard of another kind of
 * desktop, and what human_watch.c does for them; whoever wants to be told uses human.h. A backend's
 * struct begins with a `desk_human`; the list of a platform names it.
 */
#ifndef DESK_HUMAN_INTERNAL_H
#define DESK_HUMAN_INTERNAL_H

#include "backend.h"
#include "human.h"

#include <stdatomic.h>
#include <uv.h>

/* A set of key codes: the X server's keycodes, Windows's virtual keys. */
typedef struct {
    uint32_t bits[8];
} human_codes;

typedef struct {
    int number; /* 0: free */
    desk_chord_kind kind;
    desk_combo combo;
    human_codes keys[DESK_COMBO_MAX]; /* for each key of the combo, the codes that are it */
    unsigned modifiers;               /* of a taken one; as the platform counts them */
    bool complete;                    /* told of, and not let go of since */
    desk_human_notice notice;
    void *context;
} human_chord;

typedef struct desk_human_ops desk_human_ops;

/* The first member of each platform's own struct. */
struct desk_human {
    const desk_human_ops *ops;
    uv_mutex_t lock; /* of what follows, but for the atomics */
    human_chord chords[DESK_HUMAN_CHORDS];
    int last_number;
    human_codes down; /* keys that people hold */
    desk_human_notice touched;
    void *context;
    atomic_bool tell_touches;
    _Atomic uint64_t last_touch, told_touch;
};

struct desk_human_ops {
    /* Ends the thread and frees what `connect` made. */
    void (*close)(desk_human *h);
    /* Fills keys and modifiers of a chord; called with the lock held. */
    bool (*find_keys)(desk_human *h, human_chord *chord, base_error *err);
    /* Makes a chord ours alone, or no longer; called without the lock. NULL where this kind of
     * desktop gives a program no keys of its own. */
    bool (*take)(desk_human *h, human_chord *chord, base_error *err);
    void (*give_back)(desk_human *h, const human_chord *chord);
};

typedef struct {
    const char *name;
    /* Makes the struct, with human_prepare, and starts the thread. `where` is never NULL. Errors as
     * of desk_backend's. */
    bool (*connect)(desk_human **out, const desk_options *where, base_error *err);
    bool only_by_name;
} desk_human_backend;

/* This platform's, in the order in which they are tried; one without a name ends it. */
extern const desk_human_backend desk_human_backends[];

/* What desk_human_open does, with another list. */
bool desk_human_open_from(const desk_human_backend *list, desk_human **out, const char *name,
                          const desk_options *where, desk_human_notice touched, void *context,
                          base_error *err);

/* --- human_watch.c, for the platforms ---------------------------------------------------------
 */

void human_prepare(desk_human *h, const desk_human_ops *ops);
void human_finish(desk_human *h);

void human_codes_add(human_codes *set, unsigned code);
bool human_codes_have(const human_codes *set, unsigned code);
/* Whether all keys of the chord are held down now. With the lock. */
bool human_chord_down(const desk_human *h, const human_chord *chord);

/* On the watch's thread: somebody touched something. */
void human_touched(desk_human *h);
/* On the watch's thread: somebody pressed or released a key; repeats do no harm. */
void human_key(desk_human *h, unsigned code, bool down);
/* On the watch's thread: the taken chord of that number was pressed. */
void human_taken_pressed(desk_human *h, int number);
/* Devices have come or gone: what was held may never be seen to be let go. */
void human_forget_keys(desk_human *h);

#endif
