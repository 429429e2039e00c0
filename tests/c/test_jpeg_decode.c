/* Reading JPEG files: as libjpeg itself reads them, or not at all. */
#include "jpeg_file.h"

static void test_every_kind(void)
{
    for (int i = 0; i < JPEG_KINDS; i++) {
        for (int width = 1; width < 80; width += width < 18 ? 1 : 30) {
            jpeg_file f = jpeg_file_of(&jpeg_kinds[i], PHOTO, width, 1 + width * 5 % 41);
            if (!CHECK(jpeg_readers_agree(&f))) {
                printf("    %s, %d wide\n", jpeg_kinds[i].name, width);
            }
            free(f.data);
        }
    }
}

/* Exactly these bytes, so that a step beyond the end is seen (the sanitizers watch): a picture or a
 * reason. */
static bool read_exactly(const uint8_t *data, size_t size, base_error *err)
{
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, data, size);
    image_bitmap image = {0};
    *err = (base_error){0};
    bool ok = jpeg_decode(&image, exact, size, err);
    CHECK(ok ? image.pixels != NULL : err->code && err->message[0] && !image.pixels);
    image_free(&image);
    free(exact);
    return ok;
}

static void check_refused(const jpeg_file *f, base_code code, const char *message)
{
    base_error err;
    CHECK(!read_exactly(f->data, f->size, &err));
    CHECK_EQ(err.code, code);
    CHECK_STR(err.message, message);
}

static void test_print_colours(void)
{
    static const jpeg_kind print[] = {{.name = "CMYK", .colour = JCS_CMYK, .across = 1, .down = 1},
                                      {.name = "YCCK", .colour = JCS_YCCK, .across = 2, .down = 2}};
    for (int i = 0; i < 2; i++) {
        jpeg_file f = jpeg_file_of(&print[i], PHOTO, 30, 20);
        check_refused(&f, BASE_UNSUPPORTED,
                      "This JPEG file has colours for print (CMYK) or of an unknown kind, which "
                      "screens do not show: save it as RGB, or as PNG.");
        free(f.data);
    }
}

/* Where the header of the frame (SOFn) begins: its marker. */
static uint8_t *find_frame(const jpeg_file *f)
{
    size_t at = 2;
    while (f->data[at + 1] < 0xc0 || f->data[at + 1] > 0xc2) {
        at += 2 + ((size_t) f->data[at + 2] << 8 | f->data[at + 3]);
    }
    return f->data + at;
}

static void test_headers(void)
{
    enum { PRECISION = 4, HEIGHT, WIDTH = 7 };
    jpeg_file f = jpeg_file_of(&jpeg_kinds[0], PHOTO, 30, 20);
    uint8_t *frame = find_frame(&f);
    memset(frame + HEIGHT, 0x80, 4);
    check_refused(&f, BASE_INVALID,
                  "The picture of 32896 x 32896 is too large: at most 32767 pixels a side and 64 "
                  "million in all.");
    memset(frame + HEIGHT, 0x50, 4);
    check_refused(&f, BASE_INVALID,
                  "The picture of 20560 x 20560 is too large: at most 32767 pixels a side and 64 "
                  "million in all.");
    memset(frame + HEIGHT, 0xff, 4);
    check_refused(&f, BASE_INVALID, "The picture is too large to be read from a JPEG file.");
    memset(frame + HEIGHT, 0, 4);
    check_refused(&f, BASE_BAD_PROTOCOL,
                  "The JPEG file is broken: Empty JPEG image (DNL not supported).");
    memset(frame + HEIGHT, 1, 4);
    frame[PRECISION] = 12;
    check_refused(&f, BASE_UNSUPPORTED,
                  "This kind of JPEG file is not read: Unsupported JPEG data precision 12. Save it "
                  "as PNG.");
    frame[1] = 0xc3; /* lossless */
    check_refused(&f, BASE_UNSUPPORTED,
                  "This kind of JPEG file is not read: Unsupported JPEG process: SOF type 0xc3. "
                  "Save it as PNG.");
    f.data[1] = 0xd9;
    check_refused(&f, BASE_BAD_PROTOCOL, "This is not a JPEG file.");
    free(f.data);
    check_refused(&(jpeg_file){(uint8_t *) "\xff\xd8", 2}, BASE_BAD_PROTOCOL,
                  "This is not a JPEG file.");
}

