#include "base/parallel.h"
#include "check.h"
#include "find_screens.h"
#include "image/find/find.h"
#include "image/find/find_probe.h"

#include <math.h>

/* --- crops that are found again ------------------------------------------------------------------
 */

static bool is_flat(const image_bitmap *image)
{
    find_template t;
    bool flat = find_template_make(&t, image, false) && t.energy < 2.0 * (double) t.counted;
    find_template_free(&t);
    return flat;
}

/* A crop that has something in it. */
static image_rect crop_something(image_bitmap *part, const image_bitmap *screen, int width,
                                 int height)
{
    for (;;) {
        image_rect r = {random_below(screen->width - width + 1),
                        random_below(screen->height - height + 1), width, height};
        if (!image_crop(part, screen, r, NULL)) {
            abort();
        }
        if (!is_flat(part)) {
            return r;
        }
    }
}

/* The same pixels may be in more than one place, or noise may have made another place more alike
 * than the right one: a place that scores no less is right too. */
static bool is_right(const find_hit *hit, image_rect r, const image_bitmap *look_in,
                     const image_bitmap *part)
{
    if (hit->x == r.x && hit->y == r.y) {
        return true;
    }
    find_template t;
    bool right =
        find_template_make(&t, part, false) && hit->score >= find_score(&t, look_in, r.x, r.y);
    find_template_free(&t);
    return right;
}

static bool find_crop(const image_bitmap *screen, const image_bitmap *look_in, int width,
                      int height, double min_score, double *score)
{
    image_bitmap part = {0};
    base_error err = {0};
    find_hit hit = {.score = -1}, best = {.score = -1};
    int count = 0;
    image_rect r = crop_something(&part, screen, width, height);
    find_options o = {.min_score = min_score};
    CHECK(find_all(&hit, 1, &count, &best, look_in, &part, &o, &err));
    bool right = count == 1 && is_right(&hit, r, look_in, &part);
    if (!right) {
        printf("    %d x %d at %d, %d: %d hits, best %d, %d with %.4f\n", width, height, r.x, r.y,
               count, best.x, best.y, best.score);
    }
    *score = best.score;
    image_free(&part);
    return right;
}

/* What is asked for of each change; a pixel in 250 of a crop of 16 x 16 with a few letters is much.
 */
static const double wanted[CHANGES] = {0.99, 0.9, 0.99, 0.99, 0.8};

static void test_recall(change how, int crops)
{
    static const int sizes[][2] = {{16, 16},  {20, 12}, {33, 21},  {64, 64},  {80, 24},
                                   {120, 90}, {9, 40},  {200, 31}, {300, 220}};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    image_bitmap screen = {0}, look_in = {0};
    int found = 0;
    double least = 1, score;
    for (int i = 0; i < crops; i++) {
        if (i % 20 == 0) {
            make_screen(&screen, 800, 600);
            image_crop(&look_in, &screen, (image_rect){0, 0, 800, 600}, NULL);
            change_all(&look_in, how);
        }
        const int *size = sizes[i % SIZES];
        if (!find_crop(&screen, &look_in, size[0], size[1], wanted[how], &score)) {
            continue;
        }
        found++;
        least = score < least ? score : least;
    }
    printf("change %d: %d of %d found, the worst score %.4f\n", how, found, crops, least);
    CHECK_EQ(found, crops);
    image_free(&screen);
    image_free(&look_in);
}

static void test_textures(void)
{
    for (picture_kind kind = NOISE; kind < PICTURES; kind++) {
        image_bitmap screen = {0};
        double score;
        picture_make(&screen, kind, 500, 400);
        for (int side = 5; side < 100; side = side * 3 / 2) {
            CHECK(find_crop(&screen, &screen, side, side + 3, 0.99, &score) && score > 0.9999);
        }
        image_free(&screen);
    }
}
/* --- the fast paths -----------------------------------------------------------------------------
 */

static void test_same_by_scalar(void)
{
    image_bitmap screen = {0}, part = {0};
    make_screen(&screen, 351, 253);
    for (int i = 0; i < 10; i++) {
        find_hit fast[20], slow[20], best_fast, best_slow;
        int n_fast, n_slow;
        find_options o = {.min_score = 0.3 + 0.06 * i};
        crop_something(&part, &screen, 3 + random_below(50), 3 + random_below(50));
        CHECK(find_all(fast, 20, &n_fast, &best_fast, &screen, &part, &o, NULL));
        o.scalar = true;
        CHECK(find_all(slow, 20, &n_slow, &best_slow, &screen, &part, &o, NULL));
        CHECK(best_fast.x == best_slow.x && best_fast.score == best_slow.score);
        if (!CHECK_EQ(n_fast, n_slow)) {
            continue;
        }
        for (int k = 0; k < n_fast; k++) {
            CHECK(fast[k].x == slow[k].x && fast[k].y == slow[k].y &&
                  fast[k].score == slow[k].score);
        }
    }
    image_free(&screen);
    image_free(&part);
}

/* The bound at work: what every place's own score says must be what the search says. */
static void test_nothing_is_missed(void)
{
    image_bitmap screen = {0}, part = {0};
    make_screen(&screen, 260, 200);
    for (int i = 0; i < 8; i++) {
        find_template t;
        find_hit hit = {0}, best = {0};
        int count;
        crop_something(&part, &screen, 12 + random_below(40), 12 + random_below(40));
        change_all(&part, EDITED);
        change_all(&part, NOISY);
        CHECK(find_template_make(&t, &part, false));
        double most = 0;
        for (int y = 0; y <= screen.height - part.height; y++) {
            for (int x = 0; x <= screen.width - part.width; x++) {
                most = fmax(most, find_score(&t, &screen, x, y));
            }
        }
        find_options o = {.min_score = fmax(most - 0.01, 0.7)};
        CHECK(find_all(&hit, 1, &count, &best, &screen, &part, &o, NULL));
        if (most > 0.7 && (!CHECK_EQ(count, 1) || !CHECK(fabs(hit.score - most) < 1e-6))) {
            printf("    %d x %d: %.4f, by hand %.4f\n", part.width, part.height, best.score, most);
        }
        find_template_free(&t);
    }
    image_free(&screen);
    image_free(&part);
}

int main(void)
{
    test_textures();
    test_recall(SAME, 90);
    for (change how = NOISY; how < CHANGES; how++) {
        test_recall(how, 27);
    }
    test_same_by_scalar();
    test_nothing_is_missed();
    base_parallel_stop();
    return check_done();
}
