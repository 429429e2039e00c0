#include "motion.h"

#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000) /* nanoseconds */

enum {
    MOST_CELLS = 512, /* in a row or column: 8192 pixels; what is beyond never moves by itself */
    LEAST_CHANGES = 10,
};
/* The longest pause between two changes of one motion; how long it has to last; and changes that
 * are no further apart are one. */
static const uint64_t LONGEST_PAUSE = 1200 * MS, LEAST_TIME = 1000 * MS, ONE = 4 * MS;
/* By how much one pause may be longer than another because the machine is busy. */
static const uint64_t SLACK = 50 * MS;

/* The changes that have come one soon after the other. */
struct desk_motion_cell {
    uint64_t began, last, longest; /* ns; `longest`: at least so long was a pause between two */
    uint32_t count;                /* 0: there has been none */
    bool moves;                    /* by itself, and is known to */
};

/* From one change to the next, on the average. */
static uint64_t pace(const desk_motion_cell *c)
{
    return c->count > 1 ? (c->last - c->began) / (c->count - 1) : 0;
}

/* How long a pause has to be until it does not go on at its pace. */
static uint64_t patience(const desk_motion_cell *c)
{
    uint64_t pause = c->longest > pace(c) ? c->longest : pace(c);
    return pause + pause / 2 + SLACK;
}

/* What an act sets off seldom comes so often, at a pace, and still when the next act begins. */
static bool moves_by_itself(const desk_motion_cell *c)
{
    return c->count >= LEAST_CHANGES && c->last - c->began >= LEAST_TIME &&
           c->longest <= 3 * pace(c) + SLACK;
}

/* Whether the change is none of a cell that moves by itself. Since the latest look it may have
 * changed as often as ever: only what was before that is a pause. */
static bool note(desk_motion_cell *c, uint64_t since, uint64_t when)
{
    uint64_t pause = since > c->last ? since - c->last : 0;
    if (c->count == 0 || pause > (c->moves ? patience(c) : LONGEST_PAUSE)) {
        *c = (desk_motion_cell){.began = when, .last = when, .count = 1};
        return true;
    }
    if (when - c->last > ONE && c->count < UINT32_MAX) {
        c->count++;
    }
    c->last = when;
    if (!c->moves && pause > c->longest) {
        c->longest = pause;
    }
    return !c->moves;
}

/* Makes room for that many. */
static bool fit(desk_motion *m, int columns, int rows)
{
    if (columns <= m->columns && rows <= m->rows) {
        return true;
    }
    columns = columns > m->columns ? columns : m->columns;
    rows = rows > m->rows ? rows : m->rows;
    desk_motion_cell *cells = calloc((size_t) columns * (size_t) rows, sizeof *cells);
    if (!cells) {
        return false;
    }
    for (int y = 0; y < m->rows; y++) {
        memcpy(cells + (size_t) y * (size_t) columns, m->cells + (size_t) y * (size_t) m->columns,
               (size_t) m->columns * sizeof *cells);
    }
    free(m->cells);
    m->cells = cells;
    m->columns = columns;
    m->rows = rows;
    return true;
}

/* The cells from `first` to before `end` that a side of a rectangle touches. False: more than
 * there can be. */
static bool touched(int start, int length, int *first, int *end)
{
    long long stop = (long long) start + length;
    if (start < 0 || length <= 0 || stop > (long long) MOST_CELLS * DESK_MOTION_CELL) {
        return false;
    }
    *first = start / DESK_MOTION_CELL;
    *end = (int) ((stop + DESK_MOTION_CELL - 1) / DESK_MOTION_CELL);
    return true;
}

bool desk_motion_note(desk_motion *m, image_rect area, uint64_t since, uint64_t when)
{
    int left, right, top, bottom;
    if (!touched(area.x, area.width, &left, &right) ||
        !touched(area.y, area.height, &top, &bottom) || !fit(m, right, bottom)) {
        return true;
    }
    bool other = false;
    for (int y = top; y < bottom; y++) {
        desk_motion_cell *row = m->cells + (size_t) y * (size_t) m->columns;
        for (int x = left; x < right; x++) {
            other = note(row + x, since, when) || other;
        }
    }
    return other;
}

void desk_motion_act(desk_motion *m, uint64_t when)
{
    size_t count = (size_t) m->columns * (size_t) m->rows;
    for (size_t i = 0; i < count; i++) {
        desk_motion_cell *c = m->cells + i;
        bool goes_on = c->count > 0 && when - c->last <= patience(c);
        if (goes_on && (c->moves || moves_by_itself(c))) {
            c->moves = true;
        } else {
            *c = (desk_motion_cell){0};
        }
    }
}

void desk_motion_clear(desk_motion *m)
{
    free(m->cells);
    *m = (desk_motion){0};
}
