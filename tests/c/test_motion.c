/* What moves on the screen by itself. */
#include "desk/motion.h"

#include "check.h"

#include <limits.h>

#define MS UINT64_C(1000000)

static const image_rect video = {100, 100, 60, 40}, button = {400, 100, 60, 20};

/* Changes an area every `every` ms, from `from` to `to`. Whether all of them counted as others. */
static bool run(desk_motion *m, image_rect area, int from, int to, int every)
{
    bool all = true;
    for (int at = from; at <= to; at += every) {
        all = desk_motion_note(m, area, at * MS, at * MS) && all;
    }
    return all;
}

static bool at(desk_motion *m, image_rect area, int when)
{
    return desk_motion_note(m, area, when * MS, when * MS);
}

static void act(desk_motion *m, int when)
{
    desk_motion_act(m, when * MS);
}

/* Before an act for a second, and on: not the act's doing, until it stops for a moment. */
static void test_video(void)
{
    desk_motion m = {0};
    CHECK(run(&m, video, 1000, 2100, 20));
    act(&m, 2110);
    CHECK(!at(&m, video, 2130));
    CHECK(at(&m, button, 2140));
    CHECK(at(&m, (image_rect){100, 100, 400, 40}, 2150)); /* the video and more */
    CHECK(!at(&m, video, 2160));
    act(&m, 2170); /* and soon after the act before */
    CHECK(!at(&m, video, 2190));
    CHECK(at(&m, video, 2190 + 30 + 55));
    CHECK(run(&m, video, 2290, 2600, 20));
    act(&m, 2610); /* for less than a second since it stopped */
    CHECK(at(&m, video, 2630));
    desk_motion_clear(&m);
    CHECK(at(&m, video, 2650));
    desk_motion_clear(&m);
}

static void test_not_by_itself(void)
{
    desk_motion m = {0};
    CHECK(run(&m, video, 1000, 1980, 20));
    act(&m, 1981); /* for less than a second */
    CHECK(run(&m, video, 2000, 3100, 20));
    act(&m, 3300); /* and that has come to rest */
    CHECK(at(&m, video, 3310));
    desk_motion_clear(&m);
    CHECK(run(&m, video, 1000, 2080, 135));
    act(&m, 2090); /* nine times: slow drawing that an act has set off */
    CHECK(at(&m, video, 2020));
    desk_motion_clear(&m);
    /* A burst, and then something at long last: no pace. */
    CHECK(run(&m, video, 1000, 1500, 10));
    CHECK(at(&m, video, 2400));
    act(&m, 2410);
    CHECK(at(&m, video, 2420));
    desk_motion_clear(&m);
    /* Each time an act's doing. */
    for (int when = 1000; when < 9000; when += 300) {
        act(&m, when);
        CHECK(at(&m, video, when + 10));
    }
    desk_motion_clear(&m);
}

static void test_clock(void)
{
    desk_motion m = {0};
    CHECK(run(&m, button, 1000, 10000, 1000));
    act(&m, 10900);
    CHECK(!at(&m, button, 11000));
    CHECK(!at(&m, button, 12100)); /* late, but a clock */
    desk_motion_clear(&m);
    CHECK(run(&m, button, 1000, 20500, 1300));
    act(&m, 20600); /* too slow: it is never in the way of a quiet time */
    CHECK(at(&m, button, 21400));
    desk_motion_clear(&m);
}

/* While nobody looks there is no pause: it may have gone on. */
static void test_not_looked_at(void)
{
    desk_motion m = {0};
    CHECK(run(&m, video, 1000, 2000, 20));
    CHECK(desk_motion_note(&m, video, 2005 * MS, 2800 * MS));
    act(&m, 2801);
    CHECK(!at(&m, video, 2820));
    CHECK(!desk_motion_note(&m, video, 2825 * MS, 3800 * MS));
    act(&m, 3801);
    CHECK(!at(&m, video, 3820));
    desk_motion_clear(&m);
    /* Only when something has changed. */
    for (uint64_t when = 1000; when <= 2100; when += 60) {
        CHECK(desk_motion_note(&m, video, (when - 60) * MS, when * MS));
    }
    act(&m, 2140);
    CHECK(!at(&m, video, 2150));
    desk_motion_clear(&m);
}

/* What is not on a screen of any size never moves by itself, and costs no memory. */
static void test_places(void)
{
    static const image_rect places[] = {
        {-10, 0, 20, 20},     {0, -10, 20, 20},        {8190, 0, 10, 10},    {0, 8190, 10, 10},
        {INT_MAX, 0, 10, 10}, {0, 0, INT_MAX, 10},     {INT_MIN, 0, 10, 10}, {0, 0, 0, 10},
        {5, 5, -3, 10},       {0, INT_MAX, 1, INT_MAX}};
    desk_motion m = {0};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        CHECK(run(&m, places[i], 1000, 3000, 20));
        act(&m, 3001);
        CHECK(at(&m, places[i], 3010));
    }
    CHECK_EQ(m.columns, 0);
    /* The corners of cells: what touches one is in it. */
    image_rect cell = {DESK_MOTION_CELL, DESK_MOTION_CELL, DESK_MOTION_CELL, DESK_MOTION_CELL};
    CHECK(run(&m, cell, 4000, 6000, 20));
    act(&m, 6001);
    CHECK(!at(&m, (image_rect){31, 31, 1, 1}, 6010));
    CHECK(at(&m, (image_rect){31, 31, 2, 1}, 6011));
    CHECK(at(&m, (image_rect){15, 16, 2, 1}, 6012));
    CHECK(at(&m, (image_rect){8000, 8000, 192, 192}, 6013)); /* a larger screen */
    CHECK_EQ(m.columns, 512);
    CHECK(!at(&m, cell, 6014));
    desk_motion_clear(&m);
}

int main(void)
{
    test_video();
    test_not_by_itself();
    test_clock();
    test_not_looked_at();
    test_places();
    return check_done();
}
