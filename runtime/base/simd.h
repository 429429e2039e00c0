/*
 * simd.h: which vector instructions may be used, for the few files that have fast paths.
 *
 * BASE_X86 is 1 where SSE2 is part of the baseline (x86-64). Code for newer instructions is
 * compiled by function attribute and chosen at run time, so one binary runs on every machine. Each
 * fast path has an equivalent in plain C, which yields the same bytes and is used where BASE_X86 is
 * 0.
 */
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include <stdbool.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BASE_X86 1
#include <immintrin.h>
#define BASE_TARGET(features) __attribute__((target(features)))

static inline bool base_cpu_avx2(void)
{
    return __builtin_cpu_supports("avx2") > 0;
}

static inline bool base_cpu_ssse3(void)
{
    return __builtin_cpu_supports("ssse3") > 0;
}

static inline bool base_cpu_pclmul(void)
{
    return __builtin_cpu_supports("pclmul") > 0 && __builtin_cpu_supports("sse4.1") > 0;
}
#else
#define BASE_X86 0
#endif

#endif
