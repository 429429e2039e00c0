/*
 * error.h: how the desk library says that the world said no.
 *
 * Every function that can fail takes a `base_error *` as its last argument and returns false (or
 * NULL) after filling it. The message is one sentence that the person at the keyboard can act on;
 * the code is one of a closed list, the same that Lua sees as `err.code`. A caller's mistake (a
 * NULL that must not be NULL) is an assertion, not an error. Nothing here prints or exits.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

typedef enum {
    BASE_OK = 0,
    BASE_UNAVAILABLE, /* the thing exists, but not on this machine now (no display, no bus) */
    BASE_UNSUPPORTED, /* this platform or server cannot do it */
    BASE_REFUSED,     /* asked and denied */
    BASE_TIMED_OUT,
    BASE_CANCELLED,
    BASE_NOT_FOUND,
    BASE_BAD_PROTOCOL, /* a peer or a file broke its format (winsock2.h has a BASE_PROTOCOL) */
    BASE_IO,
    BASE_INVALID, /* a value out of its range that only the run could know */
    BASE_NO_MEMORY,
} base_code;

typedef struct {
    base_code code;
    char message[320];
} base_error;

/* The rules by which GCC checks formats; a build whose `printf` attribute means another C library's
 * rules than those it links names them. */
#ifndef BASE_PRINTF_FORMAT
#define BASE_PRINTF_FORMAT printf
#endif

/* Fills `err` (which may be NULL) and returns false, so that `return base_fail(...)` reads well. */
bool base_fail(base_error *err, base_code code, const char *format, ...)
    __attribute__((format(BASE_PRINTF_FORMAT, 3, 4)));

/* The same; static analysis of a caller sees that it is false. */
#define base_fail(...)                                                                             \
    ({                                                                                             \
        base_fail(__VA_ARGS__);                                                                    \
        false;                                                                                     \
    })

/* The lower-case word of a code: "unavailable", "timed_out", ... Static storage. */
const char *base_code_name(base_code code);

#endif
