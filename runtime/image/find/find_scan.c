#include "find_scan.h"

#include "base/simd.h"
#include "find_shrink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BAND_ROWS = 8,      /* rows of cells of one parallel task */
    STEP = 32,          /* places that the fast path takes at once */
    PADDING = STEP + 2, /* cells that it may read beyond a row */
    FIRST_PLACES = 1024,
};

/* Windows whose cells vary less than this (root mean square) cannot be a hit. */
static const double FLAT_CELLS = 0.25;
static const float NEVER = 1e30f;
static const float NOWHERE = -2; /* less than any correlation */

typedef struct {
    find_place *places;
    size_t count, capacity;
    find_place best;
    float raised; /* the limit, raised because there were too many places */
    int32_t *row; /* sums for one row of places */
} worker;

typedef struct {
    const find_probe *probe;
    const find_template *t;
    const image_bitmap *picture;
    find_stop_fn *stop;
    const void *context;
    int16_t *cells; /* the reduced picture */
    float *lengths; /* of the window at each cell: root of the sum of squares minus the mean */
    int width, height;
    size_t stride;
    int bands;
    worker workers[BASE_PARALLEL_MAX];
    atomic_bool out_of_memory;
} scan;

/* --- the reduced picture ------------------------------------------------------------------------
 */

static void shrink_band(void *context, int band)
{
    scan *s = context;
    uint32_t *sums = (uint32_t *) s->workers[base_parallel_worker()].row;
    for (int y = band * BAND_ROWS; y < s->height && y < (band + 1) * BAND_ROWS; y++) {
        find_shrink_row(s->cells + (size_t) y * s->stride, sums, s->picture, y, s->probe->factor,
                        s->probe->channel, s->t->scalar);
    }
}

/* --- the length of each window -------------------------------------------------------------------
 */

/* Sums of the columns below a row of windows, updated from row to row. */
typedef struct {
    uint32_t *sum, *squares;
} columns;

static void columns_add(const scan *s, columns *c, int y, int sign)
{
    const int16_t *row = s->cells + (size_t) y * s->stride;
    uint32_t factor = (uint32_t) sign;
    for (int x = 0; x < s->width; x++) {
        uint32_t v = (uint32_t) row[x];
        c->sum[x] += factor * v;
        c->squares[x] += factor * (v * v);
    }
}

static void lengths_row(const scan *s, const columns *c, float *out)
{
    int w = s->probe->width, places = s->width - w + 1;
    double n = w * s->probe->height, least = FLAT_CELLS * FLAT_CELLS * n;
    uint32_t sum = 0, squares = 0;
    for (int x = 0; x < w - 1; x++) {
        sum += c->sum[x];
        squares += c->squares[x];
    }
    for (int x = 0; x < places; x++) {
        sum += c->sum[x + w - 1];
        squares += c->squares[x + w - 1];
        double energy = squares - (double) sum * sum / n;
        out[x] = energy > least ? (float) sqrt(energy) : NEVER;
        sum -= c->sum[x];
        squares -= c->squares[x];
    }
}

/* Computes the lengths in a band. These bands are larger than others, because each begins by adding
 * up as many rows as the probe has. */
static void lengths_band(void *context, int band)
{
    scan *s = context;
    int rows = 4 * BAND_ROWS, h = s->probe->height, last = s->height - h;
    int first = band * rows;
    if (first > last) {
        return;
    }
    columns c = {calloc((size_t) s->width, sizeof *c.sum),
                 calloc((size_t) s->width, sizeof *c.squares)};
    if (c.sum && c.squares) {
        for (int y = first; y < first + h; y++) {
            columns_add(s, &c, y, 1);
        }
        for (int y = first; y <= last && y < first + rows; y++) {
            lengths_row(s, &c, s->lengths + (size_t) y * s->stride);
            columns_add(s, &c, y, -1);
            if (y + h < s->height) {
                columns_add(s, &c, y + h, 1);
            }
        }
    } else {
        atomic_store(&s->out_of_memory, true);
    }
    free(c.sum);
    free(c.squares);
}

/* --- correlation --------------------------------------------------------------------------------
 */

