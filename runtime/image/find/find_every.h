/*
 * find_every.h: the search for a template that has no probe (find_probe.h): one of a single colour,
 * of a few pixels, or full of holes. Every place is compared pixel by pixel, except those that a
 * sample of the template's pixels (find_sample.h) excludes.
 */
#ifndef IMAGE_FIND_FIND_EVERY_H
#define IMAGE_FIND_FIND_EVERY_H

#include "find.h"
#include "find_scan.h"
#include "find_score.h"

/* As find_all, for a picture that is not smaller than the template; `channel` as in find_probe;
 * `best` is always set. If `stop`, called with the options, has returned true, the results are
 * useless. False without memory. */
bool find_every(const find_template *t, int channel, const image_bitmap *picture,
                const find_options *options, find_hit *hits, int max, int *count, find_hit *best,
                find_stop_fn *stop);

#endif
