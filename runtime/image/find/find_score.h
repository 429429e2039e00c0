/*
 * find_score.h: how alike a template and one place of a picture are, to the pixel.
 */
#ifndef IMAGE_FIND_FIND_SCORE_H
#define IMAGE_FIND_FIND_SCORE_H

#include "image/image.h"

#include <stdbool.h>
#include <stdint.h>

/* The first rows of a template, by which most places can be told not to be hits: leaving rows out
 * is a projection too, so the bound of find_probe.h holds. */
typedef struct {
    int rows;
    int64_t counted, sum[3];
    double energy;
} find_part;

enum { FIND_PARTS = 4 }; /* the last is the whole template */

/* A template made ready to be compared. The pixels are packed, and those that do not count are 0.
 */
typedef struct {
    int width, height;
    uint32_t *pixels;
    uint32_t *keep;  /* what is taken of a pixel of the picture: 0xffffff or 0 */
    int64_t counted; /* pixels that count */
    int64_t sum[3];  /* of each channel */
    double squares;  /* sum of the squares of the channels */
    double energy;   /* the same of the channels less their means */
    find_part parts[FIND_PARTS];
    bool flat; /* of one colour: compared by difference */
    bool scalar;
} find_template;

/* Makes `t` of an image. False when there is no memory; `t` is to be freed in any case. `counted`
 * may be 0. */
bool find_template_make(find_template *t, const image_bitmap *image, bool scalar);
void find_template_free(find_template *t);

/* The score, 0..1, at a place where the template lies inside the picture. */
double find_score(const find_template *t, const image_bitmap *picture, int x, int y);

/* The same, and how much the colours differ (find_hit in find.h). */
double find_score_and_difference(const find_template *t, const image_bitmap *picture, int x, int y,
                                 double *difference);

/* The score, but -1 as soon as it is known to be below min_score. */
double find_score_above(const find_template *t, const image_bitmap *picture, int x, int y,
                        double min_score);

#endif
