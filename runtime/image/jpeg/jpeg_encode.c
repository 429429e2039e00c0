#include "jpeg.h"
#include "jpeg_failure.h"

#include <assert.h>
#include <jerror.h>
#include <stdlib.h>

enum { FIRST_ROOM = 128 * 1024 }; /* bytes; doubled as often as needed */

/* libjpeg's own destination in memory loses its buffer at an error. */
typedef struct {
    struct jpeg_compress_struct jpeg;
    struct jpeg_destination_mgr to;
    jpeg_failure failure;
    uint8_t *data;
    size_t size, capacity;
} writer;

static void make_room(writer *w, size_t capacity)
{
    uint8_t *data = realloc(w->data, capacity);
    if (!data) {
        ERREXIT1(&w->jpeg, JERR_OUT_OF_MEMORY, 0);
    }
    w->to.next_output_byte = data + w->capacity;
    w->to.free_in_buffer = capacity - w->capacity;
    w->data = data;
    w->capacity = capacity;
}

static void on_start(j_compress_ptr jpeg)
{
    make_room((writer *) jpeg, FIRST_ROOM);
}

static boolean on_full(j_compress_ptr jpeg)
{
    writer *w = (writer *) jpeg;
    make_room(w, w->capacity * 2);
    return TRUE;
}

static void on_end(j_compress_ptr jpeg)
{
    writer *w = (writer *) jpeg;
    w->size = w->capacity - w->to.free_in_buffer;
}

static void set_up(writer *w, const image_bitmap *image, int quality)
{
    jpeg_create_compress(&w->jpeg);
    w->to = (struct jpeg_destination_mgr){
        .init_destination = on_start, .empty_output_buffer = on_full, .term_destination = on_end};
    w->jpeg.dest = &w->to;
    w->jpeg.image_width = (JDIMENSION) image->width;
    w->jpeg.image_height = (JDIMENSION) image->height;
    w->jpeg.input_components = 4;
    w->jpeg.in_color_space = JCS_EXT_BGRX;
    jpeg_set_defaults(&w->jpeg); /* 4:2:0 is one of these */
    jpeg_set_quality(&w->jpeg, quality, TRUE);
}

static bool write_picture(writer *w, const image_bitmap *image, int quality)
{
    if (setjmp(w->failure.failed)) {
        return false;
    }
    set_up(w, image, quality);
    jpeg_start_compress(&w->jpeg, TRUE);
    while (w->jpeg.next_scanline < w->jpeg.image_height) {
        JSAMPROW row = image->pixels + (size_t) w->jpeg.next_scanline * image->stride;
        jpeg_write_scanlines(&w->jpeg, &row, 1);
    }
    jpeg_finish_compress(&w->jpeg);
    return true;
}

bool jpeg_encode(const image_bitmap *image, int quality, uint8_t **data, size_t *size,
                 base_error *err)
{
    assert(image && image->pixels && quality >= 1 && quality <= 100);
    writer w = {0};
    w.jpeg.err = jpeg_failure_handler(&w.failure, err);
    bool ok = write_picture(&w, image, quality);
    jpeg_destroy_compress(&w.jpeg);
    if (!ok) {
        free(w.data);
    }
    *data = ok ? w.data : NULL;
    *size = ok ? w.size : 0;
    return ok;
}
