/*
 * codec.h: pictures from files of any kind that is read, told by how they begin.
 */
#ifndef IMAGE_CODEC_CODEC_H
#define IMAGE_CODEC_CODEC_H

#include "base/error.h"
#include "image/image.h"

/* Makes `image` the picture in a file: PNG (png_decode) or JPEG (jpeg_decode), with their errors;
 * BASE_BAD_PROTOCOL for anything else. `image` stays as it was on failure. */
bool codec_decode(image_bitmap *image, const uint8_t *data, size_t size, base_error *err);

#endif