/* For the places x..end of a row: the sum of products of the probe's cells and the picture's. */
static void correlate_scalar(int32_t *out, const find_probe *p, const int16_t *weights,
                             const int16_t *cells, size_t stride, int x, int end)
{
    for (; x < end; x++) {
        int32_t sum = 0;
        for (int j = 0; j < p->height; j++) {
            for (int i = 0; i < p->width; i++) {
                sum +=
                    weights[j * 2 * p->pairs + i] * cells[(size_t) j * stride + (size_t) (x + i)];
            }
        }
        out[x] = sum;
    }
}

#if BASE_X86
/* Interleaves the results: multiply-and-add joins neighbours, so even and odd places are in
 * separate sums. */
BASE_TARGET("avx2")
static inline void store_woven(int32_t *out, __m256i even, __m256i odd)
{
    __m256i low = _mm256_unpacklo_epi32(even, odd), high = _mm256_unpackhi_epi32(even, odd);
    _mm256_storeu_si256((__m256i *) out, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *) (out + 8), _mm256_permute2x128_si256(low, high, 0x31));
}

BASE_TARGET("avx2")
static inline __m256i add_products(__m256i sum, const int16_t *cells, __m256i weights)
{
    __m256i v = _mm256_loadu_si256((const __m256i *) cells);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(v, weights));
}

/* Works in whole steps, so it may read and write up to STEP places too many; the buffers are padded
 * for that. */
BASE_TARGET("avx2")
static void correlate_avx2(int32_t *out, const find_probe *p, const int16_t *weights,
                           const int16_t *cells, size_t stride, int x, int end)
{
    for (; x < end; x += STEP) {
        __m256i even0 = _mm256_setzero_si256(), odd0 = even0, even1 = even0, odd1 = even0;
        const int16_t *w = weights;
        for (int j = 0; j < p->height; j++) {
            const int16_t *c = cells + (size_t) j * stride + (size_t) x;
            for (int i = 0; i < p->pairs; i++, w += 2, c += 2) {
                int32_t pair;
                memcpy(&pair, w, sizeof pair);
                __m256i both = _mm256_set1_epi32(pair);
                even0 = add_products(even0, c, both);
                odd0 = add_products(odd0, c + 1, both);
                even1 = add_products(even1, c + STEP / 2, both);
                odd1 = add_products(odd1, c + STEP / 2 + 1, both);
            }
        }
        store_woven(out + x, even0, odd0);
        store_woven(out + x + STEP / 2, even1, odd1);
    }
}
#endif

static void correlate(const scan *s, int32_t *out, const int16_t *weights, int y, int x, int end)
{
    const int16_t *cells = s->cells + (size_t) y * s->stride;
#if BASE_X86
    if (!s->t->scalar && base_cpu_avx2()) {
        correlate_avx2(out, s->probe, weights, cells, s->stride, x, end);
        return;
    }
#endif
    correlate_scalar(out, s->probe, weights, cells, s->stride, x, end);
}

/* --- places -------------------------------------------------------------------------------------
 */

int find_compare_places(const void *a, const void *b)
{
    const find_place *p = a, *q = b;
    if (p->score != q->score) {
        return p->score < q->score ? 1 : -1;
    }
    if (p->y != q->y) {
        return p->y < q->y ? -1 : 1;
    }
    return (p->x > q->x) - (p->x < q->x);
}

static void keep_place(scan *s, worker *w, find_place place)
{
    if (w->count == FIND_MAX_PLACES) {
        qsort(w->places, w->count, sizeof *w->places, find_compare_places);
        w->count /= 2;
        w->raised = w->places[w->count].score;
    } else if (w->count == w->capacity) {
        size_t capacity = w->capacity ? 2 * w->capacity : FIRST_PLACES;
        find_place *more = realloc(w->places, capacity * sizeof *more);
        if (!more) {
            atomic_store(&s->out_of_memory, true);
            return;
        }
        w->places = more;
        w->capacity = capacity;
    }
    w->places[w->count++] = place;
}

/* Collects the places of one row in one phase. While none is good enough, the best one is kept. */
static void pick(scan *s, worker *w, const find_phase *phase, find_place at, const int32_t *sums,
                 const float *lengths, int count)
{
    float cut = phase->cut > w->raised ? phase->cut : w->raised;
    for (int i = 0; i < count; i++) {
        float least = w->best.score < cut ? w->best.score : cut;
        if ((float) sums[i] <= least * phase->length * lengths[i]) {
            continue;
        }
        find_place place = {at.x + i * s->probe->factor, at.y,
                            (float) sums[i] / (phase->length * lengths[i])};
        if (find_compare_places(&place, &w->best) < 0) {
            w->best = place;
        }
        if (place.score >= cut) {
            keep_place(s, w, place);
        }
    }
}

