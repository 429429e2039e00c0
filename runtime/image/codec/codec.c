#include "codec.h"

#include "image/jpeg/jpeg.h"
#include "image/png/png.h"

bool codec_decode(image_bitmap *image, const uint8_t *data, size_t size, base_error *err)
{
    if (png_recognise(data, size)) {
        return png_decode(image, data, size, err);
    }
    if (jpeg_recognise(data, size)) {
        return jpeg_decode(image, data, size, err);
    }
    return base_fail(err, BASE_BAD_PROTOCOL,
                     "This is no picture that can be read: neither a PNG nor a JPEG file.");
}
