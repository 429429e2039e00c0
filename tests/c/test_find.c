#include "base/parallel.h"
#include "check.h"
#include "find_screens.h"
#include "image/find/find.h"
#include "image/find/find_sample.h"

#include <math.h>

/* --- several hits, regions, sizes ---------------------------------------------------------------
 */

static void paint_mark(image_bitmap *image, int x, int y)
{
    paint(image, (image_rect){x, y, 12, 12}, 0xcc0000);
    paint(image, (image_rect){x + 3, y + 2, 4, 7}, 0xffff00);
    paint(image, (image_rect){x + 5, y + 6, 6, 3}, 0x0000ff);
}

static void test_several(void)
{
    static const int at[][2] = {{0, 0}, {187, 100}, {300, 5}, {188, 141}, {50, 131}};
    enum { MARKS = sizeof at / sizeof *at };
    image_bitmap screen = {0}, mark = {0};
    find_hit hits[10], best;
    int count;
    image_alloc(&screen, 312, 153, NULL);
    paint(&screen, (image_rect){0, 0, 312, 153}, 0x446688);
    for (int i = 0; i < MARKS; i++) {
        paint_mark(&screen, at[i][0], at[i][1]);
    }
    image_crop(&mark, &screen, (image_rect){187, 100, 12, 12}, NULL);
    find_options o = {.min_score = 0.95};
    CHECK(find_all(hits, 10, &count, &best, &screen, &mark, &o, NULL));
    CHECK_EQ(count, MARKS);
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (int k = 0; k < MARKS; k++) {
            known = known || (hits[i].x == at[k][0] && hits[i].y == at[k][1]);
        }
        CHECK(known && hits[i].score > 0.9999);
    }
    CHECK(find_all(hits, 2, &count, NULL, &screen, &mark, &o, NULL));
    CHECK_EQ(count, 2);
    o.region = (image_rect){180, 95, 30, 50};
    CHECK(find_all(hits, 10, &count, NULL, &screen, &mark, &o, NULL));
    CHECK(count == 1 && hits[0].x == 187 && hits[0].y == 100);
    o.region = (image_rect){188, 100, 30, 30};
    CHECK(find_all(hits, 10, &count, &best, &screen, &mark, &o, NULL));
    CHECK_EQ(count, 0);
    CHECK(best.score < 0.95 && best.x >= 188 && best.y >= 100);
    o.region = (image_rect){187, 100, 12, 12};
    CHECK(find_all(hits, 10, &count, NULL, &screen, &mark, &o, NULL));
    CHECK(count == 1 && hits[0].x == 187);
    image_free(&screen);
    image_free(&mark);
}

