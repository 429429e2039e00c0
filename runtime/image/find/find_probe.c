#include "find_probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without a bound, a place is skipped if the probe correlates by SLACK less than the wanted score.
 * The limit is at least LEAST, since lower correlations occur by chance. */
static const double SLACK = 0.3, LEAST = 0.3;
/* Tolerance for rounded averages. */
static const double ROUNDING = 0.01;
/* A lower limit would admit too many places. */
static const double USEFUL = 0.65;
/* The least share of the energy that a probe without a bound must have. */
static const double ENOUGH = 0.02;
/* If grey keeps this share of the energy, the channels are not examined. */
static const double GREY_ENOUGH = 0.5;

/* Numbers of cells to try for a probe: the cheapest at all factors first, then larger ones. */
static const int budgets[] = {256, 512, 1024};
enum { BUDGETS = sizeof budgets / sizeof *budgets, FEWEST_CELLS = 24 };

/* Integral images: sums over all pixels above and to the left. They have one row and one column
 * more than the template. */
typedef struct {
    int width, height;
    int64_t *grey;  /* of the chosen channel */
    int32_t *holes; /* number of transparent pixels */
} integrals;

static int64_t area_grey(const integrals *s, int x, int y, int width, int height)
{
    size_t row = (size_t) s->width + 1;
    const int64_t *top = s->grey + (size_t) y * row + x, *end = top + (size_t) height * row;
    return end[width] - end[0] - top[width] + top[0];
}

static int32_t area_holes(const integrals *s, int x, int y, int width, int height)
{
    size_t row = (size_t) s->width + 1;
    const int32_t *top = s->holes + (size_t) y * row + x, *end = top + (size_t) height * row;
    return end[width] - end[0] - top[width] + top[0];
}

static bool integrals_make(integrals *s, const find_template *t, int channel)
{
    size_t row = (size_t) t->width + 1;
    *s = (integrals){.width = t->width, .height = t->height};
    s->grey = calloc(row * ((size_t) t->height + 1), sizeof *s->grey);
    s->holes = calloc(row * ((size_t) t->height + 1), sizeof *s->holes);
    if (!s->grey || !s->holes) {
        return false;
    }
    for (int y = 0; y < t->height; y++) {
        int64_t grey = 0;
        int32_t holes = 0;
        for (int x = 0; x < t->width; x++) {
            size_t i = (size_t) y * (size_t) t->width + (size_t) x;
            size_t above = (size_t) y * row + (size_t) x + 1;
            grey += find_grey(t->pixels[i], channel);
            holes += t->keep[i] == 0;
            s->grey[above + row] = s->grey[above] + grey;
            s->holes[above + row] = s->holes[above] + holes;
        }
    }
    return true;
}

/* The energy of one channel, in the units of find_template.energy. */
static double channel_energy(const find_template *t, int channel)
{
    double sum = 0, squares = 0;
    size_t count = (size_t) t->width * (size_t) t->height;
    for (size_t i = 0; i < count; i++) {
        double v = find_grey(t->pixels[i], channel);
        sum += v;
        squares += v * v;
    }
    return (squares - sum * sum / (double) t->counted) / (channel == 3 ? 3 : 9);
}

static int choose_channel(const find_template *t)
{
    int best = 3;
    double most = channel_energy(t, 3);
    if (most >= GREY_ENOUGH * t->energy) {
        return best;
    }
    for (int channel = 0; channel < 3; channel++) {
        double energy = channel_energy(t, channel);
        if (energy > most) {
            most = energy;
            best = channel;
        }
    }
    return best;
}

/* --- the place in the template ------------------------------------------------------------------
 */

/* The variance of the cells with the probe at x, y; negative if one of its phases covers a hole. */
static double variance_at(const integrals *s, const find_probe *p, int x, int y)
{
    int f = p->factor, slack = f - 1;
    if (area_holes(s, x, y, p->width * f + slack, p->height * f + slack) > 0) {
        return -1;
    }
    double sum = 0, squares = 0;
    for (int j = 0; j < p->height; j++) {
        for (int i = 0; i < p->width; i++) {
            double v = (double) area_grey(s, x + i * f, y + j * f, f, f);
            sum += v;
            squares += v * v;
        }
    }
    return squares - sum * sum / (p->width * p->height);
}

/* Chooses the place with the highest variance, from at most about 12 x 12 places. */
static bool place_probe(find_probe *p, const integrals *s)
{
    int room_x = s->width - (p->width + 1) * p->factor + 1;
    int room_y = s->height - (p->height + 1) * p->factor + 1;
    int step_x = room_x / 12 + 1, step_y = room_y / 12 + 1;
    double most = 0;
    for (int y = 0; y <= room_y; y += step_y) {
        for (int x = 0; x <= room_x; x += step_x) {
            double variance = variance_at(s, p, x, y);
            if (variance > most) {
                most = variance;
                p->x = x;
                p->y = y;
            }
        }
    }
    return most > 0;
}

