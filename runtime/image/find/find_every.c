#include "find_every.h"

#include "find_sample.h"

#include <math.h>
#include <stdlib.h>

/* A place is skipped if the sample correlates by SLACK less than the wanted score. The limit is at
 * least LEAST, since lower correlations occur by chance. */
static const double SLACK = 0.3, LEAST = 0.4;

enum { FLAT_ROWS = 64, LOOK_UP = 64 };

/* A value lower than any that a place can have. */
static const float OUT = -3e38f;

/* The value of a place is its score; if the sample correlates too little, the sample's correlation
 * minus 2. For a flat template it is the negative sum of squared differences, which is faster and
 * results in the same order. */
typedef struct {
    const find_template *t;
    const image_bitmap *picture;
    const find_options *options;
    find_stop_fn *stop;
    int across, down; /* places */
    float *values;    /* of all places, row by row */
    int *best;        /* the best place of each row */
    find_sample sample;
    float *grey; /* the picture in the sample's format; NULL without a sample */
    float cut;   /* least correlation of the sample */
    atomic_bool out_of_memory;
} every;

static float *row_of(const every *e, int y)
{
    return e->values + (size_t) y * (size_t) e->across;
}

static void find_best_of_row(const every *e, int y)
{
    const float *row = row_of(e, y);
    int best = 0;
    for (int x = 1; x < e->across; x++) {
        if (row[x] > row[best]) {
            best = x;
        }
    }
    e->best[y] = best;
}

static void grey_row(void *context, int y)
{
    every *e = context;
    find_sample_grey(&e->sample, e->grey + (size_t) y * (size_t) e->picture->width,
                     e->picture->pixels + (size_t) y * e->picture->stride, e->picture->width);
}

static bool is_hit(const every *e, const find_hit *hit)
{
    double most = e->options->max_difference;
    return hit->score >= 0 && hit->score >= e->options->min_score &&
           (most <= 0 || hit->difference <= most);
}

static float value_at(const every *e, int x, int y)
{
    find_hit hit = {.x = x, .y = y};
    hit.score = find_score_and_difference(e->t, e->picture, x, y, &hit.difference);
    bool other_colours = hit.score >= e->options->min_score && !is_hit(e, &hit);
    return (float) (other_colours ? hit.score - 2 : hit.score);
}

static void score_row(void *context, int y)
{
    every *e = context;
    size_t width = (size_t) e->picture->width;
    float *row = row_of(e, y);
    if (e->grey && !e->stop(e->options)) {
        find_sample_row(&e->sample, row, e->grey + (size_t) y * width, width, e->across,
                        e->t->scalar);
    }
    for (int x = 0; x < e->across; x++) {
        if (x % LOOK_UP == 0 && e->stop(e->options)) {
            return;
        }
        if (e->grey && row[x] < e->cut) {
            row[x] -= 2;
        } else {
            row[x] = value_at(e, x, y);
        }
    }
    find_best_of_row(e, y);
}

/* Scores all places except those that the sample excludes. Without a sample, or without memory for
 * it, no place is excluded. */
static void score_all(every *e, int channel)
{
    size_t pixels = (size_t) e->picture->width * (size_t) e->picture->height;
    if (find_sample_make(&e->sample, e->t, channel)) {
        e->grey = malloc(pixels * sizeof *e->grey);
    }
    e->cut = (float) fmax(e->options->min_score - SLACK, LEAST);
    if (e->grey) {
        base_parallel(e->picture->height, grey_row, e);
    }
    base_parallel(e->down, score_row, e);
    free(e->grey);
}

/* --- templates of one colour ---------------------------------------------------------------------
 */

/* Adds a row of the picture to the sums of squared differences from the template's colour, or
 * subtracts it. */
static void add_differences(const every *e, uint64_t *columns, int y, bool off)
{
    const uint8_t *p = e->picture->pixels + (size_t) y * e->picture->stride;
    int mean[3];
    for (int c = 0; c < 3; c++) {
        mean[c] = (int) ((e->t->sum[c] + e->t->counted / 2) / e->t->counted);
    }
    for (int x = 0; x < e->picture->width; x++, p += 4) {
        int b = p[0] - mean[0], g = p[1] - mean[1], r = p[2] - mean[2];
        uint64_t squares = (unsigned) (b * b + g * g + r * r);
        columns[x] += off ? 0 - squares : squares;
    }
}

