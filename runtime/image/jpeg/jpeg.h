/*
 * jpeg.h: pictures to JPEG files and back, by libjpeg-turbo, straight from and to the pixels of an
 * image. JPEG changes what it keeps: what is looked for to the pixel belongs in a PNG file.
 */
#ifndef IMAGE_JPEG_JPEG_H
#define IMAGE_JPEG_JPEG_H

#include "base/error.h"
#include "image/image.h"

/* Does a file that begins with these bytes claim to be JPEG? */
bool jpeg_recognise(const uint8_t *data, size_t size);

/* Makes `image` the picture in a JPEG file of 8 bits a channel: grey or coloured, progressive or
 * not. Pixels come as they lie in the file: which way up a camera was held (EXIF) and colour
 * profiles are passed over. `image` stays as it was on failure. A file that is damaged or cut off
 * anywhere is BASE_BAD_PROTOCOL, other kinds (CMYK, 12 bits, lossless) are BASE_UNSUPPORTED,
 * BASE_INVALID is a picture that image_alloc_declared refuses or one that asks for more work than
 * any true one; BASE_NO_MEMORY. */
bool jpeg_decode(image_bitmap *image, const uint8_t *data, size_t size, base_error *err);

/* Makes a baseline JPEG file of `image` (of any stride, owned or borrowed; opacity is left out),
 * with colours at half the resolution in both directions (4:2:0). `quality` is libjpeg's 1..100.
 * `*data` is the caller's, to be freed by free(); it is NULL on failure. BASE_NO_MEMORY. */
bool jpeg_encode(const image_bitmap *image, int quality, uint8_t **data, size_t *size,
                 base_error *err);

#endif
