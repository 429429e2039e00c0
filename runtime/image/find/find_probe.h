/*
 * find_probe.h: the part of a template that is looked for first, and coarsely.
 *
 * The picture is made smaller by a factor f, in one grey (or one channel, where grey shows too
 * little). A template at x, y that is no multiple of f falls on other cells of f x f pixels than at
 * a multiple of it; so there is a probe for each of the f * f phases, and one of them falls on the
 * cells of the picture exactly. Looking for all of them costs as much as one probe at each pixel,
 * and nothing is missed for lying between cells, which a pyramid of halved templates does miss.
 *
 * What a probe may pass over is bounded. Mean removal, grey, averaging over cells and leaving cells
 * out are orthogonal projections, which make no distance longer. A template T and a place P, both
 * of length 1 and mean 0, with the score m, have |T - mP|^2 = 1 - m^2. If the projected template
 * keeps the share e of its squared length and correlates with the projected place by r, then
 * e * (1 - r^2) is at most that. So a place that scores m or more has r^2 >= 1 - (1 - m^2) / e. The
 * largest f for which this is a useful limit is taken; it depends on the template's size and on how
 * fine its detail is. Where none is, the limit is a guess (SLACK in find_probe.c, below the wanted
 * score).
 */
#ifndef IMAGE_FIND_FIND_PROBE_H
#define IMAGE_FIND_FIND_PROBE_H

#include "find_score.h"

enum {
    FIND_MAX_FACTOR = 16,
    /* Values are at most 765; so many products of two of them fit 31 bits. */
    FIND_MAX_CELLS = 2048,
};

typedef struct {
    int16_t *cells; /* rows of `pairs` pairs, a last odd one filled with 0; their sum is 0 */
    float length;   /* root of the sum of squares */
    float cut;      /* a place that correlates less is no hit */
} find_phase;

typedef struct {
    int factor;
    int channel;     /* 0..2, or 3 for the sum of them */
    int x, y;        /* in the template, of phase 0, 0 */
    int width;       /* cells */
    int height;      /* cells */
    int pairs;       /* a row's cells by two, rounded up */
    double kept;     /* the least share of the template's energy that a phase has */
    bool guaranteed; /* the cuts follow from the bound */
    find_phase phases[FIND_MAX_FACTOR * FIND_MAX_FACTOR]; /* y * factor + x */
    int16_t *memory;
} find_probe;

/* Chooses and makes the probe. False when there is no memory. `factor` is 0 where nothing can be a
 * probe: a few pixels, or more holes than pixels. To be freed in any case. */
bool find_probe_make(find_probe *probe, const find_template *t, double min_score);
void find_probe_free(find_probe *probe);

/* A pixel as the channel has it, 0..765. */
static inline int find_grey(uint32_t pixel, int channel)
{
    int blue = pixel & 255, green = pixel >> 8 & 255, red = pixel >> 16 & 255;
    return channel == 3 ? blue + green + red : 3 * (int) (pixel >> 8 * channel & 255);
}

#endif
