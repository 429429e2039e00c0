/*
 * find_every.h: the search for a template that has no probe (find_probe.h): one of a single colour,
 * of a few pixels, or full of holes. Every place is compared to the pixel, but those that a sample
 * of its pixels (find_sample.h) makes unlikely.
 */
#ifndef IMAGE_FIND_FIND_EVERY_H
#define IMAGE_FIND_FIND_EVERY_H

#include "find.h"
#include "find_scan.h"
#include "find_score.h"

/* As find_all; `channel` as find_probe has it, for a picture that the template fits in; `best` is
 * always filled. What it gives after `stop`, asked with the options, has said so is of no use.
 * False when there is no memory. */
bool find_every(const find_template *t, int channel, const image_bitmap *picture,
                const find_options *options, find_hit *hits, int max, int *count, find_hit *best,
                find_stop_fn *stop);

#endif
