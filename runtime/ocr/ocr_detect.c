#include "ocr_detect.h"

#include "ocr_edges.h"
#include "ocr_sign.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD_GAP = 12,   /* edges are joined across so many pixels without an edge */
    LEAST_WIDTH = 3, /* pixels of the edges of a letter */
    LEAST_HEIGHT = 5,
    MOST_LINE = 64,     /* greatest height of a single line, in pixels */
    LEAST_BLOCK = 20,   /* least height of a box that may have two lines, in pixels */
    TOO_DENSE = 80,     /* edges per 100 pixels; text has up to 70 */
    LEAST_DENSE = 1500, /* TOO_DENSE applies from so many pixels on: single letters may be denser */
    ALONE_ACROSS = 8,   /* pixels without an edge at the sides of a lone sign, */
    ALONE_DOWN = 7,     /* and above and below it */
    MARGIN = 1,         /* pixels around an area; there may be a frame beyond */
};

/* --- runs of edges, joined into components ------------------------------------------------------
 */

typedef struct {
    int y, left, right; /* right is the last pixel */
    int root;           /* an older run of the same component, or itself */
} run;

typedef struct {
    run *items;
    size_t count, capacity;
} runs;

static int root_of(run *items, int i)
{
    while (items[i].root != i) {
        i = items[i].root = items[items[i].root].root;
    }
    return i;
}

static void join(run *items, int a, int b)
{
    a = root_of(items, a);
    b = root_of(items, b);
    items[a > b ? a : b].root = a > b ? b : a;
}

static bool add_run(runs *list, int y, int left, int right)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 4096;
        run *items = realloc(list->items, capacity * sizeof *items);
        if (!items) {
            return false;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count] = (run){y, left, right, (int) list->count};
    list->count++;
    return true;
}

/* Adds the runs of one row, joined across gaps of at most WORD_GAP. */
static bool add_row(runs *list, const uint8_t *row, int width, int y)
{
    int left = -1, last = 0;
    for (int x = 0; x < width; x++) {
        if (!(row[x] & TEXT_EDGE)) {
            continue;
        }
        if (left >= 0 && x - last > WORD_GAP) {
            if (!add_run(list, y, left, last)) {
                return false;
            }
            left = -1;
        }
        if (left < 0) {
            left = x;
        }
        last = x;
    }
    return left < 0 || add_run(list, y, left, last);
}

/* Joins the runs of a row (from index `now`) with those of the row above (from index `above`). */
static void join_rows(runs *list, size_t above, size_t now)
{
    size_t a = above, b = now;
    while (a < now && b < list->count) {
        run *upper = &list->items[a], *lower = &list->items[b];
        if (upper->left <= lower->right + 1 && lower->left <= upper->right + 1) {
            join(list->items, (int) a, (int) b);
        }
        if (upper->right < lower->right) {
            a++;
        } else {
            b++;
        }
    }
}

static bool find_runs(runs *list, const uint8_t *edges, int width, int height)
{
    size_t above = 0;
    for (int y = 0; y < height; y++) {
        size_t now = list->count;
        if (!add_row(list, edges + (size_t) y * (size_t) width, width, y)) {
            return false;
        }
        join_rows(list, above, now);
        above = now;
    }
    return true;
}

/* --- components to boxes ------------------------------------------------------------------------
 */

typedef struct {
    int left, top, right, bottom; /* the last pixels */
} box;

static void grow(box *b, const run *r)
{
    if (r->left < b->left) {
        b->left = r->left;
    }
    if (r->right > b->right) {
        b->right = r->right;
    }
    b->bottom = r->y; /* rows are added from top to bottom */
}

/* The boxes of all components, `*count` of them; to be freed by the caller, NULL without memory. A
 * component's root is its first run; once its box exists, `left` of the root stores the box's
 * index. */
static box *find_boxes(runs *list, size_t *count)
{
    box *boxes = malloc((list->count + 1) * sizeof *boxes);
    int *numbers = malloc((list->count + 1) * sizeof *numbers);
    *count = 0;
    for (size_t i = 0; boxes && numbers && i < list->count; i++) {
        const run *r = &list->items[i];
        size_t root = (size_t) root_of(list->items, (int) i);
        if (root == i) {
            numbers[i] = (int) *count;
            boxes[(*count)++] = (box){r->left, r->y, r->right, r->y};
        }
        grow(&boxes[numbers[root]], r);
    }
    if (!numbers) {
        free(boxes);
        boxes = NULL;
    }
    free(numbers);
    return boxes;
}

