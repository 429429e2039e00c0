/* Writing JPEG files, judged by libjpeg's reading of them. */
#include "jpeg_file.h"

#include <math.h>

/* The root of the mean square of the differences, 0..255. */
static double difference(const image_bitmap *a, const image_bitmap *b)
{
    double sum = 0;
    for (int y = 0; y < a->height; y++) {
        for (int x = 0; x < a->width; x++) {
            uint32_t p = picture_get(a, x, y), q = picture_get(b, x, y);
            for (int c = 0; c < 24; c += 8) {
                double d = (double) (p >> c & 255) - (double) (q >> c & 255);
                sum += d * d;
            }
        }
    }
    return sqrt(sum / 3 / a->width / a->height);
}

/* Writes the picture and returns how far libjpeg's reading of the file is from it. */
static double write_and_compare(const image_bitmap *image, int quality, size_t *size)
{
    uint8_t *data = NULL;
    base_error err = {0};
    image_bitmap read = {0};
    int sampling;
    if (!CHECK(jpeg_encode(image, quality, &data, size, &err))) {
        return 255;
    }
    CHECK(jpeg_recognise(data, *size));
    jpeg_read_by_libjpeg(&read, data, *size, &sampling);
    CHECK_EQ(sampling, 22);
    CHECK_EQ(read.width, image->width);
    CHECK_EQ(read.height, image->height);
    double far = difference(image, &read);
    jpeg_file f = {data, (unsigned long) *size};
    CHECK(jpeg_readers_agree(&f));
    image_free(&read);
    free(data);
    return far;
}

static void test_writing(void)
{
    for (int width = 1; width < 300; width += width < 18 ? 1 : 71) {
        image_bitmap image = {0};
        size_t size;
        picture_make(&image, PHOTO, width, 1 + width * 5 % 67);
        double far = write_and_compare(&image, 95, &size);
        if (!CHECK(far < 4)) {
            printf("    %d x %d: %.2f\n", image.width, image.height, far);
        }
        image_free(&image);
    }
}

static void test_quality(void)
{
    image_bitmap image = {0};
    size_t size, before = 0;
    double nearer = 255;
    picture_make(&image, TEXT, 400, 300);
    for (int quality = 10; quality <= 100; quality += 15) {
        double far = write_and_compare(&image, quality, &size);
        CHECK(far < nearer && size > before);
        nearer = far;
        before = size;
    }
    CHECK(nearer < 2);
    CHECK(write_and_compare(&image, 1, &size) < 80);
    image_free(&image);
}

/* A part of a larger picture, in its own memory, and the same part by itself: the same file. */
static void test_stride(void)
{
    image_bitmap whole = {0}, part = {0};
    uint8_t *of_view, *of_part;
    size_t view_size, part_size;
    picture_make(&whole, PHOTO, 200, 150);
    image_bitmap view = {91, 101, whole.stride, whole.pixels + 10 * whole.stride + 40 * 4,
                         .borrowed = true};
    CHECK(image_crop(&part, &whole, (image_rect){40, 10, 91, 101}, NULL));
    for (size_t i = 3; i < part.stride * (size_t) part.height; i += 4) {
        part.pixels[i] ^= 0x55; /* of no consequence */
    }
    CHECK(jpeg_encode(&view, 80, &of_view, &view_size, NULL));
    CHECK(jpeg_encode(&part, 80, &of_part, &part_size, NULL));
    CHECK_EQ(view_size, part_size);
    CHECK(view_size == part_size && memcmp(of_view, of_part, part_size) == 0);
    free(of_view);
    free(of_part);
    image_free(&part);
    image_free(&whole);
}

/* More than the first buffer takes, several times over. */
static void test_large(void)
{
    image_bitmap image = {0};
    size_t size;
    picture_make(&image, NOISE, 1500, 700);
    CHECK(write_and_compare(&image, 100, &size) < 100);
    CHECK(size > 1000 * 1000);
    image_free(&image);
    picture_make(&image, SOLID, IMAGE_MAX_SIDE, 2);
    CHECK(write_and_compare(&image, 90, &size) < 4);
    image_free(&image);
}

int main(void)
{
    test_writing();
    test_quality();
    test_stride();
    test_large();
    return check_done();
}
