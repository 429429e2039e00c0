/*
 * find.h: finds a small picture, the template, in a larger one.
 *
 * The score of a place is the normalised cross-correlation of its colours and the template's, each
 * channel minus its mean (J. P. Lewis, "Fast Normalized Cross-Correlation", 1995). It is 1 for an
 * equal picture, also if that is darker, brighter or has less contrast; negative values count as 0.
 * For a template of a single colour correlation is not defined: its score is 1 - d / 64, where d is
 * the root mean square difference of the channels (0..255), at least 0. If the template has alpha,
 * pixels that are less than half opaque are ignored.
 *
 * Every place is examined, but most of them only coarsely: find_probe.h explains how, and which
 * places may be skipped.
 */
#ifndef IMAGE_FIND_FIND_H
#define IMAGE_FIND_FIND_H

#include "base/error.h"
#include "image/image.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int x, y; /* of the template's top left pixel, in the picture */
    double score;
    double difference; /* of the colours: root mean square over all channels, 0..255 */
} find_hit;

typedef struct {
    double min_score;          /* 0..1 */
    double max_difference;     /* as in find_hit; 0 for any */
    image_rect region;         /* hits are completely inside; width 0: the whole picture */
    uint64_t deadline;         /* uv_hrtime() at which the search ends with an error; 0: none */
    const atomic_bool *cancel; /* the search ends when it becomes true; may be NULL */
    bool scalar;               /* without vector instructions: for tests */
} find_options;

/* Writes at most `max` hits to `hits`, the best first, without overlaps, and their number to
 * `count`. `best` (may be NULL) gets the best place that was found, also if it is not a hit; a
 * score below min_score is only an estimate of the best one, and -1 means that the template fits
 * nowhere. A template larger than the picture is no error and has no hits. Uses all cores
 * (parallel.h). Errors: BASE_INVALID for a region outside the picture, a score or difference out of
 * range, or a completely transparent template; BASE_CANCELLED, BASE_TIMED_OUT, BASE_NO_MEMORY. */
bool find_all(find_hit *hits, int max, int *count, find_hit *best, const image_bitmap *picture,
              const image_bitmap *template, const find_options *options, base_error *err);

#endif