/* --- boxes to areas -----------------------------------------------------------------------------
 */

typedef struct {
    const uint8_t *edges;
    int width, height;
    ocr_areas *areas;
    size_t capacity;
} finder;

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* Whether a box has too many edges for text: noise, or a picture full of detail. */
static bool is_too_dense(const finder *f, box b)
{
    size_t pixels = (size_t) (b.right - b.left + 1) * (size_t) (b.bottom - b.top + 1), edges = 0;
    for (int y = b.top; pixels >= LEAST_DENSE && y <= b.bottom; y++) {
        const uint8_t *row = f->edges + (size_t) y * (size_t) f->width;
        for (int x = b.left; x <= b.right; x++) {
            edges += (row[x] & TEXT_EDGE_ANY) != 0;
        }
    }
    return edges * 100 > pixels * TOO_DENSE;
}

static bool put_area(finder *f, box b, bool block, bool sign, base_error *err)
{
    if (f->areas->count >= OCR_AREAS_MAX) {
        return base_fail(err, BASE_INVALID,
                         "there is too much on the screen to look for text: name "
                         "a region");
    }
    if (f->areas->count == f->capacity) {
        size_t capacity = f->capacity ? f->capacity * 2 : 256;
        ocr_area_box *items = realloc(f->areas->items, capacity * sizeof *items);
        if (!items) {
            return base_fail(err, BASE_NO_MEMORY, "not enough memory to look for text");
        }
        f->areas->items = items;
        f->capacity = capacity;
    }
    int left = clamp(b.left - MARGIN, 0, f->width - 1),
        top = clamp(b.top - MARGIN, 0, f->height - 1);
    int right = clamp(b.right + 1 + MARGIN, 0, f->width - 1);
    int bottom = clamp(b.bottom + 1 + MARGIN, 0, f->height - 1);
    f->areas->items[f->areas->count++] =
        (ocr_area_box){{left, top, right - left + 1, bottom - top + 1}, block, sign};
    return true;
}

/* Whether a small box stands alone: nothing is above it, and nothing reaches the edge of the place
 * around it. `whole` becomes the box of all that is in there, as the lower bar of a "=". */
static bool is_alone(const finder *f, box b, box *whole)
{
    box around = {b.left - ALONE_ACROSS, b.top - ALONE_DOWN, b.right + ALONE_ACROSS,
                  b.bottom + ALONE_DOWN};
    *whole = b;
    if (b.right - b.left >= OCR_SIGN_WIDTH || b.bottom - b.top >= OCR_SIGN_HEIGHT ||
        around.left < 0 || around.top < 0 || around.right >= f->width ||
        around.bottom >= f->height) {
        return false;
    }
    for (int y = around.top; y <= around.bottom; y++) {
        const uint8_t *row = f->edges + (size_t) y * (size_t) f->width;
        for (int x = around.left; x <= around.right; x++) {
            if (!(row[x] & TEXT_EDGE_ANY)) {
                continue;
            }
            if (y < b.top || y == around.bottom || x == around.left || x == around.right) {
                return false;
            }
            whole->left = x < whole->left ? x : whole->left;
            whole->right = x > whole->right ? x : whole->right;
            whole->bottom = y > whole->bottom ? y : whole->bottom;
        }
    }
    return true;
}

static bool add_area(finder *f, box b, bool block, base_error *err)
{
    box whole;
    if (b.right - b.left + 1 < LEAST_WIDTH || b.bottom - b.top + 1 < LEAST_HEIGHT) {
        return !is_alone(f, b, &whole) || put_area(f, whole, false, true, err);
    }
    return is_too_dense(f, b) || put_area(f, b, block, false, err);
}

/* Counts the vertical edges in each row of the box: many inside a line, few between lines. */
static int fill_profile(const finder *f, box b, int *profile)
{
    int most = 0;
    for (int y = b.top; y <= b.bottom; y++) {
        const uint8_t *row = f->edges + (size_t) y * (size_t) f->width;
        int sum = 0;
        for (int x = b.left; x <= b.right; x++) {
            sum += row[x] & TEXT_EDGE_ACROSS;
        }
        profile[y - b.top] = sum;
        if (sum > most) {
            most = sum;
        }
    }
    return most;
}

