/* Reading PNG files: what a pixel has to be follows from the format's definition, not from what a
 * library makes of it. */
#include "check.h"
#include "image/png/png.h"
#include "png_file.h"

/* A sample in 8 bits, rounded. */
static uint32_t level(const png_source *s, int y, int x, int channel)
{
    uint32_t most = (1u << s->depth) - 1;
    return (s->samples[y][x][channel] * 255u + most / 2) / most;
}

static bool is_hole(const png_source *s, int y, int x)
{
    bool may_be = s->transparent && s->colour != PNG_COLOR_TYPE_PALETTE;
    return may_be && memcmp(s->samples[y][x], s->samples[0][0], sizeof s->samples[0][0]) == 0;
}

/* 0xAARRGGBB. */
static uint32_t expected(const png_source *s, int y, int x)
{
    uint32_t alpha = is_hole(s, y, x) ? 0 : 255;
    if (s->colour == PNG_COLOR_TYPE_PALETTE) {
        int i = s->samples[y][x][0];
        png_color c = png_palette_colour(i);
        if (s->transparent && i < png_transparent_colours(s->depth)) {
            alpha = png_palette_alphas[i];
        }
        return alpha << 24 | (uint32_t) c.red << 16 | (uint32_t) c.green << 8 | c.blue;
    }
    if (s->colour & PNG_COLOR_MASK_ALPHA) {
        alpha = level(s, y, x, s->channels - 1);
    }
    if (s->colour & PNG_COLOR_MASK_COLOR) {
        return alpha << 24 | level(s, y, x, 0) << 16 | level(s, y, x, 1) << 8 | level(s, y, x, 2);
    }
    return alpha << 24 | level(s, y, x, 0) * 0x010101u;
}

static bool reads_as_expected(const png_file *f, const png_source *s)
{
    image_bitmap image = {0};
    base_error err = {0};
    if (!png_decode(&image, f->data, f->size, &err)) {
        printf("    %s\n", err.message);
        return false;
    }
    bool alpha = s->transparent || (s->colour & PNG_COLOR_MASK_ALPHA);
    bool ok = image.width == s->width && image.height == s->height && image.alpha == alpha;
    for (int i = 0; ok && i < s->width * s->height; i++) {
        int x = i % s->width, y = i / s->width;
        uint32_t alpha_read = image.pixels[(size_t) y * image.stride + (size_t) x * 4 + 3];
        uint32_t read = alpha_read << 24 | picture_get(&image, x, y);
        ok = read == expected(s, y, x);
        if (!ok) {
            printf("    pixel %d, %d is %08x and not %08x\n", x, y, read, expected(s, y, x));
        }
    }
    image_free(&image);
    return ok;
}

static void test_every_kind(void)
{
    static png_file f;
    static png_source s;
    int files = 0;
    for (int kind = 0; kind < PNG_KINDS; kind++) {
        bool may_have_holes = !(png_kinds[kind][1] & PNG_COLOR_MASK_ALPHA);
        for (int variant = 0; variant < 4; variant++) {
            int interlace = variant & 1, transparent = variant >> 1;
            if (transparent && !may_have_holes) {
                continue;
            }
            for (int width = 1; width < 40; width += width < 9 ? 1 : 11) {
                s = png_source_make(png_kinds[kind], width, 1 + (width * 7) % 37, interlace,
                                    transparent);
                png_file_write(&f, &s);
                files++;
                if (!CHECK(reads_as_expected(&f, &s))) {
                    printf("    depth %d, colour type %d, interlaced %d, tRNS %d, %d x %d\n",
                           s.depth, s.colour, interlace, transparent, s.width, s.height);
                }
            }
        }
    }
    CHECK_EQ(files, (11 * 4 + 4 * 2) * 11);
}

int main(void)
{
    test_every_kind();
    return check_done();
}
