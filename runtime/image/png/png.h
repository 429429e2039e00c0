/*
 * png.h: pictures to PNG files and back.
 *
 * The encoder is made for screens that change little: it keeps the last frame and its compressed
 * strips of PNG_STRIP_ROWS rows, and compresses again only the strips that changed, on all
 * cores. Each strip is a run of deflate blocks of its own, ended by a full flush, so that strips
 * can be joined in any mixture of old and new. The file is 8-bit RGB (alpha is left out), and the
 * same pixels give the same file whatever was encoded before and however many threads took part.
 *
 * The decoder is libpng's: it reads every kind of file that there is, of unknown origin.
 */
#ifndef IMAGE_PNG_PNG_H
#define IMAGE_PNG_PNG_H

#include "base/error.h"
#include "image/image.h"

enum { PNG_STRIP_ROWS = 64 };

typedef enum {
    PNG_SCREEN, /* deflate by a match finder made for user interfaces: the fast one */
    PNG_ZLIB,   /* deflate by zlib, with filter "sub" where a strip looks like a photo */
} png_compressor;

typedef struct {
    png_compressor compressor;
    int level; /* zlib's 1..9, 0 for the default (1); SCREEN has no levels */
    bool once; /* keep nothing of the image for the next one, which takes its size in memory */
} png_options;

typedef struct {
    int strips; /* of the last frame */
    int reused; /* of those, taken from the frame before */
} png_stats;

typedef struct png_encoder png_encoder;

/* NULL when there is no memory. Owned by the caller. */
png_encoder *png_encoder_new(void);
/* Takes NULL. */
void png_encoder_free(png_encoder *encoder);

/* Makes a PNG file of `image`. `*data` belongs to the encoder and is valid until its next use.
 * BASE_INVALID for a level that does not exist, BASE_NO_MEMORY. */
bool png_encode(png_encoder *encoder, const image_bitmap *image, png_options options,
                const uint8_t **data, size_t *size, base_error *err);

/* What the last encode did. */
png_stats png_encoder_stats(const png_encoder *encoder);

/* Does a file that begins with these bytes claim to be PNG? */
bool png_recognise(const uint8_t *data, size_t size);

/* Makes `image` the picture in a PNG file of any kind; 16 bits a channel become 8. Where the file
 * says how opaque its pixels are, the image's `alpha` is set. Colours are taken as they are:
 * profiles and gamma are passed over. `image` stays as it was on failure. BASE_BAD_PROTOCOL for a
 * broken file, BASE_INVALID for a picture that image_alloc_declared refuses, BASE_NO_MEMORY. */
bool png_decode(image_bitmap *image, const uint8_t *data, size_t size, base_error *err);

#endif
