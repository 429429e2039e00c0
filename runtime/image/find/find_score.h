/*
 * find_score.h: compares a template with one place of a picture, pixel by pixel.
 */
#ifndef IMAGE_FIND_FIND_SCORE_H
#define IMAGE_FIND_FIND_SCORE_H

#include "image/image.h"

#include <stdbool.h>
#include <stdint.h>

/* The first rows of a template, by which most places can be excluded: omitting rows is an
 * orthogonal projection too, so the bound of find_probe.h applies. */
typedef struct {
    int rows;
    int64_t counted, sum[3];
    double energy;
} find_part;

enum { FIND_PARTS = 4 }; /* the last is the whole template */

/* A template that is prepared for comparing. Its pixels are packed; transparent ones are 0. */
typedef struct {
    int width, height;
    uint32_t *pixels;
    uint32_t *keep;  /* mask for the pixels of the picture: 0xffffff or 0 */
    int64_t counted; /* number of opaque pixels */
    int64_t sum[3];  /* of each channel */
    double squares;  /* sum of the squares of the channels */
    double energy;   /* sum of the squares of the channels minus their means */
    find_part parts[FIND_PARTS];
    bool flat; /* of a single colour: compared by difference */
    bool scalar;
} find_template;

/* Prepares `t` from an image. False without memory; `t` is to be freed in any case. `counted` may
 * be 0. */
bool find_template_make(find_template *t, const image_bitmap *image, bool scalar);
void find_template_free(find_template *t);

/* The score, 0..1, at a place; the template must be inside the picture there. */
double find_score(const find_template *t, const image_bitmap *picture, int x, int y);

/* The score and the difference of the colours (find_hit in find.h). */
double find_score_and_difference(const find_template *t, const image_bitmap *picture, int x, int y,
                                 double *difference);

/* The score; or -1 if it is below min_score, which is usually known after a few rows. */
double find_score_above(const find_template *t, const image_bitmap *picture, int x, int y,
                        double min_score);

#endif