/* Which way up the camera was held (EXIF) is passed over, and so is what comes after the end. */
static void test_passed_over(void)
{
    static const char exif[] = "\xff\xe1\0\x22"
                               "Exif\0\0"
                               "MM\0*\0\0\0\x08"
                               "\0\x01"
                               "\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"
                               "\0\0\0\0"; /* turned by 90 degrees */
    enum { EXIF = sizeof exif - 1, AFTER = 100 };
    jpeg_file f = jpeg_file_of(&jpeg_kinds[0], PHOTO, 30, 20);
    image_bitmap plain = {0}, turned = {0};
    uint8_t *data = calloc(1, f.size + EXIF + AFTER);
    memcpy(data, f.data, 2);
    memcpy(data + 2, exif, EXIF);
    memcpy(data + 2 + EXIF, f.data + 2, f.size - 2);
    CHECK_EQ(EXIF, 2 + 0x22);
    CHECK(jpeg_decode(&plain, f.data, f.size, NULL));
    CHECK(jpeg_decode(&turned, data, f.size + EXIF + AFTER, NULL));
    CHECK(picture_equal(&plain, &turned));
    image_free(&plain);
    image_free(&turned);
    free(data);
    free(f.data);
}

/* What is cut off is refused, even where it is only the mark of the end: how much of the picture is
 * there cannot be told. */
static void test_cut_off(void)
{
    base_error err;
    for (int i = 0; i < JPEG_KINDS; i++) {
        jpeg_file f = jpeg_file_of(&jpeg_kinds[i], PHOTO, 37, 29);
        CHECK(read_exactly(f.data, f.size, &err));
        for (size_t size = 3; size < f.size; size++) {
            if (!CHECK(!read_exactly(f.data, size, &err)) ||
                !CHECK_EQ(err.code, BASE_BAD_PROTOCOL)) {
                printf("    %s, %zu of %lu bytes: %s\n", jpeg_kinds[i].name, size, f.size,
                       err.message);
            }
        }
        CHECK(!read_exactly(f.data, f.size / 2, &err));
        CHECK_STR(err.message, "The JPEG file is broken: Premature end of JPEG file.");
        free(f.data);
    }
}

static void test_flipped_bytes(void)
{
    base_error err;
    uint32_t state = 23;
    int read = 0, refused = 0;
    for (int i = 0; i < JPEG_KINDS; i++) {
        jpeg_file f = jpeg_file_of(&jpeg_kinds[i], i & 1 ? UI : PHOTO, 37, 29);
        for (size_t at = 0; at < f.size; at++) {
            uint8_t kept = f.data[at];
            for (int times = 0; times < 3; times++) {
                f.data[at] = kept ^ (uint8_t) (1 + picture_random(&state) % 255);
                *(read_exactly(f.data, f.size, &err) ? &read : &refused) += 1;
            }
            f.data[at] = kept;
        }
        free(f.data);
    }
    CHECK(read > 1000 && refused > 1000);
}

/* A file of a few bytes may say again and again that nothing changes in any pixel. */
static void test_too_many_scans(void)
{
    jpeg_scan_info scans[64 * 3] = {{3, {0, 1, 2}, 0, 0, 0, 0}};
    int count = 1;
    for (int c = 0; c < 3; c++) {
        for (int k = 1; k < 64; k++) {
            scans[count++] = (jpeg_scan_info){1, {c}, k, k, 0, 0};
        }
    }
    image_bitmap image = {0};
    picture_make(&image, SOLID, 40, 40);
    const jpeg_kind progressive = {.name = "many scans", .across = 2, .down = 2};
    jpeg_file f = jpeg_file_write(&progressive, &image, scans, count);
    check_refused(&f, BASE_INVALID,
                  "The JPEG file shows its picture in more passes than any true one has.");
    free(f.data);
    f = jpeg_file_write(&progressive, &image, scans, 64);
    CHECK(jpeg_readers_agree(&f));
    free(f.data);
    image_free(&image);
}

int main(void)
{
    test_every_kind();
    test_print_colours();
    test_headers();
    test_passed_over();
    test_cut_off();
    test_flipped_bytes();
    test_too_many_scans();
    return check_done();
}
