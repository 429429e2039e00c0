/* fails.h: a check that a call fails as it should. */
#ifndef FAILS_H
#define FAILS_H

#include "base/error.h"
#include "check.h"

static base_error err;

/* A call that fails with that code and that sentence. */
#define FAILS(call, wanted, sentence)                                                              \
    do {                                                                                           \
        err = (base_error){0};                                                                     \
        CHECK(!(call));                                                                            \
        CHECK_STR(base_code_name(err.code), base_code_name(wanted));                               \
        CHECK_STR(err.message, sentence);                                                          \
    } while (0)

#endif
