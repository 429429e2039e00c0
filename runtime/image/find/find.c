#include "find.h"

#include "base/parallel.h"
#include "find_every.h"
#include "find_probe.h"
#include "find_scan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <uv.h>

/* Limit for the pixels that are compared after the probe, the most promising places first; takes
 * some tenths of a second. Only a template that resembles very many places reaches it. */
static const int64_t MOST_PIXELS = 1500 * 1000 * 1000ll;
enum { FEWEST_PLACES = 256, FIRST_PLACES = 64, CHUNK = 16 };

typedef struct {
    const image_bitmap *picture;
    const find_options *options;
    find_template t;
    find_probe probe;
    find_places places;
    size_t scored; /* how many of the places have a score */
    double least;  /* places with a lower score are not needed */
} search;

static bool stop(const void *context)
{
    const find_options *o = context;
    return (o->cancel && atomic_load_explicit(o->cancel, memory_order_relaxed)) ||
           (o->deadline && uv_hrtime() >= o->deadline);
}

/* --- comparing places pixel by pixel ------------------------------------------------------------
 */

/* Whether the colours at a place are similar enough. A place that correlates may be darker, or have
 * less contrast. */
static bool has_colours(const search *s, const find_place *p)
{
    double difference = 0;
    if (s->options->max_difference > 0) {
        find_score_and_difference(&s->t, s->picture, p->x, p->y, &difference);
    }
    return difference <= s->options->max_difference;
}

static void score_chunk(void *context, int index)
{
    search *s = context;
    size_t first = s->scored + (size_t) index * CHUNK;
    for (size_t i = first; i < first + CHUNK && i < s->places.count; i++) {
        find_place *p = &s->places.places[i];
        if (stop(s->options)) {
            return;
        }
        p->score = (float) find_score_above(&s->t, s->picture, p->x, p->y, s->least);
        if (p->score >= s->options->min_score && !has_colours(s, p)) {
            p->score -= 2; /* sorts after all others, and in order among its kind */
        }
    }
}

/* Computes the scores of the places. If one hit is wanted, places that are not better than the best
 * of the first ones are not needed; most of them can be excluded after a few rows. */
static void score_places(search *s, int max)
{
    size_t most = (size_t) (MOST_PIXELS / ((int64_t) s->t.width * s->t.height)) + FEWEST_PLACES;
    if (s->places.count > most) {
        s->places.count = most;
    }
    s->least = s->options->min_score;
    base_parallel(FIRST_PLACES / CHUNK, score_chunk, s);
    s->scored = FIRST_PLACES;
    for (size_t i = 0; max == 1 && i < FIRST_PLACES && i < s->places.count; i++) {
        s->least = fmax(s->least, s->places.places[i].score - 1e-6);
    }
    if (s->places.count > s->scored) {
        base_parallel((int) ((s->places.count - s->scored + CHUNK - 1) / CHUNK), score_chunk, s);
    }
    qsort(s->places.places, s->places.count, sizeof *s->places.places, find_compare_places);
}

/* --- hits ---------------------------------------------------------------------------------------
 */

static bool overlaps(const search *s, const find_hit *hits, int count, const find_place *place)
{
    for (int i = 0; i < count; i++) {
        if (abs(hits[i].x - place->x) < s->t.width && abs(hits[i].y - place->y) < s->t.height) {
            return true;
        }
    }
    return false;
}

static find_hit hit_of(const search *s, const find_place *p)
{
    find_hit hit = {.x = p->x, .y = p->y};
    hit.score = find_score_and_difference(&s->t, s->picture, p->x, p->y, &hit.difference);
    return hit;
}

/* Takes hits from the places, which are sorted by score: one that overlaps a hit is not better. */
static int take_sorted(const search *s, find_hit *hits, int max)
{
    int count = 0;
    for (size_t i = 0; i < s->places.count && count < max; i++) {
        const find_place *p = &s->places.places[i];
        if (p->score < (float) s->options->min_score) {
            break;
        }
        if (!overlaps(s, hits, count, p)) {
            hits[count++] = hit_of(s, p);
        }
    }
    return count;
}

static bool no_memory(base_error *err)
{
    return base_fail(err, BASE_NO_MEMORY, "There is not enough memory to look for a picture.");
}