/* The first and the last cell where the template is inside the picture. `before`: pixels of the
 * template before the probe; `places`: number of places for the template. */
static void cell_range(int before, int places, int factor, int *first, int *last)
{
    *first = (before + factor - 1) / factor;
    *last = (before + places) / factor;
}

static void scan_band(void *context, int index)
{
    scan *s = context;
    const find_probe *p = s->probe;
    worker *w = &s->workers[base_parallel_worker()];
    int f = p->factor, number = index % (f * f), band = index / (f * f);
    const find_phase *phase = &p->phases[number];
    int left = p->x + number % f, above = p->y + number / f, x0, x1, y0, y1;
    cell_range(left, s->picture->width - s->t->width, f, &x0, &x1);
    cell_range(above, s->picture->height - s->t->height, f, &y0, &y1);
    int first = band * BAND_ROWS > y0 ? band * BAND_ROWS : y0;
    if (!(phase->length > 0) || x0 > x1 || s->stop(s->context)) {
        return;
    }
    for (int y = first; y <= y1 && y < (band + 1) * BAND_ROWS; y++) {
        correlate(s, w->row, phase->cells, y, x0, x1 + 1);
        pick(s, w, phase, (find_place){x0 * f - left, y * f - above, 0}, w->row + x0,
             s->lengths + (size_t) y * s->stride + x0, x1 - x0 + 1);
    }
}

static bool gather(scan *s, find_places *all)
{
    size_t count = 0;
    all->best.score = NOWHERE;
    for (int i = 0; i < BASE_PARALLEL_MAX; i++) {
        count += s->workers[i].count;
        if (find_compare_places(&s->workers[i].best, &all->best) < 0) {
            all->best = s->workers[i].best;
        }
    }
    all->places = malloc((count ? count : 1) * sizeof *all->places);
    if (!all->places) {
        return false;
    }
    for (int i = 0; i < BASE_PARALLEL_MAX; i++) {
        const worker *w = &s->workers[i];
        if (w->count) {
            memcpy(all->places + all->count, w->places, w->count * sizeof *w->places);
        }
        all->count += w->count;
    }
    qsort(all->places, all->count, sizeof *all->places, find_compare_places);
    return true;
}

static bool prepare(scan *s)
{
    size_t rows = (size_t) s->height + 1; /* one more, since reading goes beyond the last */
    s->cells = calloc(rows * s->stride, sizeof *s->cells);
    s->lengths = malloc(rows * s->stride * sizeof *s->lengths);
    bool ok = s->cells && s->lengths;
    for (int i = 0; i < BASE_PARALLEL_MAX; i++) {
        s->workers[i].best.score = NOWHERE;
        if (i < base_parallel_threads()) {
            s->workers[i].row = malloc(s->stride * sizeof *s->workers[i].row);
            ok = ok && s->workers[i].row;
        }
    }
    return ok;
}

static void finish(scan *s)
{
    free(s->cells);
    free(s->lengths);
    for (int i = 0; i < BASE_PARALLEL_MAX; i++) {
        free(s->workers[i].row);
        free(s->workers[i].places);
    }
}

bool find_scan(find_places *places, const find_probe *probe, const find_template *t,
               const image_bitmap *picture, find_stop_fn *stop, const void *context)
{
    int f = probe->factor;
    scan s = {.probe = probe,
              .t = t,
              .picture = picture,
              .stop = stop,
              .context = context,
              .width = picture->width / f,
              .height = picture->height / f};
    s.stride = (size_t) s.width + PADDING;
    s.bands = (s.height + BAND_ROWS - 1) / BAND_ROWS;
    *places = (find_places){0};
    bool ok = prepare(&s);
    if (ok) {
        base_parallel(s.bands, shrink_band, &s);
        base_parallel(s.bands, lengths_band, &s); /* some bands may be empty */
        base_parallel(s.bands * f * f, scan_band, &s);
        ok = !atomic_load(&s.out_of_memory) && gather(&s, places);
    }
    finish(&s);
    return ok;
}
