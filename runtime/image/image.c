#include "image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool image_alloc(image_bitmap *image, int width, int height, base_error *err)
{
    assert(image);
    if (width < 1 || height < 1 || width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE) {
        return base_fail(err, BASE_INVALID,
                         "An image of %d x %d cannot be made: each side must be 1 to %d pixels.",
                         width, height, IMAGE_MAX_SIDE);
    }
    size_t stride = (size_t) width * 4;
    /* Both sides are at most 15 bits, so the product only overflows where size_t is 32 bits. */
    if ((size_t) height > SIZE_MAX / stride) {
        return base_fail(err, BASE_NO_MEMORY, "There is no memory for an image of %d x %d.", width,
                         height);
    }
    uint8_t *pixels = calloc((size_t) height, stride);
    if (!pixels) {
        return base_fail(err, BASE_NO_MEMORY, "There is no memory for an image of %d x %d.", width,
                         height);
    }
    image_free(image);
    *image = (image_bitmap){.width = width, .height = height, .stride = stride, .pixels = pixels};
    return true;
}

bool image_alloc_declared(image_bitmap *image, uint32_t width, uint32_t height, base_error *err)
{
    if (width == 0 || height == 0) {
        return base_fail(err, BASE_BAD_PROTOCOL,
                         "The picture is broken: it says that it has no pixels.");
    }
    if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE || width * height > IMAGE_MAX_PIXELS) {
        return base_fail(err, BASE_INVALID,
                         "The picture of %u x %u is too large: at most %d pixels a side and %d "
                         "million in all.",
                         (unsigned) width, (unsigned) height, IMAGE_MAX_SIDE,
                         IMAGE_MAX_PIXELS >> 20);
    }
    return image_alloc(image, (int) width, (int) height, err);
}

void image_free(image_bitmap *image)
{
    if (image->share) {
        image_share_drop(image->share);
    } else if (!image->borrowed) {
        free(image->pixels);
    }
    *image = (image_bitmap){0};
}

const uint64_t *image_bands(const image_bitmap *image)
{
    /* Not those of a part: its rows may begin elsewhere. */
    return image->share && image->share->pixels == image->pixels ? image->share->bands : NULL;
}

int image_band_count(int height)
{
    return (height + IMAGE_BAND_ROWS - 1) / IMAGE_BAND_ROWS;
}

uint64_t image_new_band(void)
{
    static atomic_ullong last;
    return atomic_fetch_add(&last, 1) + 1;
}

void image_share_hold(image_share *share)
{
    atomic_fetch_add(&share->users, 1);
}

void image_share_drop(image_share *share)
{
    if (atomic_fetch_sub(&share->users, 1) == 1) {
        share->unused(share);
    }
}

static bool inside(const image_bitmap *image, image_rect rect)
{
    /* Written as differences, so that no sum of hostile numbers can overflow. */
    return rect.x >= 0 && rect.y >= 0 && rect.width >= 1 && rect.height >= 1 &&
           rect.x < image->width && rect.y < image->height && rect.width <= image->width - rect.x &&
           rect.height <= image->height - rect.y;
}

static bool copy_part(image_bitmap *to, const image_bitmap *from, image_rect rect, base_error *err)
{
    bool fits = to != from && to->pixels && !to->borrowed && to->width == rect.width &&
                to->height == rect.height;
    /* Otherwise it is built aside: `to` may be `from`, and on failure it must stay as it was. */
    image_bitmap made = fits ? *to : (image_bitmap){0};
    if (!fits && !image_alloc(&made, rect.width, rect.height, err)) {
        return false;
    }
    for (int y = 0; y < rect.height; y++) {
        memcpy(made.pixels + (size_t) y * made.stride,
               from->pixels + (size_t) (rect.y + y) * from->stride + (size_t) rect.x * 4,
               (size_t) rect.width * 4);
    }
    made.alpha = from->alpha;
    if (!fits) {
        image_free(to);
    }
    *to = made;
    return true;
}

bool image_crop(image_bitmap *to, const image_bitmap *from, image_rect rect, base_error *err)
{
    assert(to && from);
    if (!inside(from, rect)) {
        return base_fail(err, BASE_INVALID,
                         "The area %d,%d %dx%d does not lie inside the image of %d x %d.", rect.x,
                         rect.y, rect.width, rect.height, from->width, from->height);
    }
    if (!from->share || rect.width < from->width || rect.height < from->height) {
        return copy_part(to, from, rect, err);
    }
    if (to != from) {
        image_share_hold(from->share);
        image_free(to);
        *to = *from;
    }
    return true;
}

bool image_own(image_bitmap *image, base_error *err)
{
    image_bitmap own = {0};
    if (!image->share) {
        return true;
    }
    if (!copy_part(&own, image, (image_rect){0, 0, image->width, image->height}, err)) {
        return false;
    }
    image_free(image);
    *image = own;
    return true;
}
