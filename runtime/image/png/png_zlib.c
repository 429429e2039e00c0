#include "png_zlib.h"

#include <stdlib.h>
#include <zlib.h>

struct png_zlib {
    z_stream stream;
    uint8_t *bytes; /* the strip as it is in the file */
};

png_zlib *png_zlib_new(int width, int rows, int level)
{
    png_zlib *zlib = calloc(1, sizeof *zlib);
    if (!zlib) {
        return NULL;
    }
    zlib->bytes = malloc(png_row_bytes(width) * (size_t) rows);
    /* Raw deflate (the encoder writes zlib's header and sum), and memLevel 8. */
    if (!zlib->bytes ||
        deflateInit2(&zlib->stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(zlib->bytes);
        free(zlib);
        return NULL;
    }
    /* Level 1 gives up on chains too soon for screens: 5 % smaller in the same time. */
    if (level == 1) {
        deflateTune(&zlib->stream, 4, 16, 258, 4);
    }
    return zlib;
}

void png_zlib_free(png_zlib *zlib)
{
    if (!zlib) {
        return;
    }
    deflateEnd(&zlib->stream);
    free(zlib->bytes);
    free(zlib);
}

size_t png_zlib_strip(png_zlib *zlib, const png_strip *strip, uint8_t filter, uint8_t *out)
{
    z_stream *z = &zlib->stream;
    size_t bound = png_bound(strip->width, strip->rows);
    if (deflateReset(z) != Z_OK) {
        return 0;
    }
    z->next_in = zlib->bytes;
    z->avail_in = (uInt) png_strip_bytes(strip, filter, zlib->bytes);
    z->next_out = out;
    z->avail_out = (uInt) bound;
    if (deflate(z, Z_FULL_FLUSH) != Z_OK || z->avail_in != 0 || z->avail_out == 0) {
        return 0;
    }
    return bound - z->avail_out;
}
