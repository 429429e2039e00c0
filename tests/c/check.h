/*
 * check.h: what C tests are written with. A failed check prints its place and values and the test
 * goes on; main ends with `return check_done();`.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned long check_count, check_failures;

static inline bool check_report(bool ok, const char *file, int line, const char *what)
{
    check_count++;
    if (ok) {
        return true;
    }
    check_failures++;
    printf("%s:%d: %s\n", file, line, what);
    return false;
}

static inline bool check_equal(long long a, long long b, const char *file, int line,
                               const char *what)
{
    if (check_report(a == b, file, line, what)) {
        return true;
    }
    printf("    %lld is not %lld\n", a, b);
    return false;
}

static inline bool check_equal_text(const char *a, const char *b, const char *file, int line,
                                    const char *what)
{
    if (check_report(strcmp(a, b) == 0, file, line, what)) {
        return true;
    }
    printf("    \"%s\" is not \"%s\"\n", a, b);
    return false;
}

static inline int check_done(void)
{
    if (check_failures) {
        printf("%lu of %lu checks failed\n", check_failures, check_count);
    } else {
        printf("%lu checks passed\n", check_count);
    }
    return check_failures ? 1 : 0;
}

/* Each is true when the check passed, so that a test can stop where going on makes no sense. */
#define CHECK(condition) check_report((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(a, b)                                                                             \
    check_equal((long long) (a), (long long) (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR(a, b) check_equal_text((a), (b), __FILE__, __LINE__, #a " == " #b)

#endif
