/*
 * find.h: where in a picture another picture is.
 *
 * The score of a place is the normalised cross-correlation of its colours and the template's, each
 * channel less its mean (J. P. Lewis, "Fast Normalized Cross-Correlation", 1995): 1 for the same
 * picture, also when it is darker, brighter or has less contrast; negative values count as 0. A
 * template of one colour has no correlation: its score is 1 less the root of the mean square
 * difference of the channels, with 64 of their 255 steps counting as 0. Where the template has
 * alpha, pixels that are less than half opaque do not count.
 *
 * Every place is looked at, but most of them coarsely: see find_probe.h for how, and for which
 * places may be passed over.
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
    double difference; /* of the colours: root of the mean square over all channels, 0..255 */
} find_hit;

typedef struct {
    double min_score;          /* 0..1 */
    double max_difference;     /* as in find_hit; 0 for any */
    image_rect region;         /* of the picture, hits lie wholly inside; width 0 for all of it */
    uint64_t deadline;         /* uv_hrtime() after which to give up; 0 for never */
    const atomic_bool *cancel; /* gives up when it becomes true; may be NULL */
    bool scalar;               /* without vector instructions: for tests */
} find_options;

/* Writes at most `max` hits to `hits`, the best first, none overlapping another, and their number
 * to `count`. `best` (may be NULL) is the best place seen whether or not it is a hit; with a score
 * below min_score it is a good guess, and its score is -1 where the template fits nowhere. A
 * template larger than the picture is no error and gives no hits. Uses all cores (parallel.h).
 * BASE_INVALID for a region outside the picture, a score or difference out of range or a template
 * of which nothing counts; BASE_CANCELLED, BASE_TIMED_OUT, BASE_NO_MEMORY. */
bool find_all(find_hit *hits, int max, int *count, find_hit *best, const image_bitmap *picture,
              const image_bitmap *template, const find_options *options, base_error *err);

#endif