static void test_refusals(void)
{
    image_bitmap screen = {0}, part = {0}, empty = {0};
    base_error err;
    find_hit hit, best;
    int count = 7;
    atomic_bool yes = true;
    picture_make(&screen, TEXT, 60, 40);
    image_crop(&part, &screen, (image_rect){3, 4, 4, 4}, NULL);
    find_options o = {.min_score = 0.9};
    CHECK(find_all(&hit, 1, &count, &best, &part, &screen, &o, &err));
    CHECK(count == 0 && best.score < 0);
    const image_rect bad[] = {{-1, 0, 5, 5}, {0, 0, 61, 5}, {60, 0, 1, 1},
                              {0, 0, 5, 0},  {0, 0, -5, 5}, {0, 40, 1, 1},
                              {59, 0, 2, 1}, {0, 0, 5, 41}, {1, 1, INT32_MAX, INT32_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.region = bad[i];
        CHECK(!find_all(&hit, 1, &count, &best, &screen, &part, &o, &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    o = (find_options){.min_score = NAN};
    CHECK(!find_all(&hit, 1, &count, &best, &screen, &part, &o, &err));
    o = (find_options){.min_score = 0.9};
    image_alloc(&empty, 4, 4, NULL);
    empty.alpha = true;
    CHECK(!find_all(&hit, 1, &count, &best, &screen, &empty, &o, &err));
    CHECK_EQ(err.code, BASE_INVALID);
    image_free(&empty);
    o = (find_options){.min_score = 0.9, .cancel = &yes};
    CHECK(!find_all(&hit, 1, &count, &best, &screen, &part, &o, &err));
    CHECK_EQ(err.code, BASE_CANCELLED);
    o = (find_options){.min_score = 0.9, .deadline = 1};
    CHECK(!find_all(&hit, 1, &count, &best, &screen, &part, &o, &err));
    CHECK_EQ(err.code, BASE_TIMED_OUT);
    image_free(&screen);
    image_free(&part);
}

/* All sizes down to one pixel, at all borders. */
static void test_small(void)
{
    image_bitmap screen = {0}, part = {0};
    picture_make(&screen, NOISE, 37, 29);
    for (int w = 1; w <= 37; w += w < 5 ? 1 : 8) {
        for (int h = 1; h <= 29; h += w < 5 ? 1 : 7) {
            const image_rect at[] = {{0, 0, w, h}, {37 - w, 29 - h, w, h}, {(37 - w) / 2, 0, w, h}};
            for (int i = 0; i < 3; i++) {
                find_hit hit = {0};
                int count;
                find_options o = {.min_score = 0.99};
                image_crop(&part, &screen, at[i], NULL);
                CHECK(find_all(&hit, 1, &count, NULL, &screen, &part, &o, NULL));
                /* Two pixels correlate with any two of which the same one is brighter. */
                if (!CHECK(count == 1) ||
                    (w * h > 3 && !CHECK(hit.x == at[i].x && hit.y == at[i].y))) {
                    printf("    %d x %d: %d, %d\n", w, h, hit.x, hit.y);
                }
            }
        }
    }
    image_free(&screen);
    image_free(&part);
}

/* --- templates of one colour, or with holes
 * -------------------------------------------------------------
 */

static void test_flat(void)
{
    image_bitmap screen = {0}, part = {0};
    find_hit hits[8];
    int count;
    image_alloc(&screen, 200, 150, NULL);
    paint(&screen, (image_rect){0, 0, 200, 150}, 0xe0e0e0);
    paint(&screen, (image_rect){71, 83, 20, 10}, 0xcc2200);
    paint(&screen, (image_rect){120, 20, 20, 10}, 0xc82600);
    image_crop(&part, &screen, (image_rect){71, 83, 20, 10}, NULL);
    find_options o = {.min_score = 0.99};
    CHECK(find_all(hits, 8, &count, NULL, &screen, &part, &o, NULL));
    CHECK(count == 1 && hits[0].x == 71 && hits[0].y == 83 && hits[0].score > 0.9999);
    o.min_score = 0.9;
    CHECK(find_all(hits, 8, &count, NULL, &screen, &part, &o, NULL));
    CHECK(count == 2 && hits[1].x == 120 && hits[1].y == 20 && hits[1].score < 0.99);
    paint(&part, (image_rect){0, 0, 20, 10}, 0x00ff00);
    CHECK(find_all(hits, 8, &count, hits, &screen, &part, &o, NULL));
    CHECK_EQ(count, 0);
    image_free(&screen);
    image_free(&part);
}

/* A round icon on one ground is found on another, where it is transparent. */
static void test_holes(bool ring)
{
    enum { SIDE = 31, INNER = 9 };
    image_bitmap screen = {0}, part = {0};
    find_hit hit = {0};
    int count;
    make_screen(&screen, 400, 300);
    image_alloc(&part, SIDE, SIDE, NULL);
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            int dx = x - SIDE / 2, dy = y - SIDE / 2, d = dx * dx + dy * dy;
            bool in = d < 15 * 15 && (!ring || d > 12 * 12);
            uint32_t rgb = picture_random(&find_seed) & 0xffffff;
            picture_set(&part, x, y, rgb);
            part.pixels[(size_t) y * part.stride + (size_t) x * 4 + 3] = in ? 255 : 100;
            if (in) {
                picture_set(&screen, 201 + x, 133 + y, rgb);
            }
        }
    }
    find_options o = {.min_score = 0.95};
    part.alpha = true;
    CHECK(find_all(&hit, 1, &count, NULL, &screen, &part, &o, NULL));
    CHECK(count == 1 && hit.x == 201 && hit.y == 133 && hit.score > 0.9999);
    part.alpha = false;
    CHECK(find_all(&hit, 1, &count, NULL, &screen, &part, &o, NULL));
    CHECK_EQ(count, 0);
    image_free(&screen);
    image_free(&part);
}

/* A line drawing without a ground of its own, one pixel thick: nothing but holes around. Found
 * where it is drawn on any ground, also where the lines are a part of what was there. */
static void test_thin_shapes(void)
{
    enum { SIDE = 28 };
    image_bitmap screen = {0}, part = {0};
    for (int round = 0; round < 12; round++) {
        find_hit hit = {0};
        int count, x0 = random_below(400 - SIDE), y0 = random_below(300 - SIDE);
        make_screen(&screen, 400, 300);
        image_alloc(&part, SIDE, SIDE, NULL);
        part.alpha = true;
        for (int i = 0; i < SIDE; i++) {
            const int at[][2] = {{i, 3}, {3, i}, {i, i}, {SIDE - 1 - i, SIDE / 2}};
            for (int k = 0; k < 4; k++) {
                uint32_t rgb = picture_random(&find_seed) & 0xffffff;
                picture_set(&part, at[k][0], at[k][1], rgb);
                part.pixels[(size_t) at[k][1] * part.stride + (size_t) at[k][0] * 4 + 3] = 255;
            }
        }
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                if (part.pixels[(size_t) y * part.stride + (size_t) x * 4 + 3]) {
                    picture_set(&screen, x0 + x, y0 + y, picture_get(&part, x, y));
                }
            }
        }
        find_options o = {.min_score = 0.9, .scalar = round % 4 == 3};
        change_all(&screen, NOISY);
        CHECK(find_all(&hit, 1, &count, NULL, &screen, &part, &o, NULL));
        if (!CHECK(count == 1 && hit.x == x0 && hit.y == y0)) {
            printf("    at %d, %d: %d hits, %d, %d\n", x0, y0, count, hit.x, hit.y);
        }
    }
    image_free(&screen);
    image_free(&part);
}

