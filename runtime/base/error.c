#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool(base_fail)(base_error *err, base_code code, const char *format, ...)
{
    if (!err) {
        return false;
    }
    err->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return false;
}

const char *base_code_name(base_code code)
{
    static const char *const names[] = {
        "ok",        "unavailable", "unsupported", "refused", "timed_out", "cancelled",
        "not_found", "protocol",    "io",          "invalid", "no_memory",
    };
    if ((unsigned) code >= sizeof names / sizeof names[0]) {
        return "io";
    }
    return names[code];
}
