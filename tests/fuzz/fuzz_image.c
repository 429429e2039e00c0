/*
 * A picture file that holds anything. Each input is read as it is, and where it claims to be PNG
 * once more with every checksum made right, so that damage gets past them. What comes out is a
 * picture whose every pixel can be read and written as JPEG, or a sentence.
 */
#include "fuzz.h"
#include "image/codec/codec.h"
#include "image/jpeg/jpeg.h"
#include "image/png/png.h"

#include <zlib.h>

enum {
    MOST_PIXELS = 1 << 16
}; /* of a picture that is looked at: larger ones take the fuzzer's time */

static void look_at(const image_bitmap *image)
{
    uint8_t *file;
    size_t size, count = (size_t) image->width * (size_t) image->height;
    uint32_t sum = 0;
    base_error err;
    REQUIRE(image->width >= 1 && image->height >= 1 && count <= IMAGE_MAX_PIXELS);
    REQUIRE(image->stride == (size_t) image->width * 4 && !image->borrowed);
    if (count > MOST_PIXELS) {
        return;
    }
    for (size_t i = 0; i < count * 4; i++) {
        sum += image->pixels[i];
    }
    image_bitmap again = {0};
    REQUIRE(jpeg_encode(image, 1 + (int) (sum % 100), &file, &size, &err));
    REQUIRE(codec_decode(&again, file, size, &err));
    REQUIRE(again.width == image->width && again.height == image->height);
    image_free(&again);
    free(file);
}

static void play(const uint8_t *data, size_t size)
{
    image_bitmap image = {0};
    base_error err = {0};
    if (codec_decode(&image, data, size, &err)) {
        REQUIRE(!err.code);
        look_at(&image);
    } else {
        REQUIRE(err.code && err.message[0] && !image.pixels);
    }
    image_free(&image);
}

static void mend_checksums(uint8_t *data, size_t size)
{
    enum { FIRST = 8, FRAME = 12 };
    for (size_t at = FIRST; at + FRAME <= size;) {
        uint8_t *p = data + at;
        size_t length = (size_t) p[0] << 24 | (size_t) p[1] << 16 | (size_t) p[2] << 8 | p[3];
        if (length > size - at - FRAME) {
            return;
        }
        uint32_t crc = (uint32_t) crc32(0, p + 4, (uInt) length + 4);
        for (int i = 0; i < 4; i++) {
            p[8 + length + (size_t) i] = (uint8_t) (crc >> (24 - 8 * i));
        }
        at += length + FRAME;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Of exactly its size, so that a step beyond its end is seen. */
    uint8_t *copy = malloc(size ? size : 1);
    REQUIRE(copy);
    memcpy(copy, data, size);
    play(copy, size);
    if (png_recognise(copy, size)) {
        mend_checksums(copy, size);
        play(copy, size);
    }
    free(copy);
    return 0;
}
