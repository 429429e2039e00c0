/*
 * pngsuite FOLDER: reads Willem van Schaik's PngSuite, which comes with the sources of libpng.
 * Its pictures are 32 x 32; most are there twice, plain and interlaced.
 */
#include "check.h"
#include "image/codec/codec.h"
#include "picture.h"

#include <stdio.h>

static const char *const names[] = {
    "basn0g01",  "basn0g02",  "basn0g04",  "basn0g08",  "basn0g16",  "basn2c08",
    "basn2c16",  "basn3p01",  "basn3p02",  "basn3p04",  "basn3p08",  "basn4a08",
    "basn4a16",  "basn6a08",  "basn6a16",  "ftbbn0g01", "ftbbn0g02", "ftbbn0g04",
    "ftbbn2c16", "ftbbn3p08", "ftbgn2c16", "ftbgn3p08", "ftbrn2c08", "ftbwn0g16",
    "ftbwn3p08", "ftbyn3p08", "ftp0n0g08", "ftp0n2c08", "ftp0n3p08", "ftp1n3p08",
};

static const char *const interlaced[] = {
    "basn0g08",  "basn0g16",  "basn2c08",  "basn2c16",  "basn3p08",  "basn4a08",  "basn4a16",
    "basn6a08",  "basn6a16",  "ftbbn2c16", "ftbbn3p08", "ftbgn2c16", "ftbgn3p08", "ftbrn2c08",
    "ftbwn0g16", "ftbwn3p08", "ftbyn3p08", "ftp0n0g08", "ftp0n2c08", "ftp0n3p08", "ftp1n3p08",
};

static bool load(image_bitmap *image, const char *folder, const char *prefix, const char *name)
{
    static uint8_t data[1 << 16];
    char path[500];
    snprintf(path, sizeof path, "%s/%s%s.png", folder, prefix, name);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(data, 1, sizeof data, file) : 0;
    if (file) {
        fclose(file);
    }
    base_error err = {0};
    bool ok = CHECK(codec_decode(image, data, size, &err)) && CHECK_EQ(image->width, 32) &&
              CHECK_EQ(image->height, 32);
    if (!ok) {
        printf("    %s: %zu bytes, %s\n", path, size, err.message);
    }
    return ok;
}

/* Names tell: "ft..." have transparent colours, 4 and 6 are the kinds with a channel for it. */
static bool has_alpha(const char *name)
{
    return (name[0] == 'f' && strncmp(name, "ftp0", 4) != 0) || name[4] == '4' || name[4] == '6';
}

static bool same(const image_bitmap *a, const image_bitmap *b)
{
    return picture_equal(a, b) && a->alpha == b->alpha &&
           (!a->alpha || memcmp(a->pixels, b->pixels, a->stride * (size_t) a->height) == 0);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    image_bitmap plain = {0}, other = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK(load(&plain, folder, "", names[i]));
        if (!CHECK_EQ(plain.alpha, has_alpha(names[i]))) {
            printf("    %s\n", names[i]);
        }
    }
    for (size_t i = 0; i < sizeof interlaced / sizeof *interlaced; i++) {
        bool both =
            load(&plain, folder, "", interlaced[i]) && load(&other, folder, "i", interlaced[i]);
        if (!CHECK(both && same(&plain, &other))) {
            printf("    %s and i%s\n", interlaced[i], interlaced[i]);
        }
    }
    image_free(&plain);
    image_free(&other);
    return check_done();
}
