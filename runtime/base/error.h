/*
 * error.h: error values of the C runtime.
 *
 * Every function that can fail takes a `base_error *` as its last argument, fills it, and returns
 * false (or NULL). The message is one sentence that tells the user what to do; the code is one of a
 * closed list, which Lua has as `err.code`. A caller's mistake (a NULL that is not permitted) is an
 * assertion, not an error. Nothing here prints or exits.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

typedef enum {
    BASE_OK = 0,
    BASE_UNAVAILABLE, /* something is missing on this machine now (no display, no bus) */
    BASE_UNSUPPORTED, /* this platform or server cannot do it */
    BASE_REFUSED,     /* the request was denied */
    BASE_TIMED_OUT,
    BASE_CANCELLED,
    BASE_NOT_FOUND,
    BASE_BAD_PROTOCOL, /* a peer or a file violated its format (winsock2.h has a BASE_PROTOCOL) */
    BASE_IO,
    BASE_INVALID, /* a value out of its range that is known only at run time */
    BASE_NO_MEMORY,
} base_code;

typedef struct {
    base_code code;
    char message[320];
} base_error;

/* The archetype for GCC's format checks. A build defines it if `printf` would check for another C
 * library than the one that is linked (MinGW). */
#ifndef BASE_PRINTF_FORMAT
#define BASE_PRINTF_FORMAT printf
#endif

/* Fills `err` (which may be NULL) and returns false, for `return base_fail(...)`. */
bool base_fail(base_error *err, base_code code, const char *format, ...)
    __attribute__((format(BASE_PRINTF_FORMAT, 3, 4)));

/* The same as a macro, so that static analysis of a caller sees that the result is false. */
#define base_fail(...)                                                                             \
    ({                                                                                             \
        base_fail(__VA_ARGS__);                                                                    \
        false;                                                                                     \
    })

/* The name of a code in Lua: "unavailable", "timed_out", ... Static storage. */
const char *base_code_name(base_code code);

#endif
