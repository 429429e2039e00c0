#include "coords.h"

#include <math.h>
#include <stdint.h>

/* At 8192 pixels half a tenth of a norm is 0.41 pixels, which still rounds home; further on a tenth
 * is too coarse. */
enum { TENTHS_UP_TO = 8192 };

static bool usable(image_rect rect, base_error *err)
{
    if (rect.width >= 1 && rect.height >= 1 && rect.width <= IMAGE_MAX_SIDE &&
        rect.height <= IMAGE_MAX_SIDE) {
        return true;
    }
    return base_fail(err, BASE_INVALID, "An area of %d x %d has no positions in it.", rect.width,
                     rect.height);
}

static bool axis_to_pixel(const char *name, double norm, int origin, int size, int *pixel,
                          base_error *err)
{
    /* Not "norm < 0 || norm > 1000", which a NaN would pass. */
    if (!(norm >= 0 && norm <= 1000)) {
        return base_fail(err, BASE_INVALID, "%s is %g, which is outside the legal range 0 to 1000.",
                         name, norm);
    }
    int offset = (int) round(norm * size / 1000);
    if (offset > size - 1) {
        offset = size - 1;
    }
    *pixel = (int) ((int64_t) origin + offset);
    return true;
}

bool image_norm_to_pixel(double xn, double yn, image_rect rect, int *x, int *y, base_error *err)
{
    return usable(rect, err) && axis_to_pixel("x", xn, rect.x, rect.width, x, err) &&
           axis_to_pixel("y", yn, rect.y, rect.height, y, err);
}

static bool axis_to_norm(const char *name, int pixel, int origin, int size, double *norm,
                         base_error *err)
{
    int64_t offset = (int64_t) pixel - origin;
    if (offset < 0 || offset >= size) {
        return base_fail(err, BASE_INVALID, "%s is %d, which is outside the area's %d to %lld.",
                         name, pixel, origin, (long long) origin + size - 1);
    }
    double steps = size <= TENTHS_UP_TO ? 10 : 100;
    *norm = round((double) offset * 1000 * steps / size) / steps;
    return true;
}

bool image_pixel_to_norm(int x, int y, image_rect rect, double *xn, double *yn, base_error *err)
{
    return usable(rect, err) && axis_to_norm("x", x, rect.x, rect.width, xn, err) &&
           axis_to_norm("y", y, rect.y, rect.height, yn, err);
}