/* A sample must not be taken by pixels that differ by chance, nor by a machine's vectors. */
static void test_samples(void)
{
    enum { WIDTH = 203 };
    static float grey[20 * WIDTH], fast[WIDTH], slow[WIDTH];
    image_bitmap part = {0}, row = {0};
    find_template t;
    find_sample sample;
    picture_make(&part, NOISE, 17, 19);
    CHECK(find_template_make(&t, &part, false) && find_sample_make(&sample, &t, 3));
    picture_make(&row, PHOTO, WIDTH, 20);
    for (int y = 0; y < 20; y++) {
        find_sample_grey(&sample, grey + y * WIDTH, row.pixels + (size_t) y * row.stride, WIDTH);
    }
    find_sample_row(&sample, fast, grey, WIDTH, WIDTH - 16, false);
    find_sample_row(&sample, slow, grey, WIDTH, WIDTH - 16, true);
    for (int x = 0; x < WIDTH - 16; x++) {
        CHECK(fast[x] == slow[x]);
        CHECK(fast[x] >= -1.001 && fast[x] <= 1.001);
    }
    find_template_free(&t);
    image_alloc(&part, 17, 19, NULL); /* one colour but for a pixel */
    picture_set(&part, 5, 5, 0x030303);
    CHECK(find_template_make(&t, &part, false) && !find_sample_make(&sample, &t, 3));
    find_template_free(&t);
    picture_make(&part, NOISE, 7, 9); /* fewer pixels than samples */
    CHECK(find_template_make(&t, &part, false) && !find_sample_make(&sample, &t, 3));
    find_template_free(&t);
    image_free(&part);
    image_free(&row);
}

