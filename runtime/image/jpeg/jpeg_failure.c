#include "jpeg_failure.h"

#include <jerror.h>

static jpeg_failure *failure_of(j_common_ptr codec)
{
    return (jpeg_failure *) codec->err;
}

_Noreturn void jpeg_failure_leave(j_common_ptr codec)
{
    longjmp(failure_of(codec)->failed, 1);
}

static base_code code_of(int message)
{
    switch (message) {
    case JERR_OUT_OF_MEMORY:
        return BASE_NO_MEMORY;
    case JERR_NO_BACKING_STORE: /* more than max_memory_to_use */
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
        return BASE_INVALID;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_SOF_UNSUPPORTED:
        return BASE_UNSUPPORTED;
    default:
        return BASE_BAD_PROTOCOL;
    }
}

static _Noreturn void on_error(j_common_ptr codec)
{
    char words[JMSG_LENGTH_MAX];
    base_error *err = failure_of(codec)->err;
    codec->err->format_message(codec, words);
    base_code code = code_of(codec->err->msg_code);
    if (code == BASE_NO_MEMORY) {
        base_fail(err, code, "There is no memory for a JPEG file.");
    } else if (code == BASE_INVALID) {
        base_fail(err, code, "The picture is too large to be read from a JPEG file.");
    } else if (code == BASE_UNSUPPORTED) {
        base_fail(err, code, "This kind of JPEG file is not read: %s. Save it as PNG.", words);
    } else {
        base_fail(err, code, "The JPEG file is broken: %s.", words);
    }
    jpeg_failure_leave(codec);
}

/* libjpeg only warns of damage and makes up the rest of the picture, which nobody would know from
 * what was there. */
static void on_message(j_common_ptr codec, int level)
{
    if (level >= 0) {
        return; /* a trace */
    }
    switch (codec->err->msg_code) {
    case JWRN_ARITH_BAD_CODE:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
        on_error(codec);
    default:
        return;
    }
}

static void on_output(j_common_ptr codec)
{
    (void) codec;
}

struct jpeg_error_mgr *jpeg_failure_handler(jpeg_failure *failure, base_error *err)
{
    jpeg_std_error(&failure->errors);
    failure->errors.error_exit = on_error;
    failure->errors.emit_message = on_message;
    failure->errors.output_message = on_output;
    failure->err = err;
    return &failure->errors;
}