static void flat_row(const every *e, const uint64_t *columns, int y)
{
    float *row = row_of(e, y);
    int width = e->t->width;
    uint64_t sum = 0;
    for (int x = 0; x < width - 1; x++) {
        sum += columns[x];
    }
    for (int x = 0; x < e->across; x++) {
        sum += columns[x + width - 1];
        row[x] = -(float) (int64_t) sum;
        sum -= columns[x];
    }
    find_best_of_row(e, y);
}

/* Computes the values of a band. The sums of the columns below a row of places are computed once
 * and then updated from row to row. */
static void flat_band(void *context, int band)
{
    every *e = context;
    int first = band * FLAT_ROWS, h = e->t->height;
    uint64_t *columns = calloc((size_t) e->picture->width, sizeof *columns);
    if (!columns) {
        atomic_store(&e->out_of_memory, true);
    }
    if (columns && !e->stop(e->options)) {
        for (int y = first; y < first + h - 1; y++) {
            add_differences(e, columns, y, false);
        }
        for (int y = first; y < e->down && y < first + FLAT_ROWS; y++) {
            add_differences(e, columns, y + h - 1, false);
            flat_row(e, columns, y);
            add_differences(e, columns, y, true);
        }
    }
    free(columns);
}

/* --- the best of them ----------------------------------------------------------------------------
 */

static find_hit best_of_all(const every *e)
{
    find_hit hit = {0, 0, -1, 255};
    for (int i = 1; i < e->down; i++) {
        if (row_of(e, i)[e->best[i]] > row_of(e, hit.y)[e->best[hit.y]]) {
            hit.y = i;
        }
    }
    hit.x = e->best[hit.y];
    if (row_of(e, hit.y)[hit.x] > OUT) {
        hit.score = find_score_and_difference(e->t, e->picture, hit.x, hit.y, &hit.difference);
    }
    return hit;
}

/* Excludes the places that overlap a hit. */
static void take_out(every *e, const find_hit *hit)
{
    int x0 = hit->x - e->t->width + 1, x1 = hit->x + e->t->width;
    int y0 = hit->y - e->t->height + 1, y1 = hit->y + e->t->height;
    for (int y = y0 > 0 ? y0 : 0; y < y1 && y < e->down; y++) {
        for (int x = x0 > 0 ? x0 : 0; x < x1 && x < e->across; x++) {
            row_of(e, y)[x] = OUT;
        }
        find_best_of_row(e, y);
    }
}

static void take_hits(every *e, find_hit *hits, int max, int *count, find_hit *best)
{
    find_hit next = *best = best_of_all(e);
    while (*count < max && is_hit(e, &next) && !e->stop(e->options)) {
        hits[(*count)++] = next;
        take_out(e, &next);
        next = best_of_all(e);
    }
}

bool find_every(const find_template *t, int channel, const image_bitmap *picture,
                const find_options *options, find_hit *hits, int max, int *count, find_hit *best,
                find_stop_fn *stop)
{
    every e = {.t = t, .picture = picture, .options = options, .stop = stop};
    e.across = picture->width - t->width + 1;
    e.down = picture->height - t->height + 1;
    e.values = malloc((size_t) e.across * (size_t) e.down * sizeof *e.values);
    e.best = malloc((size_t) e.down * sizeof *e.best);
    bool ok = e.values && e.best;
    if (ok && t->flat && t->counted == (int64_t) t->width * t->height) {
        base_parallel((e.down + FLAT_ROWS - 1) / FLAT_ROWS, flat_band, &e);
    } else if (ok) {
        score_all(&e, channel);
    }
    ok = ok && !atomic_load(&e.out_of_memory);
    if (ok && !stop(options)) {
        take_hits(&e, hits, max, count, best);
    }
    free(e.values);
    free(e.best);
    return ok;
}