/* Narrows a box at its left and right to the edges inside. */
static box narrow(const finder *f, box b)
{
    int left = b.right, right = b.left;
    for (int y = b.top; y <= b.bottom; y++) {
        const uint8_t *row = f->edges + (size_t) y * (size_t) f->width;
        for (int x = b.left; x < left; x++) {
            if (row[x] & TEXT_EDGE) {
                left = x;
            }
        }
        for (int x = b.right; x > right; x--) {
            if (row[x] & TEXT_EDGE) {
                right = x;
            }
        }
    }
    b.left = left;
    b.right = right > left ? right : left;
    return b;
}

/* The middle one of the rows with the fewest edges, between `from` and `to`. */
static int quietest(const int *profile, int from, int to)
{
    int least = profile[from], first = from, last = from;
    for (int y = from; y <= to; y++) {
        if (profile[y] < least) {
            least = profile[y];
            first = y;
        }
        if (profile[y] == least) {
            last = y;
        }
    }
    return profile[(first + last) / 2] == least ? (first + last) / 2 : first;
}

/* Cuts a box between its lines of text. The body of a line is a sequence of rows that have at least
 * a quarter of `most`, the highest number of vertical edges in a row. Each piece becomes an area;
 * `*cut` is false if there are no two bodies. */
static bool cut_lines(finder *f, box b, const int *profile, int most, bool *cut, base_error *err)
{
    int height = b.bottom - b.top + 1, start = 0, last_body = -1;
    bool ok = true;
    *cut = false;
    for (int y = 0; ok && y < height; y++) {
        if (profile[y] * 4 < most) {
            continue;
        }
        if (last_body >= 0 && y - last_body > 2) {
            int at = quietest(profile, last_body + 1, y - 1);
            if (profile[at] * 8 <= most && at - start >= LEAST_HEIGHT) {
                box line = {b.left, b.top + start, b.right, b.top + at};
                ok = add_area(f, narrow(f, line), at - start >= MOST_LINE, err);
                start = at + 1;
                *cut = true;
            }
        }
        last_body = y;
    }
    if (ok && *cut) {
        box line = {b.left, b.top + start, b.right, b.bottom};
        ok = add_area(f, narrow(f, line), height - start >= MOST_LINE, err);
    }
    return ok;
}

static bool add_box(finder *f, box b, base_error *err)
{
    int height = b.bottom - b.top + 1, width = b.right - b.left + 1;
    if (height < LEAST_BLOCK || width < height) {
        return height <= MOST_LINE ? add_area(f, b, false, err) : add_area(f, b, true, err);
    }
    int *profile = calloc((size_t) height, sizeof *profile);
    if (!profile) {
        return base_fail(err, BASE_NO_MEMORY, "not enough memory to look for text");
    }
    int most = fill_profile(f, b, profile);
    bool cut;
    bool ok = cut_lines(f, b, profile, most, &cut, err);
    free(profile);
    return ok && (cut || add_area(f, b, height > MOST_LINE, err));
}

static int by_place(const void *a, const void *b)
{
    const image_rect *p = &((const ocr_area_box *) a)->rect;
    const image_rect *q = &((const ocr_area_box *) b)->rect;
    if (p->y != q->y) {
        return p->y < q->y ? -1 : 1;
    }
    return p->x < q->x ? -1 : p->x > q->x;
}

bool ocr_detect(const image_bitmap *image, ocr_areas *out, base_error *err)
{
    *out = (ocr_areas){0};
    finder f = {NULL, image->width, image->height, out, 0};
    runs list = {0};
    size_t count = 0;
    uint8_t *edges = ocr_edges(image);
    f.edges = edges;
    bool ok = edges && find_runs(&list, edges, image->width, image->height);
    box *boxes = ok ? find_boxes(&list, &count) : NULL;
    ok = boxes || base_fail(err, BASE_NO_MEMORY, "not enough memory to look for text");
    for (size_t i = 0; ok && i < count; i++) {
        ok = add_box(&f, boxes[i], err);
    }
    if (ok && out->count > 1) {
        qsort(out->items, out->count, sizeof *out->items, by_place);
    }
    free(boxes);
    free(list.items);
    free(edges);
    if (!ok) {
        ocr_areas_free(out);
    }
    return ok;
}

void ocr_areas_free(ocr_areas *areas)
{
    free(areas->items);
    *areas = (ocr_areas){0};
}