/* The largest probe of this factor that has at most `budget` cells and no holes. */
static bool fit_probe(find_probe *p, const integrals *s, int budget)
{
    int fewest = p->factor == 1 ? 2 : FEWEST_CELLS;
    p->width = (s->width + 1) / p->factor - 1;
    p->height = (s->height + 1) / p->factor - 1;
    while (p->width > 0 && p->height > 0 && p->width * p->height >= fewest) {
        if (p->width * p->height <= budget && place_probe(p, s)) {
            return true;
        }
        if (p->width >= p->height) {
            p->width -= p->width / 8 + 1;
        } else {
            p->height -= p->height / 8 + 1;
        }
    }
    return false;
}

/* --- the phases ---------------------------------------------------------------------------------
 */

/* Stores the cells minus their mean. The rounding error of each cell is added to the next one, so
 * that the sum is exactly 0 and the brightness of the picture has no effect. */
static void fill_phase(const find_probe *p, find_phase *phase, const integrals *s, int x, int y)
{
    int f = p->factor, count = p->width * p->height;
    double area = (double) f * f;
    double mean = (double) area_grey(s, x, y, p->width * f, p->height * f) / (area * count);
    double carried = 0, squares = 0;
    for (int j = 0; j < p->height; j++) {
        for (int i = 0; i < p->width; i++) {
            double v = (double) area_grey(s, x + i * f, y + j * f, f, f) / area - mean + carried;
            double rounded = floor(v + 0.5);
            carried = v - rounded;
            squares += rounded * rounded;
            phase->cells[(size_t) j * 2 * (size_t) p->pairs + (size_t) i] = (int16_t) rounded;
        }
    }
    phase->length = (float) sqrt(squares);
}

static double cut_of(double kept, double min_score)
{
    double squared = 1 - (1 - min_score * min_score) / kept;
    return squared > 0 ? sqrt(squared) - ROUNDING : 0;
}

static bool fill_phases(find_probe *p, const find_template *t, const integrals *s, double min_score)
{
    int f = p->factor;
    p->pairs = (p->width + 1) / 2;
    size_t size = (size_t) p->pairs * 2 * (size_t) p->height;
    free(p->memory);
    p->memory = calloc(size * (size_t) (f * f), sizeof *p->memory);
    if (!p->memory) {
        return false;
    }
    p->kept = 1;
    for (int i = 0; i < f * f; i++) {
        find_phase *phase = &p->phases[i];
        phase->cells = p->memory + size * (size_t) i;
        fill_phase(p, phase, s, p->x + i % f, p->y + i / f);
        double kept = (double) phase->length * phase->length * f * f /
                      ((p->channel == 3 ? 3 : 9) * t->energy);
        if (kept < p->kept) {
            p->kept = kept;
        }
        phase->cut = kept > 0 ? (float) cut_of(kept, min_score) : 0;
    }
    p->guaranteed = cut_of(p->kept, min_score) >= USEFUL;
    return true;
}

static void guess_cuts(find_probe *p, double min_score)
{
    double guess = fmax(min_score - SLACK, LEAST);
    for (int i = 0; i < p->factor * p->factor; i++) {
        p->phases[i].cut = (float) fmax(p->phases[i].cut, guess);
    }
}

/* Chooses the cheapest probe with a bound; if there is none, of the cheapest ones the one that
 * keeps the most energy. False without memory. */
static bool choose(find_probe *p, const find_template *t, const integrals *s, double min_score)
{
    int best_factor = 0;
    double most = -1;
    for (int b = 0; b < BUDGETS; b++) {
        for (p->factor = FIND_MAX_FACTOR; p->factor >= 1; p->factor /= 2) {
            if (!fit_probe(p, s, budgets[b])) {
                continue;
            }
            if (!fill_phases(p, t, s, min_score)) {
                return false;
            }
            if (p->guaranteed) {
                return true;
            }
            bool enough = p->kept >= ENOUGH && p->width * p->height >= FEWEST_CELLS;
            if (b == 0 && enough && p->kept > most) {
                most = p->kept;
                best_factor = p->factor;
            }
        }
    }
    p->factor = best_factor;
    if (best_factor == 0) {
        return true;
    }
    if (!fit_probe(p, s, budgets[0]) || !fill_phases(p, t, s, min_score)) {
        return false;
    }
    guess_cuts(p, min_score);
    return true;
}

bool find_probe_make(find_probe *probe, const find_template *t, double min_score)
{
    integrals s;
    memset(probe, 0, sizeof *probe);
    probe->channel = choose_channel(t);
    bool ok = integrals_make(&s, t, probe->channel) && choose(probe, t, &s, min_score);
    free(s.grey);
    free(s.holes);
    return ok;
}

void find_probe_free(find_probe *probe)
{
    free(probe->memory);
    probe->memory = NULL;
}
