/*
 * png.h: pictures to PNG files and back.
 *
 * The encoder is made for screens that change little: it keeps the last frame and its compressed
 * strips of DESK_PNG_STRIP_ROWS rows, and compresses again only the strips that changed, on all
 * cores. Each strip is a run of deflate blocks of its own, ended by a full flush, so that strips
 * can be joined in any mixture of old and new. The file is 8-bit RGB (alpha is left out), and the
 * same pixels give the same file whatever was encoded before and however many threads took part.
 *
 * The decoder reads files of unknown origin.
 */
#ifndef IMAGE_PNG_PNG_H
#define IMAGE_PNG_PNG_H

#include "base/error.h"
#include "image/image.h"

enum {
    DESK_PNG_STRIP_ROWS = 64,
    DESK_PNG_MAX_PIXELS = 64 * 1024 * 1024, /* the largest picture the decoder will make */
};

typedef enum {
    DESK_PNG_SCREEN, /* deflate by a match finder made for user interfaces: the fast one */
    DESK_PNG_ZLIB,   /* deflate by zlib, with filter "sub" where a strip looks like a photo */
} desk_png_compressor;

typedef struct {
    desk_png_compressor compressor;
    int level; /* zlib's 1..9, 0 for the default (1); SCREEN has no levels */
} desk_png_options;

typedef struct {
    int strips; /* of the last frame */
    int reused; /* of those, taken from the frame before */
} desk_png_stats;

typedef struct desk_png_encoder desk_png_encoder;

/* NULL when there is no memory. Owned by the caller. */
desk_png_encoder *desk_png_encoder_new(void);
/* Takes NULL. */
void desk_png_encoder_free(desk_png_encoder *encoder);

/* Makes a PNG file of `image`. `*data` belongs to the encoder and is valid until its next use.
 * DESK_INVALID for a level that does not exist, DESK_NO_MEMORY. */
bool desk_png_encode(desk_png_encoder *encoder, const desk_image *image, desk_png_options options,
                     const uint8_t **data, size_t *size, desk_error *err);

/* What the last encode did. */
desk_png_stats desk_png_encoder_stats(const desk_png_encoder *encoder);

/* Makes `image` the picture in a PNG file: any colour type at up to 8 bits a channel, not
 * interlaced. Where the file says how opaque its pixels are, the image's `alpha` is set. `image`
 * stays as it was on failure. DESK_PROTOCOL for a broken file, DESK_UNSUPPORTED for 16 bits or
 * interlacing, DESK_INVALID for a picture above DESK_PNG_MAX_PIXELS or DESK_IMAGE_MAX_SIDE,
 * DESK_NO_MEMORY. */
bool desk_png_decode(desk_image *image, const uint8_t *data, size_t size, desk_error *err);

#endif
