#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool desk_fail(desk_error *err, desk_code code, const char *format, ...)
{
    if (!err)
        return false;
    err->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return false;
}

const char *desk_code_name(desk_code code)
{
    static const char *const names[] = {
        "ok",        "unavailable", "unsupported", "refused", "timed_out", "cancelled",
        "not_found", "protocol",    "io",          "invalid", "no_memory",
    };
    if ((unsigned) code >= sizeof names / sizeof names[0])
        return "io";
    return names[code];
}
