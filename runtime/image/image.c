#include "image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool desk_image_alloc(desk_image *image, int width, int height, desk_error *err)
{
    assert(image);
    if (width < 1 || height < 1 || width > DESK_IMAGE_MAX_SIDE || height > DESK_IMAGE_MAX_SIDE)
        return desk_fail(err, DESK_INVALID,
                         "An image of %d x %d cannot be made: each side must be 1 to %d pixels.",
                         width, height, DESK_IMAGE_MAX_SIDE);
    size_t stride = (size_t) width * 4;
    /* Both sides are at most 15 bits, so the product only overflows where size_t is 32 bits. */
    if ((size_t) height > SIZE_MAX / stride)
        return desk_fail(err, DESK_NO_MEMORY, "There is no memory for an image of %d x %d.", width,
                         height);
    uint8_t *pixels = calloc((size_t) height, stride);
    if (!pixels)
        return desk_fail(err, DESK_NO_MEMORY, "There is no memory for an image of %d x %d.", width,
                         height);
    desk_image_free(image);
    *image = (desk_image){.width = width, .height = height, .stride = stride, .pixels = pixels};
    return true;
}

void desk_image_free(desk_image *image)
{
    if (!image->borrowed)
        free(image->pixels);
    *image = (desk_image){0};
}

static bool inside(const desk_image *image, desk_rect rect)
{
    /* Written as differences, so that no sum of hostile numbers can overflow. */
    return rect.x >= 0 && rect.y >= 0 && rect.width >= 1 && rect.height >= 1 &&
           rect.x < image->width && rect.y < image->height && rect.width <= image->width - rect.x &&
           rect.height <= image->height - rect.y;
}

bool desk_image_crop(desk_image *to, const desk_image *from, desk_rect rect, desk_error *err)
{
    assert(to && from);
    if (!inside(from, rect))
        return desk_fail(err, DESK_INVALID,
                         "The area %d,%d %dx%d does not lie inside the image of %d x %d.", rect.x,
                         rect.y, rect.width, rect.height, from->width, from->height);
    /* Built aside: `to` may be `from`, and on failure it must stay as it was. */
    desk_image made = {0};
    if (!desk_image_alloc(&made, rect.width, rect.height, err))
        return false;
    for (int y = 0; y < rect.height; y++)
        memcpy(made.pixels + (size_t) y * made.stride,
               from->pixels + (size_t) (rect.y + y) * from->stride + (size_t) rect.x * 4,
               (size_t) rect.width * 4);
    made.alpha = from->alpha;
    desk_image_free(to);
    *to = made;
    return true;
}