static bool stopped(const find_options *o, base_error *err)
{
    if (o->cancel && atomic_load(o->cancel)) {
        return base_fail(err, BASE_CANCELLED, "The search for a picture was stopped.");
    }
    return base_fail(err, BASE_TIMED_OUT, "The search for a picture did not end in time.");
}

static bool search_every(search *s, find_hit *hits, int max, int *count, find_hit *best,
                         base_error *err)
{
    if (!find_every(&s->t, s->probe.channel, s->picture, s->options, hits, max, count, best,
                    stop)) {
        return no_memory(err);
    }
    return !stop(s->options) || stopped(s->options, err);
}

static bool search_probed(search *s, find_hit *hits, int max, int *count, find_hit *best,
                          base_error *err)
{
    if (!find_scan(&s->places, &s->probe, &s->t, s->picture, stop, s->options)) {
        return no_memory(err);
    }
    if (!stop(s->options)) {
        score_places(s, max);
    }
    if (stop(s->options)) {
        return stopped(s->options, err);
    }
    *count = take_sorted(s, hits, max);
    if (s->places.best.score >= -1) {
        *best = hit_of(s, &s->places.best);
    }
    if (s->places.count > 0) {
        find_hit first = hit_of(s, &s->places.places[0]);
        if (first.score > best->score) {
            *best = first;
        }
    }
    return true;
}

static bool run(search *s, find_hit *hits, int max, int *count, find_hit *best,
                const image_bitmap *image, base_error *err)
{
    const find_options *o = s->options;
    if (!find_template_make(&s->t, image, o->scalar)) {
        return no_memory(err);
    }
    if (s->t.counted == 0) {
        return base_fail(err, BASE_INVALID, "The picture to look for is transparent all over.");
    }
    if (!s->t.flat && !find_probe_make(&s->probe, &s->t, o->min_score)) {
        return no_memory(err);
    }
    if (s->t.flat || s->probe.factor == 0) {
        return search_every(s, hits, max, count, best, err);
    }
    return search_probed(s, hits, max, count, best, err);
}

static bool check(const image_bitmap *picture, const find_options *o, image_rect *area,
                  base_error *err)
{
    image_rect r = o->region;
    if (!(o->min_score >= 0 && o->min_score <= 1)) {
        return base_fail(err, BASE_INVALID, "A score to be reached is 0 to 1.");
    }
    if (!(o->max_difference >= 0 && o->max_difference <= 255)) {
        return base_fail(err, BASE_INVALID, "A difference of colours is 0 to 255.");
    }
    if (r.width == 0) {
        r = (image_rect){0, 0, picture->width, picture->height};
    }
    if (r.x < 0 || r.y < 0 || r.width < 1 || r.height < 1 || r.x >= picture->width ||
        r.y >= picture->height || r.width > picture->width - r.x ||
        r.height > picture->height - r.y) {
        return base_fail(err, BASE_INVALID,
                         "The area %d,%d %dx%d does not lie inside the image of %d x %d.", r.x, r.y,
                         r.width, r.height, picture->width, picture->height);
    }
    *area = r;
    return true;
}

bool find_all(find_hit *hits, int max, int *count, find_hit *best, const image_bitmap *picture,
              const image_bitmap *template, const find_options *options, base_error *err)
{
    assert(hits && max > 0 && count && picture && template && options);
    image_rect area = {0};
    find_hit seen = {.score = -1};
    *count = 0;
    if (!check(picture, options, &area, err)) {
        return false;
    }
    image_bitmap view = {.width = area.width,
                         .height = area.height,
                         .stride = picture->stride,
                         .pixels = picture->pixels + (size_t) area.y * picture->stride +
                                   4 * (size_t) area.x,
                         .borrowed = true};
    search s = {.picture = &view, .options = options};
    bool ok = true;
    if (template->width <= view.width && template->height <= view.height) {
        ok = run(&s, hits, max, count, &seen, template, err);
    }
    for (int i = 0; ok && i < *count; i++) {
        hits[i].x += area.x;
        hits[i].y += area.y;
    }
    seen.x += area.x;
    seen.y += area.y;
    if (best) {
        *best = seen;
    }
    free(s.places.places);
    find_probe_free(&s.probe);
    find_template_free(&s.t);
    return ok;
}
