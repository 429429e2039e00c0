/*
 * jpeg_failure.h: libjpeg's errors as ours. Private to jpeg_*.c.
 *
 * libjpeg does not return at an error: our handler fills `err` and goes back by longjmp to where
 * `failed` was set.
 */
#ifndef IMAGE_JPEG_JPEG_FAILURE_H
#define IMAGE_JPEG_JPEG_FAILURE_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h> /* jpeglib.h needs it and does not say so */

#include <jpeglib.h>
#include <setjmp.h>

typedef struct {
    struct jpeg_error_mgr errors; /* first: libjpeg hands this back, and we find the rest by it */
    base_error *err;
    jmp_buf failed;
} jpeg_failure;

/* Prepares `failure` (but for `failed`) and returns what `err` of a (de)compressor has to be. */
struct jpeg_error_mgr *jpeg_failure_handler(jpeg_failure *failure, base_error *err);

/* Goes back to `failed`, for whoever has filled `err`. */
_Noreturn void jpeg_failure_leave(j_common_ptr codec);

#endif
