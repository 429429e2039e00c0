/* Where text may be on a screen, how it is made ready to be read, and how what was read is known
 * again: on made-up pictures, where every pixel is known. */
#include "check.h"
#include "ocr/ocr_cache.h"
#include "ocr/ocr_detect.h"
#include "ocr/ocr_engine.h"
#include "ocr/ocr_ink.h"
#include "ocr/ocr_sign.h"
#include "picture.h"

#include <stdio.h>

enum { PAPER = 0xf0f0f0, INK = 0x202020, LETTER = 8, BODY = 9 };

static image_bitmap paper(int width, int height)
{
    image_bitmap image = {0};
    if (!image_alloc(&image, width, height, NULL)) {
        abort();
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            picture_set(&image, x, y, PAPER);
        }
    }
    return image;
}

static void fill(image_bitmap *image, image_rect r, uint32_t colour)
{
    for (int y = r.y; y < r.y + r.height; y++) {
        for (int x = r.x; x < r.x + r.width; x++) {
            picture_set(image, x, y, colour);
        }
    }
}

/* Letters like m: three upright strokes and a bar. */
static void write_letters(image_bitmap *image, int x, int y, int count, uint32_t colour)
{
    for (int i = 0; i < count; i++, x += LETTER) {
        fill(image, (image_rect){x, y, 1, BODY}, colour);
        fill(image, (image_rect){x + 3, y, 1, BODY}, colour);
        fill(image, (image_rect){x + 6, y, 1, BODY}, colour);
        fill(image, (image_rect){x, y, 7, 1}, colour);
    }
}

static ocr_areas find(const image_bitmap *image)
{
    ocr_areas areas;
    base_error err = {0};
    if (!CHECK(ocr_detect(image, &areas, &err))) {
        printf("    %s\n", err.message);
    }
    return areas;
}

static void check_around(image_rect area, image_rect text)
{
    bool around = area.x <= text.x && area.y <= text.y &&
                  area.x + area.width >= text.x + text.width &&
                  area.y + area.height >= text.y + text.height;
    bool close = area.width <= text.width + 8 && area.height <= text.height + 8;
    if (!CHECK(around) || !CHECK(close)) {
        printf("    %d,%d %dx%d around %d,%d %dx%d\n", area.x, area.y, area.width, area.height,
               text.x, text.y, text.width, text.height);
    }
}

static void test_words_and_frames(void)
{
    image_bitmap image = paper(640, 400);
    write_letters(&image, 40, 50, 4, INK);
    write_letters(&image, 40 + 5 * LETTER, 50, 6, INK); /* a word further on, in the same line */
    write_letters(&image, 300, 50, 5, INK);             /* a column of its own */
    fill(&image, (image_rect){20, 100, 500, 1}, INK);   /* a separator */
    fill(&image, (image_rect){20, 100, 1, 200}, INK);   /* a window's frame */
    write_letters(&image, 30, 120, 9, 0xa0a0a0);        /* disabled, close to the frame */
    ocr_areas areas = find(&image);
    if (CHECK_EQ(areas.count, 3)) {
        check_around(areas.items[0].rect, (image_rect){40, 50, 11 * LETTER - 1, BODY});
        check_around(areas.items[1].rect, (image_rect){300, 50, 5 * LETTER - 1, BODY});
        check_around(areas.items[2].rect, (image_rect){30, 120, 9 * LETTER - 1, BODY});
        for (int i = 0; i < 3; i++) {
            CHECK(!areas.items[i].block);
        }
    }
    ocr_areas_free(&areas);
    image_free(&image);
}

/* What stands alone in a field, with its sign; "" for none. */
static void test_lone_signs(void)
{
    static const struct {
        image_rect parts[3];
        const char *sign;
    } cases[] = {
        {{{100, 50, 5, 1}}, "-"},
        {{{100, 50, 8, 2}}, "-"},
        {{{100, 50, 2, 2}}, "."},
        {{{100, 50, 3, 3}}, "."},
        {{{100, 50, 8, 1}, {100, 53, 8, 1}}, "="},
        {{{100, 50, 9, 2}, {100, 55, 9, 2}}, "="},
        {{{100, 50, 2, 2}, {100, 54, 2, 2}}, ""},                  /* a colon */
        {{{100, 50, 7, 1}, {100, 53, 7, 1}, {100, 56, 7, 1}}, ""}, /* a menu's three bars */
        {{{100, 50, 7, 1}, {101, 51, 5, 1}, {102, 52, 3, 1}}, ""}, /* an arrow */
        {{{100, 50, 5, 1}, {112, 47, 1, 7}}, ""},                  /* beside something */
        {{{100, 50, 40, 1}}, ""},                                  /* a line */
        {{{100, 50, 5, 1}, {95, 44, 20, 1}}, ""},                  /* below one */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        image_bitmap image = paper(200, 100);
        for (int k = 0; k < 3 && cases[i].parts[k].width > 0; k++) {
            fill(&image, cases[i].parts[k], INK);
        }
        ocr_areas areas = find(&image);
        const char *sign = NULL;
        image_rect at = {0};
        for (size_t k = 0; k < areas.count && !sign; k++) {
            sign = areas.items[k].sign ? ocr_sign(&image, areas.items[k].rect, &at) : NULL;
        }
        CHECK_STR(sign ? sign : "", cases[i].sign);
        if (sign) {
            CHECK_EQ(areas.count, 1);
            CHECK_EQ(at.x, 100);
            CHECK_EQ(at.y, 50);
            CHECK_EQ(at.width, cases[i].parts[0].width);
        }
        ocr_areas_free(&areas);
        image_free(&image);
    }
}

