/*
 * human_internal.h: what a platform has to bring for human.h, and what human.c does for it. For
 * human.c and the platforms' own files.
 */
#ifndef DESK_HUMAN_INTERNAL_H
#define DESK_HUMAN_INTERNAL_H

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
    const char *name;
    /* Makes the struct, with human_prepare, and starts the thread. */
    bool (*open)(desk_human **out, const desk_options *where, base_error *err);
    /* Ends the thread and frees what `open` made. */
    void (*close)(desk_human *h);
    /* Fills keys and modifiers of a chord; called with the lock held. */
    bool (*find_keys)(desk_human *h, human_chord *chord, base_error *err);
    /* Makes a chord ours alone, or no longer; called without the lock. */
    bool (*take)(desk_human *h, human_chord *chord, base_error *err);
    void (*give_back)(desk_human *h, const human_chord *chord);
};

extern const desk_human_ops null_human_ops;
extern const desk_human_ops *const desk_native_human_ops;

/* --- human.c, for the platforms ---------------------------------------------------------------
 */

void human_prepare(desk_human *h, const desk_human_ops *ops);
void human_finish(desk_human *h);

void human_codes_add(human_codes *set, unsigned code);
bool human_codes_have(const human_codes *set, unsigned code);

/* On the watch's thread: somebody touched something. */
void human_touched(desk_human *h);
/* On the watch's thread: somebody pressed or released a key; repeats do no harm. */
void human_key(desk_human *h, unsigned code, bool down);
/* On the watch's thread: the taken chord of that number was pressed. */
void human_taken_pressed(desk_human *h, int number);
/* Devices have come or gone: what was held may never be seen to be let go. */
void human_forget_keys(desk_human *h);

#endif
