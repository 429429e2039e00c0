#include "ocr_ink.h"

#include <stdlib.h>
#include <string.h>

enum {
    BORDER = 16,   /* pixels of the finished picture's white border */
    SEGMENT = 24,  /* columns with a common background colour */
    AROUND = 16,   /* columns at both sides that are counted for that colour too */
    LEVELS = 4096, /* colours that are distinguished: 4 bits of each channel */
    FAINT = 40,    /* least ink that is stretched to black; less is shading, not text */
};

static const uint8_t *pixel(const image_bitmap *image, int x, int y)
{
    return image->pixels + (size_t) y * image->stride + (size_t) x * 4;
}

static int level(const uint8_t *p)
{
    return p[0] >> 4 | (p[1] >> 4) << 4 | (p[2] >> 4) << 8;
}

/* The most common colour of a part: the average of the pixels with the most common level. `counts`
 * must hold LEVELS zeros, and does so afterwards. */
static void commonest(const image_bitmap *image, image_rect part, int *counts, uint8_t colour[3])
{
    int best = 0;
    for (int y = part.y; y < part.y + part.height; y++) {
        for (int x = part.x; x < part.x + part.width; x++) {
            int l = level(pixel(image, x, y));
            if (++counts[l] > counts[best] || best == l) {
                best = l;
            }
        }
    }
    long sum[3] = {0}, count = 0;
    for (int y = part.y; y < part.y + part.height; y++) {
        for (int x = part.x; x < part.x + part.width; x++) {
            const uint8_t *p = pixel(image, x, y);
            counts[level(p)] = 0;
            if (level(p) != best) {
                continue;
            }
            for (int c = 0; c < 3; c++) {
                sum[c] += p[c];
            }
            count++;
        }
    }
    for (int c = 0; c < 3; c++) {
        colour[c] = (uint8_t) (sum[c] / (count ? count : 1));
    }
}

static int distance(const uint8_t *p, const uint8_t colour[3])
{
    int b = abs(p[0] - colour[0]), g = abs(p[1] - colour[1]), r = abs(p[2] - colour[2]);
    int most = b > g ? b : g;
    return most > r ? most : r;
}

/* Computes the ink of a segment's columns, stretched so that the segment's strongest ink is black:
 * selected words may have less contrast than their neighbours. */
static void segment_ink(const image_bitmap *image, image_rect rect, int from, int to,
                        const uint8_t colour[3], uint8_t *ink)
{
    int most = FAINT;
    for (int y = 0; y < rect.height; y++) {
        for (int x = from; x < to; x++) {
            int d = distance(pixel(image, rect.x + x, rect.y + y), colour);
            ink[(size_t) y * (size_t) rect.width + (size_t) x] = (uint8_t) d;
            if (d > most) {
                most = d;
            }
        }
    }
    for (int y = 0; y < rect.height; y++) {
        for (int x = from; x < to; x++) {
            uint8_t *p = &ink[(size_t) y * (size_t) rect.width + (size_t) x];
            *p = (uint8_t) (255 - *p * 255 / most);
        }
    }
}

/* The ink of the whole rectangle, one byte per pixel. NULL without memory. */
static uint8_t *plain_ink(const image_bitmap *image, image_rect rect)
{
    uint8_t *ink = malloc((size_t) rect.width * (size_t) rect.height);
    int *counts = calloc(LEVELS, sizeof *counts);
    for (int from = 0; ink && counts && from < rect.width; from += SEGMENT) {
        int to = from + SEGMENT < rect.width ? from + SEGMENT : rect.width;
        int left = from > AROUND ? from - AROUND : 0;
        int right = to + AROUND < rect.width ? to + AROUND : rect.width;
        uint8_t colour[3];
        commonest(image, (image_rect){rect.x + left, rect.y, right - left, rect.height}, counts,
                  colour);
        segment_ink(image, rect, from, to, colour, ink);
    }
    if (!counts) {
        free(ink);
        ink = NULL;
    }
    free(counts);
    return ink;
}

/* --- enlarging -----------------------------------------------------------------------------------
 */

/* The Catmull-Rom weights of four neighbours, for a place between the middle two, in 1/1024. */
static void weights(int step, int scale, int w[4])
{
    double t = (step + 0.5) / scale - 0.5;
    t -= t < 0 ? -1 : 0;
    w[0] = (int) (1024 * (-0.5 * t + t * t - 0.5 * t * t * t));
    w[1] = (int) (1024 * (1 - 2.5 * t * t + 1.5 * t * t * t));
    w[3] = (int) (1024 * (-0.5 * t * t + 0.5 * t * t * t));
    w[2] = 1024 - w[0] - w[1] - w[3];
}

static int at_edge(int i, int count)
{
    return i < 0 ? 0 : i >= count ? count - 1 : i;
}

static uint8_t to_byte(int sum)
{
    sum = (sum + 512) >> 10;
    return (uint8_t) (sum < 0 ? 0 : sum > 255 ? 255 : sum);
}

/* Enlarges `count` samples, which are `from_step` bytes apart, to count * scale samples, which are
 * `to_step` bytes apart. */
static void enlarge(const uint8_t *from, int count, size_t from_step, uint8_t *to, size_t to_step,
                    int scale, int w[][4])
{
    for (int i = 0; i < count; i++) {
        for (int s = 0; s < scale; s++) {
            int first = i - (2 * s + 1 < scale ? 2 : 1), sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += w[s][k] * from[(size_t) at_edge(first + k, count) * from_step];
            }
            to[((size_t) i * (size_t) scale + (size_t) s) * to_step] = to_byte(sum);
        }
    }
}

bool ocr_ink(ocr_ink_image *out, const image_bitmap *image, image_rect rect, int scale,
             base_error *err)
{
    int w[6][4] = {0};
    for (int s = 0; s < scale; s++) {
        weights(s, scale, w[s]);
    }
    *out = (ocr_ink_image){rect.width * scale + 2 * BORDER, rect.height * scale + 2 * BORDER, NULL,
                           scale, BORDER};
    size_t wide = (size_t) rect.width * (size_t) scale, stride = (size_t) out->width;
    uint8_t *ink = plain_ink(image, rect), *rows = calloc((size_t) rect.height, wide);
    out->pixels = malloc(stride * (size_t) out->height);
    bool ok = ink && rows && out->pixels;
    if (ok) {
        memset(out->pixels, 255, stride * (size_t) out->height);
        for (int y = 0; y < rect.height; y++) {
            enlarge(ink + (size_t) y * (size_t) rect.width, rect.width, 1, rows + (size_t) y * wide,
                    1, scale, w);
        }
        for (size_t x = 0; x < wide; x++) {
            enlarge(rows + x, rect.height, wide, out->pixels + BORDER * stride + BORDER + x, stride,
                    scale, w);
        }
    }
    free(ink);
    free(rows);
    if (ok) {
        return true;
    }
    ocr_ink_free(out);
    return base_fail(err, BASE_NO_MEMORY, "not enough memory to read text");
}

void ocr_ink_free(ocr_ink_image *ink)
{
    free(ink->pixels);
    *ink = (ocr_ink_image){0};
}