/* Lines whose letters touch: tails of one line reach the next. */
static void test_lines_are_cut(void)
{
    enum { LINES = 6, PITCH = BODY + 4 };
    image_bitmap image = paper(400, 200);
    for (int i = 0; i < LINES; i++) {
        write_letters(&image, 20, 20 + i * PITCH, 30, INK);
        fill(&image, (image_rect){20 + 5 * LETTER, 20 + i * PITCH, 1, PITCH}, INK);
    }
    ocr_areas areas = find(&image);
    CHECK_EQ(areas.count, LINES);
    for (size_t i = 0; i < areas.count; i++) {
        CHECK(!areas.items[i].block);
        CHECK(areas.items[i].rect.height <= PITCH + 6);
    }
    ocr_areas_free(&areas);
    image_free(&image);
}

static void test_edges_of_the_picture(void)
{
    static const int sizes[][2] = {{1, 1}, {2, 3}, {5, 1}, {1, 9}, {30, 12}, {33, 70}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        image_bitmap image;
        image = (image_bitmap){0};
        picture_make(&image, NOISE, sizes[i][0], sizes[i][1]);
        ocr_areas areas = find(&image);
        for (size_t k = 0; k < areas.count; k++) {
            image_rect r = areas.items[k].rect;
            CHECK(r.x >= 0 && r.y >= 0 && r.x + r.width <= image.width &&
                  r.y + r.height <= image.height);
        }
        ocr_areas_free(&areas);
        image_free(&image);
    }
    image_bitmap image = {0};
    picture_make(&image, SOLID, 300, 200);
    ocr_areas areas = find(&image);
    CHECK_EQ(areas.count, 0);
    image_free(&image);
    /* Noise is no text; a few scraps of it could be. */
    picture_make(&image, NOISE, 300, 200);
    areas = find(&image);
    for (size_t i = 0; i < areas.count; i++) {
        CHECK(areas.items[i].rect.width * areas.items[i].rect.height < 3000);
    }
    ocr_areas_free(&areas);
    image_free(&image);
}

static int ink_at(const ocr_ink_image *ink, int x, int y)
{
    int middle = ink->scale / 2;
    return ink->pixels[(size_t) (ink->border + y * ink->scale + middle) * (size_t) ink->width +
                       (size_t) (ink->border + x * ink->scale + middle)];
}

/* Whatever the colours, letters are black and what is around them white. */
static void test_ink(void)
{
    static const uint32_t colours[][2] = {
        {0xffffff, 0x000000}, {0x000000, 0xffffff}, {0xb02040, 0xf0f0f0}, {0xf0f0f0, 0xa8a8a8}};
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++) {
        for (int scale = 1; scale <= 4; scale++) {
            image_bitmap image = paper(120, 30);
            fill(&image, (image_rect){0, 0, 120, 30}, colours[i][0]);
            fill(&image, (image_rect){50, 10, 6, 9}, colours[i][1]);
            ocr_ink_image ink;
            base_error err;
            if (CHECK(ocr_ink(&ink, &image, (image_rect){10, 5, 100, 20}, scale, &err))) {
                CHECK_EQ(ink.width, 100 * scale + 2 * ink.border);
                CHECK_EQ(ink.height, 20 * scale + 2 * ink.border);
                CHECK_EQ(ink.pixels[0], 255);
                CHECK(ink_at(&ink, 42, 9) < 20);
                CHECK(ink_at(&ink, 20, 9) > 235);
                CHECK(ink_at(&ink, 42, 2) > 235);
                ocr_ink_free(&ink);
            }
            image_free(&image);
        }
    }
}

