#include "ocr_sign.h"

#include <stdlib.h>

enum {
    FAINT = 40,   /* least difference from the background that is ink */
    MOST_DOT = 5, /* pixels */
    BANDS = 2,
};

static int difference(const uint8_t *p, const uint8_t *q)
{
    int b = abs(p[0] - q[0]), g = abs(p[1] - q[1]), r = abs(p[2] - q[2]);
    int most = b > g ? b : g;
    return most > r ? most : r;
}

static const uint8_t *pixel(const image_bitmap *image, int x, int y)
{
    return image->pixels + (size_t) y * image->stride + (size_t) x * 4;
}

/* A bar or a dot: rows of ink with an empty one above and below. */
typedef struct {
    int top, bottom, left, right, ink; /* the last pixels; `ink` counts */
} band;

static int strongest(const image_bitmap *image, image_rect rect, const uint8_t *paper)
{
    int most = 0;
    for (int y = rect.y; y < rect.y + rect.height; y++) {
        for (int x = rect.x; x < rect.x + rect.width; x++) {
            int d = difference(pixel(image, x, y), paper);
            most = d > most ? d : most;
        }
    }
    return most;
}

static void add_row(band *b, int y, int left, int right, int ink)
{
    if (b->ink == 0) {
        *b = (band){y, y, left, right, 0};
    }
    b->bottom = y;
    b->left = left < b->left ? left : b->left;
    b->right = right > b->right ? right : b->right;
    b->ink += ink;
}

/* How many bands there are; more than BANDS is none of the signs. */
static int find_bands(const image_bitmap *image, image_rect rect, band bands[BANDS])
{
    const uint8_t *paper = pixel(image, rect.x, rect.y);
    int most = strongest(image, rect, paper), count = 0;
    bool inside = false;
    for (int y = rect.y; most >= FAINT && y < rect.y + rect.height; y++) {
        int left = -1, right = -1, ink = 0;
        for (int x = rect.x; x < rect.x + rect.width; x++) {
            if (difference(pixel(image, x, y), paper) * 2 >= most) {
                left = left < 0 ? x : left;
                right = x;
                ink++;
            }
        }
        if (ink && !inside && ++count > BANDS) {
            return count;
        }
        if (ink) {
            add_row(&bands[count - 1], y, left, right, ink);
        }
        inside = ink > 0;
    }
    return count;
}

static bool is_bar(const band *b)
{
    int width = b->right - b->left + 1, height = b->bottom - b->top + 1;
    return width >= 3 && width >= 2 * height && b->ink * 10 >= width * height * 9;
}

static bool is_dot(const band *b)
{
    int width = b->right - b->left + 1, height = b->bottom - b->top + 1;
    return width <= MOST_DOT && height <= MOST_DOT && abs(width - height) <= 1 &&
           b->ink * 10 >= width * height * 7;
}

static bool are_alike(const band *a, const band *b)
{
    int apart = b->top - a->bottom, width = a->right - a->left + 1;
    return abs(a->left - b->left) <= 1 && abs(a->right - b->right) <= 1 && apart > 1 &&
           apart <= width;
}

static bool has_paper_at_corners(const image_bitmap *image, image_rect r)
{
    const uint8_t *paper = pixel(image, r.x, r.y);
    int right = r.x + r.width - 1, bottom = r.y + r.height - 1;
    return difference(pixel(image, right, r.y), paper) < FAINT / 2 &&
           difference(pixel(image, r.x, bottom), paper) < FAINT / 2 &&
           difference(pixel(image, right, bottom), paper) < FAINT / 2;
}

const char *ocr_sign(const image_bitmap *image, image_rect rect, image_rect *at)
{
    band bands[BANDS] = {{0}};
    int count = has_paper_at_corners(image, rect) ? find_bands(image, rect, bands) : 0;
    const char *sign = NULL;
    if (count == 1 && is_bar(&bands[0])) {
        sign = "-";
    } else if (count == 1 && is_dot(&bands[0])) {
        sign = ".";
    } else if (count == 2 && is_bar(&bands[0]) && is_bar(&bands[1]) &&
               are_alike(&bands[0], &bands[1])) {
        sign = "=";
    }
    if (sign) {
        const band *last = &bands[count - 1];
        int left = bands[0].left < last->left ? bands[0].left : last->left;
        int right = bands[0].right > last->right ? bands[0].right : last->right;
        *at = (image_rect){left, bands[0].top, right - left + 1, last->bottom - bands[0].top + 1};
    }
    return sign;
}
