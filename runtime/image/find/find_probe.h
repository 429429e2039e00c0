/*
 * find_probe.h: the probe: a part of the template that is searched for first, at a lower
 * resolution.
 *
 * The picture is reduced by a factor f to cells of f x f pixels, in grey (or in one channel, if
 * grey has too little contrast). The template may be at any x, y, so its pixels fall on the cells
 * in f * f different ways. There is a probe for each of these phases, and one of them coincides
 * with the cells exactly. Searching for all phases costs as much as one probe at each pixel.
 * Nothing is missed because it is between cells, as it would be with a pyramid of halved templates.
 *
 * There is a bound for which places may be skipped. Subtracting the mean, conversion to grey,
 * averaging over cells and omitting cells are orthogonal projections, which never increase a
 * distance. For a template T and a place P, both of length 1 and mean 0, with the score m,
 * |T - mP|^2 = 1 - m^2. If the projected template keeps the share e of its squared length, and its
 * correlation with the projected place is r, then e * (1 - r^2) <= 1 - m^2. So a place with a score
 * of at least m has r^2 >= 1 - (1 - m^2) / e. The largest f for which this limit is useful is
 * chosen; it depends on the template's size and on how fine its detail is. If there is none, the
 * limit is an estimate: the wanted score minus SLACK (find_probe.c).
 */
#ifndef IMAGE_FIND_FIND_PROBE_H
#define IMAGE_FIND_FIND_PROBE_H

#include "find_score.h"

enum {
    FIND_MAX_FACTOR = 16,
    /* Values are at most 765; the sum of so many products of two of them fits into 31 bits. */
    FIND_MAX_CELLS = 2048,
};

typedef struct {
    int16_t *cells; /* rows of `pairs` pairs, an odd last one padded with 0; their sum is 0 */
    float length;   /* root of the sum of squares */
    float cut;      /* a place that correlates less is not a hit */
} find_phase;

typedef struct {
    int factor;
    int channel;     /* 0..2; 3: the sum of all */
    int x, y;        /* place of phase 0, 0 in the template */
    int width;       /* cells */
    int height;      /* cells */
    int pairs;       /* pairs of cells in a row: width / 2, rounded up */
    double kept;     /* the least share of the template's energy that a phase keeps */
    bool guaranteed; /* the cuts follow from the bound, so nothing is missed */
    find_phase phases[FIND_MAX_FACTOR * FIND_MAX_FACTOR]; /* y * factor + x */
    int16_t *memory;
} find_probe;

/* Chooses and creates the probe. False without memory. `factor` is 0 if the template cannot have
 * one: it has only a few pixels, or too many holes. To be freed in any case. */
bool find_probe_make(find_probe *probe, const find_template *t, double min_score);
void find_probe_free(find_probe *probe);

/* The value of a pixel in that channel, 0..765. */
static inline int find_grey(uint32_t pixel, int channel)
{
    int blue = pixel & 255, green = pixel >> 8 & 255, red = pixel >> 16 & 255;
    return channel == 3 ? blue + green + red : 3 * (int) (pixel >> 8 * channel & 255);
}

#endif
