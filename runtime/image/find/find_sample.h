/*
 * find_sample.h: a sample of a template's pixels, by which most places can be skipped if the
 * template is too full of holes for a probe (find_probe.h), such as a thin shape on a transparent
 * background. It is an estimate, without a bound.
 */
#ifndef IMAGE_FIND_FIND_SAMPLE_H
#define IMAGE_FIND_FIND_SAMPLE_H

#include "find_score.h"

enum { FIND_SAMPLES = 64 };

typedef struct {
    int x[FIND_SAMPLES], y[FIND_SAMPLES];
    float value[FIND_SAMPLES]; /* minus their mean; as a vector of length 1 */
    int channel;               /* as in find_probe */
} find_sample;

/* Creates a sample. False if the template has too few opaque pixels, or if they hardly differ. */
bool find_sample_make(find_sample *s, const find_template *t, int channel);

/* Converts a row of a picture to the format of find_sample_row. */
void find_sample_grey(const find_sample *s, float *grey, const uint8_t *pixels, int width);

/* Computes the correlations, -1..1, of the places 0..across of a row. `grey` is the picture from
 * that row on, with `stride` floats per row. */
void find_sample_row(const find_sample *s, float *out, const float *grey, size_t stride, int across,
                     bool scalar);

#endif