/* The same shapes in other colours, by each way of looking: probes, samples, one colour. */
static void test_tolerance(void)
{
    image_bitmap screen = {0}, parts[3] = {0};
    make_screen(&screen, 300, 200);
    const image_rect at = {40, 50, 30, 26}, pale = {200, 120, 30, 26};
    paint(&screen, (image_rect){30, 40, 50, 46}, 0x808080);
    for (int y = 0; y < at.height; y++) {
        for (int x = 0; x < at.width; x++) {
            picture_set(&screen, at.x + x, at.y + y, picture_random(&find_seed) & 0x7f7f7f);
        }
    }
    image_crop(&parts[0], &screen, at, NULL);
    image_crop(&parts[1], &screen, at, NULL);
    parts[1].alpha = true; /* a net: no room for a probe */
    for (int y = 0; y < at.height; y++) {
        for (int x = 0; x < at.width; x++) {
            bool hole = x % 3 && y % 3;
            parts[1].pixels[(size_t) y * parts[1].stride + (size_t) x * 4 + 3] = hole ? 0 : 255;
            uint32_t rgb = 0, p = picture_get(&parts[0], x, y);
            for (int c = 0; c < 24; c += 8) {
                rgb |= (128 + (p >> c & 255) / 2) << c;
            }
            picture_set(&screen, pale.x + x, pale.y + y, rgb);
        }
    }
    image_alloc(&parts[2], 9, 9, NULL); /* black; nothing of it is there */
    for (int i = 0; i < 3; i++) {
        for (int most = 0; most < 150; most += 30) {
            find_hit hits[8], best;
            int count;
            find_options o = {.min_score = i < 2 ? 0.95 : 0, .max_difference = most};
            CHECK(find_all(hits, 8, &count, &best, &screen, &parts[i], &o, NULL));
            for (int k = 0; k < count; k++) {
                CHECK(most == 0 || hits[k].difference <= most);
            }
            if (i == 2) {
                continue;
            }
            CHECK_EQ(count, most == 0 || most >= 120 ? 2 : 1);
            CHECK(hits[0].x == at.x && hits[0].y == at.y && hits[0].difference == 0);
            o.region = (image_rect){150, 100, 150, 100};
            CHECK(find_all(hits, 1, &count, &best, &screen, &parts[i], &o, NULL));
            CHECK_EQ(count, most == 0 || most >= 120);
            CHECK(best.x == pale.x && best.y == pale.y && best.score > 0.95);
            if (!CHECK(best.difference > 90 && best.difference < 120)) {
                printf("    %d: %.2f\n", i, best.difference);
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        image_free(&parts[i]);
    }
    image_free(&screen);
}

/* Colours of the same brightness: grey would show nothing. */
static void test_colour(void)
{
    image_bitmap screen = {0}, part = {0};
    find_hit hit = {0};
    int count;
    image_alloc(&screen, 300, 200, NULL);
    for (int y = 0; y < 200; y++) {
        for (int x = 0; x < 300; x++) {
            static const uint32_t same[] = {0xc06030, 0x60c030, 0x3060c0};
            picture_set(&screen, x, y, same[picture_random(&find_seed) % 3]);
        }
    }
    image_crop(&part, &screen, (image_rect){111, 57, 24, 24}, NULL);
    find_options o = {.min_score = 0.99};
    CHECK(find_all(&hit, 1, &count, NULL, &screen, &part, &o, NULL));
    CHECK(count == 1 && hit.x == 111 && hit.y == 57);
    image_free(&screen);
    image_free(&part);
}

int main(void)
{
    test_small();
    test_several();
    test_refusals();
    test_flat();
    test_holes(false);
    test_holes(true);
    test_thin_shapes();
    test_samples();
    test_tolerance();
    test_colour();
    base_parallel_stop();
    return check_done();
}
