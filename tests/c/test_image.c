#include "base/base64.h"
#include "base/parallel.h"
#include "check.h"
#include "image/image.h"
#include "picture.h"

#include <limits.h>
#include <stdatomic.h>

static void test_alloc(void)
{
    image_bitmap image = {0};
    base_error err = {0};
    CHECK(image_alloc(&image, 3, 2, &err));
    CHECK_EQ(image.width, 3);
    CHECK_EQ(image.height, 2);
    CHECK(image.stride >= 12 && image.stride % 4 == 0);
    CHECK_EQ(image.pixels[0] | image.pixels[image.stride + 11], 0);
    uint8_t *before = image.pixels;
    const int bad[][2] = {{0, 1}, {1, 0}, {-1, 5}, {32768, 1}, {1, INT_MAX}, {INT_MIN, INT_MIN}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!image_alloc(&image, bad[i][0], bad[i][1], &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    CHECK(image.pixels == before);
    image_free(&image);
    CHECK(image.pixels == NULL);
    image_free(&image);
}

static void test_borrowed(void)
{
    uint8_t pixels[4] = {1, 2, 3, 4};
    image_bitmap image = {1, 1, 4, pixels, .borrowed = true};
    image_bitmap copy = {0};
    CHECK(image_crop(&copy, &image, (image_rect){0, 0, 1, 1}, NULL));
    image_free(&image);
    CHECK_EQ(picture_get(&copy, 0, 0), 0x030201);
    image_free(&copy);
}

static int given_back;

static void give_back(image_share *share)
{
    (void) share;
    given_back++;
}

/* All of a shared picture is shared again, a part is copied, and what is painted on becomes its
 * own. */
static void test_shared(void)
{
    uint8_t pixels[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    image_share share = {.users = 1, .unused = give_back, .pixels = pixels};
    image_bitmap image = {2, 2, 8, pixels, .borrowed = true, .share = &share};
    image_bitmap whole = {0}, part = {0};
    CHECK(image_crop(&whole, &image, (image_rect){0, 0, 2, 2}, NULL));
    CHECK(image_crop(&part, &image, (image_rect){1, 0, 1, 1}, NULL));
    CHECK(whole.pixels == pixels && whole.share == &share);
    CHECK(part.share == NULL && !part.borrowed);
    CHECK_EQ(picture_get(&part, 0, 0), 0x070605);
    image_free(&image);
    CHECK_EQ(given_back, 0);
    CHECK(image_own(&part, NULL) && image_own(&whole, NULL));
    CHECK_EQ(given_back, 1);
    CHECK(whole.pixels != pixels && !whole.share && !whole.borrowed);
    CHECK_EQ(picture_get(&whole, 1, 0), 0x070605);
    image_free(&whole);
    image_free(&part);
}

static void test_crop(void)
{
    image_bitmap image = {0}, part = {0};
    base_error err = {0};
    picture_make(&image, NOISE, 20, 10);
    CHECK(image_crop(&part, &image, (image_rect){17, 8, 3, 2}, &err));
    CHECK_EQ(part.width, 3);
    CHECK_EQ(picture_get(&part, 2, 1), picture_get(&image, 19, 9));
    const image_rect bad[] = {
        {-1, 0, 2, 2}, {0, -1, 2, 2}, {18, 0, 3, 2},      {0, 9, 2, 2},       {0, 0, 0, 1},
        {0, 0, 1, 0},  {20, 0, 1, 1}, {INT_MAX, 0, 1, 1}, {1, 1, INT_MAX, 1}, {0, 0, 1, INT_MIN},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(!image_crop(&part, &image, bad[i], &err));
        CHECK_EQ(err.code, BASE_INVALID);
    }
    CHECK_EQ(part.width, 3);
    uint32_t corner = picture_get(&image, 5, 5);
    CHECK(image_crop(&image, &image, (image_rect){5, 5, 4, 4}, &err));
    CHECK_EQ(picture_get(&image, 0, 0), corner);
    image_free(&part);
    image_free(&image);
}

enum { ITERATIONS = 1000 };

static atomic_bool bad_worker; /* CHECK itself is for one thread */

static void count_up(void *context, int index)
{
    atomic_int *counts = context;
    atomic_fetch_add(&counts[index], 1);
    if (base_parallel_worker() < 0 || base_parallel_worker() >= BASE_PARALLEL_MAX) {
        atomic_store(&bad_worker, true);
    }
}

static void test_parallel(void)
{
    static atomic_int counts[ITERATIONS];
    int rounds = 0;
    for (int threads = 0; threads <= BASE_PARALLEL_MAX + 1; threads += 3) {
        base_parallel_set_threads(threads);
        for (int count = 0; count <= ITERATIONS; count += 125, rounds++) {
            base_parallel(count, count_up, counts);
        }
    }
    bool ok = true;
    for (int i = 0; i < ITERATIONS; i++) {
        ok = ok && counts[i] == rounds / 9 * (8 - i / 125);
    }
    CHECK(ok);
    base_parallel_stop();
    base_parallel_stop();
    base_parallel_set_threads(0);
    base_parallel(3, count_up, counts);
    CHECK_EQ(counts[0], rounds / 9 * 8 + 1);
    CHECK(!atomic_load(&bad_worker));
    base_parallel_stop();
}

/* The textbook's way, to hold the fast one against. */
static void slow_base64(char *out, const uint8_t *data, size_t size)
{
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t v = 0;
        for (size_t k = 0; k < 3; k++) {
            v = v << 8 | (i + k < size ? data[i + k] : 0);
        }
        for (size_t k = 0; k < 4; k++) {
            *out++ = i + k > size ? '=' : letters[v >> (18 - 6 * k) & 63];
        }
    }
}

static void test_base64(void)
{
    uint8_t data[300];
    uint32_t state = 1;
    for (size_t size = 0; size <= sizeof data; size++) {
        for (size_t i = 0; i < size; i++) {
            data[i] = (uint8_t) picture_random(&state);
        }
        char fast[512], slow[512];
        fast[base_base64_size(size)] = 'x';
        base_base64(fast, data, size);
        slow_base64(slow, data, size);
        CHECK(memcmp(fast, slow, base_base64_size(size)) == 0);
        CHECK(fast[base_base64_size(size)] == 'x');
        uint8_t back[302];
        size_t length = 0;
        memset(back, 0xa5, sizeof back);
        CHECK(base_base64_decode(back, &length, fast, base_base64_size(size)));
        CHECK_EQ(length, size);
        CHECK(memcmp(back, data, size) == 0);
        CHECK(back[size] == 0xa5);
    }
    char text[9] = {0};
    base_base64(text, (const uint8_t *) "fooba", 5);
    CHECK_STR(text, "Zm9vYmE=");
    static const char *const wrong[] = {
        "Z",    "Zm9",      "Zm9v\n",  "Z===",         "====", "Zm=v",
        "Zm9-", "Zm9v=AAA", "\xc3m9v", "Zm9vYm==A===", "=m9v"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t out[16];
        size_t length;
        CHECK(!base_base64_decode(out, &length, wrong[i], strlen(wrong[i])));
    }
}

int main(void)
{
    test_alloc();
    test_borrowed();
    test_shared();
    test_crop();
    test_parallel();
    test_base64();
    return check_done();
}