/* A selected word has a background of its own. */
static void test_ink_of_a_selection(void)
{
    image_bitmap image = paper(300, 20);
    write_letters(&image, 10, 5, 12, INK);
    fill(&image, (image_rect){150, 0, 100, 20}, 0x3060c0);
    write_letters(&image, 155, 5, 11, 0xffffff);
    ocr_ink_image ink;
    base_error err;
    if (CHECK(ocr_ink(&ink, &image, (image_rect){0, 0, 300, 20}, 1, &err))) {
        CHECK(ink_at(&ink, 10, 9) < 60);
        CHECK(ink_at(&ink, 155 + 3 * LETTER, 9) < 60);
        CHECK(ink_at(&ink, 155 + 3 * LETTER + 4, 16) > 200);
        ocr_ink_free(&ink);
    }
    image_free(&image);
}

/* Every pixel of an area counts, whatever the width, and of each its colour. */
static void test_key(void)
{
    image_bitmap image = paper(24, 3);
    for (int width = 1; width <= 20; width++) {
        ocr_area_box area = {{2, 1, width, 2}, false, false};
        ocr_key key = ocr_key_of(&image, &area, "eng");
        for (int at = 0; at < 24 * 3; at++) {
            int x = at % 24, y = at / 24;
            bool inside = x >= 2 && x < 2 + width && y >= 1;
            uint8_t *pixel = image.pixels + (size_t) y * image.stride + (size_t) x * 4;
            for (int channel = 0; channel < 4; channel++) {
                pixel[channel] ^= 1;
                ocr_key other = ocr_key_of(&image, &area, "eng");
                bool same = other.a == key.a && other.b == key.b;
                if (!CHECK(same == !(inside && channel < 3))) {
                    printf("width %d, pixel %d,%d, channel %d\n", width, x, y, channel);
                }
                pixel[channel] ^= 1;
            }
        }
    }
    image_free(&image);
}

static void test_memory(void)
{
    ocr_cache *cache = ocr_cache_new();
    image_bitmap image = paper(60, 40), other = paper(60, 40);
    ocr_area_box area = {{5, 5, 20, 10}, false, false}, moved = {{30, 20, 20, 10}, false, false};
    ocr_key key = ocr_key_of(&image, &area, "eng");
    ocr_key elsewhere = ocr_key_of(&image, &moved, "eng");
    CHECK(key.a == elsewhere.a && key.b == elsewhere.b);
    picture_set(&other, 10, 10, PAPER ^ 1);
    ocr_key changed = ocr_key_of(&other, &area, "eng"), german = ocr_key_of(&image, &area, "deu");
    CHECK(changed.a != key.a && german.a != key.a);
    ocr_key all = ocr_key_of_all(&image, "eng"), all_changed = ocr_key_of_all(&other, "eng");
    CHECK(all.a != all_changed.a && all.a != key.a);
    CHECK(!ocr_cache_find(cache, key));
    for (int i = 0; i < 10000; i++) { /* far more than are kept; the first is asked for all along */
        ocr_key next = {key.a + (uint64_t) i * 7, key.b};
        ocr_text text = {0};
        char word[16];
        snprintf(word, sizeof word, "w%d", i);
        CHECK(ocr_text_add(&text, (ocr_word){{1, 2, 3, 4}, 1, 0, word}, NULL));
        ocr_cache_keep(cache, next, &text);
        const ocr_text *first = ocr_cache_find(cache, key);
        if (!CHECK(first && first->count == 1 && strcmp(first->words[0].text, "w0") == 0)) {
            break;
        }
    }
    CHECK(!ocr_cache_find(cache, (ocr_key){key.a + 7, key.b}));
    ocr_cache_free(cache);
    image_free(&image);
    image_free(&other);
}

/* What is read is untrusted: controls go, no word is without end. */
static void test_words_are_cleaned(void)
{
    ocr_text text = {0};
    char endless[1000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    ocr_word word = {{0, 0, 1, 1}, 1, 0, "a\033[31mb\xff"};
    CHECK(ocr_text_add(&text, word, NULL));
    word.text = "\a\b";
    CHECK(ocr_text_add(&text, word, NULL));
    word.text = endless;
    CHECK(ocr_text_add(&text, word, NULL));
    if (CHECK_EQ(text.count, 2)) {
        CHECK_STR(text.words[0].text, "a[31mb\xef\xbf\xbd");
        CHECK_EQ(strlen(text.words[1].text), OCR_MAX_WORD);
    }
    ocr_text_free(&text);
}

int main(void)
{
    test_words_and_frames();
    test_lone_signs();
    test_lines_are_cut();
    test_edges_of_the_picture();
    test_ink();
    test_ink_of_a_selection();
    test_key();
    test_memory();
    test_words_are_cleaned();
    return check_done();
}
