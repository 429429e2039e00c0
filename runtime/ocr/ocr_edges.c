#include "ocr_edges.h"

#include <stdlib.h>
#include <string.h>

enum {
    CONTRAST = 28, /* least difference of two pixels in one channel; disabled text has about 60 */
    LONG_ACROSS = 64, /* pixels: no letter has a longer horizontal edge; a dash may have 40 */
    LONG_DOWN = 24,   /* pixels, for vertical edges; titles lose their stems but keep other edges */
};

static inline int difference(const uint8_t *p, const uint8_t *q)
{
    int b = abs(p[0] - q[0]), g = abs(p[1] - q[1]), r = abs(p[2] - q[2]);
    int most = b > g ? b : g;
    return most > r ? most : r;
}

static void find_edges(const image_bitmap *image, uint8_t *edges)
{
    for (int y = 0; y < image->height; y++) {
        const uint8_t *row = image->pixels + (size_t) y * image->stride;
        const uint8_t *below = y + 1 < image->height ? row + image->stride : row;
        uint8_t *out = edges + (size_t) y * (size_t) image->width;
        for (int x = 0; x + 1 < image->width; x++, row += 4, below += 4) {
            bool across = difference(row, row + 4) >= CONTRAST;
            bool down = difference(row, below) >= CONTRAST;
            out[x] = (uint8_t) ((across ? TEXT_EDGE_ACROSS | TEXT_EDGE_ANY : 0) |
                                (down ? TEXT_EDGE_DOWN | TEXT_EDGE_ANY : 0));
        }
        out[image->width - 1] = 0;
    }
}

/* Clears the bit in runs of at least `least` bytes that have it; the bytes are `step` apart. */
static void remove_runs(uint8_t *at, int count, size_t step, uint8_t bit, int least)
{
    for (int i = 0; i < count;) {
        if (!(at[(size_t) i * step] & bit)) {
            i++;
            continue;
        }
        int end = i;
        while (end < count && at[(size_t) end * step] & bit) {
            end++;
        }
        for (int k = i; end - i >= least && k < end; k++) {
            at[(size_t) k * step] &= (uint8_t) ~bit;
        }
        i = end;
    }
}

/* Removes long vertical edges. Going down each column would cause a cache miss at every pixel, so
 * the rows are visited one after the other, with the current run length of each column. */
static bool remove_upright(uint8_t *edges, int width, int height)
{
    int *length = calloc((size_t) width, sizeof *length);
    if (!length) {
        return false;
    }
    for (int y = 0; y <= height; y++) {
        const uint8_t *row = edges + (size_t) y * (size_t) width;
        for (int x = 0; x < width; x++) {
            if (y < height && row[x] & TEXT_EDGE_ACROSS) {
                length[x]++;
                continue;
            }
            for (int k = 1; length[x] >= LONG_DOWN && k <= length[x]; k++) {
                edges[(size_t) (y - k) * (size_t) width + (size_t) x] &=
                    (uint8_t) ~TEXT_EDGE_ACROSS;
            }
            length[x] = 0;
        }
    }
    free(length);
    return true;
}

uint8_t *ocr_edges(const image_bitmap *image)
{
    size_t width = (size_t) image->width;
    uint8_t *edges = malloc(width * (size_t) image->height);
    if (!edges) {
        return NULL;
    }
    find_edges(image, edges);
    for (int y = 0; y < image->height; y++) {
        remove_runs(edges + (size_t) y * width, image->width, 1, TEXT_EDGE_DOWN, LONG_ACROSS);
    }
    if (!remove_upright(edges, image->width, image->height)) {
        free(edges);
        return NULL;
    }
    return edges;
}
