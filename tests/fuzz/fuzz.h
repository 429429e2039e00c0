/* fuzz.h: what fuzzers and those that replay their inputs begin with. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plays one input. Each fuzzer defines it; libFuzzer, or replay.c, calls it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, with the place, where the condition does not hold. */
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* An input that is read byte by byte. */
typedef struct {
    const uint8_t *data;
    size_t size; /* what is left of it */
} fuzz_input;

/* Its next byte; 0 at its end. */
static inline uint8_t fuzz_byte(fuzz_input *in)
{
    if (!in->size) {
        return 0;
    }
    in->size--;
    return *in->data++;
}

#endif
