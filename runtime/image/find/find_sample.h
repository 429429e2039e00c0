/*
 * find_sample.h: a few pixels of a template, by which most places can be passed over where there is
 * no room for a probe (find_probe.h): thin shapes with holes all around. A guess, without a bound.
 */
#ifndef IMAGE_FIND_FIND_SAMPLE_H
#define IMAGE_FIND_FIND_SAMPLE_H

#include "find_score.h"

enum { FIND_SAMPLES = 64 };

typedef struct {
    int x[FIND_SAMPLES], y[FIND_SAMPLES];
    float value[FIND_SAMPLES]; /* less their mean; of length 1 together */
    int channel;               /* as in find_probe */
} find_sample;

/* False where that many pixels do not count, or those that do hardly differ. */
bool find_sample_make(find_sample *s, const find_template *t, int channel);

/* A row of a picture as find_sample_row wants it. */
void find_sample_grey(const find_sample *s, float *grey, const uint8_t *pixels, int width);

/* The correlations of the places 0..across of a row, -1..1. `grey` is the picture from that row on,
 * `stride` floats a row. */
void find_sample_row(const find_sample *s, float *out, const float *grey, size_t stride, int across,
                     bool scalar);

#endif
