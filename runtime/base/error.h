/*
 * error.h: how the desk library says that the world said no.
 *
 * Every function that can fail takes a `desk_error *` as its last argument and returns false (or
 * NULL) after filling it. The message is one sentence that the person at the keyboard can act on;
 * the code is one of a closed list, the same that Lua sees as `err.code`. A caller's mistake (a
 * NULL that must not be NULL) is an assertion, not an error. Nothing here prints or exits.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

typedef enum {
    DESK_OK = 0,
    DESK_UNAVAILABLE, /* the thing exists, but not on this machine now (no display, no bus) */
    DESK_UNSUPPORTED, /* this platform or server cannot do it */
    DESK_REFUSED,     /* asked and denied */
    DESK_TIMED_OUT,
    DESK_CANCELLED,
    DESK_NOT_FOUND,
    DESK_PROTOCOL, /* a peer or a file broke its format */
    DESK_IO,
    DESK_INVALID, /* a value out of its range that only the run could know */
    DESK_NO_MEMORY,
} desk_code;

typedef struct {
    desk_code code;
    char message[320];
} desk_error;

/* The rules by which GCC checks formats; a build whose `printf` attribute means another C library's
 * rules than those it links names them. */
#ifndef DESK_PRINTF_FORMAT
#define DESK_PRINTF_FORMAT printf
#endif

/* Fills `err` (which may be NULL) and returns false, so that `return desk_fail(...)` reads well. */
bool desk_fail(desk_error *err, desk_code code, const char *format, ...)
    __attribute__((format(DESK_PRINTF_FORMAT, 3, 4)));

/* The lower-case word of a code: "unavailable", "timed_out", ... Static storage. */
const char *desk_code_name(desk_code code);

#endif
